"""The server that all windows of a user share: what stands behind every `todowright mcp`."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, ExitStack, suppress
from typing import Any, NamedTuple, TypeGuard

from mcp.server.lowlevel import NotificationOptions
from mcp.server.stdio import stdio_server

from todowright.errors import TodowrightError
from todowright.logs import log_exception
from todowright.mcp.rendezvous import PROTOCOL, Lines
from todowright.mcp.server import CALL_IDS, PlanServer, own_id
from todowright.mcp.wire import whole_line

_CHUNK = 1 << 16
_SPOKEN = ("1", PROTOCOL)
"""What windows may speak: those of before never ask whether anybody is there."""
_PATIENCE = 10
"""Seconds that the lines behind an `initialize` wait for its answer: one that makes no sense has none."""
_KEPT = {"initialize", "notifications/initialized", "logging/setLevel", "resources/subscribe"}
"""What a new server has to hear, too, when this one has ended."""


class Hello(NamedTuple):
    """What a window tells of itself."""

    mark: str
    folder: str
    pid: int
    parent: int
    arguments: list[str]
    environ: dict[str, str]


async def read_hello(reader: asyncio.StreamReader) -> Hello | None:
    """Read what a window says first; None where it is a newer server. Raises `ValueError` at anything else."""
    size = int(await reader.readline())
    if not size:
        return None
    items = [os.fsdecode(item) for item in (await reader.readexactly(size)).split(b"\0")]
    protocol, mark, folder, processes, count, *rest = items
    if protocol not in _SPOKEN:
        raise ValueError(f"a window speaks {protocol}, not {PROTOCOL}")
    arguments, told = rest[: int(count)], rest[int(count) :]
    environ = dict(item.split("=", 1) for item in told)
    own, parent = map(int, processes.split())
    return Hello(mark, folder, own, parent, arguments, environ)


class Connection:
    """One window: its lines to the SDK, and the SDK's to it. For the SDK it is a pair of text files."""

    def __init__(
        self, mark: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._mark = mark
        self._reader, self._writer = reader, writer
        self._numbers: dict[str, tuple[int, bool]] = {}
        """Of requests that are not answered: the line's number, and whether the window has heard the answer."""
        self._subscribed: dict[str, int] = {}
        self._opening: asyncio.Event | None = None

    # What the SDK reads.

    def __aiter__(self) -> AsyncIterator[str]:
        return self._lines()

    async def _lines(self) -> AsyncIterator[str]:
        lines = Lines()
        while data := await self._reader.read(_CHUNK):
            for line in lines.of(data):
                number, kind, text = line.split(b" ", 2)
                if kind == b"p":  # the window asks whether anybody is there
                    self._frame("0")
                    continue
                incoming = self._incoming(int(number), text, heard=kind == b"r")
                if incoming is None:
                    continue
                yield incoming
                if self._opening is not None:  # nothing is asked before it is answered
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self._opening.wait(), _PATIENCE)
                    self._opening = None

    def _incoming(self, number: int, text: bytes, *, heard: bool) -> str | None:
        """A line of the host, as the SDK is to read it; the window is told what it may forget.

        None for one that the SDK would not answer: it is answered here.
        """
        line = text.decode("utf-8", "replace")
        try:
            line = whole_line(line)
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not _is_sound(message):
            self._frame(f"{number} {_refusal(message)}")
            return None
        method, name = message.get("method"), message.get("id")
        self._note_state(number, method, message.get("params"))
        if method is None or name is None:
            self._frame(f"{number}")
            return line
        self._numbers[_key(name)] = number, heard
        if method == "initialize":
            self._opening = asyncio.Event()
        return self._with_id(number, message, line) if method == "tools/call" else line

    def _note_state(self, number: int, method: object, params: object) -> None:
        given = params if isinstance(params, dict) else {}
        if isinstance(method, str) and method in _KEPT:
            self._frame(f"={number}")
        if method == "notifications/cancelled":  # the SDK may not answer it any more
            at, _ = self._numbers.pop(_key(given.get("requestId")), (0, False))
            if at:
                self._frame(f"{at}")
        uri = str(given.get("uri"))
        if method in ("resources/subscribe", "resources/unsubscribe"):
            if before := self._subscribed.pop(uri, 0):
                self._frame(f"-{before}")
            if method == "resources/subscribe":
                self._subscribed[uri] = number

    def _with_id(self, number: int, message: dict[str, Any], line: str) -> str:
        """A call with an id of its own: when it comes again to another server, it counts once."""
        params = message.get("params")
        if not isinstance(params, dict):
            return line
        meta = params.get("_meta")
        if own_id(meta) is not None or not (meta is None or isinstance(meta, dict)):
            return line
        params["_meta"] = {**(meta or {}), CALL_IDS[0]: f"{self._mark}-{number}"}
        return json.dumps(message)

    # What the SDK writes.

    async def write(self, text: str) -> None:
        """Take one line of the SDK."""
        message = json.loads(text)
        number, heard = 0, False
        if "method" not in message and "id" in message:
            number, heard = self._numbers.pop(_key(message["id"]), (0, False))
            if self._opening is not None:
                self._opening.set()
        self._frame(f"{number}" if heard else f"{number} {text.rstrip()}")

    async def flush(self) -> None:
        """Wait until the window reads."""
        await self._writer.drain()

    def _frame(self, frame: str) -> None:
        self._writer.write(frame.encode("utf-8", "replace") + b"\n")


