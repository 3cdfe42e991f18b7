"""A plan as plain values, for JSON."""

from __future__ import annotations

from todowright.plan.model import Plan, Todo

Plain = dict[str, object]


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
    """A todo as plain values."""
    return {
        "number": todo.number,
        "id": todo.id,
        "content": todo.content,
        "status": todo.status,
        "active_form": todo.active_form,
    }
