"""Plans as the columns that every database keeps."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from todowright.plan.model import STATUSES, Plan, Status, Todo

COLUMNS = (
    "session, agent, revision, todos, summary, updated_at, issued, numbered_from, log, made_by"
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_encode = json.JSONEncoder(separators=(",", ":")).encode


def row_of(plan: Plan) -> tuple[Any, ...]:
    """A plan as the values of `COLUMNS`."""
    todos = [
        (todo.content, todo.status, todo.active_form, todo.id, todo.number)
        if todo.number
        else (todo.content, todo.status, todo.active_form, todo.id)
        for todo in plan.todos
    ]
    moment = 0 if plan.updated_at is None else (plan.updated_at - _EPOCH) // _MICROSECOND
    return (
        plan.session,
        plan.agent,
        plan.revision,
        _encode(todos),
        plan.summary,
        moment,
        plan.issued,
        plan.numbered_from,
        plan.log,
        plan.by,
    )


def plan_of(row: tuple[Any, ...]) -> Plan:
    """The plan whose `COLUMNS` have these values."""
    session, agent, revision, todos, summary, moment, issued, numbered_from, log, by = row
    return Plan(
        session,
        agent,
        revision,
        tuple(_todo(*todo) for todo in json.loads(todos)),
        summary,
        _EPOCH + moment * _MICROSECOND,
        issued,
        numbered_from,
        log,
        by,
    )


def _todo(content: str, status: Status, active_form: str, name: str, number: int = 0) -> Todo:
    if status not in STATUSES:
        raise ValueError("no such status")
    return Todo(content, status, active_form, name, number)
