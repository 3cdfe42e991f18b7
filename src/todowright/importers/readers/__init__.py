"""Readers of the files of agents: one small file for each kind, found by this table."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any, Protocol

from todowright.importers.found import Damage, Found, Spent

READERS = (
    "claude_tasks",
    "claude_todos",
    "opencode_storage",
    "opencode_database",
    "opencode_export",
    "qwen_todos",
    "task_folder",
    "vscode",
    "gemini",
    "hook_log",
    "codex",
    "qwen",
    "langgraph",
    "claude_code",
    "markdown",
)
"""The modules in this folder, in the order in which they are asked: the first that knows a file reads it."""


class LineReader(Protocol):
    """Reads the lines of one file, one after the other; it may go on when the file has grown."""

    def wants(self, line: bytes) -> bool:
        """Whether a line can matter: quick, since it is asked of every one."""
        ...

    def read(self, record: Any) -> Iterator[Found | Spent]:
        """The calls that are complete with this line, and what requests took where the host tells it."""
        ...

    def rest(self) -> Iterator[Found | Spent]:
        """What waits for something, when nothing more will come."""
        ...


class Kind(Protocol):
    """A module of this folder: it has `sees`, and either `Lines` or `document`."""

    HOST: str
    """The agent whose files it reads."""

    def sees(self, path: str, head: bytes) -> bool:
        """Whether a file is of this kind, by its name and its beginning."""
        ...


def reader_of(path: str, head: bytes) -> Any:
    """The module that reads a file; None where none knows it."""
    for name in READERS:
        module = import_module(f"todowright.importers.readers.{name}")
        if module.sees(path, head):
            return module
    return None


Document = Iterator[Found | Spent | Damage]
