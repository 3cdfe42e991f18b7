"""What stands behind each object of a document: a `TodoWrite` of that document's dialect."""

from __future__ import annotations

import os
from typing import Any

from todowright.dialects import render
from todowright.dialects.call import Call
from todowright.plan.model import Plan, Todo
from todowright.tool.todowrite import TodoWrite


def tool_of(dialect: str, todo: TodoWrite | None, root: str | os.PathLike[str] = ".") -> TodoWrite:
    """The tool that was given, or a new one that keeps its plan in memory."""
    if todo is None:
        return TodoWrite(dialect, root=root)
    if todo.dialect.name != dialect:
        raise TypeError(f"give a TodoWrite of the dialect {dialect}, not {todo.dialect.name}")
    return todo


def items_of(todo: TodoWrite, todos: tuple[Todo, ...]) -> list[Any]:
    """The todos as the dialect's document spells them, in a list of the caller's own."""
    items: list[Any] = todo.dialect.arguments(Plan(todos=todos))[todo.dialect.list_key]
    return items


def rendered(todo: TodoWrite) -> str:
    """The plan as a model reads it when its call was accepted."""
    dialect, plan = todo.dialect, todo.plan
    return (dialect.accept or render.accept)(dialect, plan, Call(None, plan)).text
