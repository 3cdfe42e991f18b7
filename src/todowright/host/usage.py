"""What the requests of a run took, kept beside its plan."""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress
from datetime import UTC, datetime

from todowright.errors import StoreError
from todowright.stores.usage import ModelRequest
from todowright.tool.todowrite import TodoWrite

MOST_WAITING = 10_000
"""Requests that wait for a plan; of more, the oldest go."""


class RequestCounter:
    """Counts requests in the plan's store, once there is a plan that they can stand beside.

    An agent without a plan leaves no trace. The first request of one that plans is made before there is a plan: it
    waits until then. What the store could not take waits, too.
    """

    def __init__(self, todo: TodoWrite) -> None:
        self._todo = todo
        self._waiting: deque[ModelRequest] = deque(maxlen=MOST_WAITING)
        self._lock = threading.Lock()

    def count(
        self, model: str, read: int, written: int, cached: int, cost: float | None, name: str
    ) -> None:
        """Count a request that was made now; raises `StoreError`, and tries again with the next one."""
        request = ModelRequest(
            session=self._todo.session, agent=self._todo.agent, model=model, input=read, output=written,
            cached=cached, cost=cost, at=datetime.now(UTC), id=name,
        )  # fmt: skip
        with self._lock:
            self._waiting.append(request)
            self._count()

    def close(self) -> None:
        """Count what still waits, if it can be."""
        with self._lock, suppress(StoreError):
            if self._waiting:
                self._count()

    def _count(self) -> None:
        if self._has_plan():
            self._todo.store.count_requests(list(self._waiting))
            self._waiting.clear()

    def _has_plan(self) -> bool:
        """Whether the agent has a plan, or one that it works for."""
        agent = self._todo.agent
        while agent:
            if self._todo.store.load(self._todo.session, agent).revision:
                return True
            agent = agent.rpartition("/")[0]
        return False
