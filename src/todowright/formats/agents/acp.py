"""The plan of the Agent Client Protocol, in its first and second version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from todowright.errors import Unreadable
from todowright.formats.format import WITHOUT_CANCELLED, Holds, Payload
from todowright.formats.items import Notes
from todowright.formats.list_format import FOUR, PRIORITIES, ListFormat
from todowright.formats.markdown import read_checklist
from todowright.formats.reading import Reading, ToolCall
from todowright.plan.model import Plan
from todowright.text import shown


@dataclass(frozen=True, kw_only=True, eq=False)
class _First(ListFormat):
    def read(self, call: ToolCall) -> Reading:
        """Qwen Code puts the ids of its items into `_meta`."""
        given = call.arguments
        rows = given.get("entries") if isinstance(given, Mapping) else None
        if not isinstance(rows, list):
            return super().read(call)
        return super().read(ToolCall("", {"entries": [_with_meta(row) for row in rows]}))

    def write(self, plan: Plan) -> Payload:
        arguments, kept = self.arguments(plan)
        return _message({"sessionUpdate": "plan", **arguments}), kept


@dataclass(frozen=True, kw_only=True, eq=False)
class _Second(ListFormat):
    """Plans have an id and a type here; `items` is the one with entries."""

    def read(self, call: ToolCall) -> Reading:
        if call.tool == "plan_removed":
            return Reading("", "all")
        plan = call.arguments.get("plan") if isinstance(call.arguments, Mapping) else None
        if not isinstance(plan, Mapping):
            raise Unreadable("a plan_update has a 'plan' with entries")
        kind = plan.get("type", "items")
        if kind == "markdown" and isinstance(plan.get("content"), str):
            notes = Notes()
            todos, heading = read_checklist(plan["content"], notes, rich=True)
            return Reading("", "all", todos, (), heading or None, notes.lines)
        if kind != "items":
            raise Unreadable(f"a plan of the type '{shown(kind)}' has no entries that can be read")
        return super().read(ToolCall("", {"entries": plan.get("entries")}))

    def likeness(self, call: ToolCall) -> int:
        given = call.arguments
        inner = given.get("plan") if isinstance(given, Mapping) else None
        return 20 if isinstance(inner, Mapping) or call.tool == "plan_removed" else 0

    def write(self, plan: Plan) -> Payload:
        arguments, kept = self.arguments(plan)
        inner = {"type": "items", "planId": "main", **arguments}
        return _message({"sessionUpdate": "plan_update", "plan": inner}), kept


def _with_meta(row: object) -> object:
    meta = row.get("_meta") if isinstance(row, Mapping) else None
    more = meta.get("qwenTodo") if isinstance(meta, Mapping) else None
    if not isinstance(row, Mapping) or not isinstance(more, Mapping):
        return row
    return {**row, **{key: more[key] for key in ("id", "blockedBy") if key in more}}


def _message(update: dict[str, Any]) -> dict[str, Any]:
    """As an agent sends it; `sessionId` is the client's own."""
    return {"method": "session/update", "params": {"update": update}}


FORMATS = (
    _First(
        name="acp",
        agent="Agent Client Protocol, version 1",
        description="`session/update` with a `plan`: content, status, priority",
        tools=("plan",),
        holds=Holds(
            statuses=WITHOUT_CANCELLED,
            extras=("priority",),
            choices={"priority": PRIORITIES},
            fills=("priority",),
        ),
        list_key="entries",
        extras={"priority": "priority"},
        defaults={"priority": "medium"},
    ),
    _Second(
        name="acp-2",
        agent="Agent Client Protocol, version 2",
        description="`session/update` with a `plan_update`: content, status (others behind `_`), priority",
        tools=("plan_update", "plan_removed"),
        holds=Holds(
            states=None,
            extras=("priority",),
            choices={"priority": PRIORITIES},
            fills=("priority",),
        ),
        list_key="entries",
        words=FOUR,
        state_word="_{}",
        extras={"priority": "priority"},
        defaults={"priority": "medium"},
    ),
)
