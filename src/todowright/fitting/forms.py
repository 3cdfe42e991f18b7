"""How each dialect says a deed: the right call, for the history and as the measure of the judge.

This is the one place to change when the tools of a dialect change.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from shlex import quote
from typing import Any

from todowright.dialects import load_dialect
from todowright.dialects.dialect import Dialect, Tool
from todowright.dialects.list_dialect import ListDialect
from todowright.errors import UnknownName
from todowright.fitting.stages import Deed, Row
from todowright.fitting.tasks import active_form
from todowright.plan.model import Plan, Status, Todo
from todowright.shell.line import NAME, read_line
from todowright.tool.todowrite import TodoWrite

Call = tuple[str, Any]
"""The name of a tool, and the arguments."""
BASH = Tool(
    "bash",
    "Runs a command line, in which the word TodoWrite keeps the task list.",
    {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
)


class Form(ABC):
    """What the judge and the history need of a dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect

    @property
    def name(self) -> str:
        return self.dialect.name

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What the model is offered to keep its plan."""
        return self.dialect.tools

    def todo(self) -> TodoWrite:
        """A tool with an empty plan, in memory."""
        return TodoWrite(self.dialect, environ={})

    @abstractmethod
    def call(self, deed: Deed, rows: Sequence[Row]) -> Call:
        """The right call for a deed, on a plan with these rows."""

    def plan_calls(self, name: str, arguments: object) -> list[Call]:
        """What a call of the model does to the plan: nothing, if it is of another tool."""
        return [(name, arguments)] if name in {tool.name for tool in self.tools} else []


class ListForm(Form):
    """The whole list, whatever the deed."""

    def __init__(self, dialect: ListDialect) -> None:
        super().__init__(dialect)
        self._arguments = dialect.arguments
        knows = dialect.wire_status("in_progress") is not None
        self._started: Status = "in_progress" if knows else "pending"

    def call(self, deed: Deed, rows: Sequence[Row]) -> Call:
        return self.dialect.tool_name, self._list(deed.on(rows))

    def _list(self, rows: Sequence[Row]) -> dict[str, Any]:
        now = next((place for place, row in enumerate(rows) if not row.done), None)
        todos = [
            Todo(
                row.text,
                "completed" if row.done else self._started if place == now else "pending",
                active_form(row.text),
            )
            for place, row in enumerate(rows)
        ]
        return self._arguments(Plan(todos=tuple(todos), summary="What the user asked for"))


class ShellForm(ListForm):
    """The list as an argument of the word `TodoWrite` in a command line. No command is run."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        return (BASH,)

    def call(self, deed: Deed, rows: Sequence[Row]) -> Call:
        argument = json.dumps(self._list(deed.on(rows)), ensure_ascii=False)
        return BASH.name, {"command": f"{NAME} {quote(argument)}"}

    def plan_calls(self, name: str, arguments: object) -> list[Call]:
        text = arguments.get("command") if isinstance(arguments, dict) else None
        if name != BASH.name or not isinstance(text, str):
            return []
        line = read_line(text)
        if line.call is not None:
            return [(self.dialect.tool_name, " ".join(line.call.words) or line.call.input)]
        return [
            (self.dialect.tool_name, " ".join(command.words[1:]) or command.input)
            for command in line.commands
            if command.words[:1] == [NAME]
        ]


class LeanForm(Form):
    """The verbs of lean, with steps by their words."""

    def call(self, deed: Deed, rows: Sequence[Row]) -> Call:
        named = [rows[place].text for place in deed.places]
        match deed.kind:
            case "plan":
                return "plan", {"steps": list(deed.texts)}
            case "done":
                return "done", {"finished": named}
            case "add":
                return "add", {"step": deed.texts[0], "where": "end"}
            case "insert":
                return "add", {"step": deed.texts[0], "where": f"before: {named[0]}"}
            case "drop":
                return "drop", {"step": named[0]}
            case "reword":
                return "change", {"step": named[0], "to": deed.texts[0]}


def form_of(name: str) -> Form:
    """The form of a dialect, also of one's own if that takes the whole list (`pkg.mod:NAME`)."""
    dialect = load_dialect(name)
    dialect = replace(dialect, log_folder="")  # a finished plan here is no work that was done
    if dialect.name == "lean":
        return LeanForm(dialect)
    if not isinstance(dialect, ListDialect):
        raise UnknownName(f"{name} has verbs of its own: fit knows those of lean only")
    return ShellForm(dialect) if dialect.name == "shell" else ListForm(dialect)
