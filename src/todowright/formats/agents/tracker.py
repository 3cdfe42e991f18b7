"""The tracker of Gemini CLI: one call for each task, the id of a new one only in the answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from todowright.formats.applying import BLOCKED_BY, Op, ids_of, ids_text
from todowright.formats.format import WITHOUT_CANCELLED, Format, Holds, Payload
from todowright.formats.items import label_of, labels_of
from todowright.formats.list_format import wire_ids
from todowright.formats.ops import arguments_of, id_in, op_of
from todowright.formats.reading import NOTHING, Reading, ToolCall
from todowright.formats.words import STATE
from todowright.plan.model import Plan, Todo

_CREATED = r"Created task (\S{1,100}?):"
_WORDS = {"pending": "open", "in_progress": "in_progress", "completed": "closed"}


def _read(call: ToolCall) -> Reading:
    tool = call.tool
    if tool in ("tracker_get_task", "tracker_list_tasks", "tracker_visualize"):
        return NOTHING
    given = arguments_of(call)
    if tool == "tracker_add_dependency":
        waits = tuple(labels_of(given.get("dependencyId")))
        return Reading(edits=(Op("change", label_of(given.get("taskId")), blocked_by=waits),))
    created = tool == "tracker_create_task"
    label = id_in(call.result, _CREATED) if created else label_of(given.get("id"))
    op = op_of("add" if created else "change", given, "title", ("description", "type"), label)
    extras = list(op.extras)
    if parent := label_of(given.get("parentId")):
        extras.append(("parent", parent))
    if isinstance(given.get("dependencies"), list):
        extras.append((BLOCKED_BY, ids_text(labels_of(given["dependencies"]))))
    return Reading(edits=(replace(op, extras=tuple(extras)),), counted=True)


def _write(plan: Plan) -> Payload:
    kept = [index for index, todo in enumerate(plan.todos) if todo.status != "cancelled"]
    todos = [plan.todos[index] for index in kept]
    labels = [str(place) for place in range(1, len(todos) + 1)]
    names = {label: str(name) for label, name in wire_ids(todos, labels).items()}
    calls = [{"name": "tracker_create_task", "input": _created(todo)} for todo in todos]
    for label, todo in zip(labels, todos, strict=True):
        extras = dict(todo.extras)
        blocked = extras.get(STATE) == "blocked" and todo.status == "pending"
        changes: dict[str, Any] = {"status": "blocked" if blocked else _WORDS[todo.status]}
        if extras.get(BLOCKED_BY):
            changes["dependencies"] = [names.get(each, each) for each in ids_of(extras[BLOCKED_BY])]
        if changes != {"status": "open"}:
            calls.append({"name": "tracker_update_task", "input": {"id": label, **changes}})
    return calls, kept


def _created(todo: Todo) -> dict[str, Any]:
    extras = dict(todo.extras)
    kind = extras.get("type", "")
    return {
        "title": todo.content,
        "description": extras.get("description") or todo.content,
        "type": kind if kind in ("epic", "task", "bug") else "task",
    }


FORMAT = Format(
    name="gemini-tracker",
    agent="Gemini CLI, the tracker",
    description="`tracker_create_task` and `tracker_update_task`, one call for each task; written for an empty tracker",
    tools=(
        *("tracker_create_task", "tracker_update_task", "tracker_add_dependency"),
        *("tracker_get_task", "tracker_list_tasks", "tracker_visualize"),
    ),
    holds=Holds(
        statuses=WITHOUT_CANCELLED,
        states=("blocked",),
        id="place",
        extras=("blockedBy", "description", "type"),
        choices={"type": ("epic", "task", "bug")},
        fills=("description", "id", "type"),
    ),
    reader=_read,
    writer=_write,
)
