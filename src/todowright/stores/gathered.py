"""The stores of many projects as one: each session's name has its project's mark in front, `PROJECT~NAME`."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from todowright.plan.model import Plan
from todowright.stores.feed_order import Part
from todowright.stores.gathering import BETWEEN, Gathering, Member
from todowright.stores.protocol import PAGE

if TYPE_CHECKING:
    from todowright.stores.receipt import Receipt
    from todowright.stores.usage import ModelRequest, Usage

_LONGEST_PAUSE = 0.1


class GatheredStores(Gathering):
    """A store of the sessions of many."""

    def sessions(self) -> Sequence[str]:
        with self._lock:
            self._look()
            marks = sorted(self._members)
            return [f"{mark}{BETWEEN}{name}" for mark in marks for name in self._sessions(mark)]

    def plans(self, session: str) -> Sequence[Plan]:
        mark, name = self.split(session)
        member = self._members.get(mark)
        if member is None or member.trouble:
            return ()
        none: Sequence[Plan] = ()
        found = self._tried(member, lambda: member.store.plans(name), none)
        return [_marked(mark, plan) for plan in found]

    def newest(self) -> int:
        with self._lock:
            self._look()
            return self._order.newest

    def since(
        self, number: int, *, session: str | None = None, limit: int = PAGE
    ) -> Sequence[tuple[int, Plan]]:
        only, name = (None, None) if session is None else self.split(session)
        with self._lock:
            self._look()
            parts, members = self._order.behind(number), dict(self._members)
        found: list[tuple[int, Plan]] = []
        for part in parts:
            member = members.get(part.mark)
            if member is not None and not member.trouble and only in (None, part.mark):
                found += self._part(member, part, name, limit - len(found))
                if len(found) >= limit:
                    break
        return found

    def _part(
        self, member: Member, part: Part, name: str | None, most: int
    ) -> list[tuple[int, Plan]]:
        """The first revisions of a part, so many at most."""
        none: Sequence[tuple[int, Plan]] = ()
        most = min(most, part.last - part.after)
        after = part.after - part.shift
        rows = self._tried(
            member, lambda: member.store.since(after, session=name, limit=most), none
        )
        numbered = [(at + part.shift, _marked(part.mark, plan)) for at, plan in rows]
        return [each for each in numbered if each[0] <= part.last]

    def wait(self, number: int, timeout: float) -> bool:
        deadline, pause = time.monotonic() + timeout, 0.01
        while self.newest() <= number:
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(pause, left))
            pause = min(pause * 1.5, _LONGEST_PAUSE)
        return True

    def close(self) -> None:
        with self._lock:
            for member in self._members.values():
                member.store.close()

    def now(self) -> float:
        return time.time()

    def load(self, session: str, agent: str) -> Plan:
        store, place, name = self.source(session)
        return _marked(place.mark, store.load(name, agent))

    def history(
        self, session: str, agent: str, *, before: int | None = None, limit: int = PAGE
    ) -> Sequence[Plan]:
        store, place, name = self.source(session)
        found = store.history(name, agent, before=before, limit=limit)
        return [_marked(place.mark, plan) for plan in found]

    def save(self, plan: Plan, receipt: Receipt | None = None) -> None:
        store, _, name = self.source(plan.session)
        store.save(replace(plan, session=name), receipt and replace(receipt, session=name))

    def end(self, plan: Plan) -> None:
        store, _, name = self.source(plan.session)
        store.end(replace(plan, session=name))

    def forget(self, session: str, agent: str) -> None:
        store, _, name = self.source(session)
        store.forget(name, agent)

    def receipt(self, session: str, agent: str, call: str) -> Receipt | None:
        store, place, name = self.source(session)
        found = store.receipt(name, agent, call)
        return found and replace(found, session=f"{place.mark}{BETWEEN}{name}")

    def keep(self, receipt: Receipt) -> None:
        store, _, name = self.source(receipt.session)
        store.keep(replace(receipt, session=name))

    def seen(self, session: str, agent: str) -> int:
        store, _, name = self.source(session)
        return store.seen(name, agent)

    def mark_seen(self, session: str, agent: str, revision: int) -> None:
        store, _, name = self.source(session)
        store.mark_seen(name, agent, revision)

    def renew_lease(
        self, session: str, agent: str, token: str, until: float, seconds: float
    ) -> float | None:
        store, _, name = self.source(session)
        return store.renew_lease(name, agent, token, until, seconds)

    def end_lease(self, session: str, agent: str, token: str, until: float) -> bool:
        store, _, name = self.source(session)
        return store.end_lease(name, agent, token, until)

    def leases(self, session: str, agent: str) -> Mapping[str, float]:
        store, _, name = self.source(session)
        return store.leases(name, agent)

    def count_requests(self, requests: Iterable[ModelRequest]) -> None:
        by_session: dict[str, list[ModelRequest]] = {}
        for request in requests:
            by_session.setdefault(request.session, []).append(request)
        for session, told in by_session.items():
            store, _, name = self.source(session)
            store.count_requests([replace(each, session=name) for each in told])

    def usage(self, session: str) -> Sequence[Usage]:
        store, _, name = self.source(session)
        return store.usage(name)


def _marked(mark: str, plan: Plan) -> Plan:
    return replace(plan, session=f"{mark}{BETWEEN}{plan.session}")
