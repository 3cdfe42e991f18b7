"""write_todos of Codebuff, and its subgoals of earlier."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from todowright.formats.applying import Deed
from todowright.formats.format import Format, Holds, Payload
from todowright.formats.items import bounded, label_of
from todowright.formats.list_format import ListFormat
from todowright.formats.ops import arguments_of, op_of
from todowright.formats.reading import Reading, ToolCall
from todowright.plan.model import Plan, Todo

_WORDS = {
    "pending": "NOT_STARTED",
    "in_progress": "IN_PROGRESS",
    "completed": "COMPLETE",
    "cancelled": "ABORTED",
}


def _read(call: ToolCall) -> Reading:
    given = arguments_of(call)
    label = label_of(given.get("id"))
    do: Deed = "add" if call.tool == "add_subgoal" else "change"
    op = op_of(do, given, "objective", ("plan",), label)
    log = given.get("log")
    return Reading(edits=(replace(op, log=bounded(log) if isinstance(log, str) else ""),))


def _write(plan: Plan) -> Payload:
    taken = {todo.id for todo in plan.todos}
    free = (str(n) for n in range(1, 2 * len(plan.todos) + 2) if str(n) not in taken)
    calls = [
        {"name": "add_subgoal", "input": _subgoal(todo, todo.id or next(free))}
        for todo in plan.todos
    ]
    return calls, [*range(len(plan.todos))]


def _subgoal(todo: Todo, label: str) -> dict[str, Any]:
    kept = {key: text for key, text in todo.extras if key in ("plan", "log")}
    return {"id": label, "objective": todo.content, "status": _WORDS[todo.status], **kept}


FORMATS = (
    ListFormat(
        name="codebuff",
        agent="Codebuff",
        description="`write_todos`, the whole list: task, and completed as true or false",
        tools=("write_todos",),
        holds=Holds(statuses=("pending", "completed")),
        content="task",
        status="completed",
        words={"pending": False, "completed": True},
    ),
    Format(
        name="codebuff-subgoals",
        agent="Codebuff, earlier",
        description="`add_subgoal` and `update_subgoal`, one call for each: id, objective, status, plan, log",
        tools=("add_subgoal", "update_subgoal"),
        holds=Holds(id=True, extras=("log", "plan"), fills=("id",)),
        reader=_read,
        writer=_write,
    ),
)
