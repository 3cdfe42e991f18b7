"""Room for a few threads at a time, in the order in which they came: `threading.Semaphore` lets late ones pass."""

from __future__ import annotations

import threading
from collections import deque


class Room:
    """Has so many places; who leaves gives its place to the one that waits longest."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._lock = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()

    def enter(self, timeout: float) -> bool:
        """Wait for a place, at most so many seconds; whether there was one."""
        with self._lock:
            if self._free:
                self._free -= 1
                return True
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append(turn)
        try:
            if turn.acquire(timeout=timeout):
                return True
        except BaseException:
            if not self._gave_up(turn):
                self.leave()
            raise
        return not self._gave_up(turn)  # it may have come at the last moment

    def _gave_up(self, turn: threading.Lock) -> bool:
        with self._lock:
            if turn in self._waiting:
                self._waiting.remove(turn)
                return True
            return False

    def leave(self) -> None:
        """Give a place up."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._free += 1
