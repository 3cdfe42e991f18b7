"""A TodoWrite tool for LLM agents: a plan that is visible, durable and costs little context."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from todowright.plan.changes import Change, ItemChange
    from todowright.shell import run_command
    from todowright.dialects.dialect import Dialect, Field, Tool
    from todowright.dialects import load_dialect
    from todowright.errors import (
        BadName,
        Conflict,
        Refused,
        StoreError,
        TodowrightError,
        UnknownName,
    )
    from todowright.stores.follow import follow
    from todowright.plan.lifelines import Lifeline, Span, lifelines
    from todowright.plan.model import Call, Issue, Plan, Reply, Todo
    from todowright.stores import Store, open_store
    from todowright.stores.memory import MemoryStore
    from todowright.tool.todowrite import TodoWrite

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
    "follow",
    "lifelines",
    "load_dialect",
    "open_store",
    "run_command",
]

_HOMES = {
    "dialects": ("load_dialect",),
    "dialects.dialect": ("Dialect", "Field", "Tool"),
    "errors": ("BadName", "Conflict", "Refused", "StoreError", "TodowrightError", "UnknownName"),
    "plan.changes": ("Change", "ItemChange"),
    "plan.lifelines": ("Lifeline", "Span", "lifelines"),
    "plan.model": ("Call", "Issue", "Plan", "Reply", "Todo"),
    "shell": ("run_command",),
    "stores": ("Store", "open_store"),
    "stores.follow": ("follow",),
    "stores.memory": ("MemoryStore",),
    "tool.todowrite": ("TodoWrite",),
}


def __getattr__(name: str) -> object:
    """Load a name when it is first asked for: a command that shows its help needs none of them."""
    for home, names in _HOMES.items():
        if name in names:
            from importlib import import_module

            found = getattr(import_module(f"todowright.{home}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'todowright' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
