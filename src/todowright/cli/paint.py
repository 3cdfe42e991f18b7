"""Colours for a terminal, and none for a pipe, a dumb terminal or who set NO_COLOR."""

from __future__ import annotations

import os
from typing import TextIO


def wants_colour(stream: TextIO) -> bool:
    """Whether a stream is a terminal that shows colours, and nobody said no."""
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM", "dumb") in ("dumb", "")
    return stream.isatty() and not plain


class Paint:
    """Words in colour, where the stream shows colours."""

    def __init__(self, stream: TextIO) -> None:
        self.on = wants_colour(stream)

    def plain(self, text: str) -> str:
        return text

    def bold(self, text: str) -> str:
        return self._in("1", text)

    def dim(self, text: str) -> str:
        return self._in("2", text)

    def red(self, text: str) -> str:
        return self._in("31", text)

    def green(self, text: str) -> str:
        return self._in("32", text)

    def cyan(self, text: str) -> str:
        return self._in("36", text)

    def _in(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.on else text
