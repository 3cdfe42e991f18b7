"""The sessions of MCP hosts over HTTP: few, small, and none kept that nobody uses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

ABANDONED_SECONDS = 20.0
"""How long a session is kept of which only the `initialize` came."""
MOST_OPENED, MOST_SESSIONS = 50, 500
"""Sessions of which only the `initialize` came, and all; the one used longest ago goes when there are more."""
LARGEST_OPENING = 16_000
_TOO_LARGE = f"an initialize may have at most {LARGEST_OPENING} bytes"
_IDLE_SECONDS = 3600
_ID = b"mcp-session-id"


class HttpSessions:
    """The SDK's manager of sessions, within bounds.

    What a session holds belongs to the SDK. It is ended as a host ends one: by a DELETE request.
    """

    def __init__(self, server: Server[Any]) -> None:
        self._manager = StreamableHTTPSessionManager(
            server, session_idle_timeout=_IDLE_SECONDS, max_sessions=None
        )
        self._opened: dict[str, float] = {}
        """Those of which only the `initialize` came, and when."""
        self._used: dict[str, None] = {}
        """Those in use, the one used longest ago first."""

    def run(self) -> AbstractAsyncContextManager[None]:
        """As long as this lasts, requests are served."""
        return self._running()

    @asynccontextmanager
    async def _running(self) -> AsyncIterator[None]:
        async with self._manager.run():
            sweeping = asyncio.ensure_future(self._sweep())
            try:
                yield
            finally:
                sweeping.cancel()
                await asyncio.wait({sweeping})

    async def handle_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        headers = dict(scope["headers"])
        name = headers.get(_ID, b"").decode("latin-1")
        version = headers.get(b"mcp-protocol-version", b"").decode("latin-1")
        if name:
            await self._use(name, scope, receive, send)
        elif version and version not in HANDSHAKE_PROTOCOL_VERSIONS:  # it has no sessions
            await self._manager.handle_request(scope, receive, send)
        else:
            await self._open(scope, receive, send)

    async def _use(self, name: str, scope: Scope, receive: Receive, send: Send) -> None:
        if name in self._opened or name in self._used:
            self._opened.pop(name, None)
            self._used.pop(name, None)
            if scope["method"] != "DELETE":
                self._used[name] = None
        while len(self._used) > MOST_SESSIONS:
            await self._end(next(iter(self._used)))
        await self._manager.handle_request(scope, receive, send)

    async def _open(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Only an `initialize` comes without a session, and that is small."""
        size, refused = 0, False

        async def small() -> Message:
            nonlocal size, refused
            message = await receive()
            size += len(message.get("body", b""))
            if size <= LARGEST_OPENING:
                return message
            if not refused:
                refused = True
                await JSONResponse({"error": _TOO_LARGE}, 413)(scope, receive, send)
            return {"type": "http.request", "body": b"\xff", "more_body": False}

        async def noted(message: Message) -> None:
            if refused:
                return
            if message["type"] == "http.response.start" and message["status"] < 400:
                name = dict(message.get("headers", [])).get(_ID, b"").decode("latin-1")
                if name:  # before the host can use it
                    self._opened[name] = asyncio.get_running_loop().time()
            await send(message)

        await self._manager.handle_request(scope, small, noted)
        while len(self._opened) > MOST_OPENED:
            await self._end(next(iter(self._opened)))

    async def _sweep(self) -> None:
        """End what was abandoned, again and again."""
        while True:
            await asyncio.sleep(ABANDONED_SECONDS / 4)
            late = asyncio.get_running_loop().time() - ABANDONED_SECONDS
            for name in [each for each, at in self._opened.items() if at < late]:
                await self._end(name)

    async def _end(self, name: str) -> None:
        """End a session as its host would."""
        self._opened.pop(name, None)
        self._used.pop(name, None)
        scope = {
            "type": "http",
            "method": "DELETE",
            "path": "/mcp",
            "query_string": b"",
            "headers": [(_ID, name.encode("latin-1"))],
        }

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(_: Message) -> None:
            pass

        await self._manager.handle_request(scope, receive, send)
