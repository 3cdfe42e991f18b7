"""Where the MCP calls for one plan are made, one at a time."""

from __future__ import annotations

import threading

from todowright.changes import Change
from todowright.model import Plan
from todowright.tool import TodoWrite


class Desk:
    """The tool for one plan, and what its agent has seen of it."""

    def __init__(self, todo: TodoWrite) -> None:
        self.todo = todo
        self.lock = threading.Lock()
        self.seen: int | None = None
        self.base: Plan | None = None
        """The plan on which the last call was made, if it changed anything."""
        self._made: int | None = None
        todo.on_change(self._heard)

    def _heard(self, change: Change) -> None:
        self.base, self._made = change.before, change.plan.revision

    def settle(self) -> None:
        """The agent has been told of everything up to its own call."""
        self.seen = self.todo.plan.revision if self._made is None else self._made
        self.base = self._made = None
