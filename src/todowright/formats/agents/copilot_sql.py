"""The tables of Copilot CLI: todos, and which of them depends on which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from todowright.formats.applying import BLOCKED_BY, Op
from todowright.formats.format import WITHOUT_CANCELLED, Holds, Payload
from todowright.formats.items import label_of
from todowright.formats.list_format import ListFormat
from todowright.formats.reading import Reading, ToolCall
from todowright.plan.model import MOST_ITEMS, Plan


@dataclass(frozen=True, kw_only=True, eq=False)
class _Tables(ListFormat):
    """The rows of one table, and pairs of ids from the other."""

    def read(self, call: ToolCall) -> Reading:
        reading, given = super().read(call), call.arguments
        pairs = given.get("dependencies") if isinstance(given, Mapping) else None
        edits = []
        for pair in pairs[:MOST_ITEMS] if isinstance(pairs, list) else ():
            if isinstance(pair, Mapping):
                label = label_of(pair.get("todoId", pair.get("todo_id")))
                waits = label_of(pair.get("dependsOn", pair.get("depends_on")))
                edits.append(Op("change", label, blocked_by=(waits,) if waits else ()))
        return replace(reading, edits=tuple(edits))

    def write(self, plan: Plan) -> Payload:
        found, kept = self.arguments(plan)
        pairs = [
            {"todoId": row["id"], "dependsOn": waits}
            for row in found[self.list_key]
            for waits in row.pop(BLOCKED_BY, ())
        ]
        return {**found, "dependencies": pairs}, kept


FORMAT = _Tables(
    name="copilot-sql",
    agent="Copilot CLI, its database",
    description="`rows` of the table `todos` (id, title, description, status) and `dependencies` between them",
    tools=("session.plan.readSqlTodosWithDependencies",),
    holds=Holds(
        statuses=WITHOUT_CANCELLED,
        states=("blocked",),
        id=True,
        extras=("blockedBy", "description"),
        fills=("id",),
    ),
    list_key="rows",
    content="title",
    words={"pending": "pending", "in_progress": "in_progress", "completed": "done"},
    id="id",
    extras={"blockedBy": "blockedBy", "description": "description"},
)
