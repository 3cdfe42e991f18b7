"""SetTodoList of Kimi CLI."""

from todowright.formats.format import WITHOUT_CANCELLED, Holds
from todowright.formats.list_format import ListFormat

FORMAT = ListFormat(
    name="kimi",
    agent="Kimi CLI",
    description="`SetTodoList`, the whole list: title, status",
    tools=("SetTodoList",),
    holds=Holds(statuses=WITHOUT_CANCELLED),
    content="title",
    words={"pending": "pending", "in_progress": "in_progress", "completed": "done"},
)
