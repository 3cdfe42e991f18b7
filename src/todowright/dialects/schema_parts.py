"""The pieces that the JSON schemas of all dialects are made of, from the same fields that the checker reads.

A dialect *publishes* what its model reads. The *complete* schema adds every rule that the checker
knows, for hosts that hold a model's decoding to the schema, and for the test that both agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from todowright.plan.model import LONGEST_TEXT

Schema = dict[str, Any]
_SURROGATE = {"not": {"pattern": "[\ud800-\udfff]"}}


def described(schema: Schema, description: str) -> Schema:
    """The schema with its description, where it has one."""
    return schema | {"description": description} if description else schema


def an_object(properties: Schema, required: Sequence[str] = (), *, closed: bool = False) -> Schema:
    """An object; `closed` if it may have no other keys."""
    schema: Schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = list(required)
    return schema | {"additionalProperties": False} if closed else schema


def published_text(limit: int | None) -> Schema:
    """A text that is not blank."""
    schema: Schema = {"type": "string", "minLength": 1, "pattern": r"\S"}
    return schema if limit is None else schema | {"maxLength": limit}


def complete_text(limit: int | None, *, trimmed: bool, optional: bool = False) -> Schema:
    """A text by every rule that the checker knows; one that is `optional` may be blank."""
    length = _length(limit or LONGEST_TEXT, trimmed=trimmed, optional=optional)
    return {"type": "string"} | _SURROGATE | length


def at_most(key: str, values: Sequence[str], limit: int) -> Schema:
    """At most so many items whose key has one of these values."""
    wanted: Schema = {"const": values[0]} if len(values) == 1 else {"enum": list(values)}
    found = {"required": [key], "properties": {key: wanted}}
    return {"contains": found, "minContains": 0, "maxContains": limit}


def limited(
    schema: Schema, keys: Sequence[str], most_items: int | None, longest: int | None
) -> Schema:
    """The schema of an object whose texts, or lists of texts, under these keys show the limits."""
    properties = dict(schema["properties"])
    text = {} if longest is None else {"maxLength": longest}
    for key in keys:
        found = properties[key]
        if found["type"] == "array":
            found = {**found, "items": found["items"] | text}
            properties[key] = found if most_items is None else found | {"maxItems": most_items}
        else:
            properties[key] = found | text
    return {**schema, "properties": properties}


def _length(limit: int, *, trimmed: bool, optional: bool) -> Schema:
    if not trimmed:
        blank = {} if optional else {"minLength": 1, "pattern": r"\S"}
        return {"maxLength": limit} | blank
    inside = rf"(?:[\s\S]{{0,{limit - 2}}}\S)?" if limit > 1 else ""
    words = rf"(?:\S{inside})?" if optional else rf"\S{inside}"
    return {"pattern": rf"^\s*{words}\s*$"}
