"""JSON in a command line: where it begins and ends, however a model quotes it."""

from __future__ import annotations

import json
import re

_DECODER = json.JSONDecoder()
_FOLLOWS = re.compile(r"\r?(?:\Z|\n)|[;&|<>)]|(?:[ \t]|\\\n)+(?:\r?(?:\Z|\n)|[;&|<>)#]|\d+[<>])")
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SPACE = re.compile(r"\s*")
_DOCUMENT = re.compile(
    r"""\"\$\([ \t]*cat[ \t]*<<(?P<tabs>-?)[ \t]*(?P<quote>['"\\]?)(?P<word>[\w.-]+)['"]?[ \t]*\n"""
)
_CLOSED = re.compile(r"\s*\)\"")


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def looks_like_json(text: str, at: int) -> bool:
    """Whether an object or a list begins here, in quotes or without."""
    start = _SPACE.match(text, at + (text[at : at + 1] in ("'", '"')))
    return start is not None and text[start.end() : start.end() + 1] in ("{", "[")


def raw_json(text: str, at: int) -> tuple[str, int] | None:
    """The whole JSON that stands here as it is written, in quotes or without, and where that ends.

    Quotes within its texts need no escapes: it is told apart by its own grammar.
    """
    if not looks_like_json(text, at):
        return None
    quote = text[at] if text[at] in "'\"" else ""
    start = _end_of_space(text, at + len(quote))
    try:
        _, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    value = text[start:end]
    if quote:
        end = _end_of_space(text, end)
        if end < len(text) and text[end] != quote:
            return None
        end = min(end + 1, len(text))
    if re.compile(r"\r(?:\Z|\n)").match(text, end):
        end += 1
    return value, end


def cat_document(text: str, at: int) -> tuple[str, int] | None:
    r"""The text of `"$(cat <<'EOF'\n…\nEOF\n)"`, which means no more than that text, and where it ends."""
    found = _DOCUMENT.match(text, at)
    if found is None:
        return None
    tabs = r"\t*" if found["tabs"] else ""
    ending = re.compile(f"^{tabs}{re.escape(found['word'])}\n", re.MULTILINE).search(
        text, found.end()
    )
    closed = _CLOSED.match(text, ending.end()) if ending else None
    if ending is None or closed is None:
        return None
    body = text[found.end() : ending.start()]
    body = re.sub(r"^\t+", "", body, flags=re.MULTILINE) if found["tabs"] else body
    value = body if found["quote"] else as_meant(body)
    return None if value is None else (value.removesuffix("\n"), closed.end())


def as_meant(document: str) -> str | None:
    """The JSON that a here-document holds: without the backslashes that a shell takes off, or with them."""
    bare = re.sub(r"\\([\\$`])", r"\1", document)
    return next((text for text in (bare, document) if is_json(text)), None)


def unescaped(text: str) -> str:
    """A text without the backslashes that double quotes need."""
    return re.sub(r"\\([\\$`\"\n])", lambda found: found[1].strip("\n"), text)


def ends_well(text: str, at: int) -> bool:
    """Whether an argument may end here: a sign of the shell follows, or nothing."""
    return _FOLLOWS.match(text, at) is not None


def is_balanced(text: str) -> bool:
    """Whether what should be JSON ends where its first bracket is closed."""
    depth, brackets = 0, _STRINGS.sub("", text).strip()
    for number, char in enumerate(brackets):
        depth += (char in "{[") - (char in "}]")
        if not depth and number < len(brackets) - 1:
            return False
    return depth == 0 and '"' not in brackets


def goes_on(text: str) -> bool:
    """Whether more of it may come: a bracket is open, or a quote without any bracket."""
    opened = sum(text.count(char) for char in "{[")
    return opened > sum(text.count(char) for char in "}]") or not opened


def _end_of_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    assert space is not None
    return space.end()
