"""A plan as plain values, for JSON."""

from __future__ import annotations

from typing import Any

from todowright.plan.model import Plan


def as_data(plan: Plan) -> dict[str, Any]:
    """A plan as plain values."""
    return {
        "session": plan.session,
        "agent": plan.agent,
        "revision": plan.revision,
        "updated_at": plan.updated_at.isoformat() if plan.updated_at else None,
        "by": plan.by,
        "summary": plan.summary,
        "todos": [
            {
                "id": todo.id,
                "content": todo.content,
                "status": todo.status,
                "active_form": todo.active_form,
            }
            for todo in plan.todos
        ],
    }
