"""UpdateTodos of Warp. Its items have no status: the first one that is not completed is in progress."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from todowright.errors import Unreadable
from todowright.formats.applying import Op
from todowright.formats.format import Format, Holds, Payload
from todowright.formats.items import Notes, labels_of, listed, read_items
from todowright.formats.ops import arguments_of
from todowright.formats.reading import Reading, ToolCall
from todowright.plan.model import Plan

_CREATE = ("CreateTodoList", "createTodoList", "create_todo_list")
_PENDING = ("UpdatePendingTodos", "updatePendingTodos", "update_pending_todos")
_MARK = ("MarkTodosCompleted", "markTodosCompleted", "mark_todos_completed")


def _operation(call: ToolCall) -> tuple[str, Mapping[str, Any]]:
    """Which of the three operations a call has, and its fields."""
    known, given = (*_CREATE, *_PENDING, *_MARK), arguments_of(call)
    if call.tool in known:
        return call.tool, given
    inner = given.get("operation", given)
    kind = next((key for key in known if key in inner), "") if isinstance(inner, Mapping) else ""
    if not kind or not isinstance(inner[kind], Mapping):
        raise Unreadable("UpdateTodos has CreateTodoList, UpdatePendingTodos or MarkTodosCompleted")
    return kind, inner[kind]


def _read(call: ToolCall) -> Reading:
    kind, given = _operation(call)
    if kind in _MARK:
        ids = labels_of(given.get("todo_ids", given.get("todoIds", [])))
        edits = tuple(Op("change", label, status="completed") for label in ids)
        return Reading(edits=edits, focus_first=True)
    notes = Notes()
    keys = ("initial_todos", "initialTodos", "updated_pending_todos", "updatedPendingTodos")
    rows: object = next((given[key] for key in keys if key in given), [])
    todos = read_items(listed(rows, notes), notes, "title")
    replaces = "all" if kind in _CREATE else "open"
    return Reading("", replaces, todos, notes=notes.lines, focus_first=True)  # type: ignore[arg-type]


def _write(plan: Plan) -> Payload:
    kept = [index for index, todo in enumerate(plan.todos) if todo.status != "cancelled"]
    todos = [plan.todos[index] for index in kept]
    taken = {todo.id for todo in todos}
    free = (str(n) for n in range(1, 2 * len(todos) + 2) if str(n) not in taken)
    rows, done = list[dict[str, Any]](), list[str]()
    for todo in todos:
        label = todo.id or next(free)
        rows.append(
            {
                "id": label,
                "title": todo.content,
                "description": dict(todo.extras).get("description", ""),
            }
        )
        if todo.status == "completed":
            done.append(label)
    calls: list[dict[str, Any]] = [
        {"name": "UpdateTodos", "input": {"CreateTodoList": {"initial_todos": rows}}}
    ]
    if done:
        mark = {"MarkTodosCompleted": {"todo_ids": done}}
        calls.append({"name": "UpdateTodos", "input": mark})
    return calls, kept


def _fit(call: ToolCall) -> int:
    given = call.arguments
    known = (*_CREATE, *_PENDING, *_MARK)
    return 12 if isinstance(given, Mapping) and any(key in given for key in known) else 0


FORMAT = Format(
    name="warp",
    agent="Warp",
    description="`UpdateTodos` with `CreateTodoList`, `UpdatePendingTodos`, `MarkTodosCompleted`; the first open item is in progress",
    tools=("UpdateTodos", *_CREATE, *_PENDING, *_MARK),
    holds=Holds(
        statuses=("completed",), id=True, extras=("description",), fills=("id",), focus_first=True
    ),
    reader=_read,
    writer=_write,
    fit=_fit,
)
