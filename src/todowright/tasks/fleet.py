"""A fleet: who works on what, what is ready, what is blocked by whom, what is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal, get_args

from todowright.dialects.tasks.model import OWNER, metadata, of, open_blockers, open_numbers
from todowright.plan.model import Plan, Todo
from todowright.stores.opening import given_store
from todowright.stores.protocol import Store
from todowright.tasks.lease import Lease, Leases

State = Literal[
    "working", "silent", "failed", "ready", "blocked", "waiting", "done", "cancelled"
]  # fmt: skip
STATES: tuple[State, ...] = get_args(State)
"""`silent`: its worker let the lease end, and the next one who asks gets it. `waiting`: for the one whose name it has."""
LOOKED_BACK = 50
"""How many revisions are read to find when somebody without a lease began."""


@dataclass(frozen=True, slots=True)
class FleetTask:
    """A task, or a step of any plan, and how it stands."""

    session: str
    agent: str
    """Whose plan it stands in."""
    number: int
    subject: str
    state: State
    owner: str = ""
    since: datetime | None = None
    """When its owner began."""
    left: float | None = None
    """Seconds until the lease ends, by the store's clock; below 0 where it has. None without a lease."""
    blocked_by: tuple[tuple[int, str], ...] = ()
    """The numbers of the open tasks that it waits for, and their owners."""
    why: str = ""
    """Why it failed."""

    def to_dict(self) -> dict[str, object]:
        """The task as plain values, for JSON."""
        return {
            "session": self.session,
            "agent": self.agent,
            "number": self.number,
            "subject": self.subject,
            "state": self.state,
            "owner": self.owner,
            "since": self.since.isoformat() if self.since else None,
            "lease_left": None if self.left is None else round(self.left, 1),
            "blocked_by": [{"number": number, "owner": name} for number, name in self.blocked_by],
            "why": self.why,
        }


@dataclass(frozen=True, slots=True)
class Fleet:
    """All tasks of some sessions at one moment."""

    now: datetime
    """The moment, by the store's clock."""
    tasks: tuple[FleetTask, ...]

    @property
    def sessions(self) -> dict[str, list[FleetTask]]:
        """The tasks of each session."""
        found: dict[str, list[FleetTask]] = {}
        for task in self.tasks:
            found.setdefault(task.session, []).append(task)
        return found

    def to_dict(self, *, closed: bool = False) -> dict[str, object]:
        """The fleet as plain values, for JSON; what is done is only counted, unless it is wanted."""
        sessions = [
            {
                "session": name,
                "counts": counts(tasks),
                "tasks": [task.to_dict() for task in tasks if closed or is_open(task)],
            }
            for name, tasks in self.sessions.items()
        ]
        return {"now": self.now.isoformat(), "sessions": sessions}


def counts(tasks: Sequence[FleetTask]) -> dict[str, int]:
    """How many tasks are in each state."""
    found = Counter(task.state for task in tasks)
    return {state: found[state] for state in STATES}


def is_open(task: FleetTask) -> bool:
    """Whether something is left to do of it."""
    return task.state not in ("done", "cancelled")


def fleet_of(store: Store | str, session: str | None = None) -> Fleet:
    """Who works on what in a session, or in all of a store, which may be given by its URL."""
    store = given_store(store)
    names = store.sessions() if session is None else [session]
    now = store.now()
    found: list[FleetTask] = []
    for name in names:
        for plan in store.plans(name):
            if not plan.ended:
                found += _tasks(store, plan, now)
    return Fleet(datetime.fromtimestamp(now, UTC), tuple(found))


def _tasks(store: Store, plan: Plan, now: float) -> Iterator[FleetTask]:
    """The tasks of a plan; in other dialects than `tasks`, its agent is the owner of all its steps."""
    shared = plan.dialect == "tasks"
    leases, left_open = Leases(store, plan.session, plan.agent, now), open_numbers(plan.todos)
    owners = {todo.number: of(todo, OWNER) if shared else plan.agent for todo in plan.todos}
    for todo in sorted(plan.todos, key=lambda each: each.number) if shared else plan.todos:
        task = FleetTask(plan.session, plan.agent, todo.number, todo.content, "done")
        if not (todo.closed and not shared):
            task = replace(task, owner=owners[todo.number])
        if todo.closed:
            yield replace(task, state="done" if todo.status == "completed" else "cancelled")
        elif todo.status == "in_progress":
            yield _held(store, plan, todo, task, leases)
        elif waits := open_blockers(todo, left_open):
            named = tuple((number, owners.get(number, "")) for number in waits)
            yield replace(task, state="blocked", blocked_by=named)
        else:
            yield _not_begun(todo, task)


def _held(store: Store, plan: Plan, todo: Todo, task: FleetTask, leases: Leases) -> FleetTask:
    """A task that somebody has begun."""
    lease = Lease.of(todo)
    if lease is None:
        return replace(task, state="working", since=_began(store, plan, todo))
    left = leases.end(lease, exact=True) - leases.now
    since = datetime.fromtimestamp(lease.since, UTC)
    return replace(task, state="working" if left >= 0 else "silent", since=since, left=left)


def _not_begun(todo: Todo, task: FleetTask) -> FleetTask:
    """A task that nothing blocks, and that nobody has begun."""
    if not task.owner or Lease.of(todo) is not None:
        return replace(task, state="ready", owner="")
    why = metadata(todo).get("failed")
    return replace(task, state="failed", why=str(why)) if why else replace(task, state="waiting")


def _began(store: Store, plan: Plan, todo: Todo) -> datetime | None:
    """When a step was begun, as far as the last revisions tell."""
    began = plan.updated_at
    for before in reversed(store.history(plan.session, plan.agent, limit=LOOKED_BACK)):
        same = next((each for each in before.todos if each.number == todo.number), None)
        if same is None or same.status != "in_progress":
            break
        began = before.updated_at
    return began
