"""Plans as the columns that every database keeps."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import chain

from todowright.plan.model import (
    AGENT,
    MAKERS,
    STATUSES,
    Author,
    Maker,
    Plan,
    Todo,
    new_plan,
    new_todo,
    with_numbers,
)

COLUMNS = (
    "session, agent, revision, todos, summary, updated_at, issued, log, made_by, made_by_name, "
    "dialect, serves, ended, verified, numbered_from, extras"
)
Row = tuple[str, str, int, str, str, int, int, str, Maker, str, str, int, str, int, int, str]
"""The values of `COLUMNS`."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_FAR = 60_000_000_000_000_000
"""Microseconds, more than 1,900 years: every clock of ours shows less, and every time zone can show it."""
_STATUSES = frozenset(STATUSES)
_encode = json.JSONEncoder(separators=(",", ":")).encode
_OUR_LABEL = re.compile("t([1-9][0-9]{0,8})")


def row_of(plan: Plan) -> Row:
    """A plan as the values of `COLUMNS`."""
    todos = [
        (todo.content, todo.status, todo.active_form, todo.id, todo.number) for todo in plan.todos
    ]
    extras = {n: dict(todo.extras) for n, todo in enumerate(plan.todos) if todo.extras}
    return row_with(plan, _encode(todos), plan.summary, _encode(extras) if extras else "")


def row_with(plan: Plan, todos: str, summary: str, extras: str) -> Row:
    """A plan as the values of `COLUMNS`, with its todos in the form that a store gives them."""
    moment = 0 if plan.updated_at is None else (plan.updated_at - _EPOCH) // _MICROSECOND
    return (
        plan.session,
        plan.agent,
        plan.revision,
        todos,
        summary,
        moment,
        plan.issued,
        plan.log,
        plan.by.kind,
        plan.by.name,
        plan.dialect,
        plan.serves,
        plan.ended,
        int(plan.verified),
        0,
        extras,
    )


def plan_of(row: Row, todos: tuple[Todo, ...] | None = None) -> Plan:
    """The plan whose `COLUMNS` have these values; raises `ValueError` or `TypeError` where they are none.

    A store that keeps todos in another form gives them itself.
    """
    session, agent, revision, text, summary, moment, issued, log, kind, name, dialect = row[:11]
    "".join(
        (session, agent, summary, log, kind, name, dialect, row[12])
    )  # `TypeError` if no texts:
    range(revision + moment + issued + row[11])  # SQLite keeps values of any kind in any column
    if not -_FAR < moment < _FAR:
        raise ValueError("no such moment")
    plan = new_plan(
        session,
        agent,
        revision,
        todos_of(text, row[15]) if todos is None else _checked(todos),
        summary,
        _EPOCH + moment * _MICROSECOND,
        issued,
        log,
        AGENT if not name and kind in ("agent", "") else _author(kind, name),
        dialect,
        *row[11:13],
        bool(row[13]),
    )
    return plan if dialect else _numbers_from_labels(plan, row[14])


def todos_of(text: str, extras: str) -> tuple[Todo, ...]:
    """The todos of the columns `todos` and `extras`; raises `ValueError` or `TypeError` where they are none."""
    try:
        rows = json.loads(text)
    except RecursionError:
        raise ValueError("no such todos") from None
    if len(values := [*chain.from_iterable(rows)]) == 5 * len(rows):  # quicker than one by one
        "".join(values[::5] + values[2::5] + values[3::5])  # `TypeError` if one is no text,
        range(sum(values[4::5]))  # or no whole number
    todos = [new_todo(*todo) for todo in rows]
    if min(map(len, rows), default=5) < 4:
        raise ValueError("no such todo")
    return _checked(tuple(_with_extras(todos, extras) if extras else todos))


def _checked(todos: tuple[Todo, ...]) -> tuple[Todo, ...]:
    if not _STATUSES.issuperset([todo.status for todo in todos]):
        raise ValueError("no such todo")
    return todos


def _with_extras(todos: list[Todo], encoded: str) -> list[Todo]:
    """The todos with their extras, which are kept beside them by their places."""
    try:
        for place, texts in json.loads(encoded).items():
            if not all(isinstance(text, str) for text in texts.values()):
                raise ValueError("no such extras")
            todos[int(place)] = replace(todos[int(place)], extras=tuple(sorted(texts.items())))
    except (
        AttributeError,
        IndexError,
        RecursionError,
    ) as error:  # of another shape, or for another list
        raise ValueError("no such extras") from error
    return todos


def _author(kind: Maker, name: str) -> Author:
    if kind not in MAKERS:
        raise ValueError("no such author")
    return Author(kind, name)


def _numbers_from_labels(plan: Plan, numbered_from: int) -> Plan:
    """A plan of release 0.1.0: the numbers that it showed, and new ones for what it showed none."""
    labels = [_OUR_LABEL.fullmatch(todo.id) for todo in plan.todos]
    issued = max([plan.issued, *(int(found[1]) for found in labels if found)])
    numbers: list[int] = []
    taken: set[int] = set()
    for todo, found in zip(plan.todos, labels, strict=True):
        number = (todo.number or (int(found[1]) if found else 0)) - numbered_from
        if number < 1 or number in taken:
            issued += 1
            number = issued
        taken.add(number)
        numbers.append(number)
    todos = with_numbers(plan.todos, zip([todo.id for todo in plan.todos], numbers, strict=True))
    return replace(plan, todos=todos, issued=max([issued, *taken]))
