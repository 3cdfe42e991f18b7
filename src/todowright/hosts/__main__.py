"""`python -m todowright.hosts FOLDER` writes the files for all hosts into a folder."""

from __future__ import annotations

import sys
from pathlib import Path

from todowright.hosts import folders

for name, text in folders().items():
    path = Path(sys.argv[1]) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
