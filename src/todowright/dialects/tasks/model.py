"""A task is a todo with more to it: a description, an owner, metadata, and the tasks that block it."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from typing import Any

from todowright.dialects.extras import Extra, merged
from todowright.errors import Issue, Refused
from todowright.plan.model import LONGEST_TEXT, Todo
from todowright.text import encodable, kind, ranges, shown

DESCRIPTION, OWNER, BLOCKED_BY, METADATA = "description", "owner", "blockedBy", "metadata"
LEASE = "lease"
"""Until when its owner holds it."""
EXTRAS = tuple(map(Extra, (DESCRIPTION, OWNER, BLOCKED_BY, METADATA, LEASE)))
LONGEST_METADATA = 20_000
MOST_NAMED = 100
"""How many tasks one argument may name."""
MOST_WAITS = 20_000
"""For how many others all tasks of a list may wait in all: every change looks through them."""


def of(task: Todo, key: str) -> str:
    """One of the extras of a task; empty where it has none."""
    return dict(task.extras).get(key, "")


def blockers(task: Todo) -> list[int]:
    """The numbers of the tasks that block it, finished or not."""
    return [int(each) for each in of(task, BLOCKED_BY).split() if each.isdecimal()]


def metadata(task: Todo) -> dict[str, Any]:
    """Its metadata."""
    try:
        found = json.loads(of(task, METADATA) or "{}")
    except (ValueError, RecursionError):  # a program may have written anything there
        return {}
    return found if isinstance(found, dict) else {}


def count_waits(tasks: Iterable[Todo]) -> int:
    """For how many others all of these tasks wait in all."""
    return sum(text.count(" ") + 1 for task in tasks if (text := of(task, BLOCKED_BY)))


def is_failed(task: Todo) -> bool:
    """Whether its worker said that it failed. Metadata is not read without need: it may be long."""
    return '"failed"' in of(task, METADATA) and "failed" in metadata(task)


def open_numbers(tasks: Iterable[Todo]) -> set[int]:
    """The numbers of the tasks that are not finished."""
    return {task.number for task in tasks if not task.closed}


def open_blockers(task: Todo, still_open: Container[int]) -> list[int]:
    """The numbers of the tasks that block it and are not finished; none, where it is finished itself."""
    return [] if task.closed else [each for each in blockers(task) if each in still_open]


def with_text(task: Todo, key: str, text: str) -> Todo:
    """The task with one of its extras; an empty text takes it away."""
    return replace(task, extras=merged(task.extras, {key: text}))


def with_blockers(task: Todo, numbers: Iterable[int]) -> Todo:
    """The task with these blockers, each named once, in the order of their numbers."""
    return with_text(task, BLOCKED_BY, " ".join(map(str, sorted(set(numbers)))))


def with_metadata(task: Todo, given: object) -> Todo:
    """The task with metadata merged into what it has; null takes a key away."""
    if not isinstance(given, dict):
        raise Refused(Issue("type", field=METADATA, kind=kind(given), expected="object"))
    found = {key: value for key, value in (metadata(task) | given).items() if value is not None}
    try:
        text = json.dumps(found, ensure_ascii=False, allow_nan=False) if found else ""
    except (TypeError, ValueError, RecursionError):
        raise Refused(
            Issue("type", field=METADATA, kind="something else", expected="JSON")
        ) from None
    if len(text) > LONGEST_METADATA:
        raise Refused(
            Issue("too_long", field=METADATA, value=str(len(text)), limit=LONGEST_METADATA)
        )
    if not encodable(text):
        raise Refused(Issue("unicode", field=METADATA))
    return with_text(task, METADATA, text)


def place_of(tasks: Sequence[Todo], given: object, key: str = "taskId") -> int:
    """Where the task with this id stands; ids are numbers, also as texts (`"2"`, `"#2"`)."""
    return places_of(tasks, [given], key)[0]


def places_of(tasks: Sequence[Todo], given: object, key: str) -> list[int]:
    """Where the tasks stand that a list of ids names, each once."""
    several = given if isinstance(given, (list, tuple)) else _split(given)
    if len(several) > MOST_NAMED:
        raise Refused(Issue("too_many", field=key, value=str(len(several)), limit=MOST_NAMED))
    places = {task.number: at for at, task in enumerate(tasks)}
    found: dict[int, None] = {}
    for each in several:
        number = _number(each, key)
        if number not in places:
            raise unknown(tasks, each)
        found[places[number]] = None
    return list(found)


def _split(given: object) -> list[object]:
    """One id, or several in a text: `"2, 3"`, `'["2", "3"]'`."""
    if isinstance(given, str) and any(mark in given for mark in ",["):
        return [*given.strip("[] ").replace('"', "").replace("'", "").split(",")]
    return [given]


def unknown(tasks: Sequence[Todo], given: object) -> Refused:
    """That no task has this id."""
    known = ranges(task.number for task in tasks if task.number)
    name = shown(given).strip().lstrip("#")
    return Refused(Issue("no_step", field=f"#{name}", value=known or "none"))


def _number(given: object, key: str) -> int:
    """The number that an id is; 0 for what no task has."""
    if given is None or given == "":
        raise Refused(Issue("missing", field=key))
    if isinstance(given, str):
        text = given.strip().lstrip("#")
        return int(text) if text.isdecimal() and len(text) < 13 else 0
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        raise Refused(Issue("type", field=key, kind=kind(given), expected="a task's id"))
    return int(given) if isinstance(given, int) or given.is_integer() else 0


def checked_line(given: object, key: str, longest: int | None) -> str:
    """A text of a task that stands in a list: on one line."""
    return " ".join(checked_text(given, key, longest).split())


def checked_text(given: object, key: str, longest: int | None) -> str:
    """A text of a task; raises `Refused` where it is none."""
    if not isinstance(given, str):
        raise Refused(Issue("type", field=key, kind=kind(given), expected="string"))
    text, limit = given.strip(), longest or LONGEST_TEXT
    if len(text) > limit:
        raise Refused(Issue("too_long", field=key, value=str(len(text)), limit=limit))
    if not encodable(text):
        raise Refused(Issue("unicode", field=key))
    return text
