"""Plans in this process only: nothing on disk, gone when it ends."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import repeat, takewhile
from typing import TYPE_CHECKING

from todowright.errors import Conflict, StoreError
from todowright.plan.model import Plan
from todowright.processes import PerProcess, process
from todowright.stores.protocol import KEPT_LEASES, KEPT_RECEIPTS, PAGE
from todowright.text import shown

if TYPE_CHECKING:
    from todowright.stores.memory_usage import UsageInMemory
    from todowright.stores.receipt import Receipt
    from todowright.stores.usage import ModelRequest, Usage

KEPT_REVISIONS = 1_000
_ENDED = 0.0
"""The end of a lease that somebody ended."""


class _Saved:
    """Who saves in this process, and who waits for that."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.changed = threading.Condition(self.lock)


class _Revisions:
    """The revisions of one plan that are kept."""

    __slots__ = ("_offsets", "first", "plans")

    def __init__(self, keep: int, first: int) -> None:
        self.first = first
        """The place of the first one, also when it is not kept any more."""
        self.plans: deque[Plan] = deque(maxlen=keep)
        self._offsets: deque[int] | None = None
        """What to add to the number of each for its place among all revisions of the store.

        None while all are 0, as for the only plan of a store: that takes no memory.
        """

    def add(self, plan: Plan, place: int) -> None:
        """Add the next one, at its place among all revisions of the store."""
        offset = place - plan.revision
        if offset and self._offsets is None:
            self._offsets = deque([0] * len(self.plans), maxlen=self.plans.maxlen)
        if self._offsets is not None:
            self._offsets.append(offset)
        self.plans.append(plan)

    @property
    def oldest(self) -> int:
        """The place of the oldest that is kept."""
        return self.plans[0].revision + (self._offsets[0] if self._offsets is not None else 0)

    def latest_first(self) -> Iterator[tuple[int, Plan]]:
        """Each with its place among all revisions of the store."""
        offsets = repeat(0) if self._offsets is None else reversed(self._offsets)
        for offset, plan in zip(offsets, reversed(self.plans), strict=False):
            yield offset + plan.revision, plan


