"""Plans as the columns that every database keeps."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

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
)

COLUMNS = (
    "session, agent, revision, todos, summary, updated_at, issued, log, made_by, made_by_name, "
    "dialect, serves, ended, verified, numbered_from, extras"
)
Row = tuple[str, str, int, str, str, int, int, str, Maker, str, str, int, str, int, int, str]
"""The values of `COLUMNS`."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_STATUSES = frozenset(STATUSES)
_encode = json.JSONEncoder(separators=(",", ":")).encode
_OUR_LABEL = re.compile("t([1-9][0-9]{0,8})")


def row_of(plan: Plan) -> Row:
    """A plan as the values of `COLUMNS`."""
    todos = [
        (todo.content, todo.status, todo.active_form, todo.id, todo.number) for todo in plan.todos
    ]
    extras = {n: dict(todo.extras) for n, todo in enumerate(plan.todos) if todo.extras}
    moment = 0 if plan.updated_at is None else (plan.updated_at - _EPOCH) // _MICROSECOND
    return (
        plan.session,
        plan.agent,
        plan.revision,
        _encode(todos),
        plan.summary,
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
        _encode(extras) if extras else "",
    )


def plan_of(row: Row) -> Plan:
    """The plan whose `COLUMNS` have these values; raises `ValueError` where they are none."""
    session, agent, revision, todos, summary, moment, issued, log, kind, name, dialect = row[:11]
    rows = json.loads(todos)
    kept = [new_todo(*todo) for todo in rows]
    if (
        not _STATUSES.issuperset([todo.status for todo in kept])
        or min(map(len, rows), default=5) < 4
    ):
        raise ValueError("no such todo")
    if row[15]:
        kept = _with_extras(kept, row[15])
    plan = new_plan(
        session,
        agent,
        revision,
        tuple(kept),
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


def _with_extras(todos: list[Todo], encoded: str) -> list[Todo]:
    """The todos with their extras, which are kept beside them by their places."""
    extras: dict[str, dict[str, str]] = json.loads(encoded)
    try:
        for place, texts in extras.items():
            if not all(isinstance(text, str) for text in texts.values()):
                raise ValueError("no such extras")
            todos[int(place)] = replace(todos[int(place)], extras=tuple(sorted(texts.items())))
    except (AttributeError, IndexError) as error:  # of another shape, or for another list
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
    todos: list[Todo] = []
    taken: set[int] = set()
    for todo, found in zip(plan.todos, labels, strict=True):
        number = (todo.number or (int(found[1]) if found else 0)) - numbered_from
        if number < 1 or number in taken:
            issued += 1
            number = issued
        taken.add(number)
        todos.append(todo.numbered(todo.id, number))
    return replace(plan, todos=tuple(todos), issued=max([issued, *taken]))
