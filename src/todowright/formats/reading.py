"""What a call, a message or a text of another agent says of its plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from todowright.formats.applying import Op, Replaced, applied
from todowright.plan.model import Plan, Todo
from todowright.values import value

MOST_NOTES = 20
"""How many notes of several readings are kept."""


@value
class ToolCall:
    """A call of another agent's tool, out of whatever it was wrapped in."""

    tool: str
    """The name of the tool, or the kind of a message; empty where nothing says it."""
    arguments: Any
    result: Any = None
    """What the agent was answered, if that is known: some agents tell the id of a new item only there."""
    id: str = ""
    """The call's own id; empty where it has none."""


@value
class Reading:
    """What was read: a list that replaces the one that stands, or edits of single items, or nothing."""

    format: str = ""
    """The name of the format that it was read by."""
    replaces: Replaced = "nothing"
    """What `todos` take the place of: all items, or those that are not finished."""
    todos: tuple[Todo, ...] = ()
    edits: tuple[Op, ...] = ()
    """Made one after the other, on top of that."""
    summary: str | None = None
    """A text about the whole plan; None where it says nothing of that."""
    notes: tuple[str, ...] = ()
    """What was left out or mended, each in one line."""
    counted: bool = False
    """Whether a new item without an id gets the next number as its id, as its agent does it."""
    focus_first: bool = False
    """Whether the first open item is the one in progress: its agent has no word for that."""
    call: ToolCall | None = None
    """The call that it was read from."""

    @property
    def changes(self) -> bool:
        """Whether it says anything of a plan; False for a call that only looks at it."""
        return self.replaces != "nothing" or bool(self.edits) or self.summary is not None

    @property
    def plan(self) -> Plan:
        """The plan that it makes where there was none."""
        return self.on(Plan())

    def on(self, plan: Plan) -> Plan:
        """The plan that it makes of another."""
        todos, _ = self.applied(plan.todos, plan.issued)
        summary = plan.summary if self.summary is None else self.summary
        return replace(plan, todos=tuple(todos), summary=summary)

    def applied(self, todos: Sequence[Todo], issued: int = 0) -> tuple[list[Todo], list[str]]:
        """The todos that it makes of others, with their numbers; and what could not be done, each in one line."""
        return applied(
            self.edits,
            todos,
            issued,
            sent=self.todos,
            replaces=self.replaces,
            counted=self.counted,
            focus_first=self.focus_first,
        )

    def then(self, later: Reading) -> Reading:
        """The two as one, the other one made on top of this."""
        return together((self, later))


def together(readings: Iterable[Reading]) -> Reading:
    """Readings as one that has the same outcome, each made on top of those before it."""
    last, edits, notes = Reading(), list[Op](), list[str]()
    for each in readings:
        notes += each.notes
        if each.replaces == "open":
            before = replace(last, edits=tuple(edits)).plan.todos
            kept = tuple(todo for todo in before if todo.closed)
            each = replace(each, replaces="all", todos=(*kept, *each.todos))
        if each.replaces == "all":
            summary = last.summary if each.summary is None else each.summary
            last, edits = replace(each, summary=summary), list(each.edits)
            continue
        edits += each.edits
        last = replace(
            last,
            format=each.format,
            summary=last.summary if each.summary is None else each.summary,
            counted=last.counted or each.counted,
            focus_first=each.focus_first or last.focus_first,
            call=each.call,
        )
    return replace(last, edits=tuple(edits), notes=tuple(notes[:MOST_NOTES]))


NOTHING = Reading()
"""What a call says that only looks at the plan."""
