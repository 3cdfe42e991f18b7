"""The words of a command line: their quotes, and what bash expands in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from todowright.shell.bash_parts import Steps, TooDeep, Word

DEEPEST = 50
"""Levels of substitutions and groups, one in the other, that are read."""
ASSIGNED = re.compile(r"[A-Za-z_]\w*(?:\[[^]]*\])?\+?=", re.ASCII)
COMMENT = re.compile(r"#[^\n]*")
_SUBSCRIPTED = re.compile(r"[A-Za-z_](?:\w|\\\n)*\[", re.ASCII)
_PLAIN = re.compile(r"[^ \t\n;&|<>()'\"\\$`]+")
_GLUED = {*"?*+@!"}
"""A parenthesis behind one of these opens a pattern."""
_LISTED = re.compile(r"\[")
CUT_SUM = re.compile(r"(?:\\\n)+\(")
_IN_QUOTES = re.compile(r"[^\"\\$`]+")
_JOINED = re.compile(r"(?:\\\n)*")
_VARIABLE = re.compile(r"[A-Za-z_]\w*|[\d@*#?$!-]", re.ASCII)
_BACKTICKS = re.compile(r"`((?:[^`\\]|\\.)*)(`?)", re.DOTALL)
_IS_SET = re.compile(r"[A-Za-z_](?:\w|\\\n)*\+?(?:\\\n)*=", re.ASCII)
_IS_SET_THERE = re.compile(r"(?:\\\n)*\+?(?:\\\n)*=")
_ENDS = re.compile(r"[\s;&|<>()#]")
"""What would have a meaning in a subscript, if it were none."""
_NOT_ALIKE = re.compile(r"#|<<|[<>]\(|\bcase\b")
"""What has a meaning in a group of commands and none in a pattern."""
_BEHIND = re.compile(r"[\s;&|<>)]|\Z")
"""What may stand behind a group of commands."""
_IS_LIST = re.compile(r"=(?:\\\n)*\(")
"""A list where none may be: bash takes it for an error, and goes on with the next line."""
_PROCESS = re.compile(r"[<>]\(")
_DOCUMENT = re.compile(r"<(?:\\\n)*<(?!<)")
_UNSURE_SUM = re.compile(r"\$(?:\\\n)*\{|[()\n]")
_QUOTED_WITHIN = re.compile(r"\$(?:\\\n)*\{[^{}]*['\"]")
Place = Literal["", "assigns", "perhaps", "matches", "listed"]
"""Where a word stands: where `name[…]=` may be, or perhaps may be; where a pattern is; in `name=( … )`."""
_ANSI_C = re.compile(
    r"[^'\\]+|\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3})|([abeEfnrtv\\'\"?])|(c.|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|.))",
    re.DOTALL,
)
_LETTERS = dict(zip("abeEfnrtv", "\a\b\x1b\x1b\f\n\r\t\v", strict=True))


class WordReader:
    """Reads words of a text: each method takes a place and gives the one behind what it read."""

    def __init__(self, text: str, depth: int = 0, steps: Steps | None = None) -> None:
        self.text, self.depth = text, depth
        self.steps = steps or Steps(text)
        self.is_measuring = False
        """Whether only the end is looked for, and the commands are read later."""
        self.goes_on = False
        """Whether what was expanded last is not closed in its text."""
        self.is_open = False
        """Whether a quote, a group or a here-document goes on behind the end."""

    def nested(self, at: int, *, substituted: bool = True) -> int:
        """Commands in parentheses that were opened just before."""
        raise NotImplementedError

    def read_commands(self, text: str) -> None:
        """Read the commands of a text that stands within this one."""
        raise NotImplementedError

    def read_expansions(self, text: str) -> Word:
        """Read a text in which bash only expands, and runs what it must for that."""
        raise NotImplementedError

    def drop_line(self, at: int) -> int:
        """Go on with the next line, as bash does with a list that is broken."""
        raise NotImplementedError

    @contextmanager
    def level(self) -> Iterator[None]:
        """One level deeper."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise TooDeep
        yield
        self.depth -= 1

    def closing(self, at: int) -> int | None:
        """Behind which place the parenthesis is closed that was opened just before; None if it is not.

        So bash looks for it where there may be no commands: by quotes and expansions, without comments.
        """
        raise NotImplementedError

    def word(self, at: int, *, place: Place = "") -> tuple[Word, int]:
        """The word that begins here, and where it ends."""
        word, text, is_glued = Word(), self.text, False
        word.is_assigned = _IS_SET.match(text, at) is not None
        at = self.subscript(word, at, place)
        while at < len(text):
            char = text[at]
            if char in "<>" and text.startswith("(", at + 1):
                start, at = at, self.nested(at + 2)
                word.expand(text[start:at])
            elif char == "(" and is_glued and self.is_pattern(word, at, place):
                start, at = at, self.brackets(Word(), at + 1, "()")
                if place != "matches" and _IS_LIST.search(text, start, at):
                    raise TooDeep
                word.expand(text[start:at])
            elif char == "(" and ASSIGNED.fullmatch(word.text):
                if place == "listed":
                    raise TooDeep
                at = self.array(word, at + 1)
                if not _BEHIND.match(text, at):  # the list is a part of a longer word
                    raise TooDeep
            elif char in " \t\n;&|<>()":
                break
            else:
                start, at = at, self.piece(word, at)
                word.pieces += 1
                if not text.startswith("\\\n", start):
                    is_glued = text[at - 1 : at] in _GLUED and text[start] != "\\"
        return word, at

    def subscript(self, word: Word, at: int, place: Place) -> int:
        """The `name[…]` that may begin a word; where bash may read none, both must come to the same."""
        if place == "listed":
            name = _LISTED.match(self.text, at)
        else:
            name = _SUBSCRIPTED.match(self.text, at) if place in ("assigns", "perhaps") else None
        if name is None:
            return at
        word.add(name[0].replace("\\\n", ""))
        end = self.brackets(word, name.end())
        word.is_assigned = _IS_SET_THERE.match(self.text, end) is not None
        is_sure = place == "assigns" and word.is_assigned
        if not is_sure and _ENDS.search(self.text, name.end(), end):
            raise TooDeep
        return end

    def is_pattern(self, word: Word, at: int, place: Place) -> bool:
        """Whether a `(` behind one of `?*+@!` opens a pattern. If not, bash takes it for an error, or `!` for not."""
        if place == "listed":  # a list with an error is dropped, and the next line runs
            raise TooDeep
        if place == "matches" or word.is_quoted or word.text != "!":
            return True
        end = self.closing(at + 1)
        if end is not None and (
            _NOT_ALIKE.search(self.text, at, end) or not _BEHIND.match(self.text, end)
        ):
            raise TooDeep
        return False

    def piece(self, word: Word, at: int) -> int:
        """One piece of a word: in quotes, expanded, or plain."""
        text, char = self.text, self.text[at]
        self.steps.take()
        if plain := _PLAIN.match(text, at):
            word.add(plain[0])
            return plain.end()
        if char == "$":
            return self.dollar(word, at)
        if char == "`":
            return self.backticks(word, at)
        if text.startswith("\\\n", at):
            return at + 2
        word.is_quoted = True
        if char == '"':
            return self.double(word, at + 1)
        if char == "\\":
            word.add(text[at + 1 : at + 2] or char)
            return at + 2
        close = text.find("'", at + 1)
        self.is_open |= close < 0
        word.add(text[at + 1 : close if close >= 0 else None])
        return close + 1 or len(text)

    def double(self, word: Word, at: int, quote: str = '"') -> int:
        """Text in double quotes; without a quote, a text that is expanded in the same way."""
        text = self.text
        while at < len(text):
            self.steps.take()
            char = text[at]
            if plain := _IN_QUOTES.match(text, at):
                word.add(plain[0])
                at = plain.end()
            elif char == quote:
                return at + 1
            elif char == "$":
                at = self.dollar(word, at, in_quotes=True)
            elif char == "`":
                at = self.backticks(word, at)
            elif char == "\\":
                word.add(_unescaped(text[at : at + 2], quote))
                at += 2
            else:
                word.add(char)
                at += 1
        self.is_open |= bool(quote)
        return at

    def dollar(self, word: Word, at: int, *, in_quotes: bool = False) -> int:
        """What a `$` begins; the end of a line may stand behind it."""
        text, joined = self.text, _JOINED.match(self.text, at + 1)
        then = joined.end() if joined else at + 1
        sign = text[then : then + 1]
        if text.startswith("((", then) and (end := self.sum_end(then + 2)):
            self.read_expansions(text[then + 2 : end])
            end += 2
        elif sign == "(":
            end = self.substituted(then + 1)
        elif sign == "{":
            end = self.braces(then + 1, in_quotes=in_quotes)
        elif sign in ("'", '"') and not in_quotes:
            word.is_quoted = True
            return self.double(word, then + 1) if sign == '"' else self.ansi_c(word, then + 1)
        elif sign == "[":
            end = self.old_sum(then + 1)
        elif name := _VARIABLE.match(text, then):
            end = name.end()
        else:
            word.add("$")
            return at + 1
        word.expand(text[at:end])
        return end

    def same_end(self, at: int, end: int) -> None:
        """Give up if what ends here for one of two readings does not for the other."""
        if (self.closing(at) or len(self.text) + 1) != min(end, len(self.text) + 1):
            raise TooDeep

    def substituted(self, at: int) -> int:
        """`$( … )`; bash looks otherwise for the end of what begins as a sum does."""
        end = self.nested(at)
        if self.text.startswith("(", at):
            self.same_end(at, end)
        elif CUT_SUM.match(self.text, at):
            raise TooDeep
        return end

    def braces(self, at: int, *, in_quotes: bool) -> int:
        """`${…}`, in which there may be anything."""
        text, first, inner = self.text, at, Word()
        runs = text[first : first + 1] in (" ", "\t", "\n", "|")  # in newer shells
        measured, self.is_measuring = self.is_measuring, self.is_measuring or runs
        with self.level():
            while at < len(text) and text[at] != "}":
                self.steps.take()
                if text[at] == "'" and in_quotes:
                    at = self.paired(at + 1)
                elif text[at] in "'\"\\$`":
                    at = self.piece(inner, at)
                elif _PROCESS.match(text, at):
                    if in_quotes:  # bash runs it in a sum and behind `?`, and not in quotes
                        raise TooDeep
                    at = self.nested(at + 2)
                else:
                    at += 1
        self.is_measuring = measured
        self.is_open |= at >= len(text)
        if runs:
            self.read_commands(text[first:at].lstrip("|"))
        return at + 1

    def paired(self, at: int) -> int:
        """Text in single quotes in `"${…}"`: they hide its end, but not what is expanded."""
        close = self.text.find("'", at)
        end = close if close >= 0 else len(self.text)
        self.is_open |= close < 0
        self.read_expansions(self.text[at:end])
        if self.goes_on and close >= 0:  # behind the quote, as bash reads it
            raise TooDeep
        return end + 1

    def backticks(self, word: Word, at: int) -> int:
        """Commands in backticks, where a backslash takes away the meaning of three signs."""
        found = _BACKTICKS.match(self.text, at)
        assert found is not None
        self.is_open |= not found[2]
        self.read_commands(re.sub(r"\\([\\`$])", r"\1", found[1]))
        word.expand(found[0])
        return found.end()

    def array(self, word: Word, at: int) -> int:
        """The words of `name=( … )`; bash reads them twice, which a here-document within does not always survive."""
        text, first = self.text, at
        with self.level():
            while at < len(text) and text[at] != ")":
                self.steps.take()
                if comment := COMMENT.match(text, at):
                    at = comment.end()
                elif text[at] in " \t\n":
                    at += 1
                else:
                    each, end = self.word(at, place="listed")
                    if end == at:  # a sign of the shell cannot stand there
                        return self.drop_line(at)
                    word.parts += [(" ", False), *each.parts]
                    at = end
        if _DOCUMENT.search(text, first, at):
            raise TooDeep
        self.is_open |= at >= len(text)
        word.expand(")")
        return at + 1

    def old_sum(self, at: int) -> int:
        """`$[ … ]`, a sum in its old form; bash may end it elsewhere, or look for its end in vain and go on."""
        end = self.brackets(Word(), at, is_sum=True)
        if not self.text.startswith("]", end - 1) or _UNSURE_SUM.search(self.text, at, end):
            raise TooDeep
        return end

    def brackets(self, word: Word, at: int, pair: str = "[]", *, is_sum: bool = False) -> int:
        """`name[…]` up to its last bracket, or another pair, in which signs of the shell have no meaning."""
        text, open_ones = self.text, 1
        with self.level():
            while at < len(text) and open_ones:
                self.steps.take()
                if is_sum and text[at] == "$":
                    at = self.dollar(word, at, in_quotes=True)
                elif text[at] in ('"\\$`' if is_sum else "'\"\\$`"):
                    at = self.piece(word, at)
                elif pair == "()" and not self.is_measuring and _PROCESS.match(text, at):
                    at = self.nested(at + 2)
                else:
                    open_ones += (text[at] == pair[0]) - (text[at] == pair[1])
                    word.add(text[at])
                    at += 1
        self.is_open |= bool(open_ones)
        return at

    def sum_end(self, at: int) -> int | None:
        """Where the sum ends whose two parentheses were opened just before; None if it is no sum."""
        text, end = self.text, self.closing(at)
        if end is None:
            return None
        if text.startswith("\\\n", end) or _QUOTED_WITHIN.search(text, at, end):
            raise TooDeep  # its end may be another
        return end - 1 if text.startswith(")", end) else None

    def ansi_c(self, word: Word, at: int) -> int:
        """The text of `$'…'`; it counts as expanded where not every shell reads it alike."""
        parts, is_sure = [], True
        while found := _ANSI_C.match(self.text, at):
            hexadecimal, octal, letter, other = found.groups()
            if hexadecimal or octal:
                code = int(hexadecimal, 16) if hexadecimal else int(octal, 8)
                is_sure &= 0 < code < 128
                parts.append(chr(code))
            else:
                is_sure &= not other
                parts.append(_LETTERS.get(letter, letter) if letter else found[0])
            at = found.end()
        (word.add if is_sure else word.expand)("".join(parts))
        self.is_open |= at >= len(self.text)
        return at + 1


def _unescaped(pair: str, quote: str) -> str:
    """A backslash and the character behind it, as they are read in double quotes."""
    if pair == "\\\n":
        return ""
    return pair[1:] if len(pair) > 1 and pair[1:] in ("\\", "$", "`", quote) else pair
