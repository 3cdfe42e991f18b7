"""A command line, read as bash reads it: its commands, and what each of them is given.

The text is read in one pass, from left to right. Whatever bash would run is meant to be found, also in
substitutions, groups and here-documents; where it is not clear, rather more than less.
"""

from __future__ import annotations

import re

from todowright.shell.bash_forms import CUT_SIGN, REDIRECT, FormReader
from todowright.shell.bash_parts import COMMAND, Command, Document, Steps, TooDeep, Word
from todowright.shell.bash_words import COMMENT, DEEPEST, Place

__all__ = ["Command", "Document", "Reader", "Steps", "TooDeep", "Word", "commands", "loses_text"]

_OPERATOR = re.compile(r"&&|\|\||\|&|;;&|;;|;&|[;&|\n]")
_SIGNS = frozenset("\\#<>&|;\n()0123456789{")
"""With what else than a word may begin: most words are told from it by their first letter."""
_GRAMMAR = {"!", "{", "if", "then", "else", "elif", "while", "until", "do", "time", "coproc"}
"""Words behind which a command begins."""
_OPTIONS_OF_TIME = {("time", "-p"), ("time", "--"), ("-p", "--")}
_CLOSING = {"}", "fi", "done", "esac"}
_AFTER_CLOSING = _CLOSING | {"then", "do", "else", "elif"}
"""What may stand behind those, and behind `]]`, without a sign between them."""
_COMPOUND = {"{", "if", "while", "until", "case", "for", "select", "[["}
"""What may stand behind the name of a function, or of a coproc."""
_NO_WORDS = re.compile(r"\((?:[ \t]|\\\n)*\)")
_JOINED_LINE = re.compile(r"(?:[^\\\n]|\\.|\\\Z)*\n?", re.DOTALL)
"""A line of a here-document that bash expands: a backslash at its end joins it to the next."""


def commands(text: str, steps: Steps | None = None) -> list[Command]:
    """Every command that bash would run for a text; raises `TooDeep`, also if no `steps` are left."""
    reader = Reader(text, steps=steps)
    reader.read()
    if loses_text(text, is_open=reader.is_open):
        raise TooDeep
    return reader.found


def loses_text(text: str, *, is_open: bool) -> bool:
    """Whether bash may look for the end of a sum, a list or a pattern that has none, and go on with what is left of the text."""
    return is_open and re.search(r"[(=?*+@!]\(", text.replace("\\\n", "")) is not None


def _begins(command: Command, word: str) -> bool:
    """Whether a word of the grammar begins a command, though no sign stands before it."""
    if not command.is_named:
        return False
    count = len(command.words) - command.name_at
    if command.kind in ("for", "select"):
        return count <= 2 and word in ("do", "{")
    if command.kind == "function":
        return count == 2 and word in _COMPOUND
    if _is_coproc(command) and count == 1:
        return word in _COMPOUND
    return command.is_closed and word in _AFTER_CLOSING


def _is_coproc(command: Command) -> bool:
    return command.name_at > 0 and command.words[command.name_at - 1] == "coproc"


