"""Forms of bash with a grammar of their own: `[[ … ]]`, and the patterns of a `case`."""

from __future__ import annotations

import re

from todowright.shell.bash_parts import Command, Steps, TooDeep, Word
from todowright.shell.bash_words import COMMENT, WordReader

CUT_SIGN = re.compile(
    r"[<>](?:\\\n)+[<>(&|-]|<<-?(?:\\\n)|&>?(?:\\\n)+[&>]|\|(?:\\\n)+[|&]|;{1,2}(?:\\\n)+[;&]"
    r"|\((?:\\\n)+\("
)
"""A sign with the end of a line within it, which bash reads as if it were whole."""
REDIRECT = re.compile(
    r"(?P<both>&>>?)|(?:\d*|\{[A-Za-z_]\w*\})(?P<sign><<<|<<-?|<>|<&|>>|>\||>&|[<>](?!\())",
    re.ASCII,
)
_MATCHES = {"==", "=", "!="}
"""Behind these stands a pattern, in which parentheses are always known."""


class FormReader(WordReader):
    """Reads `[[ … ]]` and patterns: each method takes a place and gives the one behind what it read."""

    def __init__(self, text: str, inside: Command | None, depth: int, steps: Steps | None) -> None:
        super().__init__(text, depth, steps)
        self.now = Command(inside=inside)
        self.target: tuple[str, int] | None = None
        """The redirection whose file or text comes next, and where it stands."""
        self.cases = 0
        """`case … esac` that are open."""
        self.in_test = False
        """Whether a `[[` is open."""
        self.groups = 0
        """Parentheses that are open in it."""

    def operator(self, sign: str, at: int) -> int:
        """The end of a command, or of a line."""
        raise NotImplementedError

    def end_command(self) -> None:
        """What comes next is another command."""
        raise NotImplementedError

    def add(self, word: Word, end: int) -> None:
        """Give a word that ends here to the command, or to the redirection before it."""
        raise NotImplementedError

    def test(self, at: int) -> int:
        """The next word or sign of `[[ … ]]`; there are no here-documents, and no ends of commands."""
        text, char = self.text, self.text[at]
        if text.startswith("\\\n", at):
            return at + 2
        if comment := COMMENT.match(text, at):
            return comment.end()
        if self.now.words[-1:] == ["=~"] and self.target is None and char not in ";&)\n":
            return self._regex(at)
        if char in "()":
            return self._group(at, char)
        if char == "\n" or text.startswith(("&&", "||"), at):
            sign = char if char == "\n" else char * 2
            return self.operator(sign, at + len(sign))
        if redirect := REDIRECT.match(text, at):
            if redirect["sign"] not in ("<", ">") or CUT_SIGN.match(text, redirect.end() - 1):
                raise TooDeep
            self.target = redirect["sign"], redirect.end() - 1
            return redirect.end()
        if char in ";&|":
            raise TooDeep
        matches = self.now.words[-1:] and self.now.words[-1] in _MATCHES
        word, end = self.word(at, place="matches" if matches else "perhaps")
        self.add(word, end)
        return end

    def _group(self, at: int, sign: str) -> int:
        """A parenthesis around conditions."""
        self.groups += 1 if sign == "(" else -1
        if self.groups < 0:
            raise TooDeep
        self.end_command()
        return at + 1

    def _regex(self, at: int) -> int:
        """What stands behind `=~`: a word in which `|` and what is in parentheses have no other meaning."""
        text, word = self.text, Word()
        while at < len(text) and text[at] not in " \t\n;&)":
            if text[at] == "(":
                word.add("(")
                at = self.brackets(word, at + 1, "()")
            elif text[at] == "|":
                word.add("|")
                at += 1
            elif text[at] in "<>":
                if not text.startswith("(", at + 1):
                    raise TooDeep
                at = self.nested(at + 2)
            else:
                at = self.piece(word, at)
        self.add(word, at)
        return at

    def end_test(self) -> None:
        """Take note of `]]`, which was just added."""
        if self.groups:
            raise TooDeep
        self.in_test, self.now.is_named, self.now.is_closed = False, True, True

    def case(self, at: int) -> int:
        """`WORD in` and the first pattern, behind `case`."""
        for is_in in (False, True):
            at = self._space(at, lines=is_in)
            word, end = self.word(at)
            if at >= len(self.text):
                return at
            if end == at or (is_in and (word.is_quoted or word.text != "in")):
                raise TooDeep
            self.add(word, end)
            at = end
        self.end_command()
        return self.patterns(at)

    def patterns(self, at: int) -> int:
        """Patterns up to their `)`, or up to the `esac` in their place."""
        text, at = self.text, self._space(at, lines=True)
        is_first = not text.startswith("(", at)
        at = at if is_first else self._space(at + 1)
        while at < len(text):
            word, end = self.word(at)
            if word.text == "esac" and not word.is_quoted:
                if not is_first:  # shells differ in what they make of it
                    raise TooDeep
                return at
            behind = self._space(end)
            sign = text[behind : behind + 1]
            if end == at or (sign and sign not in "|)"):
                raise TooDeep
            is_first, at = False, behind + 1
            if sign == ")":
                return at
            at = self._space(at)
        return at

    def _space(self, at: int, *, lines: bool = False) -> int:
        """Where the next word begins; ends of `lines` and comments may stand before it."""
        text = self.text
        while at < len(text):
            self.steps.take()
            comment = COMMENT.match(text, at)
            if text[at] in " \t":
                at += 1
            elif text.startswith("\\\n", at):
                at += 2
            elif lines and comment:
                at = comment.end()
            elif lines and text[at] == "\n":
                at = self.operator("\n", at + 1)
            elif comment:
                raise TooDeep
            else:
                break
        return at