class SharedServer:
    """Serves windows on one socket, and ends when nobody has used it for a while."""

    def __init__(
        self, opened: Callable[[Hello], AbstractContextManager[PlanServer]], linger: float
    ) -> None:
        self._opened = opened
        self._linger = linger
        self._windows = 0
        self._replaced = False
        self._changed = asyncio.Event()

    async def run(self, listener: socket.socket) -> None:
        """Serve, until there was no window for a while, or the package is a newer one."""
        server = await asyncio.start_unix_server(self._window, sock=listener)
        async with server:
            while not self._replaced:
                self._changed.clear()
                try:
                    wait = None if self._windows else self._linger
                    await asyncio.wait_for(self._changed.wait(), wait)
                except TimeoutError:
                    return

    async def _window(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._windows += 1
        self._changed.set()
        try:
            if _is_mine(writer.get_extra_info("socket")):
                await self._serve(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, ValueError):
            pass  # it has gone, or is none of ours
        except Exception:
            log_exception("a window could not be served")
        finally:
            writer.close()
            self._windows -= 1
            self._changed.set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        hello = await read_hello(reader)
        if hello is None:  # all windows start a new one, and go on there
            self._replaced = True
            self._changed.set()
            return
        with ExitStack() as stack:
            try:
                plans = stack.enter_context(self._opened(hello))
            except (TodowrightError, OSError) as error:  # the window says it, and ends
                told = " ".join(str(error).split())
                writer.write(f"! {told}\n".encode("utf-8", "replace"))
                await writer.drain()
                return
            wire: Any = Connection(hello.mark, reader, writer)
            news = NotificationOptions(resources_changed=True)
            start = plans.server.create_initialization_options(notification_options=news)
            async with stdio_server(wire, wire) as (read, write):
                await plans.server.run(read, write, start)


def replace_older(path: str) -> None:
    """Ask the servers of older versions of this same installation to end: their windows go on with the new one."""
    folder, name = os.path.split(path)
    kin = name.rpartition("-")[0]
    for each in os.listdir(folder):
        if each.rpartition("-")[0] == kin and each != name and not each.endswith(".lock"):
            with suppress(OSError), socket.socket(socket.AF_UNIX) as other:
                other.settimeout(1)
                other.connect(os.path.join(folder, each))
                other.sendall(b"0\n")


def _is_mine(link: socket.socket) -> bool:
    """Whether the same user is at the other end, where the system can tell."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    size = struct.calcsize("3i")
    _, user, _ = struct.unpack("3i", link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return bool(user == os.geteuid())


def _is_sound(message: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a message is one that the SDK reads."""
    return (
        isinstance(message, dict)
        and message.get("jsonrpc") == "2.0"
        and isinstance(message.get("method", ""), str)
        and type(message.get("id")) in (str, int, type(None))
        and isinstance(message.get("params"), dict | None)
    )


def _refusal(message: Any) -> str:
    """The answer to one that is not."""
    name = message.get("id") if isinstance(message, dict) else None
    error = {"code": -32600, "message": "Invalid request: send JSON-RPC 2.0, one message a line"}
    known = name if type(name) in (str, int) else None
    return json.dumps({"jsonrpc": "2.0", "id": known, "error": error})


def _key(name: object) -> str:
    """A request's id as a key: 1 and "1" are two."""
    return json.dumps(name)
