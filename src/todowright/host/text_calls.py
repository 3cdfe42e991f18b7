"""Calls that a model wrote into its text, as small local models do, in place of making them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from todowright.host.text_tags import READER, Schemas, after_space, tagged_call
from todowright.text import encodable

_OPENING = re.compile(
    r"(?P<fence>`{3,})(?:json|xml|tool_calls?|)(?![a-z_])|<(?P<tag>tool_calls?|function_calls?|tools)>",
    re.IGNORECASE,
)
_ARGUMENTS = ("arguments", "parameters", "input")
_BESIDE = {"type", "id"}
"""What may stand beside the name and the arguments: some models copy the form of an API."""
MOST = 50
"""Calls of one answer: a model that writes more of them repeats itself."""
_DEEPEST = 2
"""Fences and tags around a call: a tag in a fence, and nothing more."""


@dataclass(frozen=True, slots=True)
class TextCall:
    """A call that was written as text."""

    name: str
    arguments: dict[str, Any]


def calls_in_text(
    text: str, names: Iterable[str] | Schemas, *, seen: Iterable[str] = ()
) -> tuple[TextCall, ...]:
    """The calls that an answer is made of, where it is made of nothing else.

    A call is `{"name": …, "arguments": {…}}`, also with `parameters` or `input`, or with the arguments as
    a JSON text. It stands bare, in a code fence or in `<tool_call>`; there may be several, or a list of
    them. Or it has a tag of its own: `<function=NAME>`, `<invoke name="NAME">` or `<NAME>`, with the arguments as JSON
    or in a tag each. Any other word around them, or a name that is not one of `names`, makes all of it prose: then
    there are none.

    `names` are the tools that are offered. As a mapping it has the schema of each, which tells what is a
    text in a tag and what is JSON. `seen` are the texts that the model was given. A call that stands in one of them is quoted,
    not meant.
    """
    offered: Schemas = names if isinstance(names, Mapping) else {name: {} for name in names}
    found: list[TextCall] = []
    sources: list[str] = []
    try:
        for written, source in _written(text, offered):
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


def _written(text: str, offered: Schemas) -> Iterator[tuple[list[Any], str]]:
    """The calls of a text that has nothing else but fences and tags, each value of JSON or tag with its source.

    Each character is looked at once. A last fence or tag around calls may be open: some servers cut its end off.
    """
    closings: list[str] = []
    at = after_space(text, 0)
    while at < len(text):
        if closings and text.startswith(closings[-1], at):
            at += len(closings.pop())
        elif len(closings) < _DEEPEST and (opening := _OPENING.match(text, at)):
            closings.append(opening["fence"] or f"</{opening['tag']}>")
            at = opening.end()
        elif tagged := tagged_call(text, at, offered):
            name, arguments, end = tagged
            yield [{"name": name, "arguments": arguments}], text[at:end]
            at = end
        else:
            doubled = text.startswith("{{", at)  # as the template of some models shows a call
            value, end = READER.raw_decode(text, at + doubled)
            yield value if type(value) is list else [value], text[at + doubled : end]
            if doubled and not text.startswith("}", end := after_space(text, end)):
                raise ValueError("the second brace is open")
            at = end + doubled
        at = after_space(text, at)


def _call(value: Any, names: Schemas) -> TextCall:
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
        arguments = READER.decode(arguments)
    if type(arguments) is not dict or _is_schema(arguments):
        raise ValueError("it has no arguments")
    if not encodable(json.dumps(arguments, ensure_ascii=False, allow_nan=False)):
        raise ValueError("its text cannot be written")
    return TextCall(value["name"], arguments)


def _is_schema(arguments: dict[str, Any]) -> bool:
    """Whether these are not arguments, but the definition of them, as a tool is offered."""
    return arguments.get("type") == "object" and type(arguments.get("properties")) is dict


def _squeezed(text: str) -> str:
    return "".join(text.split())
