"""What each process must have of its own: locks and connections do not cross a fork."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class PerProcess(Generic[T]):
    """A value that every process makes for itself, when it first asks for it.

    After a fork the child makes its own; the parent's is kept and never touched there: a lock may be
    held by a thread that the child does not have, and closing a connection could harm the parent's file.
    """

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: dict[int, T] = {}

    def __call__(self) -> T:
        """Give this process its own value."""
        process = os.getpid()
        found = self._made.get(process)
        return self._made.setdefault(process, self._make()) if found is None else found
