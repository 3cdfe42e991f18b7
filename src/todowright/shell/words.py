"""The argument of a command line: unquoted as a shell does, or read as the model meant it."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

_HEREDOC = re.compile(
    r"""(?P<outer>"?\$\(\s*cat\s*)?<<(?P<tabs>-?)[ \t]*(?P<quote>['"\\]?)(?P<word>[\w.-]+)['"]?(?P<line>[^\n]*)\n"""
)
_GAP = re.compile(r"^(?:[ \t]|\\\n)*(?:\s*(?=['\"{\[]))?")
"""Before an argument: white space, a continued line, or line breaks that only JSON can follow."""
_OPERATOR = re.compile(r"&&|\|\||[;&|\n]|\d*[<>]|#")
_CODE = re.compile(r"\\(?:[xu]([0-9a-fA-F]{1,4})|([0-7]{1,3}))")
_ANSI_C = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}


class Argument(NamedTuple):
    """What a command was given, and what follows it on the line."""

    text: str | None
    """None where it was given nothing."""
    rest: str
    bare: bool = False
    """Whether it was a plain word, without quotes: only then can it be an option."""


def read_argument(line: str) -> Argument:
    """Take the first argument off a command line."""
    line = _GAP.sub("", line)
    if heredoc := _HEREDOC.match(line):
        return _here_document(line, heredoc)
    if line.startswith("<<<"):
        line = line[3:].lstrip(" \t")
    elif not line.strip() or _OPERATOR.match(line):
        return Argument(None, line)
    word, end = _word(line)
    if end is not None and _is_json(word):
        return Argument(word, line[end:])
    meant = _as_it_was_meant(line)
    if meant is not None:
        return meant
    if line.lstrip("'\"").lstrip()[:1] in ("{", "["):
        return Argument(line.strip(), "")  # broken JSON: where it ends, nobody can tell
    if end is None:  # a quote that never closes: the whole line was meant
        return Argument(line.strip(), "")
    return Argument(word, line[end:], bare=line[0] not in "'\"")


def unfinished(line: str) -> bool:
    """Whether an argument goes on in the next line: an open quote, bracket or here-document."""
    line = _GAP.sub("", line)
    heredoc = _HEREDOC.match(line)
    if heredoc:
        ends = (each.strip() if heredoc["tabs"] else each for each in line.split("\n")[1:])
        return heredoc["word"] not in ends
    if re.match(r"<<-?[ \t]*['\"]?\w+['\"]?[^\n]*$", line):
        return True
    text = read_argument(line).text
    if line.endswith("\\\n"):
        return True
    if text is None or _is_json(text):
        return False
    if line.lstrip("'\"").lstrip()[:1] in ("{", "["):
        return sum(line.count(char) for char in "{[") > sum(line.count(char) for char in "}]")
    return _word(line)[1] is None


def follows_properly(rest: str) -> bool:
    """Whether what follows an argument is an operator of the shell, not more text."""
    rest = rest.lstrip(" \t")
    return not rest or bool(_OPERATOR.match(rest))


def _here_document(line: str, heredoc: re.Match[str]) -> Argument:
    body, rest = [], ""
    lines = line[heredoc.end() :].split("\n")
    for index, each in enumerate(lines):
        if (each.lstrip("\t") if heredoc["tabs"] else each) == heredoc["word"]:
            rest = "\n" + "\n".join(lines[index + 1 :])
            break
        body.append(each)
    if heredoc["outer"]:
        rest = re.sub(r'^\s*\)"?', "", rest)
    text = "\n".join(body)
    if not heredoc["quote"]:  # then a shell takes backslashes off
        bare = re.sub(r"\\([\\$`])", r"\1", text)
        text = bare if _is_json(bare) else text
    return Argument(text, heredoc["line"].strip() + rest)


def _word(line: str) -> tuple[str, int | None]:
    """The first word as a shell unquotes it, and where it ends; None if a quote never closes."""
    parts: list[str] = []
    at = 0
    while at < len(line):
        char = line[at]
        if char.isspace() or char in ";&|<>()":
            break
        if char == "'":
            close = line.find("'", at + 1)
            if close < 0:
                return line, None
            parts.append(line[at + 1 : close])
            at = close + 1
        elif char == '"' or line.startswith("$'", at):
            text, end = _quoted(line, at)
            if end is None:
                return line, None
            parts.append(text)
            at = end
        elif char == "\\":
            parts.append("" if line[at + 1 : at + 2] == "\n" else line[at + 1 : at + 2])
            at += 2
        else:
            parts.append(char)
            at += 1
    return "".join(parts), at


def _quoted(line: str, start: int) -> tuple[str, int | None]:
    """The text in `"…"` or `$'…'` that starts here, and where it ends."""
    ansi = line[start] == "$"
    quote, at = ("'", start + 2) if ansi else ('"', start + 1)
    parts: list[str] = []
    while at < len(line):
        char, following = line[at], line[at + 1 : at + 2]
        if char == quote:
            return "".join(parts), at + 1
        if char == "\\" and ansi and (code := _CODE.match(line, at)):
            parts.append(chr(int(code[1], 16) if code[1] else int(code[2], 8)))
            at = code.end()
        elif char == "\\" and ansi and following in _ANSI_C:
            parts.append(_ANSI_C[following])
            at += 2
        elif char == "\\" and not ansi and following in ('"', "\\", "$", "`", "\n"):
            parts.append("" if following == "\n" else following)
            at += 2
        else:
            parts.append(char)
            at += 1
    return "".join(parts), None


def _as_it_was_meant(line: str) -> Argument | None:
    """JSON that no shell would read as one word: unquoted, or with quotes inside quotes."""
    quote = line[0] if line[0] in "'\"" else ""
    start = len(quote)
    while line[start : start + 1].isspace():
        start += 1
    if line[start : start + 1] not in ("{", "["):
        return None
    try:
        _, end = json.JSONDecoder().raw_decode(line, start)
    except (ValueError, RecursionError):
        return None
    text = line[start:end]
    rest = line[end:]
    if quote and rest.lstrip().startswith(quote):
        rest = rest.lstrip()[1:]
    return Argument(text, rest)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
