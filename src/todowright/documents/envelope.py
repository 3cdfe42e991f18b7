"""Document 002: `TodoWriteTool`, which answers with the standard envelope and logs what was finished."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from todowright.documents.behind import tool_of
from todowright.tool.todowrite import TodoWrite

__all__ = ["TodoWriteTool"]


class TodoWriteTool:
    """The document's tool. Under `project_root` it keeps the completion log. `todo` is the `TodoWrite` behind it."""

    def __init__(
        self, project_root: str | os.PathLike[str] = ".", *, todo: TodoWrite | None = None
    ) -> None:
        self.todo = tool_of("envelope", todo, project_root)

    @property
    def name(self) -> str:
        """The name under which a model calls it."""
        return self.todo.tools[0].name

    @property
    def description(self) -> str:
        """What the model reads of it."""
        return self.todo.tools[0].description

    @property
    def parameters(self) -> dict[str, Any]:
        """The schema of what it takes."""
        return self.todo.tools[0].input_schema

    def run(self, parameters: Mapping[str, object]) -> str:
        """Overwrite the list, and give the envelope as JSON text; an error has an envelope, too."""
        return self.todo(parameters).text
