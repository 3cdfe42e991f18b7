"""Task lists of Claude Code: `~/.claude/tasks/LIST/1.json`, `2.json`, …, one task in each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from todowright.importers.found import Damage, Found, member
from todowright.importers.sources import Unreadable, opened, parsed

HOST = "Claude Code"
_NAME = re.compile(r"\d{1,9}\.json")
_MOST = 10_000
_LARGEST = 1_000_000


def sees(path: str, head: bytes) -> bool:
    """Whether it is a task of such a list."""
    file = Path(path)
    return _NAME.fullmatch(file.name) is not None and file.parent.parent.name == "tasks" and b'"subject"' in head  # fmt: skip


def document(path: str, file: Any) -> Iterator[Found | Damage]:
    """The whole list that the task belongs to: told once, with the task that was changed last."""
    folder = Path(path).parent
    numbered = sorted(
        (each for each in folder.iterdir() if _NAME.fullmatch(each.name)),
        key=lambda each: int(each.stem),
    )[:_MOST]
    newest = max(numbered, key=lambda each: (each.stat().st_mtime_ns, int(each.stem)))
    if newest.name != Path(path).name:
        return
    tasks = []
    for each in numbered:
        try:
            with opened(str(each)) as task:
                value = parsed(task.read(_LARGEST))
        except Unreadable:
            continue
        if isinstance(value, Damage):
            yield Damage(1, f"{each.name}: {value.reason}")
        elif isinstance(member(value, "subject"), str):
            tasks.append(value)
    if tasks:
        yield Found("TaskList", {"tasks": tasks}, folder.name, snapshot=True)
