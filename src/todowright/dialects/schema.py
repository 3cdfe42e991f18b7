"""The JSON schema of a dialect, made from the same fields that the checker reads.

A dialect *publishes* what its model reads. The *complete* schema adds every rule that the checker
knows, for hosts that hold a model's decoding to the schema, and for the test that both agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from todowright.plan.model import LONGEST_TEXT

if TYPE_CHECKING:
    from todowright.dialects.dialect import Dialect
    from todowright.dialects.phrases import Field

_SURROGATE = {"not": {"pattern": "[\ud800-\udfff]"}}


def input_schema(dialect: Dialect, *, complete: bool) -> dict[str, Any]:
    """The schema of the arguments of a dialect that takes the whole list in one call."""
    properties: dict[str, Any] = {}
    if dialect.summary is not None:
        properties[dialect.summary.key] = _text(dialect, dialect.summary, None, complete)
    properties[dialect.list_key] = _list(dialect, complete)
    schema: dict[str, Any] = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
    }
    if dialect.extra_arguments == "refuse":
        schema["additionalProperties"] = False
    return schema


def _list(dialect: Dialect, complete: bool) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "array"}
    if dialect.list_description:
        schema["description"] = dialect.list_description
    schema["items"] = _item(dialect, complete)
    if complete:
        schema["maxItems"] = dialect.most_items
    elif dialect.publish_limits and dialect.max_items is not None:
        schema["maxItems"] = dialect.max_items
    focus = dialect.spellings("in_progress")
    if focus and dialect.max_in_progress is not None and (complete or dialect.publish_limits):
        status = dialect.status_key
        schema["contains"] = {
            "required": [status],
            "properties": {status: {"const": focus[0]} if len(focus) == 1 else {"enum": focus}},
        }
        schema["minContains"] = 0
        schema["maxContains"] = dialect.max_in_progress
    return schema


def _item(dialect: Dialect, complete: bool) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for field in dialect.fields:
        match field.role:
            case "status":
                schema: dict[str, Any] = {"type": "string", "enum": list(dialect.statuses)}
            case "id":
                schema = (
                    {} if complete else {"type": "string"}
                )  # taken, whatever it is, and ignored
            case _:
                schema = _text(dialect, field, dialect.max_length, complete)
        if field.description:
            schema["description"] = field.description
        properties[field.key] = schema
    item: dict[str, Any] = {
        "type": "object",
        "properties": properties,
        "required": [field.key for field in dialect.fields if field.required],
    }
    if dialect.extra_fields == "refuse":
        item["additionalProperties"] = False
    return item


def _text(dialect: Dialect, field: Field, limit: int | None, complete: bool) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    if field.description:
        schema["description"] = field.description
    if complete:
        schema |= _SURROGATE | _length(limit or LONGEST_TEXT, trimmed=dialect.trims)
    elif dialect.publish_limits:
        schema |= {"minLength": 1, "pattern": r"\S"}
        if limit is not None:
            schema["maxLength"] = limit
    return schema


def _length(limit: int, *, trimmed: bool) -> dict[str, Any]:
    if not trimmed:
        return {"minLength": 1, "maxLength": limit, "pattern": r"\S"}
    inside = rf"(?:[\s\S]{{0,{limit - 2}}}\S)?" if limit > 1 else ""
    return {"pattern": rf"^\s*\S{inside}\s*$"}