class Reader(FormReader):
    """Reads the commands of a text."""

    def __init__(
        self,
        text: str,
        inside: Command | None = None,
        depth: int = 0,
        steps: Steps | None = None,
    ) -> None:
        super().__init__(text, inside, depth, steps)
        self.found: list[Command] = []
        self.documents: list[Document] = []
        self.substitutions = 0
        """`$( … )` that are open."""
        self.is_literal = True
        """Whether the words say it all: nothing is expanded, piped, grouped, or read from a file."""
        self.in_unended = False
        """Whether this is the text of a here-document without an end."""
        self.ending = ""
        """The line that ends the here-document which is open."""

    def read(self) -> None:
        """Read it all."""
        at = 0
        while at < len(self.text):
            at = self.step(at)
        self.end_command()
        if self.documents:
            self.is_open, self.ending = True, self.documents[0].ending

    def step(self, at: int) -> int:
        """Read the next word or sign."""
        text, char = self.text, self.text[at]
        self.steps.take()
        if char in " \t":
            return at + 1
        if self.in_test:
            return self.test(at)
        if char not in _SIGNS:
            return self.take_word(at)
        if text.startswith("\\\n", at):
            return at + 2
        if comment := COMMENT.match(text, at):
            return comment.end()
        if CUT_SIGN.match(text, at):
            raise TooDeep
        if redirect := REDIRECT.match(text, at):
            sign = redirect["both"] or redirect["sign"]
            self.target = sign, redirect.end() - len(sign)
            self.is_literal &= sign in ("<<", "<<-", "<<<")
            return redirect.end()
        if operator := _OPERATOR.match(text, at):
            return self.operator(operator[0], operator.end())
        if char == "(":
            return self.group(at)
        if char == ")":  # of a pattern, or one too many
            self.end_command()
            self.is_literal = False
            return at + 1
        return self.take_word(at)

    def operator(self, sign: str, at: int) -> int:
        """The end of a command, or of a line."""
        self.is_literal &= sign in (";", "\n")
        before = self.now
        if sign != "\n" or before.words or before.writes:  # a pipe goes on in the next line
            self.end_command()
        if sign in ("|", "|&"):
            self.now.piped = before
        if self.cases and sign in (";;", ";&", ";;&"):
            return self.patterns(at)
        return self.take_documents(at) if sign == "\n" else at

    def end_command(self) -> None:
        self.target = None
        if self.now.words or self.now.writes:
            self.steps.take(COMMAND)
            self.found.append(self.now)
        self.now = Command(inside=self.now.inside)

    def group(self, at: int) -> int:
        """`( … )`, `(( … ))`, or the `()` behind a function's name."""
        self.is_literal = False
        if self.now.words and (empty := _NO_WORDS.match(self.text, at)):
            if len(self.now.words) > 1 or self.now.words[0][-1:] in "?*+@!":  # or a pattern
                self.end_command()
            self.now = Command(inside=self.now.inside)
            return empty.end()
        if self.text.startswith("((", at) and (end := self.sum_end(at + 2)):
            self.read_expansions(self.text[at + 2 : end])
            end += 2
        else:
            end = self.nested(at + 1, substituted=False)
            is_glued = self.text[at - 1 : at] == "!" or self.text[max(at - 2, 0) : at] == "\\\n"
            if self.now.words[-1:] == ["!"] and is_glued:  # or a pattern, which must end there, too
                self.same_end(at + 1, end)
        if not self.now.is_named:  # no name can follow
            self.now.is_named = self.now.is_closed = True
        return end

    def nested(self, at: int, *, substituted: bool = True) -> int:
        kept = self.now, self.target, self.cases, self.in_test, self.groups
        with self.level():
            self.now, self.target, self.cases = Command(inside=self.now), None, 0
            self.in_test, self.groups = False, 0
            self.substitutions += substituted
            while at < len(self.text) and (self.text[at] != ")" or self.cases or self.in_test):
                at = self.step(at)
            self.end_command()
        self.substitutions -= substituted
        self.now, self.target, self.cases, self.in_test, self.groups = kept
        self.is_open |= at >= len(self.text)
        return at + 1

    def take_word(self, at: int) -> int:
        """Read a word, and give it to the command, or to the redirection before it."""
        cases = self.cases
        word, end = self.word(at, place=self.place())
        self.add(word, end)
        return self.case(end) if self.cases > cases else end

    def place(self) -> Place:
        """Where the next word stands: perhaps bash takes it for an assignment, or surely."""
        now = self.now
        if now.is_named:
            is_first = _is_coproc(now) and len(now.words) - now.name_at == 1
            return "perhaps" if is_first else ""
        is_sure = self.target is None and not now.is_started and not now.kind.startswith("-")
        return "assigns" if is_sure else "perhaps"

    def add(self, word: Word, end: int) -> None:
        """Give a word that ends here to the command, or to the redirection before it."""
        name = "" if word.is_quoted or self.target else word.text
        if not self.in_test and _begins(self.now, name):
            self.end_command()
        elif name == "esac" and self.cases and self.now.is_named and not self.in_test:
            raise TooDeep
        now, target, self.target = self.now, self.target, None
        now.is_started |= target is not None
        if target is not None and target[0] in ("<<", "<<-"):  # not expanded
            tabs = target[0] == "<<-"
            self.documents.append(Document(now, word.text, word.is_quoted, tabs, target[1], end))
            return
        is_static = word.is_static
        self.is_literal &= is_static
        if target is None:
            if not is_static:
                now.fixed[len(now.words)] = word.fixed
            now.words.append(word.text)
            if not now.is_named:
                self.add_first(word, name)
            if self.in_test and name == "]]":
                self.end_test()
        elif target[0] == "<<<":
            now.input = word.text + "\n"
        elif ">" in target[0]:
            now.writes.append(word.text)

    def add_first(self, word: Word, name: str) -> None:
        """Take note of a word at the place of a command's name; in quotes it is no `name` of the grammar."""
        now = self.now
        now.name_at = len(now.words) - 1
        before, now.kind = now.kind, "" if now.is_started or self.in_test else name
        if word.is_assigned and not self.in_test:
            now.is_started = True
            return
        self.cases = max(0, self.cases + (now.kind == "case") - (now.kind == "esac"))
        now.is_closed = now.kind in _CLOSING
        is_option = (before, now.kind) in _OPTIONS_OF_TIME
        if now.kind == "time" and (before == "coproc" or (not before and now.piped)):
            now.kind = ""  # a program
        now.is_named = now.kind not in _GRAMMAR and not is_option
        if now.kind == "[[":
            self.in_test, self.groups, self.is_literal = True, 0, False

    def read_commands(self, text: str, *, is_unended: bool = False) -> None:
        if self.is_measuring:
            return
        reader = self._within(text)
        reader.in_unended |= is_unended
        reader.read()
        self.found += reader.found

    def read_expansions(self, text: str) -> Word:
        reader, word = self._within(text), Word()
        self.goes_on = False
        if self.is_measuring:
            word.expand(text)
            return word
        reader.double(word, 0, quote="")
        self.found += reader.found
        self.goes_on = reader.is_open
        return word

    def closing(self, at: int) -> int | None:
        reader = Reader(self.text, depth=self.depth + 1, steps=self.steps)
        reader.is_measuring = True
        end = reader.brackets(Word(), at, "()")
        return None if reader.is_open else end

    def drop_line(self, at: int) -> int:
        end = self.text.find("\n", at)
        end = end if end >= 0 else len(self.text)
        self.read_commands(self.text[at:end])
        self.documents.clear()
        return end

    def _within(self, text: str) -> Reader:
        if self.depth >= DEEPEST:
            raise TooDeep
        self.steps.take(COMMAND)
        reader = Reader(text, self.now, self.depth + 1, self.steps)
        reader.in_unended = self.in_unended
        return reader

    def take_documents(self, at: int) -> int:
        """The texts of the here-documents that the line before announced."""
        waiting, self.documents = self.documents, []
        for document in waiting:
            start, stop, at = self._found(document, at)
            self.take_document(document, start, stop)
        return at

    def _found(self, document: Document, at: int) -> tuple[int, int, int]:
        """Where the text of a document begins and ends, and where to go on."""
        text, start, ending = self.text, at, document.ending
        while at < len(text):
            self.steps.take()
            joined = None if document.is_quoted else _JOINED_LINE.match(text, at)
            end = joined.end() if joined else text.find("\n", at) + 1 or len(text)
            line = text[at:end].replace("\\\n", "") if joined else text[at:end]
            line = (line.lstrip("\t") if document.drops_tabs else line).removesuffix("\n")
            if line == ending:
                return start, at, end
            if self.substitutions and line.startswith(ending) and ")" in line[len(ending) :]:
                return start, at, end - len(text[at:end].partition(ending)[2])
            at = end
        self.is_open, self.ending = True, ending
        if not self.in_unended:  # shells differ in what they make of it
            self.read_commands(text[start:], is_unended=True)
        return start, at, at

    def take_document(self, document: Document, start: int, stop: int) -> None:
        """Give its text to the command that reads it."""
        text = document.without_tabs(self.text[start:stop])
        if not document.is_quoted:
            word = self.read_expansions(text)
            self.check_document(document, word)
            self.is_literal &= word.is_static
            text = word.text
        document.command.input = text

    def check_document(self, document: Document, word: Word) -> None:
        """Look at the text of a here-document that bash expands."""
