"""The store's change feed for many viewers: one thread reads it, every stream takes what it lacks."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress

from todowright.plan.model import Plan
from todowright.stores import Store
from todowright.stores.follow import follow
from todowright.web.data import numbered

_KEPT = 5000
PING = 15.0
_PACE = 0.00025
"""Seconds between two parcels of a stream, for each stream there is: many viewers get fewer, larger ones."""


class EventStream:
    """Tells every open stream of every revision, with its number, so that a reconnect misses nothing.

    No stream has a queue: each knows the last number it sent, and takes what came since. A viewer
    that reads slowly gets larger parcels later, and costs nothing meanwhile.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._recent: deque[tuple[int, bytes]] = deque()
        self._floor = 0
        """All revisions behind this number are among the recent ones."""
        self._fresh = asyncio.Event()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._streams = 0
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
        sent = self.number if after is None or after > self.number else after
        epoch = self._epoch
        self._streams += 1
        try:
            yield f"retry: 1000\nid: {sent}\nevent: hello\ndata: {sent}\n\n".encode()
            while not self._stop.is_set():
                if epoch != self._epoch:  # the numbers began anew: who reads this loads all again
                    return
                fresh = self._fresh
                events = await self._since(sent)
                if events:
                    sent = events[-1][0]
                    yield b"".join(event for _, event in events)
                    await asyncio.sleep(_PACE * self._streams)
                    continue
                try:
                    await asyncio.wait_for(fresh.wait(), PING)
                except TimeoutError:
                    yield b": still here\n\n"
        finally:
            self._streams -= 1

    async def _since(self, sent: int) -> list[tuple[int, bytes]]:
        if sent >= self.number:
            return []
        if sent < self._floor:  # long ago: the store knows
            entries = await asyncio.to_thread(self._store.since, sent)
            return [(number, self._told(number, plan)) for number, plan in entries]
        found = []
        for entry in reversed(self._recent):
            if entry[0] <= sent:
                break
            found.append(entry)
        return found[::-1]

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
        self.number = self._floor = 0
        self._epoch += 1
        fresh, self._fresh = self._fresh, asyncio.Event()
        fresh.set()

    def _tell(self, number: int, event: bytes) -> None:
        self._recent.append((number, event))
        if len(self._recent) > _KEPT:
            self._floor = self._recent.popleft()[0]
        self.number = number
        fresh, self._fresh = self._fresh, asyncio.Event()
        fresh.set()

    def _told(self, number: int, plan: Plan) -> bytes:
        """One revision as an event of a stream."""
        data = json.dumps(numbered(self._store, number, plan), ensure_ascii=False)
        return f"id: {number}\nevent: plan\ndata: {data}\n\n".encode()
