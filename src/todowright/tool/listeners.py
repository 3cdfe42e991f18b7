"""Who wants to hear of changes, told in order of revision whichever thread made them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from todowright.logs import log_exception, log_warning
from todowright.processes import PerProcess, process

T = TypeVar("T")
MOST_WAITING, MOST_TOLD = 256, 32
"""How many pieces of news wait at most, and how many one caller tells."""


class _Desk(Generic[T]):
    """What waits to be told in one process, and whether somebody is at it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.waiting: deque[T] = deque()
        self.telling = False
        self.dropped = 0
        """News that were not told, since those told last."""
        self.helped = False
        """Whether a thread of ours tells what waits."""


class _Entry(Generic[T]):
    """One adding of a listener: who adds the same function twice stops each by itself."""

    __slots__ = ("listener",)

    def __init__(self, listener: Callable[[T], object]) -> None:
        self.listener = listener


class Listeners(Generic[T]):
    """Calls listeners one piece of news at a time, without holding a lock while they run.

    News that comes while other news is being told (from a listener, or from another thread) waits
    its turn and is told by whoever is telling, so no listener sees a later revision first.

    Where listeners are slower than the news, no caller tells the news of others without end: after some a
    thread of ours goes on. And no more than so many wait: of more, the oldest are not told, and a line of the
    log says so. A listener that must know every revision asks the store for those it missed.
    """

    def __init__(self) -> None:
        self._listeners: list[_Entry[T]] = []
        self.wanted = False
        """Whether anybody listens."""
        self._desk: PerProcess[_Desk[T]] = PerProcess(_Desk)

    def add(self, listener: Callable[[T], object]) -> Callable[[], None]:
        """Call the listener from now on; the answer stops that."""
        entry = _Entry(listener)
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
        desk = self._desk[process.number]
        if len(desk.waiting) >= MOST_WAITING:
            desk.waiting.popleft()
            desk.dropped += 1
        desk.waiting.append(news)

    def tell(self) -> None:
        """Deliver what waits, unless somebody is at it already."""
        if not self._listeners:
            return
        desk = self._desk[process.number]
        for _ in range(MOST_TOLD):
            if not desk.waiting or not self._told_one(desk):
                return
        with desk.lock:
            if desk.helped or not desk.waiting:
                return
            desk.helped = True
        try:
            threading.Thread(target=self._go_on, args=(desk,), daemon=True).start()
        except RuntimeError:  # no thread can be had: the next caller goes on
            desk.helped = False

    def _go_on(self, desk: _Desk[T]) -> None:
        """Tell what waits, until nothing does."""
        try:
            while self._told_one(desk):
                pass
        finally:
            desk.helped = False

    def _told_one(self, desk: _Desk[T]) -> bool:
        """Whether one piece of news was told: none waits, or somebody else is at it."""
        with desk.lock:
            if desk.telling or not desk.waiting:
                return False
            desk.telling = True
            news = desk.waiting.popleft()
            dropped, desk.dropped = desk.dropped, 0
        try:
            if dropped:
                log_warning(f"{dropped} changes were not told: a listener is too slow")
            self._deliver(news)
        finally:
            with desk.lock:
                desk.telling = False
        return True

    def _deliver(self, news: T) -> None:
        for entry in self._listeners:
            if entry not in self._listeners:
                continue  # it unsubscribed meanwhile
            try:
                entry.listener(news)
            except Exception:  # a listener's fault is its own
                log_exception("a listener failed")
