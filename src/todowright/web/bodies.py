"""How a request's body is read: not too large, and not too slowly."""

from __future__ import annotations

import asyncio

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 1_000_000
TOO_LARGE = f"a body may have at most {LARGEST_BODY} bytes"
BODY_SECONDS = 30.0
TOO_SLOW = f"a body must be here within {BODY_SECONDS:.0f} seconds"
_NO_MORE: Message = {"type": "http.request", "body": b"\xff", "more_body": False}
"""What is read in place of the rest: nobody can use it."""


class Measured:
    """Stops reading a body that grows too large or is too slow, whatever its header said, and says so itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        size, refused, started, whole = 0, False, False, False
        deadline = asyncio.get_running_loop().time() + BODY_SECONDS

        async def refuse(status: int, told: str) -> Message:
            nonlocal refused, whole
            whole = True
            if not (started or refused):
                refused = True
                await JSONResponse({"error": told}, status)(scope, receive, send)
            return _NO_MORE

        async def measured() -> Message:
            nonlocal size, whole
            if whole:  # who asks now wants to know when the other side is gone
                return await receive()
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError:
                return await refuse(408, TOO_SLOW)
            if message["type"] != "http.request":
                return message
            whole = not message.get("more_body", False)
            size += len(message.get("body", b""))
            return message if size <= LARGEST_BODY else await refuse(413, TOO_LARGE)

        async def once(message: Message) -> None:
            nonlocal started
            if not refused:
                started = True
                await send(message)

        await self._app(scope, measured, once)
