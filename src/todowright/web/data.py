"""What the API tells, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from todowright.plan.attention import Need, SessionView
from todowright.plan.changes import compare
from todowright.plan.data import Plain, as_data
from todowright.plan.model import Plan, Todo
from todowright.plan.record import AgentRecord
from todowright.plan.stuck import AgentView
from todowright.stores import Store
from todowright.stores.prices import Prices
from todowright.stores.usage import Usage
from todowright.tool.person import deeds_of
from todowright.web.places import source_of
from todowright.web.titles import title_of


def plan_data(store: Store, plan: Plan) -> Plain:
    """A plan, and what a person may do to its steps."""
    return {**as_data(plan), "deeds": deeds(store, plan)}


def deeds(store: Store, plan: Plan) -> list[str]:
    """The edits that may be offered on a plan, asked where it is kept."""
    kept = source_of(store, plan)
    return deeds_of(kept.store, kept.plan)


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


def row(view: SessionView, names: tuple[str, str], hits: list[Plain]) -> Plain:
    """A session at a glance, with its own name and its project's; who has ended works no more."""
    now = view.now
    moved = datetime.fromtimestamp(view.moved, UTC)
    steps = view.steps
    return {
        "session": view.session,
        "name": names[0],
        "title": title_of(view, names[1]),
        "project": names[1],
        "updated_at": moved.isoformat() if view.moved else None,
        "state": view.state,
        "otherwise": view.otherwise,
        "since": round(view.since, 3),
        "began": round(view.began, 3),
        "ended": None if view.ended is None else round(view.ended, 3),
        "needs": [_need(each) for each in view.needs],
        "on": now.agent if now else None,
        "steps": steps,
        "summary": next(
            (each.record.plan.summary for each in view.agents if each.record.plan.summary), ""
        ),
        "activity": list(view.activity),
        "agents": [glance(each) for each in view.agents],
        "hits": hits,
    }


def _need(need: Need) -> Plain:
    return {
        "kind": need.kind,
        "agent": need.agent,
        "text": need.text,
        "at": round(need.at, 3),
        "number": need.number,
    }


def glance(view: AgentView) -> Plain:
    """An agent at a glance."""
    plan, now = view.record.plan, view.now
    return {
        "agent": view.agent,
        "revision": plan.revision,
        "summary": plan.summary,
        "done": view.done,
        "total": view.total,
        "now": (now.active_form or now.content) if now else None,
        "idle_seconds": round(view.silent, 1),
        "finished": bool(plan.todos) and not view.is_open,
        "state": view.state,
        "steps": view.steps,
        "on_since": None if view.on_since is None else round(view.on_since, 3),
        "usual_seconds": None if view.usual is None else round(view.usual, 1),
        "stuck_at": None if view.stuck_at is None else round(view.stuck_at, 3),
    }


def hits(view: SessionView, words: str) -> list[Plain] | None:
    """The first steps that have these words, whatever their case; None where they lead to nothing."""
    found = [
        {"agent": each.agent, **step_data(todo)}
        for each in view.agents
        for todo in each.record.plan.todos
        if words in todo.content.casefold()
    ]
    return found[:3] if found or words in view.session.casefold() else None


def step_data(todo: Todo) -> Plain:
    """A step that was found."""
    return {
        "number": todo.number,
        "id": todo.id,
        "content": todo.content,
        "status": todo.status,
    }


def found_steps(record: AgentRecord, words: str) -> list[Plain]:
    """The steps of an agent that have these words: those that stand, and open ones that it dropped."""
    gone = [Todo(each.content, number=each.number) for each in record.dropped]
    return [
        {**step_data(todo), "dropped": dropped}
        for todos, dropped in ((record.plan.todos, False), (gone, True))
        for todo in todos
        if words in todo.content.casefold()
    ]


def plan_news(store: Store, plan: Plan, record: AgentRecord | None) -> Plain:
    """A plan, how far its agent was told of what others did, and what became of people's edits."""
    edits = [] if record is None else record.edits
    dropped = [] if record is None else record.dropped
    return {
        **plan_data(store, plan),
        "heard": store.seen(plan.session, plan.agent),
        "plan_number": 1 if record is None else record.number,
        "people": [
            {
                "revision": each.revision,
                "at": round(each.at, 3),
                "number": each.number,
                "content": each.content,
                "kinds": list(each.kinds),
                "by": each.by,
                "state": each.state,
                "judged_at": round(each.judged_at, 3),
            }
            for each in edits
        ],
        "dropped": [
            {
                "number": each.number,
                "content": each.content,
                "at": round(each.at, 3),
                "after": each.after,
            }
            for each in dropped
        ],
    }


def usage_data(found: Sequence[Usage], prices: Prices) -> Plain | None:
    """What the requests of a session took, all together and for each agent and model; None where nobody told."""
    whole = prices.told(found)
    return whole and {
        **whole,
        "by": [{"agent": each.agent, **(prices.told([each]) or {})} for each in found],
    }
