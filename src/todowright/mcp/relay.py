"""`todowright mcp` as hosts start it: hands lines to the user's shared server, and its answers back.

It is small, since a person may have many windows open: no SDK, and nothing third-party. It knows nothing of the
protocol. Each line of the host gets a number; the server says which number it has answered, and which lines
a new server would have to hear again. So a server that was killed, or that hangs, is replaced, and nobody notices.
"""

from __future__ import annotations

import os
import select
import sys

from todowright.mcp.pulse import Pulse
from todowright.mcp.rendezvous import (
    LARGEST_LINE,
    PROTOCOL,
    Lines,
    connect,
    socket,
    socket_path,
    socket_stamp,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

FIRST_FAILURES, MOST_FAILURES = 2, 6
"""Servers that end without a word, one after the other, before it is given up: at the start, and later."""
_TOLD = ("HOME", "XDG_DATA_HOME", "SUDO_UID", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PID",
         "OPENCODE_PID", "QWEN_CODE_SESSION_ID")  # fmt: skip
"""What a server hears of the environment of a window, and what begins with `TODO`; no token."""
_CHUNK = 1 << 16
_AT_THE_END = 20_000
"""Milliseconds that answers are waited for when the host has ended."""


class Refused(Exception):
    """The server cannot serve this window, and says why."""


class Relay:
    """The lines between one window of a host and the shared server."""

    def __init__(self, path: str, arguments: Sequence[str]) -> None:
        self.path = path
        self.heard = False
        """Whether a server ever said something."""
        self._hello = hello(arguments)
        self._stamp = self._silent = (0, 0.0)
        """Which socket the server has; and which had one that says nothing."""
        self._pulse = Pulse(os.environ)
        self._link: socket.socket | None = self._connected()
        self._link.sendall(self._hello)
        self._number = 0
        self._waiting: dict[int, bytes] = {}
        """Lines that no server has answered yet, by their numbers."""
        self._kept: dict[int, bytes] = {}
        """Lines that were answered, and that a new server has to hear."""
        self._lines, self._frames = Lines(), Lines()
        self._ended = False
        self._parted = False
        """Whether a server has ended since the host did: what a second one does not answer, none will."""
        self._failures = 0

    @property
    def unanswered(self) -> bytes:
        """What was read from the host, and no server has answered."""
        return b"".join([*(line + b"\n" for line in self._waiting.values()), self._lines.rest])

    def run(self) -> bool:
        """Hand lines on until the host has ended; False where no server can be had."""
        while True:
            if self._link is None and self._ended and not self._waiting:
                return True
            wanted = bool(self._waiting) or not self.heard
            if self._link is None and wanted:
                if not self._again():
                    return False
                continue  # it may have ended at the first word: then there is nothing to wait for
            watch = select.poll()
            if not self._ended:
                watch.register(0, select.POLLIN)
            if self._link is not None:
                watch.register(self._link, select.POLLIN)
            ready = {at for at, _ in watch.poll(self._pause())}
            if not ready and self._ended:
                return True  # the host has gone, and what it asked last is not answered
            if self._waiting and self._link is not None and self._link.fileno() not in ready:
                self._ask()
            if self._link is not None and self._link.fileno() in ready and self._from_server():
                return True
            if 0 in ready:
                self._from_host()

    def _pause(self) -> int | None:
        """Milliseconds until something is to be done by itself; None while nothing is owed."""
        if self._ended:
            return _AT_THE_END
        return self._pulse.left() if self._waiting and self._link is not None else None

    def _ask(self) -> None:
        """Ask a server that owes an answer whether it is there; replace one that does not say so."""
        if self._pulse.is_over():
            self._silent = self._stamp
            self._lost()
        elif self._pulse.wants_a_word():
            self._send(b"0 p \n")

    def _connected(self) -> socket.socket:
        link = connect(self.path, self._silent)
        self._stamp = socket_stamp(self.path)
        link.settimeout(self._pulse.longest)  # for one that does not read
        self._pulse.begin(self._stamp[1])
        return link

    def _from_host(self) -> None:
        data = os.read(0, _CHUNK)
        if not data:
            self._ended = True
            self._say_end()
            return
        dropped = self._lines.dropped
        for line in self._lines.of(data):
            if line.strip():
                self._number += 1
                self._pulse.owe(first=not self._waiting)
                self._waiting[self._number] = line
                self._send(b"%d w %s\n" % (self._number, line))
        if self._lines.dropped > dropped:
            told = f"a line of more than {LARGEST_LINE // 10**6} MB was left out"
            print(f"todowright mcp: {told}", file=sys.stderr)

    def _say_end(self) -> None:
        """Tell the server that no more comes."""
        if self._link is not None:
            try:
                self._link.shutdown(socket.SHUT_WR)
            except OSError:
                self._lost()

    def _send(self, data: bytes) -> None:
        if self._link is None:
            return  # it is sent when there is a server again
        try:
            self._link.sendall(data)
        except TimeoutError:
            self._silent = self._stamp
            self._lost()
        except OSError:
            self._lost()

    def _from_server(self) -> bool:
        """Take what the server says; whether all is over."""
        assert self._link is not None
        try:
            data = self._link.recv(_CHUNK)
        except OSError:
            data = b""
        if not data:
            over = self._ended and (not self._waiting or self._parted)
            self._parted = self._ended
            self._lost()
            return over
        self.heard = True
        self._pulse.hear()
        for frame in self._frames.of(data):
            self._take(frame)
        return False

    def _take(self, frame: bytes) -> None:
        kind, _, payload = frame.partition(b" ")
        if kind == b"!":
            raise Refused(payload.decode("utf-8", "replace"))
        if kind[:1] == b"=":
            number = int(kind[1:])
            self._kept.setdefault(number, self._waiting.get(number, b""))
        elif kind[:1] == b"-":
            self._kept.pop(int(kind[1:]), None)
        else:
            if payload:
                _write(payload + b"\n")
            if self._waiting.pop(int(kind), None) is not None:
                self._failures = 0  # a server that answers is a sound one

    def _lost(self) -> None:
        """The server has ended."""
        if self._link is not None:
            self._link.close()
        self._link, self._frames = None, Lines()
        self._failures += 1

    def _again(self) -> bool:
        """Begin with a new server where the last one left off; whether there is one."""
        if self._failures >= (MOST_FAILURES if self.heard else FIRST_FAILURES):
            return False
        try:
            self._link = self._connected()
        except OSError:
            return False
        lines = dict.fromkeys(self._kept, b"r") | dict.fromkeys(self._waiting, b"w")
        parts = [
            b"%d %s %s\n" % (number, lines[number], self._waiting.get(number, self._kept.get(number, b"")))
            for number in sorted(lines)
        ]  # fmt: skip
        self._send(b"".join([self._hello, *parts]))
        if self._ended:
            self._say_end()
        return True


def hello(arguments: Sequence[str]) -> bytes:
    """What a server hears first: which window this is."""
    told = [
        f"{key}={value}"
        for key, value in os.environ.items()
        if key in _TOLD or (key.startswith("TODO") and not key.endswith("TOKEN"))
    ]
    mark = os.urandom(6).hex()
    processes = f"{os.getpid()} {os.getppid()}"
    items = [PROTOCOL, mark, os.getcwd(), processes, str(len(arguments)), *arguments, *told]
    data = b"\0".join(os.fsencode(item) for item in items)
    return b"%d\n%s" % (len(data), data)


def _write(data: bytes) -> None:
    """Write all of it to the host, however slowly that reads."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(1, view) :]
        except BlockingIOError:
            watch = select.poll()
            watch.register(1, select.POLLOUT)
            watch.poll()


def possible(arguments: Sequence[str]) -> bool:
    """Whether these arguments, in this environment, are for a shared server.

    Other stores than SQLite's are opened with passwords and settings of the window's own environment.
    """
    if not hasattr(socket, "AF_UNIX") or not hasattr(os, "posix_spawn") or not sys.executable:
        return False
    store = os.environ.get("TODOWRIGHT_STORE", "")
    pairs = zip(arguments[::2], arguments[1::2], strict=False)
    for name, value in pairs:
        if name not in ("--session", "--agent", "--store", "--dialect") or value.startswith("-"):
            return False
        store = value if name == "--store" else store
    return len(arguments) % 2 == 0 and store.startswith(("", "sqlite:")[bool(store)])


def relayed(arguments: Sequence[str]) -> int | None:
    """Serve this window by the shared server; None where that is not possible, and nothing was read."""
    if os.environ.get("TODOWRIGHT_SHARED") == "0" or not possible(arguments):
        return None
    try:
        relay = Relay(socket_path(os.environ), arguments)
    except OSError:
        return None
    try:
        if relay.run():
            return 0
        if not relay.heard:
            _feed(relay.unanswered)
            return None
    except Refused as refused:
        print(f"todowright: {refused}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        return 0  # the host has gone
    except KeyboardInterrupt:
        return 130
    log = os.path.join(os.path.dirname(relay.path), "server.log")
    print(f"todowright mcp: the shared server ended again and again: see {log}", file=sys.stderr)
    return 1


def _feed(data: bytes) -> None:
    """Let what was read from standard input be read from there again."""
    import threading

    read, write = os.pipe()
    source = os.dup(0)
    os.dup2(read, 0)
    os.close(read)

    def copy() -> None:
        more = data or os.read(source, _CHUNK)
        while more:
            os.write(write, more)
            more = os.read(source, _CHUNK)
        os.close(write)

    threading.Thread(target=copy, daemon=True).start()
