"""The plan's tools as MCP hosts are told of them."""

from __future__ import annotations

import mcp.types as types

from todowright.dialects.dialect import Dialect, Tool
from todowright.dialects.list_dialect import ListDialect

WIDGET = "ui://todowright/plan.html"
VIEW = "plan_view"


def offered(dialect: Dialect, tool: Tool, *, widget: bool) -> types.Tool:
    """A tool of the dialect; with the widget's address for a host that shows widgets."""
    hints = types.ToolAnnotations(
        title=tool.name.replace("_", " ").capitalize(),
        read_only_hint=False,
        destructive_hint=False,
        idempotent_hint=isinstance(dialect, ListDialect),
        open_world_hint=False,
    )
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.input_schema,
        annotations=hints,
        _meta={"ui": {"resourceUri": WIDGET}} if widget else None,
    )


def view_of_widget() -> types.Tool:
    """What the widget itself calls; no model sees it."""
    return types.Tool(
        name=VIEW,
        description="The plan for its widget.",
        input_schema={"type": "object", "properties": {}},
        annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
        _meta={"ui": {"resourceUri": WIDGET, "visibility": ["app"]}},
    )
