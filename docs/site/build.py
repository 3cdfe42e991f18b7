"""Builds the site into `build/site`; a warning, a broken link or an address on the net fails it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from sphinx.cmd.build import build_main

from docs.site.check import faults

ROOT = Path(__file__).parents[2]


def main() -> int:
    """Build into the folder that is named, or into `build/site`."""
    site = Path(sys.argv[1] if len(sys.argv) > 1 else "build/site")
    shutil.rmtree(site, ignore_errors=True)
    with TemporaryDirectory() as cache:
        given = [
            "-q",
            "-W",
            "--keep-going",
            "-b",
            "html",
            "-d",
            cache,
            str(ROOT / "docs"),
            str(site),
        ]
        if code := build_main(given):  # `main` would fail where the locale is unknown
            return code
    found = faults(site)
    for fault in found:
        print(fault, file=sys.stderr)
    if not found:
        print(f"The site is in {site}: open index.html there.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
