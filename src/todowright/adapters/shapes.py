"""The tools that models know from elsewhere, name and arguments, as dialects: the engine behind them is ours."""

from __future__ import annotations

from dataclasses import replace

from todowright.dialects import Field, load_dialect
from todowright.dialects.list_dialect import ListDialect

_SMART = load_dialect("smart")
assert isinstance(_SMART, ListDialect)
_PROMPT = _SMART.prompt.replace("TodoWrite", "write_todos")

LANGCHAIN: ListDialect = replace(
    _SMART,
    name="write_todos",
    tool_name="write_todos",
    fields=(Field("content"), Field("status")),
    max_in_progress=None,
    prompt_text=_PROMPT,
)
"""`write_todos` of LangChain's `TodoListMiddleware`; several steps may be in progress."""

PYDANTIC_AI_TODO: ListDialect = replace(
    LANGCHAIN,
    name="write_todos_active",
    fields=(Field("content"), Field("status", required=False), Field("active_form")),
)
"""`write_todos` of pydantic-ai-todo, the one of its tools that sends the whole list."""

CLAUDE: ListDialect = _SMART
"""`TodoWrite` of Claude Code, which is our `smart`."""
