"""Calls in tags, as small local models write them: `<function=plan>…</function>`, `<plan><steps>…</steps></plan>`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

READER = json.JSONDecoder(strict=False)
"""Takes line breaks inside a text, too: models write the content of a file so."""
_NAME = r"[\w.-]{1,64}"
_TOOL = re.compile(rf'<function=({_NAME})>|<(function|invoke) name="({_NAME})">|<({_NAME})>')
_KEY = re.compile(rf'<parameter=({_NAME})>|<parameter name="({_NAME})">|<({_NAME})>')
_ITEM = re.compile(rf"\s*<({_NAME})>(.*?)</\1>\s*", re.DOTALL)
_SPACE = re.compile(r"\s*")
_LINE_ENDS = re.compile(r"\A[ \t]*\r?\n|\r?\n[ \t]*\Z")
"""The line break behind a tag and the one before the next: they are layout, not part of the value."""

Schemas = Mapping[str, Mapping[str, Any]]
"""The tools that are offered, each with the schema of its arguments; an empty one where that is not known."""


def tagged_call(text: str, at: int, schemas: Schemas) -> tuple[str, dict[str, Any], int] | None:
    """The call that begins here: its tool, its arguments, and where it ends. None if no tag of a tool is here.

    Raises ValueError where the tag holds more than a call, or less. The arguments are an object of JSON, or each
    has a tag of its own; what is no text by the schema is read as JSON. No character is looked at more often than the tags
    around it are deep.
    """
    opening = _TOOL.match(text, at)
    if opening is None:
        return None
    plain = opening[4]
    name = opening[1] or opening[3] or plain
    if name not in schemas:
        if plain:
            return None
        raise ValueError("it names no tool that is offered")
    closing = f"</{plain or opening[2] or 'function'}>"
    at = after_space(text, opening.end())
    if text.startswith("{", at):
        arguments, at = READER.raw_decode(text, at)
    else:
        arguments, at = _parameters(text, at, _types(schemas[name]), closing)
        if plain and not arguments:
            raise ValueError("it says nothing")
    at = after_space(text, at)
    if not text.startswith(closing, at):
        raise ValueError("there is more in it than a call")
    return name, arguments, at + len(closing)


def after_space(text: str, at: int) -> int:
    """Where the next character stands that is no white space."""
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _types(schema: Mapping[str, Any]) -> dict[str, object] | None:
    """The type of each argument; None where they are not known."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return None
    return {key: _type(each) for key, each in properties.items()}


def _type(schema: object) -> object:
    """The type that a schema names; a text, where it may be one; None where it names none."""
    named = schema.get("type") if isinstance(schema, Mapping) else None
    if isinstance(named, list):
        return "string" if "string" in named else None
    return named


def _parameters(
    text: str, at: int, types: dict[str, object] | None, closing: str
) -> tuple[dict[str, Any], int]:
    """The arguments that have a tag each, up to the tag that closes the call."""
    found: dict[str, Any] = {}
    while not text.startswith(closing, at):
        opening = _KEY.match(text, at)
        if opening is None:
            raise ValueError("there are words between the arguments")
        key = opening[1] or opening[2] or opening[3]
        if key in found or (types is not None and key not in types):
            raise ValueError("it has an argument twice, or one that the tool has not")
        end_tag = f"</{opening[3] or 'parameter'}>"
        end = text.index(end_tag, opening.end())  # ValueError where it is open
        found[key] = _value(text[opening.end() : end], types and types[key])
        at = after_space(text, end + len(end_tag))
    return found, at


def _value(text: str, kind: object) -> Any:
    """An argument: as it stands where it is a text, else JSON, or a list with a tag for each item."""
    if kind == "string":
        return _LINE_ENDS.sub("", text)
    try:
        value = READER.decode(text.strip())
    except ValueError:
        if kind in ("array", None) and (items := _items(text)):
            return items
        if kind is None:
            return _LINE_ENDS.sub("", text)
        raise
    if kind is None and not isinstance(value, (list, dict)):
        return _LINE_ENDS.sub("", text)
    return value


def _items(text: str) -> list[str]:
    """The texts of a list in which each item has the same tag; empty if it is none."""
    items, tags, at = [], set(), 0
    while found := _ITEM.match(text, at):
        items.append(found[2].strip())
        tags.add(found[1])
        at = found.end()
    return items if at == len(text) and len(tags) == 1 else []
