"""manage_todo_list of Copilot in VS Code."""

from todowright.formats.format import WITHOUT_CANCELLED, Holds
from todowright.formats.list_format import ListFormat

FORMAT = ListFormat(
    name="vscode",
    agent="Copilot in VS Code",
    description="`manage_todo_list`, the whole list: id (a number), title, status, description",
    tools=("manage_todo_list",),
    holds=Holds(statuses=WITHOUT_CANCELLED, id="number", extras=("description",), fills=("id",)),
    list_key="todoList",
    content="title",
    words={"pending": "not-started", "in_progress": "in-progress", "completed": "completed"},
    id="id",
    extras={"description": "description"},
)
