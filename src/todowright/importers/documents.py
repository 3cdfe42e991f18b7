"""Large JSON documents in pieces: what is whole is read, also where the end is missing."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from todowright.importers.found import Damage
from todowright.importers.sources import Unreadable

LONGEST_PIECE = 8_000_000
"""Characters of one piece; a longer one is told and left out."""
_STEP = 1 << 18
_DECODER = json.JSONDecoder(strict=False)
_SPACE = re.compile(r"[\s,\x00\ufeff]*")
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{}"]', re.DOTALL)
_DEPTH = {"[": 1, "{": 1, "]": -1, "}": -1}
_MOST_PARTS = 800_000
"""Values of one piece: what many small ones come to in memory is bounded, too."""
_MOST_MARKS, _MOST_BRACKETS, _BEFORE, _BEHIND = 500, 16, 20_000, 100_000
"""In a damaged text: how many marks are looked at, brackets before each, and characters around it."""
Piece = tuple[str, Any]


def pieces(file: Any, into: Collection[str]) -> Iterator[Piece | Damage]:
    """The members of a document that is an object, with their keys, or the elements of one that is a list.

    A member whose key is in `into` and that is a list is given element by element.
    """
    text = _Text(file)
    start = text.look()
    if start == "[":
        yield from _elements(text, "")
    elif start == "{":
        text.at += 1
        yield from _members(text, into)
    elif start:
        yield Damage(1, "neither a JSON object nor a list")


def _members(text: _Text, into: Collection[str]) -> Iterator[Piece | Damage]:
    while (start := text.look()) and start != "}":
        key = text.value() if start == '"' else Damage(text.line, "no whole JSON object")
        if isinstance(key, Damage) or text.look() != ":":
            yield key if isinstance(key, Damage) else Damage(text.line, "no whole JSON object")
            return
        text.at += 1
        if text.look() == "[" and key in into:
            yield from _elements(text, key)
            if text.broken:
                return
            continue
        value = text.value()
        if isinstance(value, Damage):
            yield value
            if text.broken:
                return
        else:
            yield key, value
    if not start:
        yield Damage(text.line, "the end is missing")


def _elements(text: _Text, key: str) -> Iterator[Piece | Damage]:
    text.at += 1
    while (start := text.look()) and start != "]":
        value = text.value()
        if isinstance(value, Damage):
            yield value
            if text.broken:
                return
        else:
            yield key, value
    text.at += 1
    if not start:
        text.broken = True
        yield Damage(text.line, "the end is missing")


class _Text:
    """The text of a file around the place that is read, and no more of it."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._text = ""
        self._ended = False
        self.at = 0
        self._lines = 1
        self.broken = False
        """Whether the rest cannot be made out."""

    @property
    def line(self) -> int:
        """The number of the line that is read."""
        return self._lines + self._text.count("\n", 0, self.at)

    def look(self) -> str:
        """The next character that counts; nothing at the end."""
        while True:
            found = _SPACE.match(self._text, self.at)
            self.at = found.end() if found else self.at
            if self.at < len(self._text):
                return self._text[self.at]
            if not self._more(_STEP):
                return ""

    def value(self) -> Any:
        """The value that begins here, or the damage in its place."""
        self.look()
        self._forget()
        step = _STEP
        while True:
            if len(self._text) > _STEP and self._text.count(",", self.at) > _MOST_PARTS:
                return self._skipped("too large to read")
            try:
                value, end = _DECODER.raw_decode(self._text, self.at)
            except RecursionError:
                return self._skipped("nested too deeply")
            except ValueError:
                if len(self._text) - self.at > LONGEST_PIECE:
                    return self._skipped("too large to read")
                if not self._more(step):
                    rest = self._text[self.at :]
                    return replace(self._skipped("no whole JSON value"), text=rest)
                step = min(2 * step, LONGEST_PIECE)
                continue
            if end < len(self._text) or not self._more(_STEP):
                self.at = end
                return value

    def _skipped(self, reason: str) -> Damage:
        """Go behind a value that cannot be read, by its brackets alone."""
        damage = Damage(self.line, reason)
        depth, step, begun = 0, _STEP, self.at
        while True:
            token = _TOKEN.search(self._text, self.at)
            if token is None or token[0] == '"':  # none, or a text whose end is not there yet
                self.at = len(self._text) if token is None else token.start()
                self._forget()
                begun = -1
                if len(self._text) > 2 * LONGEST_PIECE or not self._more(step):
                    self.broken = self._ended = True
                    self.at = len(self._text)
                    return damage
                step = 2 * step
                continue
            depth += _DEPTH.get(token[0], 0)
            self.at = token.start() if depth < 0 else token.end()
            if depth <= 0:  # below 0: the end of what is around it
                self.broken = depth < 0 and self.at == begun  # no value at all: there is no way on
                return damage
            if self.at > LONGEST_PIECE:
                self._forget()

    def _more(self, size: int) -> bool:
        if self._ended:
            return False
        try:
            raw = self._file.read(size)
        except Unreadable:
            raw = b""
        self._ended = not raw
        self._text += self._decode(raw, final=self._ended)
        return not self._ended

    def _forget(self) -> None:
        if self.at > _STEP or self._ended:
            self._lines = self.line
            self._text, self.at = self._text[self.at :], 0


def whole_objects(text: str, mark: re.Pattern[str]) -> Iterator[dict[str, Any]]:
    """The objects in a damaged text that a mark stands in, each the innermost, if they are whole themselves."""
    for found in islice(mark.finditer(text), _MOST_MARKS):
        first = max(0, found.start() - _BEFORE)
        around = text[first : found.end() + _BEHIND]
        start = found.start() - first
        for _ in range(_MOST_BRACKETS):
            start = around.rfind("{", 0, start)
            if start < 0:
                break
            try:
                value, end = _DECODER.raw_decode(around, start)
            except (ValueError, RecursionError):
                continue
            if first + end >= found.end() and isinstance(value, dict):
                yield value
                break
