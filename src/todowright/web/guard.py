"""Who may come in, and what a browser may do with what it gets."""

from __future__ import annotations

import asyncio
import re
from ipaddress import ip_address
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from todowright.errors import TodowrightError
from todowright.web.bodies import LARGEST_BODY, TOO_LARGE, Measured
from todowright.web.keys import COOKIE_MS, BadLink, Keys, Visitor
from todowright.web.pace import Pace
from todowright.web.refusals import PUBLIC, STRANGER, onward, refused

WRITES, READS, STRANGERS = (200.0, 400.0), (200.0, 800.0), (20.0, 200.0)
"""Requests a second over time, and at once: of each visitor, and of each address without a good token."""
LOOK_AGAIN = 5.0
"""Seconds after which a long answer is cut off whose token was revoked."""
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
OTHER_SITE = "requests from other sites are refused"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_WILDCARDS = {"0.0.0.0", "::"}  # noqa: S104
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::[0-9]{1,5})?")


class Guard:
    """Checks every request before anything else sees it; stands around the whole application.

    Without keys, who can reach it may do all: that is for `--no-token` and for tests.
    """

    def __init__(self, app: ASGIApp, *, hosts: tuple[str, ...] = (), keys: Keys | None) -> None:
        self._inner, self._app = app, Measured(app)
        self._hosts = {*_LOOPBACK, *(host.lower() for host in hosts)}
        self._any_address = bool(self._hosts & _WILDCARDS)
        """Reached by whatever address the machine has: a page of another site needs a name."""
        self._keys = keys
        self._writes, self._reads, self._strangers = Pace(*WRITES), Pace(*READS), Pace(*STRANGERS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        try:
            answer = self._answer(scope, Headers(scope=scope))
        except TodowrightError as error:  # the file with the tokens cannot be read
            answer = refused(scope, 503, str(error))
        if answer is not None:
            await answer(scope, receive, _dressed(send))
            return
        await self._watched(scope, receive, _dressed(send))

    def _answer(self, scope: Scope, headers: Headers) -> Response | None:
        """What is answered here: a refusal, or a cookie for a link; None if the application answers."""
        return (
            self._misled(scope, headers)
            or self._by_link(scope, headers)
            or self._unknown(scope, headers)
            or self._too_much(scope, headers)
        )

    def _misled(self, scope: Scope, headers: Headers) -> Response | None:
        """Refuse what a page of another site makes a browser send."""
        asked_for = headers.get("host", "").lower()
        host = _name(asked_for)
        if host not in self._hosts and not (self._any_address and _is_address(host)):
            return refused(scope, 421, "this is not the host you asked for")
        origin = headers.get("origin")
        if origin is not None and origin.lower().partition("://")[2] != asked_for:
            return refused(scope, 403, OTHER_SITE)
        link_to_us = scope["path"] == "/" and headers.get("sec-fetch-dest") == "document"
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none") and not (
            link_to_us and scope["method"] == "GET"
        ):
            return refused(scope, 403, OTHER_SITE)
        return None

    def _by_link(self, scope: Scope, headers: Headers) -> Response | None:
        """A browser that comes by a link gets its cookie, and goes on to the board."""
        words = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("link", [])
        if not words or self._keys is None or scope["path"] != "/" or scope["method"] != "GET":
            return None
        if "prefetch" in headers.get("sec-purpose", ""):
            return refused(scope, 503, "a link is not to be fetched before it is opened")
        answer = onward()
        try:
            cookie = self._keys.redeem(words[-1])
        except BadLink as error:
            if self._keys.visitor(None, cookies_of(headers)):
                return answer  # it let this browser in before
            return refused(scope, 401, f"{error}; todowright serve --link gives a new one")
        name, age = cookie_name(headers), COOKIE_MS // 1000
        answer.set_cookie(name, cookie, max_age=age, httponly=True, samesite="strict")
        return answer

    def _unknown(self, scope: Scope, headers: Headers) -> Response | None:
        """Refuse who has no good token, or one that is not good for this."""
        if self._keys is None:
            return None
        found = self._visitor(headers)
        if found is None:
            if scope["path"] in PUBLIC and _reads(scope):
                return None
            if self._strangers.too_fast(_address(scope)):
                return refused(scope, 429, "too many requests without a good token: wait a second")
            return refused(scope, 401, STRANGER)
        scope["todowright.visitor"], scope["todowright.scope"] = found.mark, found.scope
        if found.scope == "read" and not _reads(scope):
            return refused(scope, 403, "this token may only read")
        return None

    def _too_much(self, scope: Scope, headers: Headers) -> Response | None:
        told = headers.get("content-length") or "0"
        if not told.isdecimal() or len(told) > 12 or int(told) > LARGEST_BODY:
            return refused(scope, 413, TOO_LARGE)
        pace = self._reads if _reads(scope) else self._writes
        if pace.too_fast(scope.get("todowright.visitor") or _address(scope)):
            return refused(scope, 429, "too many requests: wait a second")
        return None

    def _visitor(self, headers: Headers) -> Visitor | None:
        if self._keys is None:
            return None
        kind, _, token = headers.get("authorization", "").partition(" ")
        bearer = token.strip() if kind.lower() == "bearer" else None
        return self._keys.visitor(bearer, cookies_of(headers))

    async def _watched(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the application answer; a stream ends when its token is revoked."""
        if self._keys is None:
            await self._app(scope, receive, send)
            return
        begun = ended = False

        async def noted(message: Message) -> None:
            nonlocal begun, ended
            begun = True
            ended = message["type"] == "http.response.body" and not message.get("more_body")
            await send(message)

        headers = Headers(scope=scope)
        work = asyncio.ensure_future(self._app(scope, receive, noted))
        try:
            while not (await asyncio.wait({work}, timeout=LOOK_AGAIN))[0]:
                if not self._known(headers):
                    break
        finally:
            work.cancel()
            await asyncio.wait({work})
        if not work.cancelled():
            work.result()
        elif begun and not ended:
            await send({"type": "http.response.body", "body": b""})

    def _known(self, headers: Headers) -> bool:
        try:
            return self._visitor(headers) is not None
        except TodowrightError:
            return False


def _reads(scope: Scope) -> bool:
    return scope["method"] in ("GET", "HEAD")


def _address(scope: Scope) -> str:
    return str((scope.get("client") or ("?",))[0])


def _name(netloc: str) -> str:
    """A host's name without its port; nothing, if it is more or less than that."""
    found = _HOST.fullmatch(netloc)
    return (found[1] or found[2]) if found else ""


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def cookie_name(headers: Headers) -> str:
    """The name of our cookie: two servers of one machine must not take each other's."""
    return f"todowright-{headers.get('host', '').rpartition(':')[2]}"


def cookies_of(headers: Headers) -> list[str]:
    """What a browser brings of ours."""
    parts = [part.strip().partition("=") for part in headers.get("cookie", "").split(";")]
    return [value for name, _, value in parts if name == cookie_name(headers)]


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
