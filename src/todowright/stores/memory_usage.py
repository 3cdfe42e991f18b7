"""What requests took, in the memory of a process."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from todowright.stores.usage import ModelRequest, Usage, in_order, usage_of

_MOST_WAITING = 256


class UsageInMemory:
    """Sums by session, agent and model; not thread-safe.

    Requests are summed when somebody asks, or when many wait: agents count all of theirs, and hardly anybody asks.
    """

    def __init__(self) -> None:
        self._waiting: deque[ModelRequest] = deque()
        self._sums: dict[str, dict[tuple[str, str], Usage]] = {}
        self._counted: dict[str, dict[int, str]] = {}
        """For each session, the marks of the requests that are counted, with their agents."""

    def count(self, requests: Iterable[ModelRequest]) -> None:
        self._waiting += requests
        if len(self._waiting) > _MOST_WAITING:
            self._add_waiting()

    def _add_waiting(self) -> None:
        while self._waiting:
            each = self._waiting.popleft()
            known = self._counted.setdefault(each.session, {})
            if each.id:
                mark = each.mark
                if mark in known:
                    continue
                known[mark] = each.agent
            sums = self._sums.setdefault(each.session, {})
            key = each.agent, each.model
            sums[key] = sums[key].with_request(each) if key in sums else usage_of(each)

    def of(self, session: str) -> list[Usage]:
        self._add_waiting()
        return in_order(self._sums.get(session, {}).values())

    def forget(self, session: str, agent: str, *, last: bool) -> None:
        """Drop an agent's; all of the session with its last plan."""
        self._add_waiting()
        if last:
            self._sums.pop(session, None)
            self._counted.pop(session, None)
            return
        sums, counted = self._sums.get(session, {}), self._counted.get(session, {})
        for key in [key for key in sums if key[0] == agent]:
            del sums[key]
        for mark in [mark for mark, owner in counted.items() if owner == agent]:
            del counted[mark]
