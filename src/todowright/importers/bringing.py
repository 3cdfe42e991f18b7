"""Bringing the calls of agents' files into a store: each once, in their order, with their times."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from todowright.errors import TodowrightError, Unreadable
from todowright.formats import Reading, read_plan
from todowright.importers.found import (
    Damage,
    Found,
    Spent,
    changed_at,
    dicts,
    digest,
    member,
    names_of,
)
from todowright.importers.ledger import Ledger
from todowright.importers.mirror import mirror
from todowright.importers.reading import calls_in, reader_for
from todowright.importers.sources import state_of
from todowright.importers.spending import Spending
from todowright.importers.tasks_kept import reading_of_tasks
from todowright.importers.titles import Titles, has_random
from todowright.plan.model import Author, Plan
from todowright.plan.stuck import GIVEN_UP
from todowright.stores.protocol import Store
from todowright.text import clip, encodable, harmless

FAILED = "its reader failed"
_LONG_AGO = timedelta(seconds=GIVEN_UP)
MOST_TOLD = 1_000
"""Damaged places that are told one by one; the others are only counted."""


@dataclass
class Report:
    """What an import did."""

    files: int = 0
    """Files that were read."""
    unchanged: int = 0
    """Files that are as they were at the last import, and were not read again."""
    other: int = 0
    """Files that are of no known kind."""
    calls: int = 0
    """Planning calls that were found, each time one was."""
    new: int = 0
    """Calls that were not imported before."""
    revisions: int = 0
    """New calls that changed a plan."""
    outcomes: Counter[str] = field(default_factory=Counter)
    """What became of the new calls, by the words of the mirror."""
    hosts: Counter[str] = field(default_factory=Counter)
    """The new calls, by the agents whose files they stood in."""
    sessions: dict[str, None] = field(default_factory=dict)
    """The sessions that have new calls."""
    damaged: int = 0
    damage: list[str] = field(default_factory=list)
    """Where something could not be read, and why: `path:line: reason`."""

    def tell(self, path: str, line: int, reason: str) -> None:
        """Note a place that could not be read."""
        self.damaged += 1
        if len(self.damage) < MOST_TOLD:
            place = f"{path}:{line}" if line else path
            self.damage.append(harmless(f"{place}: {reason}"))


class Importer:
    """Imports files into one store."""

    def __init__(
        self,
        store: Store,
        ledger: Ledger,
        seen: Callable[[Found], None] | None = None,
        *,
        live: bool = False,
    ):
        self.store = store
        self.ledger = ledger
        self._live = live
        """Whether the files are followed while their agents work."""
        self._long_ago = datetime.now(UTC) - _LONG_AGO
        """Taken once: calls whose times nobody knows must not seem to be a moment apart."""
        self.report = Report()
        self._seen = seen
        """Is told every new call."""
        self._last = Plan()
        """The plan that was changed last: the next call is mostly of the same."""
        self._left = False
        """Whether a call of the file could not be made."""
        self._counted: Counter[str] = Counter()
        """Calls without an id in the file that is read: the second of two that are equal is another."""
        self._titles = Titles(store)
        self._resumed: dict[str, str] = {}
        """Sessions that go on with another: they begin with calls of that one."""
        self.spending = Spending(store, self._owner)

    def file(self, path: str, *, named: bool = False) -> None:
        """Import one file; `named` says that somebody asked for this very one."""
        try:
            state = state_of(path)
        except OSError as error:
            self.report.tell(path, 0, error.strerror or "it cannot be read")
            return
        known = os.path.abspath(path), *state
        if self._is_known(*known):
            self.report.unchanged += 1
            return
        module, head = reader_for(path)
        if module is None:
            self.report.other += 1
            if named:
                self.report.tell(path, 0, "no planning call of a known agent is in it")
            return
        self.report.files += 1
        self._counted.clear()
        self._left = False
        moment = changed_at(state[1])
        sessions: dict[str, None] = {}
        try:
            for found in calls_in(path, module, head):
                if isinstance(found, Damage):
                    self.report.tell(path, found.line, found.reason)
                elif isinstance(found, Spent):
                    self.spending.add(found, path)
                else:
                    sessions[self.take(found, path, moment, module.HOST)] = None
        except TodowrightError:
            raise
        except Exception as error:  # one file must not stop the others
            self.report.tell(path, 0, f"{FAILED} ({type(error).__name__})")
            return
        finally:
            self.spending.count()
        if self._left:  # a later release may read what this one cannot
            return
        self.ledger.keep_file(*known, [name for name in sessions if self.store.plans(name)])

    def _is_known(self, path: str, size: int, changed: int) -> bool:
        """Whether a file was imported as it is; a session that the store has no longer comes anew."""
        sessions = self.ledger.sessions_of(path, size, changed)
        if sessions is None:
            return False
        gone = [name for name in sessions if not self.store.plans(name)]
        for name in gone:
            self.ledger.forget(name)
        return not gone

    def _owner(self, told: str) -> str:
        """The session that one belongs to which its agent calls so."""
        return self._resumed.get(told) or self._titles.known(told)

    def take(self, found: Found, path: str, moment: datetime, host: str) -> str:
        """Import one call, and tell the session it belongs to; `moment` is its time, where it has none."""
        told, agent = names_of(found, path)
        self.report.calls += 1
        key = self._key(found, told, agent, moment)
        owner = self.ledger.owner(key)
        if owner is not None:
            if owner[0] != self._titles.known(told) and not found.snapshot:
                self._resumed[told] = owner[0]
            return owner[0]
        named = self._resumed.get(told)
        session = named or self._titles.name(found, told, host, lambda: _first_words(found))
        self.spending.planned(told)
        if found.snapshot and self._is_older(session, agent, moment):
            outcome, line = "older", ""
        else:
            outcome, line = self._mirrored(
                found, session, agent, found.when or self._unknown(moment), key
            )
        if outcome == "unreadable" or (outcome == "failed" and not found.is_error):
            self.report.tell(path, 0, f"{found.tool}: {line}")
            self._left = True
            return session
        self.ledger.keep_call(key, session, agent)
        if outcome == "repeated":  # the store knew it, and only the ledger did not
            return session
        self.report.new += 1
        self.report.outcomes[outcome] += 1
        self.report.revisions += outcome == "changed"
        self.report.hosts[host] += 1
        self.report.sessions[session] = None
        if self._seen is not None:
            self._seen(found)
        return session

    def _unknown(self, moment: datetime) -> datetime:
        """The time of a call whose file tells none: that of the file.

        A file may just have been copied, and its agent be gone for months. So an import says that it was silent for long
        enough that nobody waits for it; who follows a file sees when it is written.
        """
        return moment if self._live else min(moment, self._long_ago)

    def _key(self, found: Found, session: str, agent: str, moment: datetime) -> str:
        """What tells a call from all others: its id, where that is one of a kind.

        Some models only count their calls, so that many sessions have a `call_1`.
        """
        if found.id and has_random(found.id):
            return found.id
        key = digest(session, agent, found.id, found.tool, found.input)
        if found.snapshot:
            return f"{key} {moment.timestamp()}"
        if found.id:
            return key
        self._counted[key] += 1
        return f"{key}.{self._counted[key]}"

    def _is_older(self, session: str, agent: str, moment: datetime) -> bool:
        """Whether a list in a file is older than the plan that stands."""
        standing = self._standing(session, agent).updated_at
        return standing is not None and moment < standing

    def _mirrored(
        self, found: Found, session: str, agent: str, when: datetime, key: str
    ) -> tuple[str, str]:
        standing = self._standing(session, agent)
        if standing.updated_at is not None:
            when = max(when, standing.updated_at)
        try:
            reading = reading_of(found)
        except Unreadable as error:
            return "unreadable", str(error)
        if found.title and reading.summary is None and not standing.summary and reading.changes:
            reading = replace(reading, summary=clip(harmless(found.title), 200))
        by = Author("agent", found.model if encodable(found.model) else "")
        made = mirror(
            reading, store=self.store, session=session, agent=agent, time=when, call_id=key, failed=found.is_error, by=by
        )  # fmt: skip
        self._last = made.plan or self._last
        return made.outcome, made.line

    def _standing(self, session: str, agent: str) -> Plan:
        if (self._last.session, self._last.agent) != (session, agent):
            self._last = self.store.load(session, agent)
        return self._last


def reading_of(found: Found) -> Reading:
    """What a call says of its plan; raises `Unreadable`."""
    if found.snapshot and found.tool == "TaskList":
        return reading_of_tasks(dicts(member(found.input, "tasks")))
    return read_plan(found.input, tool=found.tool, result=found.result)


def _first_words(found: Found) -> str:
    """The words of the first step of a plan."""
    try:
        reading = reading_of(found)
    except Unreadable:
        return ""
    texts = [todo.content for todo in reading.todos] + [op.content or "" for op in reading.edits]
    return next(filter(None, texts), "")


def bring(paths: Any, importer: Importer, progress: Callable[[str], None] | None = None) -> Report:
    """Import files and folders; `progress` is told each file before it is read."""
    from todowright.importers.walk import files

    named = set(paths)
    for path in files(paths, lambda path, why: importer.report.tell(path, 0, why)):
        if progress is not None:
            progress(path)
        importer.file(path, named=path in named)
    return importer.report
