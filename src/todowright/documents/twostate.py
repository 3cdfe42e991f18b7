"""Document 004: `VALID_STATUSES`, `TodoItem` and `TodoStore`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from todowright.dialects.twostate import DIALECT
from todowright.documents.behind import rendered, tool_of
from todowright.errors import Issue, Refused
from todowright.text import shown
from todowright.tool.todowrite import TodoWrite

__all__ = ["VALID_STATUSES", "TodoItem", "TodoStore"]

VALID_STATUSES = DIALECT.statuses


@dataclass
class TodoItem:
    """One task; it is pending or completed."""

    content: str
    status: str = "pending"

    def __post_init__(self) -> None:
        if self.status not in VALID_STATUSES:
            issue = Issue("status", field="status", value=shown(self.status))
            raise Refused(issue, words=DIALECT.say(issue))


class TodoStore:
    """The task list of the document. `todo` is the `TodoWrite` behind it."""

    def __init__(self, todo: TodoWrite | None = None) -> None:
        self.todo = tool_of("twostate", todo)

    def write(self, todos: Sequence[Mapping[str, str]]) -> str:
        """Replace the list and give it as the model reads it, or say what is wrong; nothing is raised."""
        return self.todo({"todos": todos}).text

    @property
    def todos(self) -> list[TodoItem]:
        """The list as it stands. What is done to the returned list changes nothing."""
        return self._todos

    @property
    def _todos(self) -> list[TodoItem]:  # the document's name: its own `write` runs on it
        return [TodoItem(todo.content, todo.status) for todo in self.todo.plan.todos]

    @_todos.setter
    def _todos(self, todos: Sequence[TodoItem]) -> None:
        self.todo.replace([asdict(todo) for todo in todos])

    def _format_output(self) -> str:
        return rendered(self.todo)
