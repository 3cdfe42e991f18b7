"""A plan as plain values, for JSON."""

from __future__ import annotations

from dataclasses import fields

from todowright.plan.model import Plan, Todo

Plain = dict[str, object]
_NAMES = dict.fromkeys(("number", "id", *(part.name for part in fields(Todo))))


def as_data(plan: Plan) -> Plain:
    """A plan as plain values."""
    return {
        "session": plan.session,
        "agent": plan.agent,
        "revision": plan.revision,
        "updated_at": plan.updated_at.isoformat() if plan.updated_at else None,
        "by": {"kind": plan.by.kind, "name": plan.by.name},
        "dialect": plan.dialect,
        "serves": plan.serves,
        "ended": plan.ended,
        "summary": plan.summary,
        "todos": [todo_as_data(todo) for todo in plan.todos],
    }


def todo_as_data(todo: Todo) -> Plain:
    """A todo as plain values: what tells it from others first, then whatever else it has."""
    told = {name: getattr(todo, name) for name in _NAMES}
    return told | {"extras": dict(todo.extras)}
