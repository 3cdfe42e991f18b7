"""Which stores of many projects there are, and which of them moved.

A store that cannot be used is left out, and why is told; the others go on. Which stores there are is asked again and
again, so that a new one comes in by itself.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from todowright.errors import StoreError, TodowrightError, UnknownName
from todowright.stores.feed_order import FeedOrder
from todowright.stores.opening import open_store
from todowright.stores.protocol import Store
from todowright.text import shown

T = TypeVar("T")
BETWEEN = "~"
"""Stands between a project's mark and a session's name; no mark has it."""
_ASK = 2.0
"""Seconds after which it is asked again which stores there are."""
_AGAIN = 30.0
"""Seconds after which a store that failed is tried again, although its file did not change."""
_SETTLED = 1_000_000_000
"""Nanoseconds after which the next change of a file is sure to have another time: clocks of files are coarse."""
_QUIET, _SELDOM = 120_000_000_000, 1.0
"""Nanoseconds after which a store counts as quiet, and seconds between two looks at one that is."""
_LATER = 200
"""Revisions of a store that comes in later which are told as new."""
_Stamp = tuple[tuple[int, ...], ...]


class Place(NamedTuple):
    """One project's store, as who looks for them found it."""

    mark: str
    folder: str
    """The project's folder."""
    path: str
    """The file."""
    trouble: str = ""
    """Why it must not be used."""


