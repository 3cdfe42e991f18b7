"""Document 001: `todoStore`, the handler of the command `TodoWrite`, and what types a command."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal, TypedDict

from todowright.dialects.shell import USAGE
from todowright.documents.behind import items_of, tool_of
from todowright.plan.model import Plan
from todowright.shell import answered, identify
from todowright.shell.line import NAME, read_line
from todowright.tool.terms import utc_clock
from todowright.tool.todowrite import TodoWrite

__all__ = [
    "CommandResult",
    "CommandType",
    "TodoChangeListener",
    "TodoItem",
    "TodoState",
    "TodoStore",
    "TodoWriteHandler",
    "TodoWriteInput",
    "identifyCommandType",
    "todoStore",
]


class TodoItem(TypedDict):
    """One task."""

    content: str
    activeForm: str
    status: Literal["pending", "in_progress", "completed"]


class TodoWriteInput(TypedDict):
    """What the command takes."""

    todos: list[TodoItem]


@dataclass(frozen=True)
class TodoState:
    """The list as it stands, and since when."""

    items: list[TodoItem]
    updatedAt: datetime


TodoChangeListener = Callable[[TodoState], object]


class TodoStore:
    """The task list of the document. `todo` is the `TodoWrite` behind it."""

    def __init__(self, todo: TodoWrite | None = None) -> None:
        self.todo = tool_of("shell", todo)
        self._made = utc_clock()()

    def update(self, todos: Sequence[Mapping[str, object]]) -> None:
        """Replace the whole list; raises `Refused` where it breaks a rule, and the old one stays."""
        self.todo.replace(todos)

    def get(self) -> TodoState:
        """The current state."""
        return self._state(self.todo.plan)

    def clear(self) -> None:
        """Empty the list."""
        self.update([])

    def onChange(self, listener: TodoChangeListener) -> Callable[[], None]:
        """Call the listener with the state after each change; the answer stops that."""
        return self.todo.on_change(lambda change: listener(self._state(change.plan)))

    def _state(self, plan: Plan) -> TodoState:
        return TodoState(items_of(self.todo, plan.todos), plan.updated_at or self._made)


todoStore = TodoStore()
"""The store of this process, as the document has it."""


@dataclass(frozen=True)
class CommandResult:
    """What a command printed, and how it ended."""

    stdout: str
    stderr: str
    exitCode: int


class TodoWriteHandler:
    """Runs the command `TodoWrite` on a store, by default on `todoStore`. It starts no shell."""

    def __init__(self, store: TodoStore | None = None) -> None:
        self._store = todoStore if store is None else store

    async def execute(self, args: str) -> CommandResult:
        """Run it with what follows the word `TodoWrite` on the line."""
        line = read_line(f"{NAME} {args}")
        if line.call is None:
            told = f"Error: Unexpected text after the JSON parameter\n{USAGE}"
            return CommandResult("", told, 1)
        result = answered(line, line.call, self._store.todo)
        return CommandResult(result.stdout, result.stderr, result.exit_code)


class CommandType(StrEnum):
    """Who runs a command: the agent's own shell words, or a real shell."""

    AGENT_SHELL_COMMAND = "agent_shell_command"
    NATIVE_COMMAND = "native_command"


def identifyCommandType(command: str) -> CommandType:
    """The type of a command line, by its first word."""
    return CommandType(identify(command))
