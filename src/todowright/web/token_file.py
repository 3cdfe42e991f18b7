"""The file with a user's secret and tokens. Only that user may read it."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from todowright.errors import TodowrightError

Scope = Literal["read", "write"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
_SECRET_BYTES = 32
_LARGEST = 1_000_000
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)


class TokenError(TodowrightError):
    """The file with the tokens cannot be used, or holds no such token."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it is kept: never its text, only the hash of it."""

    name: str
    scope: Scope
    digest: str
    made: str


def _new_secret() -> str:
    return secrets.token_hex(_SECRET_BYTES)


@dataclass(frozen=True, slots=True)
class Kept:
    """What the file holds. The secret signs the links and cookies of browsers."""

    secret: str = field(default_factory=_new_secret, repr=False)
    tokens: tuple[Token, ...] = ()


class TokenFile:
    """Reads and changes the file, and makes it where it is missing."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).absolute()
        self._seen: tuple[tuple[int, ...], Kept] | None = None

    def read(self) -> Kept:
        """What the file holds now; it is read again only when it has changed."""
        try:
            found = _stamp(self.path.lstat())
            if self._seen is not None and self._seen[0] == found:
                return self._seen[1]
            self._seen = self._load()
        except FileNotFoundError:
            return self.change(lambda kept: kept)
        except OSError as error:
            raise TokenError(f"{self.path}: {error.strerror}") from None
        return self._seen[1]

    def change(self, change: Callable[[Kept], Kept]) -> Kept:
        """Write what the function makes of the content; two processes do not overwrite each other."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with _locked(self.path.with_name(self.path.name + ".lock")):
                try:
                    before = self._load()[1]
                except FileNotFoundError:
                    before = Kept()
                after = change(before)
                self._save(after)
        except OSError as error:
            raise TokenError(f"{self.path}: {error.strerror}") from None
        return after

    def _load(self) -> tuple[tuple[int, ...], Kept]:
        """The content with the stamp of the file that it was read from."""
        try:
            number = os.open(self.path, os.O_RDONLY | _NOFOLLOW)
        except FileNotFoundError:
            raise
        except OSError as error:
            if self.path.is_symlink():
                raise TokenError(f"{self.path} is a symbolic link: remove it") from None
            raise TokenError(f"{self.path}: {error.strerror}") from None
        with os.fdopen(number, "rb") as file:
            about = os.fstat(file.fileno())
            self._check(about)
            text = file.read(_LARGEST)
        try:
            return _stamp(about), _kept(json.loads(text))
        except (ValueError, KeyError, TypeError, RecursionError):
            told = "does not hold tokens any more: delete it, and make new tokens"
            raise TokenError(f"{self.path} {told}") from None

    def _check(self, about: os.stat_result) -> None:
        """Refuse a file that others can have read or written."""
        if os.name != "posix":
            return
        if not stat.S_ISREG(about.st_mode):
            raise TokenError(f"{self.path} is no plain file: remove it")
        if about.st_uid != os.geteuid():
            raise TokenError(f"{self.path} belongs to another user: remove it")
        if about.st_mode & 0o077:
            told = "others can read its secrets: delete it, and make new tokens"
            raise TokenError(f"{self.path} has the mode {about.st_mode & 0o777:o}, so {told}")

    def _save(self, kept: Kept) -> None:
        """Put a whole new file in the place of the old one."""
        tokens = [
            {"name": each.name, "scope": each.scope, "digest": each.digest, "made": each.made}
            for each in kept.tokens
        ]
        data = json.dumps({"secret": kept.secret, "tokens": tokens}, indent=1).encode()
        fresh = self.path.with_name(f"{self.path.name}.{secrets.token_hex(8)}")
        number = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW, 0o600)
        try:
            with os.fdopen(number, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self.path)
        except BaseException:
            with suppress(OSError):
                fresh.unlink()
            raise


def _kept(data: Any) -> Kept:
    """The content of the file, checked."""
    tokens = tuple(
        Token(str(each["name"]), _scope(each["scope"]), _digest(each["digest"]), str(each["made"]))
        for each in data["tokens"]
    )
    secret = data["secret"]
    if not isinstance(secret, str) or len(bytes.fromhex(secret)) < _SECRET_BYTES:
        raise ValueError("the secret is too short")
    return Kept(secret, tokens)


def _digest(given: object) -> str:
    """A hash; anything else could not be compared with one."""
    if not isinstance(given, str) or len(bytes.fromhex(given)) != hashlib.sha256().digest_size:
        raise ValueError("this is no hash")
    return given


def _scope(given: object) -> Scope:
    if given == "read":
        return "read"
    if given == "write":
        return "write"
    raise ValueError("there is no such scope")


def _stamp(about: os.stat_result) -> tuple[int, ...]:
    return about.st_ino, about.st_mtime_ns, about.st_size, about.st_mode, about.st_uid


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """As long as this lasts, no other process of this user changes the file."""
    try:
        import fcntl
    except ImportError:  # not on this system
        yield
        return
    number = os.open(path, os.O_RDWR | os.O_CREAT | _NOFOLLOW, 0o600)
    try:
        fcntl.flock(number, fcntl.LOCK_EX)
        yield
    finally:
        os.close(number)