class Member:
    """A store among the others."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.store = open_store(f"sqlite:///{place.path}")
        self.known = 0
        """The number of its last revision that has a place among those of all."""
        self.stamp: _Stamp = ()
        self.sessions: Sequence[str] | None = None
        """The names of its sessions, as long as the file is as it was."""
        self.trouble = ""
        """Why it cannot be used."""
        self.is_replaced = False
        """Whether another file stands in its place, and was not numbered yet."""
        self._file = 0
        self._failed = 0.0
        self._looked, self._latest = float("-inf"), 0
        """When its file was looked at, and when that was written."""

    def fail(self, trouble: str) -> None:
        """It could not be read."""
        self.trouble, self._failed = trouble, time.monotonic()

    def moved(self) -> bool:
        """Whether the file may have changed since it was asked last; then what is known of it counts no more."""
        now = time.monotonic()
        if time.time_ns() - self._latest > _QUIET and now - self._looked < _SELDOM:
            return False
        stamp, self._looked = _stamp(self.place.path), now
        file = stamp[0][0] if stamp[0] else self._file
        self.is_replaced = self.is_replaced or self._file not in (0, file)
        self._file = file
        self._latest = max((each[2] for each in stamp if each), default=0)
        settled = time.time_ns() - self._latest > _SETTLED
        if self.trouble:
            settled = now - self._failed < _AGAIN
        if stamp == self.stamp and settled:
            return False
        self.stamp, self.sessions, self.trouble = stamp, None, ""
        return True


class Gathering:
    """Which stores there are, and whose revisions came in which order; `find` is asked every few seconds."""

    def __init__(self, find: Callable[[], Sequence[Place]], home: str = "") -> None:
        self._find = find
        self._home = home
        """The mark of the store that a name without a mark is looked for first."""
        self._members: dict[str, Member] = {}
        self._refused: dict[str, Place] = {}
        self._gone: dict[str, Place] = {}
        self._order = FeedOrder()
        self._asked = float("-inf")
        self._lock = threading.RLock()

    # Which stores there are.

    def places(self) -> list[Place]:
        """The stores there are, and what is wrong with those that cannot be used."""
        with self._lock:
            self._look()
            members = [each.place._replace(trouble=each.trouble) for each in self._members.values()]
            return sorted([*members, *self._refused.values(), *self._gone.values()])

    def is_foreign(self, number: int) -> bool:
        """Whether a revision's number is of an earlier run: what came behind it cannot be told."""
        with self._lock:
            self._look()
            return self._order.is_foreign(number)

    def split(self, session: str) -> tuple[str, str]:
        """The project's mark and the name of a session; raises `UnknownName` where a bare name says too little."""
        mark, _, name = session.partition(BETWEEN)
        with self._lock:
            if name and mark in self._members:
                return mark, name
            self._look()
            if name and (mark in self._members or mark in self._refused or mark in self._gone):
                return mark, name
            marks = [each for each in self._members if session in self._sessions(each)]
        if self._home in marks or len(marks) < 2:
            return (self._home if self._home in marks else marks[0] if marks else ""), session
        keys = " or ".join(f"{each}{BETWEEN}{shown(session)}" for each in sorted(marks)[:3])
        raise UnknownName(f"more than one project has a session {shown(session)}: say {keys}")

    def whole(self, session: str) -> str:
        """The name of a session with its project's mark; itself where there is no such session."""
        mark, name = self.split(session)
        return f"{mark}{BETWEEN}{name}" if mark else session

    def source(self, session: str) -> tuple[Store, Place, str]:
        """The store of a session, where that is, and its name there; raises what is wrong."""
        mark, name = self.split(session)
        with self._lock:
            member = self._members.get(mark)
            if member is not None and not member.trouble:
                return member.store, member.place, name
            broken = self._refused.get(mark) or self._gone.get(mark)
        told = member.trouble if member is not None else broken.trouble if broken else ""
        if told:
            raise StoreError(told)
        raise UnknownName(f"no project has a session {shown(session)}")

    def _look(self) -> None:
        """Take in which stores there are, and which of them moved."""
        now = time.monotonic()
        if now - self._asked >= _ASK:
            self._asked = now
            self._take(self._find())
        for mark, member in self._members.items():
            if member.moved():
                newest = self._newest(member)
                if newest is not None:
                    self._number(mark, member, newest)

    def _take(self, found: Sequence[Place]) -> None:
        first = not self._order.newest
        there = {each.mark: each for each in found}
        self._refused = {mark: each for mark, each in there.items() if each.trouble}
        for mark, member in list(self._members.items()):
            place = there.get(mark)
            if place is None or place.trouble or place.path != member.place.path:
                member.store.close()
                del self._members[mark]
                self._order.forget(mark)
                if place is None:
                    told = f"{member.place.path} is gone"
                    self._gone[mark] = member.place._replace(trouble=told)
        fresh = [each for each in found if not each.trouble and each.mark not in self._members]
        for place in sorted(fresh, key=lambda each: _written(each.path)):
            self._gone.pop(place.mark, None)
            self._members[place.mark] = member = Member(place)
            member.moved()
            newest = self._newest(member) or 0
            if first:
                self._order.add_past(place.mark, newest)
                member.known = newest
            else:
                member.known = max(0, newest - _LATER)
                self._number(place.mark, member, newest)
        if first:
            self._order.begin()

    def _number(self, mark: str, member: Member, newest: int) -> None:
        """Give the new revisions of a store their places among those of all."""
        if member.is_replaced or newest < member.known:  # it is another one, which comes in later
            self._order.forget(mark)
            member.known, member.is_replaced = max(0, newest - _LATER), False
        self._order.add(mark, member.known, newest)
        member.known = newest

    def _newest(self, member: Member) -> int | None:
        none: int | None = None
        return self._tried(member, member.store.newest, none)

    def _tried(self, member: Member, work: Callable[[], T], otherwise: T) -> T:
        """What a store answers; one that fails is left out for a while, or until its file changes."""
        try:
            return work()
        except TodowrightError as error:
            member.fail(str(error))
            return otherwise

    def _sessions(self, mark: str) -> Sequence[str]:
        member = self._members[mark]
        if member.trouble:
            return ()
        if member.sessions is None:
            none: Sequence[str] = ()
            member.sessions = self._tried(member, member.store.sessions, none)
        return member.sessions


def _stamp(path: str) -> _Stamp:
    """What changes when somebody writes to a file, or may use it in another way."""
    found: list[tuple[int, ...]] = []
    for name in (path, f"{path}-wal"):
        try:
            seen = os.stat(name)
            found.append((seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_mode, seen.st_uid))
        except OSError:
            found.append(())
    return tuple(found)


def _written(path: str) -> int:
    """When a store was written last, about."""
    return max((each[2] for each in _stamp(path) if each), default=0)
