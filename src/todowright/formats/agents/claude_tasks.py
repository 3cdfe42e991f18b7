"""The Tasks of Claude Code: one call for each task, the id of a new one only in the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from todowright.formats.applying import BLOCKED_BY, METADATA, Op, ids_of
from todowright.formats.format import WITHOUT_CANCELLED, Format, Holds, Payload
from todowright.formats.items import labels_of
from todowright.formats.list_format import wire_ids
from todowright.formats.ops import arguments_of, id_in, op_of, wire_metadata
from todowright.formats.reading import NOTHING, Reading, ToolCall
from todowright.plan.model import Plan, Todo

_CREATED = r"[Tt]ask #?(\S{1,100}) created"
_TEXTS = ("description", "owner")


def _read(call: ToolCall) -> Reading:
    tool = call.tool.replace("_", "").lower()
    if tool in ("tasklist", "taskget", "taskstop"):
        return NOTHING
    given = arguments_of(call)
    if tool == "taskcreate":
        label = id_in(call.result, _CREATED)
        return Reading(edits=(op_of("add", given, "subject", _TEXTS, label),), counted=True)
    label = next(iter(labels_of([given.get(key) for key in ("taskId", "task_id", "id")])), "")
    label = label.strip().lstrip("#")
    if given.get("status") == "deleted":
        return Reading(edits=(Op("remove", label),))
    edit = op_of("change", given, "subject", _TEXTS, label)
    waits = given.get("addBlockedBy", given.get("blockedBy"))
    ops = [_with_blockers(edit, labels_of(waits))] if waits else [edit]
    blocks = labels_of(given.get("addBlocks", given.get("blocks", [])))
    ops += [Op("change", other, blocked_by=(label,)) for other in blocks]
    return Reading(edits=tuple(ops))


def _with_blockers(op: Op, ids: list[str]) -> Op:
    return replace(op, blocked_by=tuple(label.lstrip("#") for label in ids))


def _write(plan: Plan) -> Payload:
    kept = [index for index, todo in enumerate(plan.todos) if todo.status != "cancelled"]
    todos = [plan.todos[index] for index in kept]
    labels = [str(place) for place in range(1, len(todos) + 1)]
    names = wire_ids(todos, labels)
    calls = [{"name": "TaskCreate", "input": _created(todo)} for todo in todos]
    for label, todo in zip(labels, todos, strict=True):
        if changes := _updated(todo, names):
            calls.append({"name": "TaskUpdate", "input": {"taskId": label, **changes}})
    return calls, kept


def _created(todo: Todo) -> dict[str, Any]:
    extras = dict(todo.extras)
    found: dict[str, Any] = {
        "subject": todo.content,
        "description": extras.get("description") or todo.content,
    }
    if todo.active_form:
        found["activeForm"] = todo.active_form
    if extras.get(METADATA):
        found["metadata"] = wire_metadata(extras[METADATA])
    return found


def _updated(todo: Todo, names: Mapping[str, str | int]) -> dict[str, Any]:
    extras = dict(todo.extras)
    found: dict[str, Any] = {} if todo.status == "pending" else {"status": todo.status}
    if extras.get("owner"):
        found["owner"] = extras["owner"]
    if extras.get(BLOCKED_BY):
        found["addBlockedBy"] = [str(names.get(each, each)) for each in ids_of(extras[BLOCKED_BY])]
    return found


FORMAT = Format(
    name="claude-tasks",
    agent="Claude Code",
    description="`TaskCreate` and `TaskUpdate`, one call for each task; written for a list that is empty",
    tools=(
        *("TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "TaskStop"),
        *("task_create", "task_update", "task_list", "task_get"),
    ),
    holds=Holds(
        statuses=WITHOUT_CANCELLED,
        active_form=True,
        id="place",
        extras=("blockedBy", "description", "metadata", "owner"),
        fills=("description", "id"),
    ),
    reader=_read,
    writer=_write,
)
