"""Who may come in, and what a browser may do with what it gets."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 1_000_000
RATE, BURST = 200.0, 400.0
"""Writes a second from one address over time, and at once."""
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_READS = ("GET", "HEAD")
Scope_ = Literal["read", "write"]


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it is kept: its hash, and what it is good for."""

    digest: str
    scope: Scope_

    @classmethod
    def make(cls, scope: Scope_) -> tuple[str, Token]:
        """A new token, to be shown once, and what is kept of it."""
        text = secrets.token_urlsafe(24)
        return text, cls.of(text, scope)

    @classmethod
    def of(cls, text: str, scope: Scope_) -> Token:
        return cls(hashlib.sha256(text.encode()).hexdigest(), scope)

    def fits(self, text: str) -> bool:
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        return hmac.compare_digest(self.digest, digest)


class Guard:
    """Checks every request before anything else sees it; stands around the whole application."""

    def __init__(
        self, app: ASGIApp, *, hosts: tuple[str, ...] = (), tokens: tuple[Token, ...] = ()
    ) -> None:
        self._app = app
        self._hosts = {*_LOOPBACK, *hosts}
        self._tokens = tokens
        self._spent: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope, Headers(scope=scope))
        if refusal is not None:
            await refusal(scope, receive, _dressed(send))
            return
        await self._app(scope, _measured(receive), _dressed(send))

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        host = _name(headers.get("host", ""))
        if host not in self._hosts:
            return _no(421, "this is not the host you asked for")
        origin = headers.get("origin")
        if origin is not None and _name(urlsplit(origin).netloc) not in self._hosts:
            return _no(403, "requests from other sites are refused")
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return _no(403, "requests from other sites are refused")
        writes = scope["method"] not in _READS
        if self._tokens:
            given = _bearer(scope, headers)
            found = [token for token in self._tokens if token.fits(given)]
            if not found:
                return _no(401, "a token is needed: it was shown when the server started")
            if writes and all(token.scope == "read" for token in found):
                return _no(403, "this token may only read")
        if int(headers.get("content-length") or 0) > LARGEST_BODY:
            return _no(413, f"a body may have at most {LARGEST_BODY} bytes")
        if writes and self._too_fast(str((scope.get("client") or ("?",))[0])):
            return _no(429, "too many requests: wait a second")
        return None

    def _too_fast(self, client: str) -> bool:
        now = time.monotonic()
        left, then = self._spent.pop(client, (BURST, now))
        left = min(BURST, left + (now - then) * RATE) - 1
        self._spent[client] = (max(left, 0.0), now)
        if len(self._spent) > 1000:
            self._spent.popitem(last=False)
        return left < 0


def _name(netloc: str) -> str:
    """A host's name without its port."""
    try:
        return urlsplit(f"//{netloc}").hostname or ""
    except ValueError:
        return ""


def _bearer(scope: Scope, headers: Headers) -> str:
    """The token of a request: in its header, or for a page's own stream in a cookie."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return token.strip()
    for part in headers.get("cookie", "").split(";"):
        name, _, value = part.strip().partition("=")
        if name == "todowright":
            return value
    query: str = scope.get("query_string", b"").decode("latin-1")
    if scope["path"] == "/" and query.startswith("token="):
        return query.removeprefix("token=")
    return ""


def _no(status: int, text: str) -> JSONResponse:
    headers = {"www-authenticate": "Bearer"} if status == 401 else {}
    return JSONResponse({"error": text}, status, headers=headers)


def _measured(receive: Receive) -> Receive:
    """Stops reading a body that grows too large, whatever its header said."""
    size = 0

    async def measured() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > LARGEST_BODY:
            return {"type": "http.disconnect"}
        return message

    return measured


def _dressed(send: Send) -> Send:
    async def dressed(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", []))
            have = {name.lower() for name, _ in headers}
            headers += [
                (name.encode(), value.encode())
                for name, value in HEADERS.items()
                if name.encode() not in have
            ]
            message = {**message, "headers": headers}
        await send(message)

    return dressed
