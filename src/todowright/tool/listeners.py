"""Who wants to hear of changes, told in order of revision whichever thread made them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from todowright.logs import log_exception
from todowright.processes import PerProcess, process

T = TypeVar("T")


class _Desk(Generic[T]):
    """What waits to be told in one process, and whether somebody is at it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.waiting: deque[T] = deque()
        self.telling = False


class Listeners(Generic[T]):
    """Calls listeners one piece of news at a time, without holding a lock while they run.

    News that comes while other news is being told (from a listener, or from another thread) waits
    its turn and is told by whoever is telling, so no listener sees a later revision first.
    """

    def __init__(self) -> None:
        self._listeners: list[Callable[[T], object]] = []
        self.wanted = False
        """Whether anybody listens."""
        self._desk: PerProcess[_Desk[T]] = PerProcess(_Desk)

    def add(self, listener: Callable[[T], object]) -> Callable[[], None]:
        """Call the listener from now on; the answer stops that."""
        entry: Callable[[T], object] = lambda news: listener(news)  # noqa: E731  its own identity
        with self._desk[process.number].lock:
            self._listeners = [*self._listeners, entry]
            self.wanted = True

        def stop() -> None:
            with self._desk[process.number].lock:
                self._listeners = [kept for kept in self._listeners if kept is not entry]
                self.wanted = bool(self._listeners)
                if not self.wanted:  # who comes later must not hear of what was before
                    self._desk[process.number].waiting.clear()

        return stop

    def put(self, news: T) -> None:
        """Queue news; the caller decides the order, `tell` delivers."""
        self._desk[process.number].waiting.append(news)

    def tell(self) -> None:
        """Deliver what waits, unless somebody is at it already."""
        if not self._listeners:
            return
        desk = self._desk[process.number]
        while True:
            with desk.lock:
                if desk.telling or not desk.waiting:
                    return
                desk.telling = True
                news = desk.waiting.popleft()
            try:
                self._deliver(news)
            finally:
                with desk.lock:
                    desk.telling = False

    def _deliver(self, news: T) -> None:
        for listener in self._listeners:
            if listener not in self._listeners:
                continue  # it unsubscribed meanwhile
            try:
                listener(news)
            except Exception:  # a listener's fault is its own
                log_exception("a listener failed")
