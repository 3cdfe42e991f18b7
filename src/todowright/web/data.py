"""What the API tells, as plain values."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from todowright.plan.changes import compare
from todowright.plan.data import Plain, as_data
from todowright.plan.model import Plan
from todowright.stores import Store
from todowright.tool.person import terms_for
from todowright.tool.revise import writer_of


def plan_data(store: Store, plan: Plan) -> Plain:
    """A plan, and what a person may do to its steps."""
    return {**as_data(plan), "deeds": deeds(store, plan)}


def deeds(store: Store, plan: Plan) -> list[str]:
    """The edits that the plan's dialect can spell; none once its agent has ended."""
    if plan.ended:
        return []
    writer = writer_of(store, plan.session, plan.agent)
    return list(terms_for(writer, plan, "").dialect.deeds)


def numbered(store: Store, number: int, plan: Plan) -> Plain:
    """A revision with its number among those of all plans."""
    return {"number": number, **plan_data(store, plan)}


def revision_data(store: Store, before: Plan | None, after: Plan) -> Plain:
    """A revision, and what it did to each item; nothing is known where the one before is not kept."""
    if before is None:
        before = Plan(after.session, after.agent) if after.revision == 1 else after
    changes = [
        {
            "number": change.todo.number,
            "id": change.todo.id,
            "content": change.todo.content,
            "kinds": list(change.kinds),
        }
        for change in compare(before, after)
    ]
    return {**plan_data(store, after), "changes": changes}


def row(session: str, plans: Iterable[Plan]) -> Plain:
    """A session at a glance; who has ended works no more."""
    kept = list(plans)
    latest = max((plan.updated_at for plan in kept if plan.updated_at), default=None)
    return {
        "session": session,
        "updated_at": latest.isoformat() if latest else None,
        "agents": [glance(plan) for plan in kept if not plan.ended],
    }


def glance(plan: Plan) -> Plain:
    """An agent at a glance."""
    now = plan.current
    done, total = plan.progress
    idle = (datetime.now(UTC) - plan.updated_at).total_seconds() if plan.updated_at else 0
    return {
        "agent": plan.agent,
        "revision": plan.revision,
        "summary": plan.summary,
        "done": done,
        "total": total,
        "now": (now.active_form or now.content) if now else None,
        "idle_seconds": round(idle, 1),
        "finished": plan.finished,
    }


def mentions(session: str, plans: Iterable[Plan], words: str) -> bool:
    """Whether a session's name or one of its steps has these words, whatever their case."""
    texts = [session, *(todo.content for plan in plans for todo in plan.todos)]
    return words in "\n".join(texts).casefold()
