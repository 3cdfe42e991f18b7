"""The task list of Augment, and of Qoder, which has the same tools: tasks are added and updated, or written anew as a text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from todowright.errors import Unreadable
from todowright.formats.applying import Op
from todowright.formats.format import Format, Holds, Payload
from todowright.formats.items import Notes, label_of, listed
from todowright.formats.markdown import read_checklist
from todowright.formats.ops import arguments_of, op_of, texts_in
from todowright.formats.reading import NOTHING, Reading, ToolCall
from todowright.plan.model import Plan, Todo
from todowright.text import kind

_STATES = {
    "pending": "NOT_STARTED",
    "in_progress": "IN_PROGRESS",
    "completed": "COMPLETE",
    "cancelled": "CANCELLED",
}
_LINE = re.compile(
    r"UUID:(?P<id>\S{1,100}) NAME:(?P<name>.*?)(?: DESCRIPTION:(?P<description>.*))?"
)


def _read(call: ToolCall) -> Reading:
    tool = call.tool
    if tool == "view_tasklist":
        return NOTHING
    given, notes = arguments_of(call), Notes()
    if tool == "reorganize_tasklist":
        return _rewritten(given.get("markdown"), notes)
    known = _named(call.result) if tool == "add_tasks" else {}
    edits = []
    for number, item in enumerate(listed(given.get("tasks"), notes), 1):
        try:
            edits.append(_edit(tool, item, known))
        except Unreadable as error:
            notes.add(f"item {number} was left out: {error}")
    return Reading(edits=tuple(edits), notes=notes.lines)


def _edit(tool: str, item: object, known: Mapping[str, str]) -> Op:
    if not isinstance(item, Mapping):
        raise Unreadable(f"it is {kind(item)}, not an object")
    if tool == "update_tasks":
        label = label_of(item.get("task_id"))
        return op_of("change", item, "name", ("description",), label, status="state")
    label = known.get(str(item.get("name")), "")
    op = op_of("add", item, "name", ("description",), label, status="state")
    parent = label_of(item.get("parent_task_id"))
    return replace(op, extras=(*op.extras, ("parent", parent))) if parent else op


def _named(result: object) -> dict[str, str]:
    """The ids of tasks by their names, as the answer lists them."""
    lines = [line for text in texts_in(result) for line in text.splitlines()]
    places = [(line, line.find("UUID:")) for line in lines]
    found = [match for line, at in places if at >= 0 and (match := _LINE.fullmatch(line, at))]
    return {match["name"].strip(): match["id"] for match in found}


def _rewritten(text: object, notes: Notes) -> Reading:
    """The list as one text: a box, then the id, the name and the description of each task."""
    if not isinstance(text, str):
        raise Unreadable(f"'markdown' must be a text: it is {kind(text)}")
    plain = re.sub(r"^(-+)(?=\[)", lambda dashes: "  " * len(dashes[0]) + "- ", text, flags=re.M)
    todos, _ = read_checklist(plain, notes, dash="cancelled")
    return Reading("", "all", tuple(map(_unfolded, todos)), notes=notes.lines)


def _unfolded(todo: Todo) -> Todo:
    found = _LINE.fullmatch(todo.content)
    if found is None or not found["name"].strip():
        return todo
    extras = dict(todo.extras)
    if found["description"]:
        extras["description"] = found["description"]
    kept = tuple(sorted(extras.items()))
    label = "" if found["id"] == "NEW_UUID" else found["id"]
    return replace(todo, content=found["name"].strip(), id=label, extras=kept)


def _write(plan: Plan) -> Payload:
    rows: list[dict[str, Any]] = []
    for todo in plan.todos:
        text = dict(todo.extras).get("description") or todo.content
        rows.append({"name": todo.content, "description": text, "state": _STATES[todo.status]})
    return {"name": "add_tasks", "input": {"tasks": rows}}, [*range(len(rows))]


FORMAT = Format(
    name="augment",
    agent="Augment, Qoder",
    description="`add_tasks`, `update_tasks`, `reorganize_tasklist`; written for an empty list, as `add_tasks`",
    tools=("add_tasks", "update_tasks", "reorganize_tasklist", "view_tasklist"),
    holds=Holds(extras=("description",), fills=("description",)),
    reader=_read,
    writer=_write,
)
