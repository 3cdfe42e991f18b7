"""All sessions of a store as they stand: read once, then only what came since."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from datetime import datetime

from todowright.plan.attention import SessionView, session_view
from todowright.plan.model import Plan
from todowright.plan.record import AgentRecord
from todowright.plan.stuck import UsualTimes, patience
from todowright.stores.protocol import Store

_BACK = 20_000
"""How many of the last revisions are read at first, to learn since when agents are on their steps."""
_PAGE = 200


class Watcher:
    """Knows every agent of a store; `look` reads what came since. Threads may share one."""

    def __init__(self, store: Store, *, back: int = _BACK) -> None:
        self._store = store
        self._back = back
        self._records: dict[str, dict[str, AgentRecord]] = {}
        self._numbers: dict[str, int] = {}
        """The number of the last revision of each session, for those that moved since the beginning."""
        self._usual: UsualTimes | None = None
        self._lock = threading.Lock()
        self._read = False
        self.number = 0
        """The number of the last revision that is known."""

    def look(self, *, deleted: bool = True) -> None:
        """Take in what the store has now; who only asks what moved need not look for what was deleted."""
        with self._lock:
            newest = self._store.newest()
            if not self._read or newest < self.number:
                self._begin(newest)
            self._go_on()
            a_store_came = newest > self.number  # its sessions have no revisions behind the number
            self.number = max(self.number, newest)
            if deleted or a_store_came:
                self._match_sessions()

    def _begin(self, newest: int) -> None:
        self._records.clear()
        self._numbers.clear()
        self.number = max(0, newest - self._back)
        self._read = True
        self._usual = None
        self._go_on()
        for session in self._store.sessions():
            known = self._records.setdefault(session, {})
            for plan in self._store.plans(session):
                if plan.agent not in known:
                    known[plan.agent] = AgentRecord(plan)

    def _go_on(self) -> None:
        while found := self._store.since(self.number, limit=_PAGE):
            for number, plan in found:
                self._take(plan)
                self.number = self._numbers[plan.session] = number
            if len(found) < _PAGE:
                return

    def _take(self, plan: Plan) -> None:
        agents = self._records.setdefault(plan.session, {})
        record = agents.get(plan.agent)
        if record is not None and plan.revision > record.plan.revision:
            before = record.times[-1] if record.times else None
            record.take(plan)
            if record.times and record.times[-1] != before:
                self._usual = None  # a step was finished: what is usual may be something else
            return
        self._usual = None
        if record is None and plan.revision > 1:
            agents[plan.agent] = self._with_past(plan)
        elif record is None or plan.updated_at != record.plan.updated_at:
            agents[plan.agent] = AgentRecord(plan)  # the agent began anew

    def _with_past(self, plan: Plan) -> AgentRecord:
        """The record of an agent whose earlier revisions were not read."""
        before = self._store.history(plan.session, plan.agent, before=plan.revision, limit=_PAGE)
        if not before:
            return AgentRecord(plan)
        record = AgentRecord(before[0])
        for each in (*before[1:], plan):
            record.take(each)
        return record

    def _match_sessions(self) -> None:
        """Forget what was deleted; take in what came with a whole store, without revisions of its own."""
        there = dict.fromkeys(self._store.sessions())
        for session in [each for each in self._records if each not in there]:
            del self._records[session]
            self._numbers.pop(session, None)
        for session in [each for each in there if each not in self._records]:
            if plans := self._store.plans(session):
                self._records[session] = {plan.agent: AgentRecord(plan) for plan in plans}
                self._numbers[session], self._usual = self.number, None

    def sessions(
        self,
        now: float | None = None,
        *,
        midnight: float | None = None,
        after: int | None = None,
        since: float = 0.0,
    ) -> list[SessionView]:
        """All sessions as they stand now; with `after`, those that moved behind this number or became stuck since."""
        at, day = _moment(now, midnight)
        with self._lock:
            usual = self._times()
            chosen = [
                (session, list(agents.values()))
                for session, agents in self._records.items()
                if agents
                and (
                    after is None
                    or self._numbers.get(session, 0) > after
                    or _may_have_turned(agents.values(), usual, since, at)
                )
            ]
            return [session_view(name, records, usual, at, day) for name, records in chosen]

    def session(
        self, name: str, now: float | None = None, *, midnight: float | None = None
    ) -> SessionView | None:
        """One session as it stands now; None where there is none."""
        at, day = _moment(now, midnight)
        with self._lock:
            agents = self._records.get(name)
            if not agents:
                return None
            there = {plan.agent for plan in self._store.plans(name)}
            for agent in [each for each in agents if each not in there]:
                del agents[agent]
            return session_view(name, list(agents.values()), self._times(), at, day)

    def record(self, plan: Plan) -> AgentRecord | None:
        """What is known of the agent whose plan this is."""
        return self._records.get(plan.session, {}).get(plan.agent)

    def plans(self, session: str) -> Sequence[Plan]:
        """The last revision of each agent of a session, as it was read."""
        return [record.plan for record in self._records.get(session, {}).values()]

    def _times(self) -> UsualTimes:
        if self._usual is None:
            self._usual = UsualTimes(
                record for agents in self._records.values() for record in agents.values()
            )
        return self._usual


def _may_have_turned(
    records: Iterable[AgentRecord], usual: UsualTimes, since: float, now: float
) -> bool:
    """Whether one of these may have become stuck since a moment; a parent waits as long as its sub-agents write."""
    if not since:
        return False
    waits = {patience(usual(record.plan.agent)) for record in records if record.began}
    if not waits:
        return False
    spoke = [record.spoke_at for record in records]
    return any(since <= at + wait <= now for at in spoke for wait in waits)


def _moment(now: float | None, midnight: float | None) -> tuple[float, float]:
    at = time.time() if now is None else now
    if midnight is None:
        day = datetime.fromtimestamp(at).astimezone()
        midnight = day.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
    return at, midnight
