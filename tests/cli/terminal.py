"""A terminal to run commands in: a pseudo-terminal with an emulator that keeps its screen."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pyte

BIN = Path(sys.executable).parent


def until(seen: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until it is so."""
    deadline = time.monotonic() + seconds
    while not seen():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.01)


class Terminal:
    """Runs a command and shows what a person would see."""

    def __init__(
        self,
        *command: str,
        columns: int = 80,
        rows: int = 24,
        cwd: Path | None = None,
        **environ: str,
    ) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.written = b""
        self._reader, writer = pty.openpty()
        fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        unwanted = {"NO_COLOR", "COLUMNS", "LINES", "TODOWRIGHT_STORE", "TODOWRIGHT_SESSION"}
        inherited = {key: value for key, value in os.environ.items() if key not in unwanted}
        self.process = subprocess.Popen(
            command,
            stdin=writer,
            stdout=writer,
            stderr=writer,
            cwd=cwd,
            env={**inherited, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **environ},
            start_new_session=True,
        )
        os.close(writer)

    def type(self, text: str) -> None:
        os.write(self._reader, text.encode())

    def interrupt(self) -> None:
        """Ctrl-C."""
        os.killpg(self.process.pid, signal.SIGINT)

    @property
    def lines(self) -> list[str]:
        """The screen, without what is blank at its edges."""
        shown = [line.rstrip() for line in self.screen.display]
        while shown and not shown[-1]:
            shown.pop()
        return shown

    def wait_for(self, seen: Callable[[list[str]], bool], seconds: float = 60) -> float:
        """Read until the screen shows it; how long that took."""
        started = time.monotonic()
        while not seen(self.lines):
            left = seconds - (time.monotonic() - started)
            assert left > 0, "\n".join(["never seen; the screen shows:", *self.lines])
            self._read(min(left, 0.05))
        return time.monotonic() - started

    def settle(self, quiet: float = 0.08) -> None:
        """Read until nothing has come for a moment: what is drawn now is drawn to its end."""
        while self._read(quiet):
            pass

    def ended(self, seconds: float = 60) -> int:
        """Read until the command ends; its exit code."""
        deadline = time.monotonic() + seconds
        while self._read(0.05) or self.process.poll() is None:
            assert time.monotonic() < deadline, "\n".join(["still running:", *self.lines])
        while self._read(0):
            pass
        os.close(self._reader)
        return self.process.wait()

    def colours(self, text: str) -> set[str]:
        """The colours in which a text stands on the screen."""
        for number, line in enumerate(self.screen.display):
            if (at := line.find(text)) >= 0:
                return {self.screen.buffer[number][at].fg}
        raise AssertionError(f"{text} is not on the screen")

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._reader], [], [], seconds)
        if not ready:
            return False
        try:
            part = os.read(self._reader, 65536)
        except OSError:  # nobody holds the other side any more, and select says so at once, always
            time.sleep(min(seconds, 0.01))
            return False
        self.written += part
        self._stream.feed(part)
        return bool(part)
