"""What each process must have of its own: locks and connections do not cross a fork."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Protocol, TypeVar

T = TypeVar("T")
FORK_WAIT = 5.0
"""Seconds that a fork waits for threads to come out of a library that it would catch half way."""


class _Process:
    """Which process this is; asking the system each time would cost more than a look."""

    __slots__ = ("number",)

    def __init__(self) -> None:
        self._look()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._look)

    def _look(self) -> None:
        self.number = os.getpid()


process = _Process()


class PerProcess(dict[int, T]):
    """A value that every process makes for itself, when it first asks for it: `own[process.number]`.

    After a fork the child makes its own; the parent's is kept and never touched there: a lock may be
    held by a thread that the child does not have, and closing a connection could harm the parent's file.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, number: int) -> T:
        return self.setdefault(number, self._make())


class Closes(Protocol):
    """Something that holds connections which a child must not inherit."""

    def let_go(self) -> None:
        """Close them; the next use opens new ones."""


class Gate:
    """Threads go through it into a library that a fork must not catch half way.

    SQLite has locks for the whole process, which a child would inherit locked for good if another thread held
    one; and what it remembers of an open file is wrong in a child. So a fork waits until nobody is inside, and closes
    what is open. Stays are short: who waits for a file does so outside.
    """

    def __init__(self) -> None:
        self._inside: dict[int, int] = {}
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._forking: int | None = None
        """The thread that forks."""
        self._open: weakref.WeakSet[Closes] = weakref.WeakSet()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=self._before, after_in_parent=self._after, after_in_child=self._in_child
            )

    def register(self, holder: Closes) -> None:
        """Have a holder of connections let go of them before every fork."""
        with self._changed:
            self._open.add(holder)

    def __enter__(self) -> None:
        me, inside = threading.get_ident(), self._inside
        with self._lock:
            while self._forking not in (None, me) and me not in inside:
                self._changed.wait(FORK_WAIT)
            inside[me] = inside.get(me, 0) + 1

    def __exit__(self, *_: object) -> None:
        me, inside = threading.get_ident(), self._inside
        with self._lock:
            if inside[me] == 1:
                del inside[me]
            else:
                inside[me] -= 1
            if self._forking is not None:
                self._changed.notify_all()

    def _before(self) -> None:
        me = threading.get_ident()
        with self._changed:
            self._changed.wait_for(lambda: self._forking is None, FORK_WAIT)
            self._forking = me  # it may come in: a store that is freed meanwhile closes itself
            if self._changed.wait_for(lambda: self._inside.keys() <= {me}, FORK_WAIT):
                for holder in list(self._open):
                    holder.let_go()

    def _after(self) -> None:
        with self._changed:
            self._forking = None
            self._changed.notify_all()

    def _in_child(self) -> None:
        """Only the thread that forked is here; what others held is nobody's now."""
        me = threading.get_ident()
        self._lock, self._forking = threading.RLock(), None
        self._changed = threading.Condition(self._lock)
        self._inside = {me: self._inside[me]} if me in self._inside else {}
