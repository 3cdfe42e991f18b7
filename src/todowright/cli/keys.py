"""Keys of a person at a terminal, read one by one and without an echo into the drawing."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager

NAMES = {
    "\x1b[A": "up", "\x1b[B": "down", "\x1bOA": "up", "\x1bOB": "down", "\x1b": "escape",
    "\r": "enter", "\n": "enter", "k": "up", "j": "down",
}  # fmt: skip


class Keys:
    """What was typed since it was last asked for; nothing where nobody can type."""

    def __init__(self, stream: int | None) -> None:
        self._stream = stream

    @property
    def there(self) -> bool:
        """Whether somebody can type."""
        return self._stream is not None

    def typed(self) -> list[str]:
        """The keys by their names, or as they are."""
        if self._stream is None or not select.select([self._stream], [], [], 0)[0]:
            return []
        text = os.read(self._stream, 1024).decode("utf-8", "replace")
        if not text:  # the terminal is gone
            self._stream = None
        found = []
        while text:
            key = next((each for each in NAMES if len(each) > 1 and text.startswith(each)), text[0])
            found.append(NAMES.get(key, key))
            text = text[len(key) :]
        return found


@contextmanager
def keyboard() -> Iterator[Keys]:
    """Read keys as they are typed, without the Enter key and without an echo; Ctrl-C stays Ctrl-C."""
    try:
        import termios
    except ImportError:  # Windows
        yield Keys(None)
        return
    if sys.stdin is None or not sys.stdin.isatty():
        yield Keys(None)
        return
    stream = sys.stdin.fileno()
    before = termios.tcgetattr(stream)
    raw = [*before]
    raw[3] &= ~(termios.ECHO | termios.ICANON)
    termios.tcsetattr(stream, termios.TCSANOW, raw)
    try:
        yield Keys(stream)
    finally:
        termios.tcsetattr(stream, termios.TCSANOW, before)
