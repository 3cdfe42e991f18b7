"""Who wants to hear of changes, told in order of revision whichever thread made them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from todowright.forks import minds_forks
from todowright.logs import log_exception

T = TypeVar("T")


class Listeners(Generic[T]):
    """Calls listeners one news at a time, without holding a lock while they run.

    News that comes while another is being told (from a listener, or from another thread) waits
    its turn and is told by whoever is telling, so no listener sees a later revision first.
    """

    def __init__(self) -> None:
        self._listeners: list[Callable[[T], object]] = []
        self._waiting: deque[T] = deque()
        self._lock = threading.Lock()
        self._telling = False
        minds_forks(self)

    def before_fork(self) -> None:
        """Hold still."""
        self._lock.acquire()

    def after_fork(self, *, in_child: bool) -> None:
        """Go on; in a child, who was telling is another process."""
        self._lock.release()
        if in_child:
            self._telling = False

    def __bool__(self) -> bool:
        return bool(self._listeners)

    def add(self, listener: Callable[[T], object]) -> Callable[[], None]:
        """Call the listener from now on; the answer stops that."""
        entry: Callable[[T], object] = lambda news: listener(news)  # noqa: E731  its own identity
        with self._lock:
            self._listeners = [*self._listeners, entry]

        def stop() -> None:
            with self._lock:
                self._listeners = [kept for kept in self._listeners if kept is not entry]

        return stop

    def put(self, news: T) -> None:
        """Queue news; the caller decides the order, `tell` delivers."""
        self._waiting.append(news)

    def tell(self) -> None:
        """Deliver what waits, unless somebody is at it already."""
        while True:
            with self._lock:
                if self._telling or not self._waiting:
                    return
                self._telling = True
                news = self._waiting.popleft()
            try:
                self._deliver(news)
            finally:
                with self._lock:
                    self._telling = False

    def _deliver(self, news: T) -> None:
        for listener in self._listeners:
            if listener not in self._listeners:
                continue  # it unsubscribed meanwhile
            try:
                listener(news)
            except Exception:  # a listener's fault is its own
                log_exception("a listener failed")
