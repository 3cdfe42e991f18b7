"""Large JSON documents in pieces: what is whole is read, also where the end is missing."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from todowright.importers.found import Damage
from todowright.importers.sources import Unreadable

LONGEST_PIECE = 8_000_000
"""Characters of one piece; a longer one is told and left out."""
_STEP, _SMALL = 1 << 18, 1 << 15
_DECODER = json.JSONDecoder(strict=False)
_SPACE = re.compile(r"[\s,\x00\ufeff]*")
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{}"]', re.DOTALL)
_DEPTH = {"[": 1, "{": 1, "]": -1, "}": -1}
_OPENING = re.compile(r'\{\s*+"[^"\\]{1,100}+"')
_MOST_RESUMED = 200
"""Damaged places of one document behind which the next element is looked for by how it begins."""
_MOST_DAMAGED = 10_000
"""Damaged values of one document; behind so many, nothing is looked for."""
_NEAR_END = 20
"""Characters: an error so near to the end of what was read may only say that more is to come."""
_MOST_PARTS = 800_000
"""Values of one piece: what many small ones come to in memory is bounded, too."""
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
    while start := text.look():
        if start == "]":
            text.at += 1
            if key and not text.resumed:
                break
            if not text.look() or not text.resume(text.at):
                break
            yield Damage(text.line, "no whole JSON value")
        text.mark_opening()
        value = text.value()
        if isinstance(value, Damage):
            yield value
            if text.broken:
                return
        else:
            yield key, value
    text.opening = ""
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
        self.opening = ""
        """How the elements of the list begin that is read now."""
        self.resumed = 0
        """How often the next element was looked for behind damage."""
        self._damaged = 0

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

    def mark_opening(self) -> None:
        """Note how the element begins that is here; as the one before, where it is no object."""
        found = _OPENING.match(self._text, self.at)
        self.opening = found[0] if found else self.opening

    def resume(self, start: int) -> bool:
        """Go to the next element of the list, which begins as the others do; False where none is near."""
        found = self._text.find(self.opening, start) if self.opening else -1
        if found < 0 or self.resumed >= _MOST_RESUMED:
            return False
        self.resumed += 1
        self.at = found
        return True

    def value(self) -> Any:
        """The value that begins here, or the damage in its place."""
        self.look()
        self._forget()
        step, damaged = _STEP, False
        if (small := self._small_value()) is not None:
            return small
        while True:
            if len(self._text) > _STEP and self._text.count(",", self.at) > _MOST_PARTS:
                return self._skipped("too large to read")
            try:
                value, end = _DECODER.raw_decode(self._text, self.at)
            except RecursionError:
                return self._skipped("nested too deeply")
            except ValueError as error:
                damaged = damaged or _is_damage(error)
                if len(self._text) - self.at > LONGEST_PIECE:
                    reason = "no whole JSON value" if damaged else "too large to read"
                    return self._skipped(reason, damaged=damaged)
                if not self._more(step):
                    rest = "" if self._damaged else self._text[self.at :]
                    return replace(self._skipped("no whole JSON value", damaged=damaged), text=rest)
                step = min(2 * step, LONGEST_PIECE)
                continue
            if end < len(self._text) or not self._more(_STEP):
                self.at = end
                return value

    def _small_value(self) -> Any:
        """The value that begins here, where it is a small one of a larger text: the rest is not looked through for each."""
        if len(self._text) - self.at <= _SMALL:
            return None
        start = self._text[self.at : self.at + _SMALL]
        try:
            value, end = _DECODER.raw_decode(start)
        except (ValueError, RecursionError):
            return None
        if end == len(start):  # it may go on
            return None
        self.at += end
        return value

    def _skipped(self, reason: str, *, damaged: bool = False) -> Damage:
        """Go behind a value that cannot be read, by its brackets alone; they mislead where one is damaged."""
        damage = Damage(self.line, reason)
        self._damaged += 1
        if self._damaged > _MOST_DAMAGED:
            self.broken = True
            return damage
        if damaged and self.resume(self.at + 1):
            return damage
        depth, step, begun = 0, _STEP, self.at
        while True:
            token = _TOKEN.search(self._text, self.at)
            if token is None or token[0] == '"':  # none, or a text whose end is not there yet
                self.at = len(self._text) if token is None else token.start()
                self._forget()
                begun = -1
                if token is not None and len(self._text) - self.at > LONGEST_PIECE:
                    self._forget_string()
                if not self._more(step):
                    self.broken = True
                    self.at = len(self._text)
                    return damage
                step = min(2 * step, LONGEST_PIECE)
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

    def _forget_string(self) -> None:
        """Forget what was read of a string that has no end yet, but not that it has begun."""
        backslashes = len(self._text) - len(self._text.rstrip("\\"))
        self._lines += self._text.count("\n")
        self._text, self.at = '"' + "\\" * backslashes, 0

    def _forget(self) -> None:
        if self.at > _STEP:
            self._lines = self.line
            self._text, self.at = self._text[self.at :], 0


def _is_damage(error: ValueError) -> bool:
    """Whether a value is wrong in itself, and not only cut off where the text ends."""
    if not isinstance(error, json.JSONDecodeError):  # a number with too many digits
        return False
    return error.pos <= len(error.doc) - _NEAR_END and not error.msg.startswith("Unterminated")
