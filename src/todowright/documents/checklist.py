"""Document 003: `TodoManager` and the two reminders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from todowright.documents.behind import items_of, rendered, tool_of
from todowright.errors import Refused
from todowright.host.reminders import INITIAL_REMINDER, NAG_REMINDER
from todowright.tool.todowrite import TodoWrite

__all__ = ["INITIAL_REMINDER", "NAG_REMINDER", "TodoManager"]


class TodoManager:
    """The task list of the document. `todo` is the `TodoWrite` behind it."""

    def __init__(self, todo: TodoWrite | None = None) -> None:
        self.todo = tool_of("checklist", todo)

    @property
    def items(self) -> list[dict[str, str]]:
        """The list as it stands. What is done to the returned list changes nothing; assign a new one."""
        return items_of(self.todo, self.todo.plan.todos)

    @items.setter
    def items(self, items: Sequence[Mapping[str, object]]) -> None:
        self.todo.replace(items)

    def update(self, items: Sequence[Mapping[str, object]]) -> str:
        """Replace the list and render it; raises a `ValueError` where it breaks a rule, and the old one stays."""
        reply = self.todo({"items": items})
        if reply.is_error:
            raise Refused(*reply.issues, words=reply.text.removeprefix("Error: "))
        return reply.text

    def render(self) -> str:
        """The list as the model reads it."""
        return rendered(self.todo)
