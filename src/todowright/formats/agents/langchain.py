"""write_todos of LangChain's TodoListMiddleware and deepagents, and the tools that are like it."""

from todowright.formats.format import WITHOUT_CANCELLED, Holds
from todowright.formats.list_format import ListFormat

FORMATS = (
    ListFormat(
        name="langchain",
        agent="LangChain, deepagents, LangGraph",
        description="`write_todos`, the whole list: content, status",
        tools=("write_todos", "todo_write"),
        holds=Holds(statuses=WITHOUT_CANCELLED),
    ),
    ListFormat(
        name="pydantic-ai",
        agent="pydantic-ai-todo",
        description="`write_todos`, the whole list: content, status, active_form",
        tools=("write_todos", "read_todos"),
        holds=Holds(statuses=WITHOUT_CANCELLED, active_form=True, fills=("active_form",)),
        active_form="active_form",
    ),
)
