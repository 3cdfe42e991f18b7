"""A revision as what changed since an earlier one of its plan, its base.

The todos are a JSON object then, {"todos": [part, ...]}. A part is one of these:

    [first, count]                 todos of the base from this place on, as they were
    [first, count, {"1": "completed"}]   the same, each with these fields changed, by their places in a todo
    ["Paint", "pending", "Painting", "t7", 7, {"owner": "Ada"}]     a todo that the base has not

The field "t" is a label that is counted up: {"t": 7} gives the first todo "t7", the next one "t8". Extras are the
field "5": those that changed, null for one that is gone. "summary": true stands for the summary of the base.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, TypedDict

from todowright.plan.model import Plan, Status, Todo
from todowright.stores.encoding import todos_of

MOST_ON_A_BASE = 256
"""How many revisions behind a base are kept as changes to it, at most."""
_WORTH_IT = 4
"""How many times shorter changes must be than their base."""
_encode = json.JSONEncoder(separators=(",", ":")).encode
_OTHERS = attrgetter("content", "active_form", "id", "number", "extras")
_FIELDS = frozenset("01234t5")

if TYPE_CHECKING:
    Fields = TypedDict(
        "Fields",
        {
            "0": str,
            "1": Status,
            "2": str,
            "3": str,
            "4": int,
            "t": int,
            "5": dict[str, str | None],
        },
        total=False,
    )
    """What changed of a todo, by the places of its fields."""


class Base:
    """A revision that is kept whole, and what it holds."""

    __slots__ = ("extras", "places", "revision", "summary", "text", "todos")

    def __init__(
        self, revision: int, text: str, extras: str, summary: str, todos: tuple[Todo, ...]
    ) -> None:
        self.revision, self.text, self.extras, self.summary = revision, text, extras, summary
        self.todos = todos
        self.places = {todo.number: place for place, todo in enumerate(todos)}

    def is_kept_as(self, revision: int, text: str, extras: str, summary: str) -> bool:
        """Whether it is what a row has."""
        mine = self.revision, self.text, self.extras, self.summary
        return mine == (revision, text, extras, summary)


def changes_of(plan: Plan, base: Base) -> str | None:
    """The plan as changes to a base; None where that is not worth it."""
    if not 0 < plan.revision - base.revision <= MOST_ON_A_BASE:
        return None
    kept: dict[str, object] = {"todos": _parts(base, plan.todos)}
    if plan.summary == base.summary:
        kept["summary"] = True
    text = _encode(kept)
    return text if len(text) * _WORTH_IT <= len(base.text) + len(base.extras) else None


def changed(text: str, base: Base) -> tuple[tuple[Todo, ...], str | None]:
    """The todos that changes make of those of a base, and the summary, if it is that of the base."""
    try:
        kept = json.loads(text)
        todos: list[Todo] = []
        for part in kept["todos"]:
            if isinstance(part[0], str):
                content, status, active_form, label, number, *more = part
                "".join((content, active_form, label))  # `TypeError` if they are of other kinds
                range(number)
                extras = tuple(sorted(more[0].items())) if more else ()
                todos.append(Todo(content, status, active_form, label, number, extras))
                continue
            first, count = part[:2]
            same = base.todos[first : first + count]
            if len(same) != count or first < 0:
                raise ValueError("no such place")
            todos += [_with(todo, part[2], n) for n, todo in enumerate(same)] if part[2:] else same
        return tuple(todos), base.summary if kept.get("summary") else None
    except (AttributeError, IndexError, KeyError, RecursionError) as error:  # of another shape
        raise ValueError("no such changes") from error


def base_of(revision: int, text: str, extras: str, summary: str) -> Base:
    """The base that a row is."""
    return Base(revision, text, extras, summary, todos_of(text, extras))


def _parts(base: Base, todos: Sequence[Todo]) -> list[list[object]]:
    parts: list[list[object]] = []
    count = 0
    """How many todos the last run has."""
    end: tuple[int, Fields | None] = (-1, None)
    """Where it ends in the base, and the change that would go on with it."""
    for todo in todos:
        place = base.places.get(todo.number, -1)
        if place < 0:
            row = [todo.content, todo.status, todo.active_form, todo.id, todo.number]
            parts.append([*row, dict(todo.extras)] if todo.extras else row)
            end = (-1, None)
            continue
        change = _change(base.todos[place], todo)
        if end == (place, change) and parts:
            count += 1
            parts[-1][1] = count
        else:
            count = 1
            parts.append([place, 1] if change is None else [place, 1, change])
        following = change
        if change is not None and "t" in change:
            following = change.copy()
            following["t"] = change["t"] + 1
        end = (place + 1, following)
    return parts


def _change(before: Todo, after: Todo) -> Fields | None:
    """The fields that differ; None if none does."""
    change: Fields = {}
    if after.status != before.status:  # the most frequent one
        change["1"] = after.status
    if _OTHERS(before) == _OTHERS(after):
        return change or None
    if after.content != before.content:
        change["0"] = after.content
    if after.active_form != before.active_form:
        change["2"] = after.active_form
    if after.id != before.id:
        if count := _counted(after.id):
            change["t"] = count
        else:
            change["3"] = after.id
    if after.number != before.number:
        change["4"] = after.number
    if before.extras != after.extras:
        had, has = dict(before.extras), dict(after.extras)
        differ: dict[str, str | None] = {key: None for key in had if key not in has}
        change["5"] = differ | {key: text for key, text in has.items() if had.get(key) != text}
    return change


def _counted(label: str) -> int:
    """The count of a label of our own form, `t7`; 0 for any other."""
    count = label[1:]
    ours = label[:1] == "t" and count.isascii() and count.isdigit() and count[0] != "0"
    return int(count) if ours and len(count) < 10 else 0


def _with(todo: Todo, change: Fields, nth: int) -> Todo:
    """The todo with its changed fields; it is the nth of a run that has the same."""
    if len(change) == 1 and "1" in change:
        return todo.with_status(change["1"])
    if not _FIELDS.issuperset(change):
        raise ValueError("no such field")
    content, status = change.get("0", todo.content), change.get("1", todo.status)
    active_form, number = change.get("2", todo.active_form), change.get("4", todo.number)
    label = f"t{change['t'] + nth}" if "t" in change else change.get("3", todo.id)
    extras = todo.extras
    if "5" in change:
        both = dict[str, str | None](extras) | change["5"]
        extras = tuple(sorted((name, text) for name, text in both.items() if text is not None))
    "".join((content, active_form, label))  # `TypeError` if they are of other kinds
    range(number)
    return Todo(content, status, active_form, label, number, extras)
