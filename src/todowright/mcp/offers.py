"""The plan's tools as MCP hosts are told of them."""

from __future__ import annotations

from typing import Any

import mcp.types as types

from todowright.dialects.definitions import definitions
from todowright.dialects.dialect import Tool

WIDGET = "ui://todowright/plan.html"
VIEW, EDIT = "plan_view", "plan_edit"
_WHOSE = {"session": {"type": "string"}, "agent": {"type": "string"}}
_SEEN = {"call": {"type": "integer"}, "seen": {"type": "string"}}
_EDITS = {
    "revision": {"type": "integer"},
    "edits": {"type": "array", "items": {"type": "object"}, "minItems": 1},
}


def offered(tool: Tool, *, widget: bool) -> types.Tool:
    """A tool of the dialect; with the widget's address for a host that shows widgets."""
    (definition,) = definitions([tool], "mcp")
    if widget:
        definition["_meta"] = {"ui": {"resourceUri": WIDGET}}
    return types.Tool.model_validate(definition)


def tools_of_widget() -> list[types.Tool]:
    """What the widget itself calls, for the person who sees it; no model sees them."""
    return [
        _unseen(VIEW, "The plan for its widget.", {**_WHOSE, **_SEEN}, [], reads=True),
        _unseen(EDIT, "A person's edits in the widget.", {**_WHOSE, **_EDITS}, list(_EDITS)),
    ]


def _unseen(
    name: str, about: str, properties: dict[str, Any], required: list[str], *, reads: bool = False
) -> types.Tool:
    """A tool for the widget alone, as the specification of MCP Apps has it: hosts keep it from the model."""
    schema = {"type": "object", "properties": properties}
    return types.Tool(
        name=name,
        description=about,
        input_schema={**schema, "required": required} if required else schema,
        annotations=types.ToolAnnotations(
            read_only_hint=reads, destructive_hint=None if reads else False, open_world_hint=False
        ),
        _meta={"ui": {"resourceUri": WIDGET, "visibility": ["app"]}},
    )
