"""How todos get their numbers and labels: each new one the next that nobody ever had."""

from __future__ import annotations

from collections.abc import Sequence

from todowright.plan.model import Todo


def numbered(todos: Sequence[Todo], issued: int) -> tuple[tuple[Todo, ...], int]:
    """The todos with their numbers, and the highest number that was given; the one writer alone calls this."""
    issued = max([issued, *(_in_our_form(todo.id) for todo in todos)])
    numbered = []
    for todo in todos:
        if todo.number and todo.id:
            numbered.append(todo)
            continue
        issued += 1
        label, number = todo.id or f"t{issued}", todo.number or issued
        numbered.append(todo.numbered(label, number))
    return tuple(numbered), issued


def _in_our_form(label: str) -> int:
    """The count behind which a program's label would be ours; 0 for any other: none is given twice."""
    count = label[1:] if label[:1] == "t" and len(label) <= 10 else ""
    return int(count) if count.isascii() and count.isdigit() and count[0] != "0" else 0
