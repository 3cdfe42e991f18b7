"""The todos of Microsoft's agent-framework: added, completed with a reason, removed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from todowright.formats.applying import Op
from todowright.formats.format import Format, Holds, Payload
from todowright.formats.items import Notes, from_text, label_of, labels_of, listed, read_items
from todowright.formats.ops import arguments_of, texts_in
from todowright.formats.reading import NOTHING, Reading, ToolCall
from todowright.plan.model import Plan, Todo


def _read(call: ToolCall) -> Reading:
    tool = call.tool
    if tool.startswith("todos_get"):
        return NOTHING
    given, notes = arguments_of(call), Notes()
    if tool == "todos_remove":
        return Reading(edits=tuple(Op("remove", label) for label in labels_of(given.get("ids"))))
    if tool == "todos_complete":
        items = listed(given.get("items", given.get("ids")), notes)
        return Reading(edits=tuple(_completed(item) for item in items), notes=notes.lines)
    todos = read_items(listed(given.get("todos"), notes), notes, "title")
    labels = _labels(call.result, [todo.content for todo in todos])
    edits = tuple(
        Op("add", label, None, todo.content, "pending", None, todo.extras)
        for label, todo in zip(labels, todos, strict=True)
    )
    return Reading(edits=edits, notes=notes.lines, counted=True)


def _completed(item: object) -> Op:
    if not isinstance(item, Mapping):
        return Op("change", label_of(item), status="completed")
    reason = item.get("reason")
    extras = (("reason", reason),) if isinstance(reason, str) and reason else ()
    return Op("change", label_of(item.get("id")), status="completed", extras=extras)


def _labels(result: object, titles: list[str]) -> list[str]:
    """The ids of new items in the answer, which has the items as JSON; empty where it does not tell."""
    for text in (result, *texts_in(result)):
        value = from_text(text) if isinstance(text, str) else text
        rows = value.get("todos", value.get("items")) if isinstance(value, Mapping) else value
        if isinstance(rows, list):
            ids = {
                str(row.get("title")): label_of(row.get("id"))
                for row in rows
                if isinstance(row, Mapping)
            }
            return [ids.get(title, "") for title in titles]
    return [""] * len(titles)


def _write(plan: Plan) -> Payload:
    kept = [index for index, todo in enumerate(plan.todos) if todo.status != "cancelled"]
    todos = [plan.todos[index] for index in kept]
    calls = [{"name": "todos_add", "input": {"todos": [_row(todo) for todo in todos]}}]
    done = [
        {"id": place, "reason": dict(todo.extras).get("reason") or "done"}
        for place, todo in enumerate(todos, 1)
        if todo.status == "completed"
    ]
    if done:
        calls.append({"name": "todos_complete", "input": {"items": done}})
    return calls, kept


def _row(todo: Todo) -> dict[str, Any]:
    text = dict(todo.extras).get("description")
    return {"title": todo.content, "description": text} if text else {"title": todo.content}


FORMAT = Format(
    name="agent-framework",
    agent="Microsoft agent-framework",
    description="`todos_add`, `todos_complete` with a reason, `todos_remove`; written for an empty list",
    tools=("todos_add", "todos_complete", "todos_remove", "todos_get_remaining", "todos_get_all"),
    holds=Holds(
        statuses=("pending", "completed"),
        id="place",
        extras=("description",),
        fills=("id", "reason"),
    ),
    reader=_read,
    writer=_write,
)
