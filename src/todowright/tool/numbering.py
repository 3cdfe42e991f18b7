"""How todos get their numbers and labels: each new one the next that nobody ever had."""

from __future__ import annotations

from collections.abc import Sequence

from todowright.plan.model import Todo, with_numbers


def numbered(
    todos: Sequence[Todo], issued: int, *, fresh: bool = False
) -> tuple[tuple[Todo, ...], int]:
    """The todos with their numbers, and the highest number that was given; the one writer alone calls this.

    With `fresh`, each gets a new label, too.
    """
    if not fresh:
        issued = max([issued, *(_in_our_form(todo.id) for todo in todos)])
    known, given = issued, []
    for todo in todos:
        label, number = "" if fresh else todo.id, todo.number
        if not (label and number):
            issued += 1
            label, number = label or f"t{issued}", number or issued
        given.append((label, number))
    return (tuple(todos) if issued == known else with_numbers(todos, given)), issued


def _in_our_form(label: str) -> int:
    """The count behind which a program's label would be ours; 0 for any other: none is given twice."""
    count = label[1:] if label[:1] == "t" and len(label) <= 10 else ""
    return int(count) if count.isascii() and count.isdigit() and count[0] != "0" else 0
