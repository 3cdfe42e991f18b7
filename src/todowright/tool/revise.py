"""The ledger of one plan: what is drafted becomes its next revision, kept, logged and told."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from os import PathLike
from typing import TYPE_CHECKING

from todowright.dialects.check import Draft
from todowright.dialects.dialect import Dialect
from todowright.errors import Conflict, Refused, TodowrightError
from todowright.forks import minds_forks
from todowright.plan.matching import inherit
from todowright.tool.listeners import Listeners
from todowright.plan.model import Issue, Plan
from todowright.stores import Store
from todowright.text import clip, harmless

if TYPE_CHECKING:
    from todowright.plan.changes import Change

MOST_ATTEMPTS = 1_000
"""How often a save is tried anew on top of other writers' revisions; each try is microseconds."""


Entered = tuple[Plan, Plan, Draft, str]
"""What became of a draft: the plan before, the plan that stands (the same where nothing changed), the
draft, and why the completion log could not be written, if it could not."""


class Ledger:
    """Makes the revisions of the plan of one agent in one session, one after the other."""

    def __init__(
        self,
        store: Store,
        session: str,
        agent: str,
        *,
        root: str | PathLike[str],
        clock: Callable[[], datetime] | None,
        logs: bool = True,
    ) -> None:
        self.store = store
        self.session = session
        self.agent = agent
        self.root = root
        self.clock = clock or (lambda: datetime.now(UTC))
        self.listeners: Listeners[Change] = Listeners()
        self._change: type[Change]
        self._logs = logs
        self._closed = False
        self._unwritten = ""
        """The name of a log that could not be begun: another session may have it now."""
        self.known: Plan | None = None
        """The plan that the agent has been told of, or made itself; None before it asked."""
        self._lock = threading.Lock()
        self._holder: int | None = None
        minds_forks(self)

    def before_fork(self) -> None:
        """Nothing: a revision that is being made belongs to this process."""

    def after_fork(self, *, in_child: bool) -> None:
        """In a child, whoever held the lock is another process."""
        if in_child:
            self._lock, self._holder = threading.Lock(), None

    def enter(
        self,
        dialect: Dialect,
        draft_on: Callable[[Plan], Draft],
        judge: Callable[[Plan, Plan, Draft], None] | None = None,
        *,
        rewrite: bool = True,
    ) -> Entered:
        """Keep what is drafted on the plan that stands, and tell the listeners.

        `judge` may raise to refuse the revision that would be made. A draft that changes nothing is
        not kept where the dialect says so. `rewrite` is for the model's own calls, else a program makes it.
        """
        me = threading.get_ident()
        if self._holder == me:
            raise Refused("the plan is being judged", (Issue("judging"),))
        with self._lock:
            self._holder = me
            try:
                entered = self._entered(dialect, draft_on, judge, rewrite)
            finally:
                self._holder = None
            heard = entered[0] is not entered[1] and bool(self.listeners)
            if heard:
                self.listeners.put(self._change(entered[0], entered[1]))
        if heard:
            self.listeners.tell()
        return entered

    def _entered(
        self,
        dialect: Dialect,
        draft_on: Callable[[Plan], Draft],
        judge: Callable[[Plan, Plan, Draft], None] | None,
        rewrite: bool,
    ) -> Entered:
        """Keep what is drafted, on top of other writers' revisions if need be."""
        attempts, log_failure = 0, ""
        verdicts: dict[str, bool | str] = {}
        if self._closed:
            raise Refused("this sub-agent has ended", (Issue("ended"),))
        while True:
            before = self.store.load(self.session, self.agent)
            draft = draft_on(before)
            if draft.reads:
                return before, before, draft, ""
            plan = self._successor(dialect, before, draft, rewrite=rewrite)
            if not dialect.keep_unchanged and _same(before, plan):
                return before, before, draft, ""
            if judge is not None:
                draft.verdicts = verdicts
                judge(before, plan, draft)
            try:
                if dialect.log_folder and self._logs and plan.finished:
                    plan, log_failure = self._save_and_log(dialect, plan)
                else:
                    self.store.save(plan)
            except Conflict:
                attempts += 1
                if attempts == MOST_ATTEMPTS:
                    raise
                continue
            self.known = plan if rewrite else self.known
            return before, plan, draft, log_failure

    def listen(self, listener: Callable[[Change], object]) -> Callable[[], None]:
        """Call the listener with every revision from now on; the answer stops that."""
        # Not while revisions are made: a fork in the middle of an import would leave its lock behind.
        from todowright.plan.changes import Change

        self._change = Change
        return self.listeners.add(listener)

    def unheard(self, now: Plan) -> Plan | None:
        """The plan that the agent knows, if others have made another of it; it is told of that now."""
        known, self.known = self.known, now
        if known is None and now.by:  # it was changed before this process began
            past = self.store.history(self.session, self.agent)
            known = next((plan for plan in reversed(past) if not plan.by), None)
        return None if known is None or known.revision == now.revision else known

    @contextmanager
    def held(self) -> Iterator[Plan]:
        """The plan as it stands, while nobody here makes a revision."""
        if self._holder == threading.get_ident():  # asked from within, by who judges a revision
            yield self.store.load(self.session, self.agent)
            return
        with self._lock:
            yield self.store.load(self.session, self.agent)

    def close(self) -> None:
        """Make no more revisions."""
        with self._lock:
            self._closed = True

    def _successor(self, dialect: Dialect, before: Plan, draft: Draft, *, rewrite: bool) -> Plan:
        keep = (dialect.ids == "kept" or not rewrite) and not draft.new_plan
        issued = before.issued
        if not keep and not draft.new_plan:  # fresh ids are counted through the session
            issued = max([issued, *(plan.issued for plan in self.store.plans(self.session))])
        todos, issued = inherit(before.todos, draft.entries, issued, keep=keep)
        return Plan(
            self.session,
            self.agent,
            before.revision + 1,
            todos,
            draft.summary,
            self.clock(),
            issued,
            before.issued if draft.new_plan else before.numbered_from,
            before.log,
            "" if rewrite else "program",
        )

    def _save_and_log(self, dialect: Dialect, plan: Plan) -> tuple[Plan, str]:
        """Save a finished plan and log it. The log's failure is told, not raised."""
        from pathlib import Path

        from todowright.tool.log import CompletionLog

        assert dialect.log_block is not None
        assert plan.updated_at is not None
        log = CompletionLog(Path(self.root), dialect.log_folder)
        block, moment = dialect.log_block, plan.updated_at.astimezone()
        failure, known = "", list[str]()
        with ExitStack() as held:
            try:
                held.enter_context(log.locked())
                names = [plan.log, *(other.log for other in self.store.plans(plan.session))]
                known = [name for name in names if name != self._unwritten]
                plan = replace(plan, log=log.name(known, moment))
            except OSError as error:
                failure = reason(error)
            self.store.save(plan)
            if not failure:
                try:
                    log.append(plan.log, moment, lambda title: block(plan, title))
                    self._unwritten = ""
                except Exception as error:  # the plan is kept, and that is what counts
                    failure = reason(error)
                    self._unwritten = plan.log if plan.log not in known else ""
        return plan, failure


def _same(before: Plan, after: Plan) -> bool:
    return (
        before.revision > 0
        and before.todos == after.todos
        and before.summary == after.summary
        and before.numbered_from == after.numbered_from
    )


def reason(error: Exception) -> str:
    """Why something failed, in a few harmless words."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, (OSError, TodowrightError)):
        return clip(harmless(str(error)), 200)
    return type(error).__name__
