"""The one writer: every revision, whoever makes it, is made here.

A draft on the plan that stands gets its numbers, is held against the rules of the plan's dialect, judged by policies and the
host, kept on top of the revision it was drafted on, logged, and announced.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from threading import get_ident
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakValueDictionary

from todowright.awaiting import Lane, waits_for_this_loop
from todowright.dialects.call import Call, Draft
from todowright.dialects.check import edit_faults, refuse
from todowright.errors import Conflict, Issue, Refused, StoreError
from todowright.plan.model import AGENT, MAKERS, Author, Plan, Todo, new_plan
from todowright.processes import PerProcess, process
from todowright.text import clip, encodable, harmless
from todowright.tool.listeners import Listeners
from todowright.tool.numbering import numbered
from todowright.tool.policy import Verdicts, check_names, judge
from todowright.tool.terms import Terms

if TYPE_CHECKING:  # not light, and few plans need them
    from datetime import datetime

    from todowright.plan.changes import Change
    from todowright.stores.protocol import Store
    from todowright.stores.receipt import Receipt
    from todowright.tool.completion_log import CompletionLog, Entry

T = TypeVar("T")
LONGEST_WAIT = 60
"""Seconds to wait for another thread that makes a revision, before it is given up."""
_LOOK = 0.05
"""Seconds between two looks whether it waits for this very thread."""
_ATTEMPTS = range(1_000)
"""How often a save is tried anew on top of other writers' revisions; each try is microseconds."""


class Revised(Call):
    """What became of a draft; where nothing changed, the plan is the one before. A dialect words the reply from it."""

    __slots__ = ("draft",)
    before: Plan

    def __init__(self, before: Plan, plan: Plan, draft: Draft) -> None:
        self.arguments: object = None
        self.plan = plan
        self.elapsed = 0.0
        self.log_failure = ""
        self.before = before
        self.reads = draft.is_read
        self.draft = draft


class _WriterLock:
    """Who makes a revision in this process now."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.thread: int | None = None

    def wait(self) -> None:
        """Take the lock; who waits too long waits for somebody who waits for them."""
        deadline = time.monotonic() + LONGEST_WAIT
        while not self.lock.acquire(timeout=_LOOK):
            if waits_for_this_loop(self.thread):
                raise Refused(Issue("judging"))
            if time.monotonic() > deadline:
                raise StoreError(
                    f"the plan is being changed by another thread for {LONGEST_WAIT} s: does `verify` wait for it?"
                )

    def __enter__(self) -> None:
        if not self.lock.acquire(False):
            self.wait()

    def __exit__(self, *_: object) -> None:
        self.lock.release()


class Writer:
    """Makes the revisions of one agent's plan in one session, one after the other."""

    def __init__(self, store: Store, session: str, agent: str) -> None:
        self.store = store
        self.names = session, agent
        self.listeners: Listeners[Change] = Listeners()
        self._change: type[Change]
        self.terms: Terms | None = None
        """Those of the tool that has this plan in this process, for edits that come from elsewhere."""
        self._held = PerProcess(_WriterLock)
        self.lanes = PerProcess(Lane)
        """Makes the revisions that an event loop awaits."""

    def use(self, terms: Terms) -> None:
        """Take the terms of a tool for edits that come from elsewhere; a host's `verify` stays in force."""
        if self.terms is not None and terms.verify is None and self.terms.verify is not None:
            terms = terms.with_dialect(terms.dialect)
            terms.verify = self.terms.verify
        self.terms = terms

    def listen(self, listener: Callable[[Change], object]) -> Callable[[], None]:
        """Call the listener with every revision from now on; the answer stops that."""
        # Now, since nothing is imported while a revision is made.
        from todowright.plan.changes import Change

        self._change = Change
        return self.listeners.add(listener)

    def revise(
        self,
        terms: Terms,
        draft_on: Callable[[Plan], Draft],
        by: Author,
        receipt: Callable[[Revised], Receipt] | None = None,
        on_saved: Callable[[Plan], None] | None = None,
    ) -> Revised:
        """Keep what is drafted on the plan that stands, and tell the listeners.

        Raises `Refused` if the rules do not want it. `receipt` makes what is kept with the revision;
        `on_saved` hears of it before anybody else can make another.
        """
        if terms.scope is not None:
            by = terms.scope.author
        elif by is not AGENT:
            _check_author(by)
        held, me = self._held[process.number], get_ident()
        if held.thread == me:
            raise Refused(Issue("judging"))
        if not held.lock.acquire(False):
            held.wait()
        announced = False
        try:
            held.thread = me
            revised = self._attempted(terms, draft_on, by, receipt)
            if revised.plan is not revised.before:
                if on_saved is not None:
                    on_saved(revised.plan)
                if announced := self.listeners.wanted:
                    self.listeners.put(self._change(revised.before, revised.plan))
        finally:
            held.thread = None
            held.lock.release()
        if announced:
            self.listeners.tell()
        return revised

    def end(self, how: str, clock: Callable[[], datetime]) -> None:
        """End the plan of a sub-agent: its list goes, that it was and how it ended is kept and announced."""
        held = self._held[process.number]
        if held.thread == get_ident():
            raise Refused(Issue("judging"))
        with held:
            before = self.store.load(*self.names)
            for _ in _ATTEMPTS:
                if not before.revision or before.ended:
                    return
                plan = _last(before, how, clock())
                try:
                    self.store.end(plan)
                except Conflict:  # somebody edits it at this very moment
                    before = self.store.load(*self.names)
                    continue
                if self.listeners.wanted:
                    self.listeners.put(self._change(before, plan))
                break
            else:
                raise Conflict(*self.names, before.revision + 1, before.revision)
        self.listeners.tell()

    def with_plan_held(self, work: Callable[[Plan], T]) -> T:
        """Do something with the plan as it stands, while nobody in this process makes a revision."""
        held = self._held[process.number]
        if held.thread == get_ident():  # asked from within, by who judges a revision
            return work(self.store.load(*self.names))
        with held:
            return work(self.store.load(*self.names))

    def _attempted(
        self,
        terms: Terms,
        draft_on: Callable[[Plan], Draft],
        by: Author,
        receipt: Callable[[Revised], Receipt] | None,
    ) -> Revised:
        """Make a revision, on top of other writers' if need be."""
        dialect, verify = terms.dialect, terms.verify
        if verify is None and self.terms is not None:
            verify = self.terms.verify
        verdicts: Verdicts = {}
        session, agent = self.names
        for attempt in _ATTEMPTS:
            before = self.store.load(session, agent)
            if before.ended:
                raise Refused(Issue("ended"))
            draft = draft_on(before)
            check_names(self.store, before, draft)
            if draft.is_read:
                return Revised(before, before, draft)
            plan = self._successor(terms, before, draft, by, verify is not None)
            if not draft.checked:
                refuse(dialect, edit_faults(dialect, before.todos, plan.todos))
            if dialect.settle is not None:
                plan = dialect.settle(dialect, before, plan, draft)
            if terms.scope is not None:
                refuse(dialect, terms.scope.faults(before, plan))
            if (draft.is_edit or not dialect.keep_unchanged) and _same(before, plan):
                return Revised(before, before, draft)
            if dialect.transitions or plan.verified:
                judge(dialect, verify, before, plan, draft, verdicts)
            revised = Revised(before, plan, draft)
            entry = None if terms.log is None else self._log_entry(terms.log, revised)
            try:
                self.store.save(revised.plan, receipt(revised) if receipt else None)
                if entry is not None:
                    self._write_log(entry, revised, receipt)
                return revised
            except Conflict:
                if attempt == _ATTEMPTS[-1]:
                    raise
            finally:
                if entry is not None:
                    entry.close()
        raise AssertionError("unreachable")

    def _log_entry(self, log: CompletionLog, revised: Revised) -> Entry | None:
        """The place in the log that a completion gets, held until the plan is kept."""
        if not revised.plan.finished or "/" in self.names[1]:
            return None
        entry = log.entry(revised.before, revised.plan, self.store, whole=revised.draft.checked)
        if entry is not None:
            revised.plan = entry.plan
        return entry

    def _write_log(
        self, entry: Entry, revised: Revised, receipt: Callable[[Revised], Receipt] | None
    ) -> None:
        """Log a finished plan; if that fails, it is told, not raised."""
        entry.write()
        revised.log_failure = entry.failure
        if receipt is not None and revised.log_failure:
            with suppress(Exception):  # the plan is kept: the receipt then does not tell of the log
                self.store.keep(receipt(revised))

    def _successor(
        self, terms: Terms, before: Plan, draft: Draft, by: Author, verified: bool
    ) -> Plan:
        todos, issued = draft.todos, before.issued
        if terms.dialect.labels == "fresh" and draft.checked:  # counted through the session
            issued = max([issued, *(plan.issued for plan in self.store.plans(self.names[0]))])
            todos, issued = numbered(todos, issued, fresh=True)
        elif type(todos) is not tuple:
            if _are_named_as(before.todos, todos):
                todos = tuple(todos)
            else:
                todos, issued = numbered(todos, issued)
        name = terms.dialect.name
        if by is not AGENT and by.kind == "person":  # who follows the rules that are there
            name, verified = before.dialect or name, verified or before.verified
        session, agent = self.names
        return new_plan(
            session,
            agent,
            before.revision + 1,
            todos,
            draft.summary,
            terms.clock(),
            issued,
            before.log,
            by,
            name,
            before.serves or terms.serves,
            "",
            verified,
        )


