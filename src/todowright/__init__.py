"""A TodoWrite tool for LLM agents: a plan that is visible, durable and costs little context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from todowright.dialect import Dialect, Field, Tool
from todowright.dialects import load_dialect
from todowright.errors import BadName, Conflict, Refused, StoreError, TodowrightError, UnknownName
from todowright.model import Call, Issue, Plan, Reply, Todo
from todowright.stores import Store, open_store
from todowright.stores.memory import MemoryStore
from todowright.tool import TodoWrite

if TYPE_CHECKING:
    from todowright.changes import Change, ItemChange
    from todowright.command import run_command
    from todowright.lifeline import Lifeline, Span, lifelines

__version__ = "0.1.0"

__all__ = [
    "BadName",
    "Call",
    "Change",
    "Conflict",
    "Dialect",
    "Field",
    "Issue",
    "ItemChange",
    "Lifeline",
    "MemoryStore",
    "Plan",
    "Refused",
    "Reply",
    "Span",
    "Store",
    "StoreError",
    "Todo",
    "TodoWrite",
    "TodowrightError",
    "Tool",
    "UnknownName",
    "lifelines",
    "load_dialect",
    "open_store",
    "run_command",
]

_LATER = {
    "Change": "todowright.changes",
    "ItemChange": "todowright.changes",
    "Lifeline": "todowright.lifeline",
    "Span": "todowright.lifeline",
    "lifelines": "todowright.lifeline",
    "run_command": "todowright.command",
}


def __getattr__(name: str) -> object:
    """Load what an agent's path never needs when somebody asks for it."""
    module = _LATER.get(name)
    if module is not None:
        from importlib import import_module

        return getattr(import_module(module), name)
    raise AttributeError(f"module 'todowright' has no attribute '{name}'")
