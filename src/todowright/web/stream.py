"""The store's change feed for many viewers: one thread reads it, every stream takes what it lacks."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress

from todowright.plan.model import Plan
from todowright.stores import Store
from todowright.stores.follow import follow
from todowright.web.data import numbered
from todowright.web.places import is_foreign

_KEPT, _KEPT_BYTES = 5_000, 8_000_000
"""How many of the last revisions are at hand for all streams, and how many bytes of them."""
_PARCEL = 65_536
"""How many bytes of a stream are on their way at once; a larger revision goes in pieces."""
_AT_ONCE, _MOST_AT_ONCE = 4, 100
"""How many revisions of long ago are read from the store at first, and at most; fewer where they are long."""
_READERS = 4
"""How many streams read from the store at the same time."""
PING = 15.0
_PACE = 0.00025
"""Seconds between two parcels of a stream, for each stream there is: many viewers get fewer, larger ones."""


Event = tuple[int, bytes]
"""A revision as it is told, with its number."""


class EventStream:
    """Tells every open stream of every revision, with its number, so that a reconnect misses nothing.

    No stream has a queue: each knows the last number it sent, and takes what came since. A viewer
    that reads slowly costs no more than a parcel. Once what it lacks is not at hand any more, it is told
    that it is `behind`, and from which number on it hears again.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._recent: deque[Event] = deque()
        self._size = 0
        self._floor = 0
        """All revisions behind this number are among the recent ones."""
        self._fresh = asyncio.Event()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._streams = 0
        self._reading = asyncio.Semaphore(_READERS)
        self._epoch = 0
        """How often the store began anew."""
        self.number = 0

    def start(self) -> None:
        """Begin to follow the store, on the running loop."""
        loop = asyncio.get_running_loop()
        self.number = self._floor = self._store.newest()
        self._thread = threading.Thread(target=self._follow, args=(loop, self.number), daemon=True)
        self._thread.start()

    async def stop(self) -> None:
        """End every stream, and the thread."""
        self._stop.set()
        self._fresh.set()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join, 2)

    async def stream(self, after: int | None) -> AsyncIterator[bytes]:
        """The revisions behind a number, then those that come; a comment now and then keeps it open."""
        viewer = _Viewer(self.number if after is None or after > self.number else after)
        epoch = self._epoch
        self._streams += 1
        try:
            yield f"retry: 1000\nid: {viewer.sent}\nevent: hello\ndata: {viewer.sent}\n\n".encode()
            while not self._stop.is_set():
                if epoch != self._epoch:  # the numbers began anew: who reads this loads all again
                    return
                fresh = self._fresh
                events = await self._since(viewer)
                if events:
                    viewer.sent = events[-1][0]
                    for piece in _pieces(events):
                        yield piece
                    await asyncio.sleep(_PACE * self._streams)
                    continue
                try:
                    await asyncio.wait_for(fresh.wait(), PING)
                except TimeoutError:
                    yield b": still here\n\n"
        finally:
            self._streams -= 1

    async def _since(self, viewer: _Viewer) -> list[Event]:
        """The next revisions for a viewer, a parcel at most; none if it has them all."""
        if viewer.sent >= self.number:
            return []
        if viewer.sent < self._floor:
            if viewer.was_live or is_foreign(self._store, viewer.sent):
                return [(self.number, _behind(viewer.sent, self.number))]
            return await self._long_ago(viewer)
        viewer.was_live = True
        found: list[Event] = []
        for entry in reversed(self._recent):
            if entry[0] <= viewer.sent:
                break
            found.append(entry)
        return _parcel(found[::-1])

    async def _long_ago(self, viewer: _Viewer) -> list[Event]:
        """Revisions that only the store has, for a viewer who comes back; as few as fill a parcel."""
        async with self._reading:
            return await asyncio.to_thread(self._read, viewer)

    def _read(self, viewer: _Viewer) -> list[Event]:
        entries = self._store.since(viewer.sent, limit=viewer.at_once)
        told = [(number, self._told(number, plan)) for number, plan in entries]
        if told:
            average = sum(len(event) for _, event in told) // len(told)
            viewer.at_once = max(1, min(_MOST_AT_ONCE, _PARCEL // average))
        return _parcel(told)

    def _follow(self, loop: asyncio.AbstractEventLoop, number: int) -> None:
        while not self._stop.is_set():
            with suppress(Exception):  # a store that stumbles is asked again
                for at, plan in follow(
                    self._store, after=number, pause=0.5, until=self._stop.is_set
                ):
                    if at <= number:
                        loop.call_soon_threadsafe(self._begin_anew)
                    number = at
                    loop.call_soon_threadsafe(self._tell, at, self._told(at, plan))
            self._stop.wait(0.5)

    def _begin_anew(self) -> None:
        """The file was deleted or replaced, and counts from the beginning."""
        self._recent.clear()
        self._size = 0
        self.number = self._floor = 0
        self._epoch += 1
        fresh, self._fresh = self._fresh, asyncio.Event()
        fresh.set()

    def _tell(self, number: int, event: bytes) -> None:
        self._recent.append((number, event))
        self._size += len(event)
        while len(self._recent) > 1 and (len(self._recent) > _KEPT or self._size > _KEPT_BYTES):
            self._floor, gone = self._recent.popleft()
            self._size -= len(gone)
        self.number = number
        fresh, self._fresh = self._fresh, asyncio.Event()
        fresh.set()

    def _told(self, number: int, plan: Plan) -> bytes:
        """One revision as an event of a stream."""
        data = json.dumps(numbered(self._store, number, plan), ensure_ascii=False)
        return f"id: {number}\nevent: plan\ndata: {data}\n\n".encode()


class _Viewer:
    """How far one stream is."""

    def __init__(self, sent: int) -> None:
        self.sent = sent
        self.was_live = False
        """Whether it has come to the revisions that are at hand; who falls behind them is too slow."""
        self.at_once = _AT_ONCE


def _behind(missed: int, number: int) -> bytes:
    """What a viewer is told that was too slow: `/api/changes` has what it missed."""
    data = json.dumps({"after": missed, "number": number})
    return f"id: {number}\nevent: behind\ndata: {data}\n\n".encode()


def _parcel(events: list[Event]) -> list[Event]:
    """As many of the events as fit in a parcel, but at least one."""
    size = 0
    for count, (_, event) in enumerate(events):
        size += len(event)
        if count and size > _PARCEL:
            return events[:count]
    return events


def _pieces(events: list[Event]) -> Iterator[bytes]:
    """The parcel in pieces, none of them large: a reader is waited for after each."""
    whole = b"".join(event for _, event in events)
    for start in range(0, len(whole), _PARCEL):
        yield whole[start : start + _PARCEL]
