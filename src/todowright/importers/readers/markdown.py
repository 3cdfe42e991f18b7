"""Checklists in Markdown: a file that is named, and in folders those that agents keep."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from todowright.importers.found import Damage, Found

HOST = "Markdown"
_LARGEST = 1_000_000
_BOX = re.compile(rb"^[ \t]*+(?:[-*+]|\d{1,5}[.)])?[ \t]*+\[[ xX\-~>/]\][ \t]+\S", re.MULTILINE)
"""One line of a checklist; it never looks at a second line, so that a file of blank ones takes no time."""
_FOCUS = re.compile(r"focus_chain_taskid_(.+)")


def sees(path: str, head: bytes) -> bool:
    """Whether it holds a checklist."""
    return path.lower().endswith((".md", ".markdown")) and _BOX.search(head) is not None


def document(path: str, file: Any) -> Iterator[Found | Damage]:
    """The list as it stands."""
    data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        yield Damage(1, "longer than 1 MB")
        return
    name = Path(path).stem
    task = _FOCUS.fullmatch(name)
    session = task[1] if task else name
    yield Found("update_todo_list", {"todos": data.decode("utf-8", "replace")}, session, snapshot=True)  # fmt: skip
