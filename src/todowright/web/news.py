"""The store's change feed for many viewers: one thread reads it, every stream gets its copy."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

from todowright.data import as_data
from todowright.model import Plan
from todowright.stores import Store

_KEPT = 2000
_BACKLOG = 500
PING = 15.0


class News:
    """Tells every open stream of every revision, with its number, so that a reconnect misses nothing."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._streams: set[asyncio.Queue[bytes | None]] = set()
        self._recent: deque[tuple[int, bytes]] = deque(maxlen=_KEPT)
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.number = 0

    def start(self) -> None:
        """Begin to follow the store, on the running loop."""
        loop = asyncio.get_running_loop()
        self.number = self._store.newest()
        self._thread = threading.Thread(target=self._follow, args=(loop, self.number), daemon=True)
        self._thread.start()

    async def stop(self) -> None:
        """End every stream, and the thread."""
        self._stop.set()
        for stream in self._streams:
            stream.put_nowait(None)
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join, 2)

    async def stream(self, after: int | None) -> AsyncIterator[bytes]:
        """The revisions behind a number, then those that come; a comment now and then keeps it open."""
        queue: asyncio.Queue[bytes | None] = asyncio.Queue(_BACKLOG)
        self._streams.add(queue)
        try:
            sent = self.number if after is None else after
            yield f"retry: 1000\nid: {sent}\nevent: hello\ndata: {sent}\n\n".encode()
            for number, missed in await self._missed(sent):
                sent = number
                yield missed
            while not self._stop.is_set():
                try:
                    event = await asyncio.wait_for(queue.get(), PING)
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                if event is None:
                    return
                if number_of(event) > sent:
                    sent = number_of(event)
                    yield event
        finally:
            self._streams.discard(queue)

    async def _missed(self, after: int) -> list[tuple[int, bytes]]:
        if after >= self.number:
            return []
        if self._recent and self._recent[0][0] <= after + 1:
            return [entry for entry in self._recent if entry[0] > after]
        entries = await asyncio.to_thread(self._store.since, after)
        return [(number, told(number, plan)) for number, plan in entries]

    def _follow(self, loop: asyncio.AbstractEventLoop, number: int) -> None:
        while not self._stop.is_set():
            with suppress(Exception):  # a store that stumbles is asked again
                entries = self._store.since(number)
                if entries:
                    number = entries[-1][0]
                    events = [(at, told(at, plan)) for at, plan in entries]
                    loop.call_soon_threadsafe(self._tell, events)
                else:
                    self._store.wait(number, 0.5)
                continue
            self._stop.wait(0.5)

    def _tell(self, events: list[tuple[int, bytes]]) -> None:
        for number, event in events:
            self.number = number
            self._recent.append((number, event))
            for stream in list(self._streams):
                try:
                    stream.put_nowait(event)
                except asyncio.QueueFull:  # too slow: it comes back, and says where it was
                    self._streams.discard(stream)
                    while not stream.empty():
                        stream.get_nowait()
                    stream.put_nowait(None)


def told(number: int, plan: Plan) -> bytes:
    """One revision as an event of a stream."""
    data: dict[str, Any] = {"number": number, **as_data(plan)}
    return f"id: {number}\nevent: plan\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def number_of(event: bytes) -> int:
    return int(event[4 : event.index(b"\n")])
