"""Who may come in, and what a browser may do with what it gets."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass
from html import escape
from ipaddress import ip_address
from typing import Literal
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 1_000_000
TOO_LARGE = f"a body may have at most {LARGEST_BODY} bytes"
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
_WILDCARDS = {"0.0.0.0", "::"}  # noqa: S104
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
        self._hosts = {*_LOOPBACK, *(host.lower() for host in hosts)}
        self._any_address = bool(self._hosts & _WILDCARDS)
        """Reached by whatever address the machine has: a page of another site needs a name."""
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
        await _Measured(self._app)(scope, receive, _dressed(send))

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        asked_for = headers.get("host", "").lower()
        host = _name(asked_for)
        if host not in self._hosts and not (self._any_address and _is_address(host)):
            return _no(scope, 421, "this is not the host you asked for")
        origin = headers.get("origin")
        if origin is not None and origin.lower().partition("://")[2] != asked_for:
            return _no(scope, 403, "requests from other sites are refused")
        link_to_us = scope["path"] == "/" and headers.get("sec-fetch-dest") == "document"
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none") and not (
            link_to_us and scope["method"] == "GET"
        ):
            return _no(scope, 403, "requests from other sites are refused")
        writes = scope["method"] not in _READS
        if self._tokens:
            given = tokens_of(scope, headers)
            found = [token for token in self._tokens if any(map(token.fits, given))]
            link = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [])
            if link and not any(token.fits(link[-1]) for token in self._tokens):
                return _no(
                    scope,
                    401,
                    "this link is of another start of the server: use the one it shows now",
                )
            if not found:
                return _no(scope, 401, "a token is needed: it was shown when the server started")
            only_reads = all(token.scope == "read" for token in found)
            scope["todowright.scope"] = "read" if only_reads else "write"
            if writes and only_reads:
                return _no(scope, 403, "this token may only read")
        if int(headers.get("content-length") or 0) > LARGEST_BODY:
            return _no(scope, 413, TOO_LARGE)
        if writes and self._too_fast(str((scope.get("client") or ("?",))[0])):
            return _no(scope, 429, "too many requests: wait a second")
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


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def cookie_of(headers: Headers) -> str:
    """The name of our cookie: two servers of one machine must not take each other's."""
    return f"todowright-{headers.get('host', '').rpartition(':')[2]}"


def tokens_of(scope: Scope, headers: Headers) -> list[str]:
    """The tokens that a request brings: in its header, for a page in its cookie, or in a link to it."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    found = [token.strip()] if kind.lower() == "bearer" else []
    for part in headers.get("cookie", "").split(";"):
        name, _, value = part.strip().partition("=")
        found += [value] if name == cookie_of(headers) else []
    query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
    return found + (query.get("token", []) if scope["path"] == "/" else [])


def _no(scope: Scope, status: int, text: str) -> Response:
    """A refusal: a page for who looks, JSON for programs."""
    headers = {"www-authenticate": "Bearer"} if status == 401 else {}
    wanted = Headers(scope=scope).get("accept", "")
    if scope["path"] == "/" and "text/html" in wanted:
        return HTMLResponse(_PAGE.format(text=escape(text[0].upper() + text[1:])), status, headers)
    return JSONResponse({"error": text}, status, headers=headers)


_PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>todowright</title>'
    '<meta name="viewport" content="width=device-width, initial-scale=1"></head>'
    '<body><h1>todowright</h1><p>{text}.</p><p><a href="/">Try again</a></p></body></html>'
)


class _Measured:
    """Stops reading a body that grows too large, whatever its header said, and says so itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        size, refused, started = 0, False, False

        async def measured() -> Message:
            nonlocal size, refused
            message = await receive()
            if message["type"] != "http.request":
                return message
            size += len(message.get("body", b""))
            if size <= LARGEST_BODY:
                return message
            if not (started or refused):
                refused = True
                await JSONResponse({"error": TOO_LARGE}, 413)(scope, receive, send)
            return {
                "type": "http.request",
                "body": b"\xff",
                "more_body": False,
            }  # nobody can use that

        async def once(message: Message) -> None:
            nonlocal started
            if not refused:
                started = True
                await send(message)

        await self._app(scope, measured, once)


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
