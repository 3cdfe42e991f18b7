"""Tools as each API wants them defined, in plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from todowright.dialects.dialect import Tool
from todowright.errors import UnknownName
from todowright.text import shown

Definition = dict[str, Any]

_GEMINI_KEYWORDS = {
    "anyOf", "default", "description", "enum", "example", "format", "items", "maxItems", "maxLength", "maxProperties",
    "maximum", "minItems", "minLength", "minProperties", "minimum", "nullable", "pattern", "properties",
    "propertyOrdering", "required", "title", "type",
}  # fmt: skip
"""What Gemini's `Schema` has. Any other keyword is an error there, `additionalProperties` and `contains` too."""


def definitions(tools: Iterable[Tool], api: str) -> list[Definition]:
    """The tools for the `tools` of a request: `anthropic`, `openai` (Chat Completions), `responses`, `gemini`; or `mcp`."""
    one = _SHAPES.get(api) if isinstance(api, str) else None  # type: ignore[redundant-expr]
    if one is None:
        known = ", ".join(_SHAPES)
        raise UnknownName(f"no API is called '{shown(api)}': use one of {known}")
    found = [deepcopy(one(tool)) for tool in tools]
    return [{"functionDeclarations": found}] if api == "gemini" else found


def _anthropic(tool: Tool) -> Definition:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}


def _function(tool: Tool) -> Definition:
    return {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}


def _openai(tool: Tool) -> Definition:
    return {"type": "function", "function": _function(tool)}


def _responses(tool: Tool) -> Definition:
    # Strict unless told otherwise, and then every key would be required.
    return {"type": "function", **_function(tool), "strict": False}


def _gemini(tool: Tool) -> Definition:
    return {**_function(tool), "parameters": _as_gemini(tool.input_schema)}


def _as_gemini(schema: Definition) -> Definition:
    """The part of a schema that Gemini takes."""
    found = {key: value for key, value in schema.items() if key in _GEMINI_KEYWORDS}
    if "properties" in found:
        found["properties"] = {key: _as_gemini(value) for key, value in found["properties"].items()}
    if "items" in found:
        found["items"] = _as_gemini(found["items"])
    if "anyOf" in found:
        found["anyOf"] = [_as_gemini(each) for each in found["anyOf"]]
    if "enum" in found:  # it takes no empty text there; leaving the key out means the same
        found["enum"] = [each for each in found["enum"] if each != ""]
    if isinstance(found.get("type"), list):
        types = [each for each in found["type"] if each != "null"]
        found |= {"type": types[0], "nullable": len(types) < len(found["type"])}
    return found


def _mcp(tool: Tool) -> Definition:
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "annotations": {
            "title": tool.name.replace("_", " ").capitalize(),
            "readOnlyHint": tool.read_only,
            "destructiveHint": False,
            "idempotentHint": tool.idempotent,
            "openWorldHint": False,
        },
    }


_SHAPES: dict[str, Callable[[Tool], Definition]] = {
    "anthropic": _anthropic,
    "openai": _openai,
    "responses": _responses,
    "gemini": _gemini,
    "mcp": _mcp,
}
