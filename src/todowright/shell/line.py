"""A command line with the word `TodoWrite` in it: what bash is given, and what it would run.

Models write JSON that no shell would read as one word. So a line is read once: each `TodoWrite` that is
a command has its argument told apart, and, where bash would read it otherwise, quoted anew. Whoever runs
a line or judges it takes what `read_line` gives, so that what was judged is what runs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from shlex import quote

from todowright.shell.argument import (
    as_meant,
    cat_document,
    ends_well,
    goes_on,
    is_balanced,
    is_json,
    looks_like_json,
    raw_json,
    unescaped,
)
from todowright.shell.bash_parts import ARGUMENT
from todowright.shell.bash_syntax import Command, Document, Reader, TooDeep, Word

NAME = "TodoWrite"
LONGEST = 128 * 1024
"""Characters of a line that a system gives to bash; a longer one is read only where it is a single call."""
_NAME = re.compile(NAME + r"(?=\Z|[\s'\";&|<>()])")
_SPACE = re.compile(r"(?P<line>(?:[^\S\n]|\\\n)*)\s*")


@dataclass(frozen=True, slots=True)
class Call:
    """A call of `TodoWrite`: its words, and the text on its standard input."""

    words: tuple[str, ...] = ()
    input: str | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A command line as it was understood."""

    text: str
    """What bash is given."""
    commands: tuple[Command, ...] = ()
    """All that bash would run."""
    call: Call | None = None
    """The call, if the line is no more than one call whose words are all there: bash has nothing to do."""
    fault: str = ""
    """Why nothing of it may run: the argument is `broken`, or followed by something `more`."""
    is_clear: bool = True
    """Whether it could be read; what has too many levels is neither judged nor touched."""
    is_open: bool = False
    """Whether it goes on in the next line."""
    ending: str = ""
    """The line that ends the here-document which is open."""


class _Unclear(Exception):
    """Nobody can tell where an argument ends."""

    def __init__(self, fault: str, argument: str, ending: str = "") -> None:
        self.fault, self.argument, self.ending = fault, argument, ending


def read_line(text: str) -> Line:
    """Read a command line."""
    text = _stripped(text)
    if len(text) > LONGEST:
        return _too_long(text)
    try:
        given = _mended(text) if NAME in text else text
        reader = Reader(given)
        reader.read()
    except (TooDeep, RecursionError):
        return _unread(text)
    except _Unclear as unclear:
        argument = unclear.argument
        is_open = unclear.fault == "broken" and (goes_on(argument) or bool(unclear.ending))
        call = Call((argument,))
        return Line(text, (), call, unclear.fault, is_open=is_open, ending=unclear.ending)
    made = None
    if reader.is_literal and len(reader.found) == 1 and reader.found[0].words[:1] == [NAME]:
        made = Call(tuple(reader.found[0].words[1:]), reader.found[0].input)
    return Line(given, tuple(reader.found), made, is_open=reader.is_open, ending=reader.ending)


def _mended(text: str) -> str:
    """A line as bash should be given it."""
    mender = _Mender(text)
    mender.read()
    return mender.mended()


def _too_long(text: str) -> Line:
    """A line that no shell can be given: one call with its JSON as it stands, or nothing."""
    name = _NAME.match(text)
    space = _SPACE.match(text, name.end()) if name else None
    found = raw_json(text, space.end()) if space else None
    if found is not None and found[1] == len(text):
        return Line(text, call=Call((found[0],)))
    return _unread(text)


def _unread(text: str) -> Line:
    """A line that is not read, so nothing is known of it; where a call may be in it, nothing of it runs."""
    if _NAME.search(text) is None:
        return Line(text, is_clear=False)
    return Line(text, call=Call((text,)), fault="broken", is_clear=False)


def _stripped(text: str) -> str:
    """A text without the space around it; what stands behind a backslash is no such space."""
    bare = text.strip()
    backslashes = len(bare) - len(bare.rstrip("\\"))
    if backslashes % 2:
        at = len(text) - len(text.lstrip()) + len(bare)
        bare += text[at : at + 1]
    return bare


