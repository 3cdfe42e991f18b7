"""The Python of the pages: `python -m docs.examples FOLDER` writes each block into a file there.

The type checkers read them; the tests run them.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = [
    path.relative_to(ROOT).as_posix()
    for path in sorted([*ROOT.glob("README*.md"), *(ROOT / "docs").rglob("*.md")])
    if re.search(r"^```python$", path.read_text("utf-8"), re.MULTILINE)
]
"""Every page that shows Python."""


def blocks(page: str) -> list[str]:
    """The Python blocks of a page, in their order."""
    text = (ROOT / page).read_text("utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def module_name(code: str) -> str:
    """The name that a block gives itself in its first line, `# name.py`; empty where it has none."""
    found = re.match(r"# (\w+)\.py\n", code)
    return found[1] if found else ""


def write(folder: Path) -> None:
    """Write every block into a file of the folder, which is emptied before."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for page in PAGES:
        stem = re.sub(r"\W", "_", page.removesuffix(".md"))
        for number, code in enumerate(blocks(page), 1):
            name = module_name(code) or f"{stem}_{number}"
            name = name if name.startswith(stem) or "zh" not in stem else f"zh_{name}"
            (folder / f"{name}.py").write_text(code, "utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
