"""The tool that one writes oneself: a whole list in each call, kept by thread, and echoed.

It has no tail, no reminder, no guard and no events, and takes no edits of others. With a file, the list is in SQLite, by the same
settings as ours, before the model is answered.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.framework_session import MEMORY, SQLITE, Player, Run, list_turns

NAME = "TodoWrite"
TOLD = "Create and manage the task list. Send the whole list each time, with one task in_progress."
MARKS = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]"}
Item = dict[str, str]
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "todos": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "content": {"type": "string"},
                    "status": {"type": "string", "enum": list(MARKS)},
                },
                "required": ["content", "status"],
            },
        }
    },
    "required": ["todos"],
}


class Todos:
    """The lists of all threads."""

    def __init__(self, file: Path | None = None) -> None:
        self.lists: dict[str, list[Item]] = {}
        self.file = None
        if file:
            self.file = sqlite3.connect(file, check_same_thread=False, isolation_level=None)
            self.file.execute("PRAGMA journal_mode=WAL")
            self.file.execute("PRAGMA synchronous=FULL")
            self.file.execute("CREATE TABLE lists (thread TEXT PRIMARY KEY, todos TEXT)")

    def write(self, thread: str, todos: list[Item]) -> str:
        for item in todos:
            if item.get("status") not in MARKS or not item.get("content"):
                return f"Error: not an item: {item}"
        self.lists[thread] = todos
        if self.file:
            row = thread, json.dumps(todos)
            self.file.execute("INSERT OR REPLACE INTO lists VALUES (?, ?)", row)
        return "\n".join(f"{MARKS[item['status']]} {item['content']}" for item in todos)


def players(run_with: Callable[[Todos], Run], folder: Path) -> list[Player]:
    """The tool in memory and in SQLite, run by a framework."""
    made = {MEMORY: Todos(), SQLITE: Todos(folder / "lists.db")}
    return [
        Player(
            "forty lines",
            kept,
            list_turns(NAME),
            run_with(todos),
            lambda: [(NAME, TOLD, SCHEMA)],
        )
        for kept, todos in made.items()
    ]