def _are_named_as(before: Sequence[Todo], todos: Sequence[Todo]) -> bool:
    """Whether all have a number and a label, those of the todos before: then none is to be given."""
    if len(before) != len(todos):
        return False
    for old, new in zip(before, todos, strict=True):
        if not (new.number and new.id):
            return False
        if old is not new and (old.number != new.number or old.id != new.id):
            return False
    return True


def _check_author(by: Author) -> None:
    """Refuse what no store could read back."""
    given: object = by
    if not isinstance(given, Author) or by.kind not in MAKERS or type(given.name) is not str:
        like = f"of the kind {', '.join(MAKERS)}, as in Author('person', 'Ada')"
        raise TypeError(f"by is an Author {like}, not {clip(harmless(repr(given)), 60)}")
    if not encodable(by.name):
        raise ValueError("the name of an author must be valid Unicode")


def _last(before: Plan, how: str, moment: datetime) -> Plan:
    """The last revision of a sub-agent's plan."""
    done, total = before.progress
    return replace(
        before,
        revision=before.revision + 1,
        todos=(),
        ended=f"{how}, {done} of {total} done",
        updated_at=moment,
        by=AGENT,
    )


def _same(before: Plan, after: Plan) -> bool:
    return before.revision > 0 and before.todos == after.todos and before.summary == after.summary


_WRITERS: WeakValueDictionary[tuple[int, str, str], Writer] = WeakValueDictionary()
"""One writer for each plan in a process, so that whoever changes it, the same listeners hear of it.

A store is named by its `id`, since one's own may be no key. Its writers have it, so no other gets that number before they go.
"""
_LOCK = PerProcess(threading.Lock)


def writer_of(store: Store, session: str, agent: str) -> Writer:
    """The writer of a plan: the same for all who ask in this process, as long as one of them has it."""
    with _LOCK[process.number]:
        return _WRITERS.setdefault((id(store), session, agent), Writer(store, session, agent))
