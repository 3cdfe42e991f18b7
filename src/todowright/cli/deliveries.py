"""Ways to tell a notice: a line, a command, a web address. Each takes a bounded time and says what went wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from ipaddress import ip_address
from tempfile import TemporaryFile
from typing import Protocol
from urllib.parse import SplitResult, urlsplit

from todowright.cli.notices import Notice
from todowright.errors import UnknownName
from todowright.text import clip, harmless, json_text, shown

ABOUT_THE_ADDRESS = (401, 402, 403, 404, 405, 407, 410)
"""Answers that another key or address mends; other 4xx refuse the event itself."""


class Failed(Exception):
    """A notice was not told; `again` if another try may help, `refused` if none ever will."""

    def __init__(self, why: str, *, again: bool = True, refused: bool = False) -> None:
        super().__init__(clip(harmless(why), 200))
        self.again, self.refused = again, refused


class Hook(Protocol):
    """A way to tell a notice."""

    @property
    def name(self) -> str:
        """What tells it from other hooks, for as long as notices are remembered."""
        ...

    def tell(self, notice: Notice, seconds: float) -> None:
        """Tell it within so many seconds; raises `Failed`."""
        ...

    def check(self) -> None:
        """Raises what makes all further telling useless."""


@dataclass(frozen=True, slots=True)
class Lines:
    """A line on standard output for each notice."""

    as_json: bool = False
    name: str = "lines"

    def tell(self, notice: Notice, seconds: float) -> None:  # noqa: ARG002  a line takes no time
        print(json_text(notice.to_dict()) if self.as_json else notice.text, flush=True)

    def check(self) -> None:
        """Raises `BrokenPipeError` where nobody reads standard output any more."""
        import select
        import sys

        if not hasattr(select, "poll"):  # Windows: the next line tells
            return
        out = select.poll()
        try:
            out.register(sys.stdout.fileno(), 0)
        except (OSError, ValueError):  # no file of the system
            return
        if any(found & (select.POLLERR | select.POLLHUP) for _, found in out.poll(0)):
            raise BrokenPipeError


@dataclass(frozen=True, slots=True)
class Command:
    """A command that is run for each notice: JSON on standard input, a few variables, no shell."""

    words: Sequence[str]
    store: str = ""

    @property
    def name(self) -> str:
        return "command " + json.dumps(list(self.words))

    def tell(self, notice: Notice, seconds: float) -> None:
        try:
            with TemporaryFile() as file:
                file.write(json_text(notice.to_dict()).encode() + b"\n")
                file.seek(0)
                process = subprocess.Popen(  # noqa: S603  the command of who wants to be told
                    list(self.words),
                    stdin=file,
                    env=self._environment(notice),
                    start_new_session=True,
                )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise Failed(f"it could not be started: {why}") from None
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            _kill(process)
            raise Failed(f"it did not end within {seconds:g} s") from None
        except BaseException:
            _kill(process)
            raise
        if code:
            raise Failed(f"exit code {code}")

    def check(self) -> None:
        """Each event starts it anew."""

    def _environment(self, notice: Notice) -> dict[str, str]:
        told = {
            "TODOWRIGHT_EVENT": notice.kind,
            "TODOWRIGHT_SESSION": notice.session,
            "TODOWRIGHT_AGENT": notice.agent,
            "TODOWRIGHT_TEXT": notice.text,
        }
        return os.environ | told | ({"TODOWRIGHT_STORE": self.store} if self.store else {})


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


@dataclass(frozen=True, slots=True)
class Webhook:
    """A web address that gets each notice as JSON."""

    url: str

    def __post_init__(self) -> None:
        _target(self.url)

    @property
    def name(self) -> str:
        return f"webhook {self.url}"

    def tell(self, notice: Notice, seconds: float) -> None:
        target = _target(self.url)
        kind = HTTPSConnection if target.scheme == "https" else HTTPConnection
        connection = kind(str(target.hostname), target.port, timeout=seconds)
        path = (target.path or "/") + (f"?{target.query}" if target.query else "")
        headers = {"Content-Type": "application/json", "User-Agent": "todowright"}
        body = json_text(notice.to_dict()).encode()
        end = threading.Timer(seconds, _cut_off, [connection])
        end.daemon = True
        end.start()
        try:
            connection.request("POST", path, body, headers)
            status = connection.getresponse().status
        except (OSError, HTTPException, ValueError) as error:
            raise Failed(str(error) or type(error).__name__) from None
        finally:
            end.cancel()
            connection.close()
        self._judge(status)

    def check(self) -> None:
        """Each event connects anew."""

    @staticmethod
    def _judge(status: int) -> None:
        if 300 <= status < 400:
            raise Failed(f"it answered {status}: it has moved; give its new address", again=False)
        if status >= 400:
            again = status >= 500 or status in (408, 425, 429)
            refused = not again and status not in ABOUT_THE_ADDRESS
            raise Failed(f"it answered {status}", again=again, refused=refused)


def _cut_off(connection: HTTPConnection) -> None:
    """End a request whose time is up: a slow server could keep it for ever, byte by byte."""
    import socket

    if connection.sock is not None:
        with suppress(OSError):
            connection.sock.shutdown(socket.SHUT_RDWR)


def _target(url: str) -> SplitResult:
    """The parts of an address that may be told something; raises `UnknownName` with what is wrong."""
    try:
        target = urlsplit(url)
        _ = target.port
        host = target.hostname or ""
    except ValueError:
        raise UnknownName(f"'{shown(url)}' is no web address: use https://host/path") from None
    if target.scheme not in ("http", "https") or not host or not url.isascii() or " " in url:
        raise UnknownName(f"'{shown(url)}' is no web address: use https://host/path")
    if target.username is not None:
        raise UnknownName("a webhook's address takes no user or password: leave them out")
    if target.scheme == "http" and not _is_loopback(host):
        raise UnknownName(
            f"{shown(host)} is another machine: use https, so that nobody reads along"
        )
    return target


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
