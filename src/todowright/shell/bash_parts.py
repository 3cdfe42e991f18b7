"""What a command line is made of: words, commands and here-documents; and what it may take to read it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

STEPS_EACH, STEPS_MORE = 4, 100_000
"""Steps that a text may take to read, for each of its characters and besides."""
COMMAND, ARGUMENT = 20, 50
"""Steps that a command counts for, and the argument of a call, which may be read in several ways."""


class TooDeep(Exception):
    """More levels than anybody writes, or more to read again and again."""


class Steps:
    """How much may still be done to read a text."""

    def __init__(self, text: str) -> None:
        self._left = STEPS_EACH * len(text) + STEPS_MORE

    def take(self, count: int = 1) -> None:
        self._left -= count
        if self._left < 0:
            raise TooDeep


@dataclass(slots=True)
class Word:
    """A word without its quotes. What would be expanded in it stands there as it is written."""

    parts: list[tuple[str, bool]] = field(default_factory=list)
    """Each a text, and whether it is expanded."""
    is_quoted: bool = False
    pieces: int = 0
    """How many pieces it is made of, each with quotes of its own or without any."""
    is_assigned: bool = False
    """Whether it begins as `name=` or `name[…]=` does, without quotes."""

    def add(self, text: str) -> None:
        self.parts.append((text, False))

    def expand(self, text: str) -> None:
        self.parts.append((text, True))

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.parts)

    @property
    def fixed(self) -> str:
        """What is left of it where all that is expanded comes to nothing."""
        return "".join(text for text, expanded in self.parts if not expanded)

    @property
    def is_static(self) -> bool:
        """Whether nothing is expanded in it."""
        return not any(expanded for _, expanded in self.parts)

    @property
    def outline(self) -> str:
        """The word with a number in the place of each thing that is expanded."""
        return "".join("0" if expanded else text for text, expanded in self.parts)


@dataclass(slots=True)
class Command:
    """One command: its words without quotes, what it writes to and reads, and where it stands."""

    words: list[str] = field(default_factory=list)
    fixed: dict[int, str] = field(default_factory=dict)
    """What is left of a word, by its place, where all that is expanded in it comes to nothing."""
    writes: list[str] = field(default_factory=list)
    input: str | None = None
    """The text of its here-document or here-string."""
    piped: Command | None = None
    """The command before it in its pipe."""
    inside: Command | None = None
    """The command that takes its output for an argument."""
    is_named: bool = False
    """Whether its name has been read; before it stand words of the grammar, and assignments."""
    name_at: int = 0
    """Which of its words that is."""
    kind: str = ""
    """Its first word that is no assignment, where bash would know it as one of its grammar."""
    is_started: bool = False
    """Whether an assignment or a redirection stands before its name: no word behind is of the grammar."""
    is_closed: bool = False
    """Whether it ended a form, as `fi` and `]]` do."""


@dataclass(frozen=True, slots=True)
class Document:
    """A here-document whose text begins with the next line."""

    command: Command
    ending: str
    is_quoted: bool
    drops_tabs: bool
    start: int
    end: int
    """Where its `<<EOF` stands."""

    def without_tabs(self, text: str) -> str:
        """Its text without the tabs that `<<-` drops."""
        return re.sub(r"^\t+", "", text, flags=re.MULTILINE) if self.drops_tabs else text