class MemoryStore:
    """A store for one process. It keeps the last `keep` revisions of each plan."""

    def __init__(self, *, keep: int = KEPT_REVISIONS) -> None:
        if type(keep) is not int or keep < 1:
            raise ValueError(f"keep is how many revisions to keep, 1 or more, not {shown(keep)}")
        self._keep = keep
        self._plans: dict[tuple[str, str], _Revisions] = {}
        self._receipts: dict[tuple[str, str], dict[str, Receipt]] = {}
        self._seen: dict[tuple[str, str], int] = {}
        self._leases: dict[tuple[str, str], dict[str, float]] = {}
        self._usage: UsageInMemory | None = None
        self._newest = 0
        self._lost = 0
        """The number of the last revision that is not kept any more."""
        self._waiting = 0
        self._saved = PerProcess(_Saved)

    def __repr__(self) -> str:
        count = len(self._plans)
        return f"<MemoryStore of {count} plan{'' if count == 1 else 's'}>"

    def load(self, session: str, agent: str) -> Plan:
        revisions = self._plans.get((session, agent))
        return revisions.plans[-1] if revisions else Plan(session, agent)

    def save(self, plan: Plan, receipt: Receipt | None = None) -> None:
        key = plan.session, plan.agent
        saved = self._saved[process.number]
        with saved.lock:
            revisions = self._plans.get(key)
            current = revisions.plans[-1].revision if revisions else 0
            if plan.revision != current + 1 or (receipt and self._has(receipt)):
                raise Conflict(plan.session, plan.agent, plan.revision, current)
            self._add(key, plan)
            if receipt is not None:
                self._keep_receipt(receipt)
            if self._waiting:
                saved.changed.notify_all()

    def take(self, plan: Plan) -> None:
        """Take a plan that somebody else keeps, as a first revision in place of what is here of it.

        It is for copies, and for plans of which this store is not the only keeper: nobody is told, and no rule is
        looked at. Who changes a plan does so by `TodoWrite`.
        """
        self.forget(plan.session, plan.agent)
        self.save(replace(plan, revision=1))

    def end(self, plan: Plan) -> None:
        key, saved = (plan.session, plan.agent), self._saved[process.number]
        with saved.lock:
            current = self.load(*key).revision
            if plan.revision != current + 1:
                raise Conflict(plan.session, plan.agent, plan.revision, current)
            self._add(key, plan, alone=True)
            self._drop(key)
            saved.changed.notify_all()

    def history(
        self, session: str, agent: str, *, before: int | None = None, limit: int = PAGE
    ) -> Sequence[Plan]:
        with self._saved[process.number].lock:
            revisions = self._plans.get((session, agent))
            kept = list(revisions.plans) if revisions else []
        found = kept if before is None else [plan for plan in kept if plan.revision < before]
        return found[max(0, len(found) - limit) :]

    def plans(self, session: str) -> Sequence[Plan]:
        with self._saved[process.number].lock:
            mine = [kept for key, kept in self._plans.items() if key[0] == session]
        return [kept.plans[-1] for kept in sorted(mine, key=lambda kept: kept.first)]

    def sessions(self) -> Sequence[str]:
        with self._saved[process.number].lock:
            plans = sorted(self._plans.items(), key=lambda entry: entry[1].first)
        return list(dict.fromkeys(session for (session, _), _ in plans))

    def forget(self, session: str, agent: str) -> None:
        key = session, agent
        with self._saved[process.number].lock:
            self._plans.pop(key, None)
            self._drop(key)
            if self._usage is not None:
                last = all(other != session for other, _ in self._plans)
                self._usage.forget(session, agent, last=last)

    def receipt(self, session: str, agent: str, call: str) -> Receipt | None:
        return self._receipts.get((session, agent), {}).get(call)

    def keep(self, receipt: Receipt) -> None:
        with self._saved[process.number].lock:
            self._keep_receipt(receipt)

    def seen(self, session: str, agent: str) -> int:
        return self._seen.get((session, agent), 0)

    def mark_seen(self, session: str, agent: str, revision: int) -> None:
        with self._saved[process.number].lock:
            self._seen[session, agent] = max(revision, self._seen.get((session, agent), 0))

    def count_requests(self, requests: Iterable[ModelRequest]) -> None:
        told = tuple(requests)
        with self._saved[process.number].lock:
            if self._usage is None:
                from todowright.stores.memory_usage import UsageInMemory

                self._usage = UsageInMemory()
            self._usage.count(told)

    def usage(self, session: str) -> Sequence[Usage]:
        with self._saved[process.number].lock:
            return self._usage.of(session) if self._usage is not None else []

    def now(self) -> float:
        """The clock by which leases are judged: of this machine, on which all who use the store are."""
        return time.time()

    def renew_lease(
        self, session: str, agent: str, token: str, until: float, seconds: float
    ) -> float | None:
        with self._saved[process.number].lock:
            now, kept = self.now(), self._leases.setdefault((session, agent), {})
            if kept.get(token, until) < now:
                return None
            if token not in kept:
                for old in [each for each, end in kept.items() if 0 < end < now - KEPT_LEASES]:
                    del kept[old]
            kept[token] = max(kept.get(token, until), now + seconds)
            return kept[token]

    def end_lease(self, session: str, agent: str, token: str, until: float) -> bool:
        with self._saved[process.number].lock:
            kept = self._leases.setdefault((session, agent), {})
            if kept.get(token, until) >= self.now():
                return False
            kept[token] = _ENDED
            return True

    def leases(self, session: str, agent: str) -> Mapping[str, float]:
        with self._saved[process.number].lock:
            kept = self._leases.get((session, agent), {})
            return {token: end for token, end in kept.items() if end != _ENDED}

    def newest(self) -> int:
        return self._newest

    def since(
        self, number: int, *, session: str | None = None, limit: int = PAGE
    ) -> Sequence[tuple[int, Plan]]:
        found: list[tuple[int, Plan]] = []
        with self._saved[process.number].lock:
            if number < self._lost:
                raise StoreError(
                    f"the revisions up to {self._lost} are not kept any more: follow from "
                    f"{self._newest}, or keep more (MemoryStore(keep=...))"
                )
            for key, kept in self._plans.items():
                if session in (None, key[0]):
                    found += takewhile(lambda entry: entry[0] > number, kept.latest_first())
        return sorted(found, key=lambda entry: entry[0])[:limit]

    def wait(self, number: int, timeout: float) -> bool:
        saved = self._saved[process.number]
        with saved.lock:
            self._waiting += 1
            try:
                return saved.changed.wait_for(lambda: self._newest > number, timeout)
            finally:
                self._waiting -= 1

    def close(self) -> None:
        """Nothing to let go of."""

    def _add(self, key: tuple[str, str], plan: Plan, alone: bool = False) -> None:
        """Add a revision, or put it in the place of all; who reads meanwhile finds one or the other."""
        kept = None if alone else self._plans.get(key)
        if kept is None:
            kept = _Revisions(self._keep, self._newest + 1)
        if len(kept.plans) == self._keep:
            self._lost = max(self._lost, kept.oldest)
        self._newest += 1
        kept.add(plan, self._newest)
        self._plans[key] = kept

    def _drop(self, key: tuple[str, str]) -> None:
        """Drop what belongs to a plan beside its revisions."""
        for kept in (self._receipts, self._seen, self._leases):
            kept.pop(key, None)

    def _has(self, receipt: Receipt) -> bool:
        """Whether this very call has a receipt; the same id with other arguments is another call."""
        known = self.receipt(receipt.session, receipt.agent, receipt.call)
        return known is not None and known.digest == receipt.digest

    def _keep_receipt(self, receipt: Receipt) -> None:
        kept = self._receipts.setdefault((receipt.session, receipt.agent), {})
        kept.pop(receipt.call, None)
        kept[receipt.call] = receipt
        while len(kept) > KEPT_RECEIPTS:
            del kept[next(iter(kept))]
