"""Plans in this process only: nothing on disk, gone when it ends."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence

from todowright.errors import Conflict, StoreError
from todowright.forks import minds_forks
from todowright.plan.model import Plan

KEPT_REVISIONS = 1_000


class MemoryStore:
    """A store for one process. It keeps the last `keep` revisions of each plan."""

    def __init__(self, *, keep: int = KEPT_REVISIONS) -> None:
        self._keep = keep
        self._plans: dict[tuple[str, str], deque[tuple[int, Plan]]] = {}
        self._newest = 0
        self._lost = 0
        """The number of the last revision that is not kept any more."""
        self._waiting = 0
        self._lock = threading.Lock()
        self._saved = threading.Condition(self._lock)
        minds_forks(self)

    def load(self, session: str, agent: str) -> Plan:
        revisions = self._plans.get((session, agent))
        return revisions[-1][1] if revisions else Plan(session, agent)

    def save(self, plan: Plan) -> None:
        key = plan.session, plan.agent
        with self._lock:
            revisions = self._plans.get(key)
            current = revisions[-1][1].revision if revisions else 0
            if plan.revision != current + 1:
                raise Conflict(plan.session, plan.agent, plan.revision, current)
            if revisions is None:
                revisions = self._plans[key] = deque(maxlen=self._keep)
            if len(revisions) == self._keep:
                self._lost = max(self._lost, revisions[0][0])
            self._newest += 1
            revisions.append((self._newest, plan))
            if self._waiting:
                self._saved.notify_all()

    def history(self, session: str, agent: str) -> Sequence[Plan]:
        with self._lock:
            return [plan for _, plan in self._plans.get((session, agent), ())]

    def plans(self, session: str) -> Sequence[Plan]:
        with self._lock:
            return [kept[-1][1] for key, kept in self._plans.items() if key[0] == session]

    def sessions(self) -> Sequence[str]:
        with self._lock:
            return list(dict.fromkeys(session for session, _ in self._plans))

    def forget(self, session: str, agent: str) -> None:
        with self._lock:
            self._plans.pop((session, agent), None)

    def newest(self) -> int:
        return self._newest

    def since(
        self, number: int, *, session: str | None = None, limit: int = 1_000
    ) -> Sequence[tuple[int, Plan]]:
        found: list[tuple[int, Plan]] = []
        with self._lock:
            if number < self._lost:
                raise StoreError(
                    f"the revisions up to {self._lost} are not kept any more: follow from "
                    f"{self._newest}, or keep more (MemoryStore(keep=...))"
                )
            for key, kept in self._plans.items():
                if session in (None, key[0]):
                    for entry in reversed(kept):
                        if entry[0] <= number:
                            break
                        found.append(entry)
        return sorted(found, key=lambda entry: entry[0])[:limit]

    def wait(self, number: int, timeout: float) -> bool:
        with self._lock:
            self._waiting += 1
            try:
                return self._saved.wait_for(lambda: self._newest > number, timeout)
            finally:
                self._waiting -= 1

    def close(self) -> None:
        """Nothing to let go of."""

    def before_fork(self) -> None:
        """Hold still."""
        self._lock.acquire()

    def after_fork(self, *, in_child: bool) -> None:
        """Go on; nobody waits in a child yet."""
        self._lock.release()
        if in_child:
            self._saved, self._waiting = threading.Condition(self._lock), 0
