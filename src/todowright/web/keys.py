"""Who a request comes from: tokens for programs, links and cookies for browsers.

A link works once. Its browser gets a cookie for it. Both are signed with the user's secret, for one
port, so neither a process list nor a log nor a server of somebody else ever holds the secret. A cookie
is good for what was shown, too: who was let in to one project does not see all of them later.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from todowright.text import harmless
from todowright.web.token_file import Kept, Scope, Token, TokenError, TokenFile

BROWSER = "browser"
"""The name that stands for all browsers which came by a link."""
LINK_MS = 600 * 1000
COOKIE_MS = 30 * 24 * 3600 * 1000
_SKEW_MS = 60 * 1000
"""How far a clock may have been set back since a cookie was made."""
_SCOPES: dict[str, Scope] = {"r": "read", "w": "write"}


@dataclass(frozen=True, slots=True)
class Visitor:
    """Whoever showed a token or a cookie that is good."""

    mark: str
    """What tells this visitor from others: a rate is counted for each."""
    scope: Scope


class BadLink(TokenError):
    """A link that lets nobody in; it says how to get another."""


class Keys:
    """Judges tokens, links and cookies by the user's file, as it is at that moment."""

    def __init__(self, file: TokenFile, port: int, shown: str = "") -> None:
        """`shown` tells what is to be seen on the port: which store, or all projects."""
        self.file = file
        self._cookie = f"cookie {_digest(shown)}"
        self._port = port
        self._started = _now()
        self._used: dict[str, int] = {}

    def visitor(self, bearer: str | None, cookies: list[str]) -> Visitor | None:
        """Who shows this token, or one of these cookies; None if none of them is good."""
        kept = self.file.read()
        if bearer is not None:
            found = token_of(kept, bearer)
            return None if found is None else Visitor(found.digest, found.scope)
        for cookie in cookies:
            scope, made, nonce = self._read(kept, self._cookie, cookie)
            if scope and -_SKEW_MS <= _now() - made <= COOKIE_MS:
                return Visitor(nonce, scope)
        return None

    def cookie(self, scope: Scope) -> str:
        """What a browser shows from now on."""
        return self._signed(self._cookie, scope)

    def link(self, scope: Scope) -> str:
        """The word in a link that lets one browser in, once."""
        return self._signed("link", scope)

    def redeem(self, word: str) -> str:
        """The cookie for a link's word; raises `BadLink` where it is old, used or none of ours."""
        scope, made, nonce = self._read(self.file.read(), "link", word)
        now = _now()
        if scope is None:
            raise BadLink("this link is not of this server and its user")
        if made < self._started or now - made > LINK_MS:
            raise BadLink("this link is too old")
        if nonce in self._used:
            raise BadLink("this link has been used: it works once")
        self._used = {each: at for each, at in self._used.items() if now - at <= LINK_MS}
        self._used[nonce] = made
        return self.cookie(scope)

    def _signed(self, kind: str, scope: Scope) -> str:
        plain = f"{scope[0]}.{_now():x}.{secrets.token_urlsafe(6)}"
        return f"{plain}.{self._mac(self.file.read(), kind, plain)}"

    def _read(self, kept: Kept, kind: str, given: str) -> tuple[Scope | None, int, str]:
        """The scope, the moment and the nonce of what we signed; no scope if we did not."""
        plain, _, mac = given.rpartition(".")
        parts = plain.split(".")
        good = hmac.compare_digest(mac.encode(), self._mac(kept, kind, plain).encode())
        if not good or len(parts) != 3:
            return None, 0, ""
        return _SCOPES.get(parts[0]), int(parts[1], 16), parts[2]

    def _mac(self, kept: Kept, kind: str, plain: str) -> str:
        text = f"{kind} {self._port} {plain}".encode("utf-8", "replace")
        made = hmac.digest(bytes.fromhex(kept.secret), text, "sha256")
        return base64.urlsafe_b64encode(made[:16]).decode().rstrip("=")


def new_token(file: TokenFile, name: str, scope: Scope) -> str:
    """A token of that name, to be shown once; raises `TokenError` where the name cannot be had."""
    _check_name(name)
    text = secrets.token_urlsafe(32)
    made = datetime.now(UTC).isoformat(timespec="seconds")

    def add(kept: Kept) -> Kept:
        if any(each.name == name for each in kept.tokens):
            told = f"todowright token revoke {name}"
            raise TokenError(f"there is a token {name} already: choose another name, or {told}")
        return replace(kept, tokens=(*kept.tokens, Token(name, scope, _digest(text), made)))

    file.change(add)
    return text


def revoke(file: TokenFile, name: str) -> None:
    """End a token at once, or with the name `browser` every link and cookie."""

    def end(kept: Kept) -> Kept:
        if name == BROWSER:
            return Kept(tokens=kept.tokens)
        left = tuple(each for each in kept.tokens if each.name != name)
        if len(left) == len(kept.tokens):
            raise TokenError(f"there is no token {harmless(name)}: todowright token list")
        return replace(kept, tokens=left)

    file.change(end)


def token_of(kept: Kept, text: str) -> Token | None:
    """The token with this text."""
    digest = _digest(text)
    found = [each for each in kept.tokens if hmac.compare_digest(each.digest, digest)]
    return found[0] if found else None


def _now() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _check_name(name: str) -> None:
    if name == BROWSER:
        raise TokenError(f"the name {BROWSER} stands for all browsers: choose another")
    if not name or len(name) > 60 or name != harmless(name).strip() or name.startswith("-"):
        raise TokenError("a token's name has 1 to 60 printable characters, the first no hyphen")
