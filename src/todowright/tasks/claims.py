"""Claims: the next ready task goes to exactly one worker, with a lease that ends when the worker dies."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from secrets import token_hex

from todowright.dialects import load_dialect
from todowright.dialects.call import Draft
from todowright.dialects.tasks.model import (
    DESCRIPTION,
    LEASE,
    OWNER,
    metadata,
    of,
    open_blockers,
    open_numbers,
    with_metadata,
    with_text,
)
from todowright.errors import Refused, TodowrightError
from todowright.names import check_agent
from todowright.plan.model import MAIN, Author, Plan, Todo
from todowright.stores.opening import given_store
from todowright.stores.protocol import Store
from todowright.tasks.lease import Lease, Leases
from todowright.text import clip, harmless
from todowright.tool.revise import writer_of
from todowright.tool.terms import Terms


class LostClaim(TodowrightError):
    """The lease is over, or somebody else has the task: what this worker does to it is refused."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A task that a worker holds."""

    number: int
    subject: str
    description: str
    owner: str
    until: datetime
    """When the lease ends, by the store's clock."""
    token: str
    """What tells this claim from any other, also of a worker with the same name."""


class Claims:
    """The tasks of one list, as workers take them: `claim`, then `renew` now and then, then `finish` or `release`."""

    def __init__(
        self,
        store: Store | str,
        session: str = "default",
        agent: str = MAIN,
        *,
        lease: float = 60.0,
    ) -> None:
        if not 0 < lease < 1e9:
            raise ValueError(f"lease is {lease}: give the seconds that a worker may be silent")
        self._store = given_store(store)
        self._writer = writer_of(self._store, session, agent)
        self._terms = Terms(load_dialect("tasks"))
        self._lease = lease

    @property
    def plan(self) -> Plan:
        """The tasks as they stand."""
        return self._store.load(*self._writer.names)

    def claim(self, owner: str) -> Claim | None:
        """The next task that is ready, for this worker alone; None if there is none now.

        Ready is a task that waits, that nothing open blocks, and that nobody has; and one whose owner was
        silent for longer than its lease.
        """
        check_agent(owner)
        taken: list[Todo] = []

        def take(tasks: list[Todo], leases: Leases) -> bool:
            taken.clear()
            still_open = open_numbers(tasks)
            ready = (n for n, task in enumerate(tasks) if _is_free(task, still_open, leases))
            at = next(ready, None)
            if at is None:
                return False
            task = with_text(tasks[at].with_status("in_progress"), OWNER, owner)
            lease = Lease(leases.now, self._lease, token_hex(4))
            tasks[at] = with_text(task, LEASE, str(lease))
            taken.append(tasks[at])
            return True

        self._revise(take, owner)
        return _claim(taken[0]) if taken else None

    def renew(self, claim: Claim) -> Claim:
        """The claim with a lease that begins anew; raises `LostClaim` where it is lost.

        It makes no revision, and nobody who follows the plan hears of it.
        """
        task = next((each for each in self.plan.todos if each.number == claim.number), None)
        lease = None if task is None else _lease_of(task, claim)
        if lease is None:
            raise LostClaim(_lost(task, claim))
        names = self._writer.names
        end = self._store.renew_lease(*names, lease.token, lease.end, self._lease)
        if end is None:
            raise LostClaim(_too_late(lease, claim, Leases(self._store, *names)))
        return replace(claim, until=_moment(end))

    def finish(self, claim: Claim) -> None:
        """Complete the task; raises `LostClaim` where it is lost."""

        def finished(task: Todo) -> Todo:
            task = with_text(task.with_status("completed"), LEASE, "")
            return with_metadata(task, {"failed": None}) if metadata(task) else task

        self._change(claim, finished)

    def release(self, claim: Claim) -> None:
        """Give the task back, so that another may take it; raises `LostClaim` where it is lost."""

        def given_back(task: Todo) -> Todo:
            return with_text(with_text(task.with_status("pending"), LEASE, ""), OWNER, "")

        self._change(claim, given_back)

    def fail(self, claim: Claim, why: str) -> None:
        """Give the task up: it waits, in this worker's name, until somebody takes that name away. Why is kept as metadata."""

        def given_up(task: Todo) -> Todo:
            task = with_text(task.with_status("pending"), LEASE, "")
            try:
                return with_metadata(task, {"failed": clip(harmless(why), 200)})
            except Refused:  # its metadata is full
                return task

        self._change(claim, given_up)

    def waits(self) -> bool:
        """Whether some task is ready, or may become so by itself: another one holds a lease that blocks, or may end."""
        tasks, leases = self.plan.todos, Leases(self._store, *self._writer.names)
        still_open = open_numbers(tasks)
        return any(
            (task.status == "in_progress" and leases.last(task))
            or _is_ready(task, still_open, leases)
            for task in tasks
        )

    def _change(self, claim: Claim, change: Callable[[Todo], Todo]) -> None:
        """Change a task that this worker holds."""

        def made(tasks: list[Todo], leases: Leases) -> bool:
            at = next((n for n, task in enumerate(tasks) if task.number == claim.number), None)
            lease = None if at is None else _lease_of(tasks[at], claim)
            if at is None or lease is None:
                raise LostClaim(_lost(None if at is None else tasks[at], claim))
            if leases.end(lease) < leases.now:
                raise LostClaim(_too_late(lease, claim, leases))
            tasks[at] = change(tasks[at])
            return True

        self._revise(made, claim.owner)

    def _revise(self, change: Callable[[list[Todo], Leases], bool], owner: str) -> None:
        def draft_on(before: Plan) -> Draft:
            tasks = list(before.todos)
            if not change(tasks, Leases(self._store, *self._writer.names)):
                return Draft([], is_read=True)
            return Draft(tasks, before.summary, is_edit=True)

        try:
            self._writer.revise(self._terms, draft_on, Author("agent", owner))
        except Refused as refused:
            raise self._terms.dialect.worded(refused) from None