class _Mender(Reader):
    """Reads a line, and takes note of what must be written otherwise for bash to read it so."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._edits: list[tuple[int, int, str]] = []
        self._waiting: Command | None = None
        """The call whose argument has not come yet."""
        self._calls: dict[int, Command] = {}
        """All of them, by their identity."""

    def mended(self) -> str:
        """The line as bash should be given it."""
        parts, at = [], 0
        for start, end, text in sorted(self._edits):
            parts += [self.text[at:start], text]
            at = end
        return "".join([*parts, self.text[at:]])

    def take_word(self, at: int) -> int:
        if self.now is self._waiting and (self.target is None or self.target[0] == "<<<"):
            self._waiting = None
            return self._take_argument(at)
        if not self.now.is_named and self.target is None and not self.in_test:
            name = _NAME.match(self.text, at)
            if name is not None:
                return self._take_name(name.end())
        return super().take_word(at)

    def _take_name(self, end: int) -> int:
        """Take the name of a call; what follows may be glued to it, or stand in the next line."""
        self.add(_literal(NAME), end)
        self._waiting = self.now
        self._calls[id(self.now)] = self.now
        text, space = self.text, _SPACE.match(self.text, end)
        assert space is not None
        at = space.end("line")
        if at < space.end() and not self.documents and self._is_json_at(space.end()):
            at = space.end()
        if text[end:at].strip(" \t") or (at == end and text[at : at + 1] in ("'", '"')):
            self._edits.append((end, at, " "))
        return at

    def _is_json_at(self, at: int) -> bool:
        """Whether there is JSON here, as it is written or as bash reads it."""
        if not looks_like_json(self.text, at):
            return False
        word, end = Reader(self.text, depth=self.depth, steps=self.steps).word(at)
        found = raw_json(self.text, at) or (word.text if word.is_static else "", end)
        return is_json(found[0]) and ends_well(self.text, found[1])

    def _take_argument(self, at: int) -> int:
        """Take the argument of a call: as it is written if that is JSON, else as bash reads it."""
        self.steps.take(ARGUMENT)
        found = cat_document(self.text, at) or raw_json(self.text, at)
        if found is not None and ends_well(self.text, found[1]):
            return self._take_literal(at, found[1], found[0])
        mark = len(self.found), len(self._edits), len(self.documents)
        word, end = self.word(at)
        in_one = word.pieces == 1 and self.text[at] == '"'
        bare = [word.text]
        if in_one and not word.is_static and not self.is_open:
            bare.insert(0, unescaped(self.text[at + 1 : end - 1]))
        meant = next((text for text in bare if is_json(text)), None)
        if meant is None:
            if found is not None:
                raise _Unclear("more", self.text[at:])
            if self.is_open or not self._is_sure(word, at, end):
                raise _Unclear("broken", self.text[at:])
            if not _may_run(word):
                raise _Unclear("broken", word.text)
        if (word.is_static or in_one) and not ends_well(self.text, end):
            raise _Unclear("more", self.text[at:])
        if in_one and not word.is_static and meant is not None:
            self._go_back(*mark)  # nothing in it is expanded
            return self._take_literal(at, end, meant)
        self.add(word, end)
        return end

    def _go_back(self, found: int, edits: int, documents: int) -> None:
        """Forget what was read since there were so many."""
        del self.found[found:], self._edits[edits:], self.documents[documents:]

    def _take_literal(self, at: int, end: int, value: str) -> int:
        if self.text[at:end] != quote(value):
            self._edits.append((at, end, quote(value)))
        self.add(_literal(value), end)
        return end

    def _is_sure(self, word: Word, at: int, end: int) -> bool:
        """Whether it is clear where an argument ends that is not JSON, or not yet."""
        if not looks_like_json(self.text, at) or is_balanced(word.outline):
            return True
        if not word.is_static and is_json(word.outline):
            return True
        return self.text[at] in "'\"" and self.text.find(self.text[at], end) < 0

    def _is_argument(self, document: Document) -> bool:
        """Whether a here-document is what a call is given, by itself or by `$(cat <<EOF …)`."""
        command = document.command
        return id(command) in self._calls or (
            id(command.inside) in self._calls and command.words[:1] == ["cat"]
        )

    def take_document(self, document: Document, start: int, stop: int) -> None:
        if not document.is_quoted and self._is_argument(document):
            meant = as_meant(document.without_tabs(self.text[start:stop]))
            if meant is not None:  # nothing in it is expanded
                sign = "<<-" if document.drops_tabs else "<<"
                self._edits.append((document.start, document.end, f"{sign}'{document.ending}'"))
                self._edits.append((start, stop, meant))
                return
        super().take_document(document, start, stop)

    def check_document(self, document: Document, word: Word) -> None:
        if self._is_argument(document) and not _may_run(word):
            raise _Unclear("broken", word.text, self.ending)


def _may_run(word: Word) -> bool:
    """Whether bash may expand a word: not where broken JSON would have the words of a todo run."""
    return word.is_static or not looks_like_json(word.text, 0) or is_json(word.outline)


def _literal(text: str) -> Word:
    word = Word()
    word.add(text)
    return word
