"""Calls that a model wrote into its text, as small local models do, in place of making them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from todowright.text import encodable

_OPENING = re.compile(
    r"(?P<fence>`{3,})(?:json|tool_calls?|)(?![a-z_])|<(?P<tag>tool_calls?|function_call|tools)>",
    re.IGNORECASE,
)
_SPACE = re.compile(r"\s*")
_READER = json.JSONDecoder(strict=False)
"""Takes line breaks inside a text, too: models write the content of a file so."""
_ARGUMENTS = ("arguments", "parameters", "input")
_BESIDE = {"type", "id"}
"""What may stand beside the name and the arguments: some models copy the form of an API."""
MOST = 50
"""Calls of one answer: a model that writes more of them repeats itself."""


@dataclass(frozen=True, slots=True)
class TextCall:
    """A call that was written as text."""

    name: str
    arguments: dict[str, Any]


def calls_in_text(
    text: str, names: Iterable[str], *, seen: Iterable[str] = ()
) -> tuple[TextCall, ...]:
    """The calls that an answer is made of, where it is made of nothing else.

    A call is `{"name": …, "arguments": {…}}`, also with `parameters` or `input`, or with the arguments as
    a JSON text. It stands bare, in a code fence or in `<tool_call>`; there may be several, or a list of
    them. Any other word around them, or a name that is not one of `names`, makes all of it prose: then
    there are none.

    `seen` are the texts that the model was given. A call that stands in one of them is quoted, not meant.
    """
    offered = frozenset(names)
    found: list[TextCall] = []
    sources: list[str] = []
    try:
        for value, source in _values(text):
            written = value if type(value) is list else [value]
            found += [_call(each, offered) for each in written]
            sources += [source, *(json.dumps(each, ensure_ascii=False) for each in written)]
            if len(found) > MOST:
                return ()
    except (ValueError, RecursionError):  # no JSON, or no call; or too deep to be one
        return ()
    quoted = {_squeezed(source) for source in sources}
    if found and any(source in told for told in map(_squeezed, seen) for source in quoted):
        return ()
    return tuple(found)


def _values(text: str) -> Iterator[tuple[Any, str]]:
    """The JSON values of a text that has nothing else but fences and tags, each with its source.

    Each character is looked at once. A last fence or tag may be open: some servers cut its end off.
    """
    closing, at = "", _after_space(text, 0)
    while at < len(text):
        if closing and text.startswith(closing, at):
            at, closing = at + len(closing), ""
        elif not closing and (opening := _OPENING.match(text, at)):
            closing, at = opening["fence"] or f"</{opening['tag']}>", opening.end()
        else:
            doubled = text.startswith("{{", at)  # as the template of some models shows a call
            value, end = _READER.raw_decode(text, at + doubled)
            yield value, text[at + doubled : end]
            if doubled and not text.startswith("}", end := _after_space(text, end)):
                raise ValueError("the second brace is open")
            at = end + doubled
        at = _after_space(text, at)


def _call(value: Any, names: frozenset[str]) -> TextCall:
    """The call that a value is; raises ValueError where it is none."""
    if type(value) is dict and value.keys() - _BESIDE == {"function"}:
        value = value["function"]
    if type(value) is not dict or type(value.get("name")) is not str:
        raise ValueError("it is no call")
    if value["name"] not in names:
        raise ValueError("it names no tool that is offered")
    keys = [key for key in _ARGUMENTS if key in value]
    if len(keys) != 1 or value.keys() - _BESIDE != {"name", keys[0]}:
        raise ValueError("it has more than a call, or less")
    arguments = value[keys[0]]
    if type(arguments) is str:
        arguments = _READER.decode(arguments)
    if type(arguments) is not dict or _is_schema(arguments):
        raise ValueError("it has no arguments")
    if not encodable(json.dumps(arguments, ensure_ascii=False, allow_nan=False)):
        raise ValueError("its text cannot be written")
    return TextCall(value["name"], arguments)


def _is_schema(arguments: dict[str, Any]) -> bool:
    """Whether these are not arguments, but the definition of them, as a tool is offered."""
    return arguments.get("type") == "object" and type(arguments.get("properties")) is dict


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _squeezed(text: str) -> str:
    return "".join(text.split())