def _is_ready(task: Todo, still_open: Container[int], leases: Leases) -> bool:
    """Whether a task waits for a worker, or its worker was silent for too long."""
    if task.closed or open_blockers(task, still_open):
        return False
    if task.status == "pending":  # a lease that is left there is of somebody who held it once
        return not of(task, OWNER) or bool(of(task, LEASE))
    return bool(of(task, LEASE)) and not leases.last(task)


def _is_free(task: Todo, still_open: Container[int], leases: Leases) -> bool:
    """Whether a task can be taken; one whose worker was silent for too long is taken away from it."""
    if not _is_ready(task, still_open, leases):
        return False
    return task.status == "pending" or leases.take_away(task)


def _lease_of(task: Todo, claim: Claim) -> Lease | None:
    """The lease of a claim, if the task is still its own."""
    lease = Lease.of(task)
    mine = lease is not None and lease.token == claim.token
    return lease if mine and task.status == "in_progress" else None


def _lost(task: Todo | None, claim: Claim) -> str:
    name = f"task #{claim.number}"
    if task is None:
        return f"{name} is gone: leave it"
    if task.status != "in_progress":
        return f"{name} is {task.status}: leave it"
    return f"{name} belongs to {of(task, OWNER) or 'nobody'} now: leave it"


def _too_late(lease: Lease, claim: Claim, leases: Leases) -> str:
    ago = leases.now - leases.end(lease)
    return f"the lease of task #{claim.number} ended {ago:.1f} s ago: claim it again"


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _claim(task: Todo) -> Claim:
    lease = Lease.of(task)
    if lease is None:
        raise AssertionError("a task that was claimed has a lease")
    texts = task.content, of(task, DESCRIPTION), of(task, OWNER)
    return Claim(task.number, *texts, _moment(lease.end), lease.token)
