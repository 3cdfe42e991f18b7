"""Document 000: `sema`, its tool `TodoWrite` and its event `todos:update`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, TypedDict

from todowright.documents.behind import items_of, tool_of
from todowright.tool.todowrite import TodoWrite

__all__ = ["Sema", "TodoItem"]


class TodoItem(TypedDict):
    """One task."""

    content: str
    status: Literal["pending", "in_progress", "completed"]
    activeForm: str


class Sema:
    """The document's `sema`: a session with a task list. `todo` is the `TodoWrite` behind it."""

    def __init__(self, todo: TodoWrite | None = None) -> None:
        self.todo = tool_of("smart", todo)

    @property
    def isReadOnly(self) -> bool:
        """False: calls of this tool run one after the other."""
        return self.todo.tools[0].read_only

    def TodoWrite(self, todos: Sequence[TodoItem]) -> str:
        """Replace the list, and give the model's answer; a wrong list is answered with an error."""
        return self.todo({"todos": todos}).text

    def update(self, todos: Iterable[Mapping[str, object]]) -> list[TodoItem]:
        """The smart update of the document's StateManager; raises `Refused` where it breaks a rule."""
        return items_of(self.todo, self.todo.update(todos).todos)

    def on(self, event: str, handler: Callable[[list[TodoItem]], object]) -> Callable[[], None]:
        """Call the handler with the whole list after each `todos:update`; the answer stops that."""
        return self.todo.on(event, lambda todos: handler(items_of(self.todo, todos)))
