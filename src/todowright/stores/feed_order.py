"""One count for the revisions of many stores: which number of all is which number of one."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

_MOST = 50_000
"""Parts that are kept apart; the older half of more becomes past."""


class Part(NamedTuple):
    """Revisions of one store that follow each other in the count of all."""

    after: int
    """The number of all in front of the first."""
    last: int
    mark: str
    shift: int
    """The number of all, less the store's own."""


class FeedOrder:
    """The parts in order.

    What was there at the beginning is the past, and counts from 1. What comes has numbers that no earlier run of this
    program gave: they begin with the milliseconds since 1970. Where numbers are asked for that lie between
    the two, they are taken as counted back from the beginning.
    """

    def __init__(self) -> None:
        self._parts: list[Part] = []
        self._past = 0
        """The last number of the past."""
        self._began = 0
        self.newest = 0

    def add_past(self, mark: str, newest: int) -> None:
        """All revisions of a store that are there at the beginning."""
        if newest:
            self._parts.append(Part(self._past, self._past + newest, mark, self._past))
            self._past += newest

    def begin(self) -> None:
        """What comes from now on is new."""
        self._began = self.newest = time.time_ns() // 1_000_000

    def add(self, mark: str, after: int, newest: int) -> None:
        """New revisions of a store: those behind a number of its own."""
        if newest <= after:
            return
        shift = self.newest - after
        last = self._parts[-1] if self._parts else None
        if last is not None and (last.mark, last.shift, last.last) == (mark, shift, self.newest):
            self._parts[-1] = last._replace(last=newest + shift)
        else:
            self._parts.append(Part(self.newest, newest + shift, mark, shift))
        self.newest = newest + shift
        if len(self._parts) > _MOST:
            self._fold()

    def forget(self, mark: str) -> None:
        """Take out what a store had: it is gone, or another one."""
        self._parts = [each for each in self._parts if each.mark != mark]

    def is_foreign(self, number: int) -> bool:
        """Whether this run gave no such number: it is an earlier run's, or was given too long ago."""
        return self._past < number < self._began

    def behind(self, number: int) -> Iterator[Part]:
        """The parts that have revisions behind a number, the first cut where it begins."""
        if self.is_foreign(number):
            number = max(0, self._past - (self._began - number))
        parts = self._parts[bisect_right(self._parts, number, key=lambda each: each.last) :]
        return (part._replace(after=max(part.after, number)) for part in parts)

    def _fold(self) -> None:
        """Let the older half become past: one part for each store, counted from 1 again."""
        half = self._parts[: len(self._parts) // 2]
        own: dict[str, tuple[int, int]] = {}
        for part in half:
            first = own.get(part.mark, (part.after - part.shift, 0))[0]
            own[part.mark] = first, part.last - part.shift
        folded, at = [], 0
        for mark, (after, last) in own.items():
            folded.append(Part(at, at + last - after, mark, at - after))
            at += last - after
        self._began, self._past = half[-1].last, at
        self._parts = [*folded, *self._parts[len(half) :]]
