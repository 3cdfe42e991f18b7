"""The plan's tools as MCP hosts are told of them."""

from __future__ import annotations

import mcp.types as types

from todowright.dialects.definitions import definitions
from todowright.dialects.dialect import Tool

WIDGET = "ui://todowright/plan.html"
VIEW = "plan_view"


def offered(tool: Tool, *, widget: bool) -> types.Tool:
    """A tool of the dialect; with the widget's address for a host that shows widgets."""
    (definition,) = definitions([tool], "mcp")
    if widget:
        definition["_meta"] = {"ui": {"resourceUri": WIDGET}}
    return types.Tool.model_validate(definition)


def view_of_widget() -> types.Tool:
    """What the widget itself calls; no model sees it."""
    return types.Tool(
        name=VIEW,
        description="The plan for its widget.",
        input_schema={"type": "object", "properties": {}},
        annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
        _meta={"ui": {"resourceUri": WIDGET, "visibility": ["app"]}},
    )
