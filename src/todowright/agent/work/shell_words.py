"""The simple commands in a line of shell: read in one pass, for a look at what would be run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

SHELLS = {"sh", "bash", "zsh", "dash", "ksh", "fish"}
_TOKEN = re.compile(
    r"""(?P<space>[ \t\r]+|\\\n)
    | (?P<sum>\$?\(\([^\n]{0,200}?\)\))
    | (?P<comment>(?<![^\s;&|(){}`])\#[^\n]*)
    | (?P<redirect>&>>?|\d*(?:>>|>\||>&|<<<|<<-?|<>|>(?!\()|<(?!\()))
    | (?P<opens>\$\(|[<>]\(|\()
    | (?P<pipe>\|&?(?!\|))
    | (?P<ends>&&|\|\||;;|[;&\n)`])
    | '(?P<single>[^']*)'
    | "(?P<double>(?:[^"\\]|\\.)*)"
    | \\(?P<escaped>.)
    | (?P<plain>[^\s;&|()`<>'"\\$]+|.)""",
    re.VERBOSE | re.DOTALL,
)
_DEEPEST = 8


@dataclass(slots=True)
class Command:
    """One command: its words without quotes, what it writes to, and where it stands."""

    words: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    piped: Command | None = None
    """The command before it in its pipe."""
    inside: Command | None = None
    """The command that takes its output for an argument."""


def commands(text: str, inside: Command | None = None, depth: int = 0) -> Iterator[Command]:
    """Every command in a text, also those in substitutions, in quotes, and in what is given to a shell."""
    reader = _Reader(text, inside, depth)
    reader.read()
    yield from reader.found


class _Reader:
    def __init__(self, text: str, inside: Command | None, depth: int) -> None:
        self.text, self.depth = text, depth
        self.found: list[Command] = []
        self.now = Command(inside=inside)
        self.outer: list[Command] = []
        self.word: str | None = None
        self.target: str | None = None
        """The redirection whose file comes next."""
        self.documents: list[tuple[str, bool]] = []
        """Here-documents whose text begins with the next line: how each ends, and if a shell reads it."""

    def read(self) -> None:
        at = 0
        while (token := _TOKEN.match(self.text, at)) is not None:
            at = self.take(str(token.lastgroup), token) or token.end()
        self.end_command()

    def take(self, kind: str, token: re.Match[str]) -> int | None:
        """Take a token; where to go on, if not behind it."""
        match kind:
            case "space" | "comment":
                self.end_word()
            case "sum":
                self.word = (self.word or "") + "0"
            case "redirect":
                self.end_word()
                self.target = token[0].lstrip("0123456789")
            case "opens":
                self.end_word()
                self.outer.append(self.now)
                self.now = Command(inside=self.now)
            case "pipe":
                self.end_word()
                before = self.now
                self.end_command()
                self.now.piped = before
            case "ends":
                return self.end(token)
            case _:
                self.word = (self.word or "") + token[kind]
                if kind == "double" and ("$(" in token[kind] or "`" in token[kind]):
                    self.read_within(re.split(r"\$\(|`", token[kind], maxsplit=1)[1], self.now)
        return None

    def end(self, token: re.Match[str]) -> int | None:
        """The end of a command, of a group, or of a line."""
        self.end_command()
        if token[0] in ")`" and self.outer:
            self.now = self.outer.pop()
        if token[0] != "\n" or not self.documents:
            return None
        at = token.end()
        for end, shell in self.documents:
            found = re.compile(rf"^\t*{re.escape(end)}$", re.MULTILINE).search(self.text, at)
            if shell:
                self.read_within(self.text[at : found.start() if found else None], None)
            at = found.end() if found else len(self.text)
        self.documents = []
        return at

    def end_word(self) -> None:
        if self.word is None:
            return
        word, self.word = self.word, None
        target, self.target = self.target, None
        if target is None:
            self.now.words.append(word)
        elif target in ("<<", "<<-"):
            name = self.now.words[0].rpartition("/")[2] if self.now.words else ""
            self.documents.append((word, name in SHELLS))
        elif ">" in target:
            self.now.writes.append(word)

    def end_command(self) -> None:
        self.end_word()
        if self.now.words or self.now.writes:
            self.found.append(self.now)
        self.now = Command(inside=self.now.inside)

    def read_within(self, text: str, inside: Command | None) -> None:
        if self.depth < _DEEPEST:
            self.found += commands(text, inside, self.depth + 1)
