"""What MCP clients hear of plans that change, in either era of the protocol."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote, unquote

import anyio
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourcesListChanged, ResourceUpdated

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
    """Follows the store and tells: `bus` those who listen, and each who subscribed to a plan."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.bus = InMemorySubscriptionBus()
        self._followers: dict[tuple[str, str], tuple[Any, int]] = {}

    async def subscribe(self, connection: str, uri: str, session: Any) -> None:
        """Tell a connection of what comes from now on; once, however often it asks."""
        newest = await anyio.to_thread.run_sync(self.store.newest)
        self._followers.pop((connection, uri), None)
        self._followers[connection, uri] = session, newest
        while len(self._followers) > _MOST_FOLLOWERS:
            self._followers.pop(next(iter(self._followers)))

    def unsubscribe(self, connection: str, uri: str) -> None:
        self._followers.pop((connection, uri), None)

    @asynccontextmanager
    async def told(self, _: Any) -> AsyncIterator[dict[str, Any]]:
        """As long as a server runs, who subscribed hears of what is saved."""
        send, receive = anyio.create_memory_object_stream[tuple[int, str]](1000)
        stop = threading.Event()
        async with send, receive, anyio.create_task_group() as tasks:
            newest, known = await anyio.to_thread.run_sync(self._before)
            tasks.start_soon(self._publish, receive, known)
            told = (stop, send, anyio.lowlevel.current_token(), newest)
            threading.Thread(target=self._watch, args=told, daemon=True).start()
            try:
                yield {}
            finally:
                stop.set()
                tasks.cancel_scope.cancel()

    def _before(self) -> tuple[int | None, set[str]]:
        """What is there already, and so is no news; nothing, when the store does not answer now."""
        try:
            return self.store.newest(), set(self.store.sessions())
        except StoreError:
            return None, set()

    def _watch(self, stop: threading.Event, send: Any, token: Any, number: int | None) -> None:
        """Tell of every revision that anybody saves, from a thread of its own."""
        while not stop.is_set():
            try:
                number = self.store.newest() if number is None else number
                for at, plan in follow(self.store, after=number, pause=0.5, until=stop.is_set):
                    anyio.from_thread.run_sync(send.send_nowait, (at, plan.session), token=token)
                    number = at
            except (anyio.ClosedResourceError, anyio.BrokenResourceError, RuntimeError):
                return  # the loop is gone, and with it who listens
            except Exception:  # a store that stumbles is asked again; so is a loop that is busy
                stop.wait(0.1)

    async def _publish(self, receive: Any, known: set[str]) -> None:
        last = 0
        async for number, session in receive:
            if number <= last:  # the store began anew, and all it holds is news
                self._followers = {key: (who, 0) for key, (who, _) in self._followers.items()}
            last = number
            for uri in dict.fromkeys([uri_of(session), SCHEME + session]):  # however it was spelt
                await self.bus.publish(ResourceUpdated(uri=uri))
            if session not in known:
                known.add(session)
                await self.bus.publish(ResourcesListChanged())
            for key, (follower, newest) in list(self._followers.items()):
                wanted = session_of(key[1]) == session and number > newest
                if wanted and not await _told_in_time(follower, key[1]):
                    self._followers.pop(key, None)


async def _told_in_time(follower: Any, uri: str) -> bool:
    """Tell somebody who follows; not, if it has gone or does not read what it is told."""
    with anyio.move_on_after(_PATIENCE):
        try:
            await follower.send_resource_updated(uri)
        except Exception:  # it has gone
            return False
        return True
    return False
