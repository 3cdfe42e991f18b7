"""What MCP clients hear of plans that change, in either era of the protocol."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import quote, unquote

import anyio
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
)

from todowright.errors import StoreError
from todowright.stores import Store
from todowright.stores.follow import follow

SCHEME = "plan://"
_MOST_FOLLOWERS = 1000
_PATIENCE = 1.0
"""Seconds that one who follows may take; the others wait meanwhile."""


def uri_of(session: str) -> str:
    """The address of a session's plans."""
    return SCHEME + quote(session, safe="")


def session_of(uri: str) -> str:
    """The session that an address means, however it is spelt; empty if it is none of ours."""
    return unquote(uri.removeprefix(SCHEME)) if uri.startswith(SCHEME) else ""


class Subscriptions:
    """Tells those who listen, and each who subscribed to a plan. The store is watched only while somebody does."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._bus = InMemorySubscriptionBus()
        self._streams = ListenHandler(self._bus)
        self._followers: dict[tuple[str, str], tuple[Any, int]] = {}
        self._listening = 0
        """Streams that want to hear of single plans."""
        self._users = 0
        self._known: set[str] = set()
        """Sessions that are no news."""
        self._watch: _Watch | None = None
        self._beginning = anyio.Lock()

    async def listen(self, context: Any, params: Any) -> Any:
        """Serve one stream of the newest revision. Of the list of plans alone, it hears what goes through us."""
        if not params.notifications.resource_subscriptions:
            return await self._streams(context, params)
        self._listening += 1
        try:
            await self._begin()
            return await self._streams(context, params)
        finally:
            self._listening -= 1
            self._end_if_unused()

    async def subscribe(self, connection: str, uri: str, session: Any) -> None:
        """Tell a connection of what comes from now on; once, however often it asks."""
        newest = await anyio.to_thread.run_sync(self.store.newest)
        self._followers.pop((connection, uri), None)
        self._followers[connection, uri] = session, newest
        while len(self._followers) > _MOST_FOLLOWERS:
            self._followers.pop(next(iter(self._followers)))
        await self._begin()

    def unsubscribe(self, connection: str, uri: str) -> None:
        self._followers.pop((connection, uri), None)
        self._end_if_unused()

    def leave(self, connection: str) -> None:
        """Forget a connection that has ended."""
        for key in [each for each in self._followers if each[0] == connection]:
            self._followers.pop(key)
        self._end_if_unused()

    async def saw(self, session: str) -> None:
        """Tell those who listen of a session, if it is new."""
        if session not in self._known:
            self._known.add(session)
            await self._bus.publish(ResourcesListChanged())

    @asynccontextmanager
    async def told(self, _: Any) -> AsyncIterator[dict[str, Any]]:
        """As long as a server runs, who subscribed hears of what is saved."""
        self._users += 1
        try:
            with suppress(StoreError):  # it does not answer now
                self._known.update(await anyio.to_thread.run_sync(self.store.sessions))
            yield {}
        finally:
            self._users -= 1
            if not self._users and self._watch is not None:
                self._watch.end()
                self._watch = None

    async def _begin(self) -> None:
        async with self._beginning:  # who comes second waits until it is watched
            if self._watch is not None:
                return
            try:
                number = await anyio.to_thread.run_sync(self.store.newest)
            except StoreError:
                number = None
            self._watch = _Watch(self.store, number, self._publish)

    def _end_if_unused(self) -> None:
        if self._watch is not None and not self._listening and not self._followers:
            self._watch.end()
            self._watch = None

    async def _publish(self, receive: Any) -> None:
        last = 0
        async for number, session in receive:
            if number <= last:  # the store began anew, and all it holds is news
                self._followers = {key: (who, 0) for key, (who, _) in self._followers.items()}
            last = number
            for uri in dict.fromkeys([uri_of(session), SCHEME + session]):  # however it was spelt
                await self._bus.publish(ResourceUpdated(uri=uri))
            await self.saw(session)
            for key, (follower, newest) in list(self._followers.items()):
                wanted = session_of(key[1]) == session and number > newest
                if wanted and not await _told_in_time(follower, key[1]):
                    self._followers.pop(key, None)


class _Watch:
    """Follows a store in a thread, and hands what is saved to a task of the event loop."""

    def __init__(
        self, store: Store, number: int | None, publish: Callable[[Any], Coroutine[Any, Any, None]]
    ) -> None:
        self._store = store
        self._stop = threading.Event()
        send, receive = anyio.create_memory_object_stream[tuple[int, str]](1000)

        async def published() -> None:
            async with send, receive:
                await publish(receive)

        self._task = asyncio.get_running_loop().create_task(published())
        told = (send, anyio.lowlevel.current_token(), number)
        threading.Thread(target=self._run, args=told, daemon=True).start()

    def end(self) -> None:
        """End it; who waits in it is not waited for."""
        self._stop.set()
        self._task.cancel()

    def _run(self, send: Any, token: Any, number: int | None) -> None:
        """Tell of every revision that anybody saves, from a thread of its own."""
        stop = self._stop
        while not stop.is_set():
            try:
                number = self._store.newest() if number is None else number
                for at, plan in follow(self._store, after=number, pause=0.5, until=stop.is_set):
                    anyio.from_thread.run_sync(send.send_nowait, (at, plan.session), token=token)
                    number = at
            except (anyio.ClosedResourceError, anyio.BrokenResourceError, RuntimeError):
                return  # the loop is gone, and with it who listens
            except Exception:  # a store that stumbles is asked again; so is a loop that is busy
                stop.wait(0.1)


async def _told_in_time(follower: Any, uri: str) -> bool:
    """Tell somebody who follows; not, if it has gone or does not read what it is told."""
    with anyio.move_on_after(_PATIENCE):
        try:
            await follower.send_resource_updated(uri)
        except Exception:  # it has gone
            return False
        return True
    return False
