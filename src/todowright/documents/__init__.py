"""The names of the five design documents, thin over `TodoWrite`.

There is one module for each document, called like its dialect. It has all names of that document. Here are
those that one document alone exports.
"""

from todowright.documents.checklist import INITIAL_REMINDER, NAG_REMINDER, TodoManager
from todowright.documents.envelope import TodoWriteTool
from todowright.documents.shell import TodoWriteHandler, todoStore
from todowright.documents.smart import Sema
from todowright.documents.twostate import VALID_STATUSES, TodoItem, TodoStore

__all__ = [
    "INITIAL_REMINDER",
    "NAG_REMINDER",
    "VALID_STATUSES",
    "Sema",
    "TodoItem",
    "TodoManager",
    "TodoStore",
    "TodoWriteHandler",
    "TodoWriteTool",
    "todoStore",
]
