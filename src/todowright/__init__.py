"""A TodoWrite tool for LLM agents: a plan that is visible, durable and costs little context."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # so for type checkers; the module `typing` is not light
    from todowright.dialects import load_dialect
    from todowright.dialects.call import Reply
    from todowright.dialects.dialect import Tool
    from todowright.errors import (
        BadName,
        Conflict,
        Issue,
        Refused,
        StoreError,
        TodowrightError,
        UnknownName,
        Unreadable,
    )
    from todowright.formats import Reading, Written, read_plan, write_plan
    from todowright.host import (
        Decision,
        Reminders,
        StopGuard,
        TextCall,
        WorkReminders,
        calls_in_text,
        cleared,
        shrunk,
    )
    from todowright.names import session_name
    from todowright.plan.changes import Change, ItemChange
    from todowright.plan.editing import Edit
    from todowright.plan.lifelines import Lifeline, Span, lifelines
    from todowright.plan.model import Author, Plan, Todo
    from todowright.shell import run_command
    from todowright.stores import Store, open_store, revisions
    from todowright.stores.follow import afollow, follow
    from todowright.stores.memory import MemoryStore
    from todowright.stores.receipt import Receipt
    from todowright.tool.todowrite import TodoWrite
    from todowright.tool.turn import Turn

__version__ = "0.2.0"

_HOMES = {
    "dialects": ("load_dialect",),
    "dialects.call": ("Reply",),
    "dialects.dialect": ("Tool",),
    "errors": (
        "BadName",
        "Conflict",
        "Issue",
        "Refused",
        "StoreError",
        "TodowrightError",
        "UnknownName",
        "Unreadable",
    ),
    "formats": ("Reading", "Written", "read_plan", "write_plan"),
    "host": (
        "Decision",
        "Reminders",
        "StopGuard",
        "TextCall",
        "WorkReminders",
        "calls_in_text",
        "cleared",
        "shrunk",
    ),
    "names": ("session_name",),
    "plan.changes": ("Change", "ItemChange"),
    "plan.editing": ("Edit",),
    "plan.lifelines": ("Lifeline", "Span", "lifelines"),
    "plan.model": ("Author", "Plan", "Todo"),
    "shell": ("run_command",),
    "stores": ("Store", "open_store", "revisions"),
    "stores.follow": ("afollow", "follow"),
    "stores.memory": ("MemoryStore",),
    "stores.receipt": ("Receipt",),
    "tool.todowrite": ("TodoWrite",),
    "tool.turn": ("Turn",),
}

__all__ = [
    "Author",
    "BadName",
    "Change",
    "Conflict",
    "Decision",
    "Edit",
    "Issue",
    "ItemChange",
    "Lifeline",
    "MemoryStore",
    "Plan",
    "Reading",
    "Receipt",
    "Refused",
    "Reminders",
    "Reply",
    "Span",
    "StopGuard",
    "Store",
    "StoreError",
    "TextCall",
    "Todo",
    "TodoWrite",
    "TodowrightError",
    "Tool",
    "Turn",
    "UnknownName",
    "Unreadable",
    "WorkReminders",
    "Written",
    "afollow",
    "calls_in_text",
    "cleared",
    "follow",
    "lifelines",
    "load_dialect",
    "open_store",
    "read_plan",
    "revisions",
    "run_command",
    "session_name",
    "shrunk",
    "write_plan",
]


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
