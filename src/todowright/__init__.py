"""A TodoWrite tool for LLM agents: a plan that is visible, durable and costs little context."""

from todowright.changes import Change, ItemChange
from todowright.dialect import Dialect, Field, Tool
from todowright.dialects import load_dialect
from todowright.errors import Conflict, Refused, StoreError, TodowrightError, UnknownName
from todowright.lifelines import Lifeline, Span, lifelines
from todowright.model import Call, Issue, Plan, Reply, Todo
from todowright.stores import Store, open_store
from todowright.stores.memory import MemoryStore
from todowright.tool import TodoWrite

__version__ = "0.1.0"

__all__ = [
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
]
