"""How many connections the server holds, and for how long it waits for one."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterable
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
"""How long the head of a request may take, from the first moment the server could read it."""
STALL_SECONDS = 60.0
"""How long somebody may read nothing of what waits for them."""
MOST, MOST_WAITING = 1_000, 400
"""Connections, and those of them that have not sent a head; the oldest of these goes when there are more."""
ACCEPTED_AT_ONCE = 32
"""How many are taken in before the oldest can be let go: all at once would use up the open files."""
_QUEUE = 1_024
_SPARE_FILES = 200
_TOLD = b'{"error": "too many connections: try again in a while"}'
_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 1\r\n"
    b"content-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(_TOLD), _TOLD)
)


def most_connections() -> int:
    """How many connections there may be: fewer where the system allows few open files."""
    try:
        import resource
    except ImportError:  # not on this system
        return MOST
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST if allowed < 0 else max(20, min(MOST, allowed - _SPARE_FILES))


class Connections:
    """Those that wait for a head, the oldest first; one for a server."""

    def __init__(self) -> None:
        self.most = most_connections()
        self.waiting: dict[Connection, None] = {}

    def begin_waiting(self, connection: Connection) -> None:
        self.waiting[connection] = None
        while len(self.waiting) > min(MOST_WAITING, self.most // 2):
            self.cut_oldest()

    def cut_oldest(self) -> bool:
        """Cut off who has waited longest without a request; whether there was somebody."""
        oldest = next(iter(self.waiting), None)
        if oldest is not None:
            oldest.cut()
        return oldest is not None

    def end_waiting(self, connection: Connection) -> None:
        self.waiting.pop(connection, None)


class Connection(H11Protocol):
    """One connection, as uvicorn serves it, within bounds."""

    def __init__(self, connections: Connections, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._all = connections
        self._head: asyncio.TimerHandle | None = None
        self._stall: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self._all.most and not self._all.cut_oldest():
            transport.write(_FULL)
            transport.close()
            return
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._flows()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        self._wait_for_head()
        super().on_response_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._stall is None:
            self._stall = self.loop.call_later(STALL_SECONDS, self.cut)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._flows()

    def cut(self) -> None:
        """End it at once; what was not sent yet is lost."""
        self._stop_waiting()
        self.transport.abort()

    def _wait_for_head(self) -> None:
        self._stop_waiting()
        self._all.begin_waiting(self)
        self._head = self.loop.call_later(HEAD_SECONDS, self._too_slow)

    def _stop_waiting(self) -> None:
        self._all.end_waiting(self)
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _too_slow(self) -> None:
        self._stop_waiting()
        if self._stall is None:  # else it still reads the last answer, and has its own limit
            self.transport.abort()

    def _flows(self) -> None:
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None


def wait_in_line(listeners: Iterable[socket.socket]) -> None:
    """Let those wait in line who are not taken in yet; to be called once the server has started."""
    for listener in listeners:
        listener.listen(_QUEUE)


def connection_class() -> type[Connection]:
    """The class for one server's connections."""
    connections = Connections()

    class OfThisServer(Connection):
        def __init__(self, *args: Any, **named: Any) -> None:
            super().__init__(connections, *args, **named)

    return OfThisServer
