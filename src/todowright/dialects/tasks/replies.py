"""What `tasks` answers."""

from __future__ import annotations

from typing import Any

from todowright.dialects.call import Call, Reply
from todowright.dialects.tasks.model import (
    DESCRIPTION,
    OWNER,
    blockers,
    metadata,
    of,
    open_blockers,
    place_of,
)
from todowright.dialects.verb_dialect import VerbDialect
from todowright.plan.model import Plan, Todo
from todowright.text import told

_FIELDS = (
    "subject", "description", "activeForm", "status", "owner", "addBlocks", "addBlockedBy", "metadata",
)  # fmt: skip


def reply_to_create(_: VerbDialect, call: Call) -> Reply:
    task = call.plan.todos[-1]
    made = {"task": {"id": str(task.number), "subject": task.content}}
    return _reply(f"Task #{task.number} created successfully: {task.content}", made)


def reply_to_update(_: VerbDialect, call: Call) -> Reply:
    given = call.arguments if isinstance(call.arguments, dict) else {}
    name = str(given.get("taskId", given.get("task_id", given.get("id", "")))).lstrip("#")
    changed = [key for key in _FIELDS if given.get(key) is not None]
    if call.before is call.plan:
        return _reply(
            f"Task #{name}: no change", {"success": True, "taskId": name, "updatedFields": []}
        )
    what = "deleted" if given.get("status") == "deleted" else ", ".join(changed)
    data: dict[str, Any] = {"success": True, "taskId": name, "updatedFields": changed}
    if "status" in changed and call.before is not None:
        was = call.before.todos[place_of(call.before.todos, name)].status
        data["statusChange"] = {"from": was, "to": given["status"]}
    freed = _freed(call)
    told_of = f". Now free: {', '.join(f'#{number}' for number in freed)}" if freed else ""
    return _reply(f"Updated task #{name} {what}{told_of}", data)


def _freed(call: Call) -> list[int]:
    """The tasks that waited before, and wait for nothing now."""
    if call.before is None:
        return []
    waited = {task.number for task in call.before.todos if open_blockers(task, call.before.todos)}
    return [
        task.number
        for task in call.plan.todos
        if task.number in waited and not task.closed and not open_blockers(task, call.plan.todos)
    ]


def reply_to_get(_: VerbDialect, call: Call) -> Reply:
    given = call.arguments if isinstance(call.arguments, dict) else {}
    name = given.get("taskId", given.get("task_id", given.get("id")))
    tasks = call.plan.todos
    task = tasks[place_of(tasks, name)]
    blocks = [each.number for each in tasks if task.number in blockers(each)]
    lines = [f"Task #{task.number}: {task.content}", f"Status: {task.status}"]
    if owner := of(task, OWNER):
        lines.append(f"Owner: {owner}")
    if description := of(task, DESCRIPTION):
        lines.append(f"Description: {description}")
    if waits := blockers(task):
        lines.append(f"Blocked by: {_hashes(waits)}")
    if blocks:
        lines.append(f"Blocks: {_hashes(blocks)}")
    return _reply("\n".join(lines), {"task": as_data(task, tasks)})


def reply_to_list(_: VerbDialect, call: Call) -> Reply:
    tasks = sorted(call.plan.todos, key=lambda task: task.number)
    lines = [_line(task, call.plan) for task in tasks] or ["No tasks found"]
    listed = [
        {
            "id": str(task.number),
            "subject": task.content,
            "status": task.status,
            **({"owner": of(task, OWNER)} if of(task, OWNER) else {}),
            "blockedBy": [str(number) for number in open_blockers(task, call.plan.todos)],
        }
        for task in tasks
    ]
    return _reply("\n".join(lines), {"tasks": listed})


def _line(task: Todo, plan: Plan) -> str:
    owner = f" ({of(task, OWNER)})" if of(task, OWNER) else ""
    waits = open_blockers(task, plan.todos)
    blocked = f" [blocked by {_hashes(waits)}]" if waits else ""
    return f"#{task.number} [{task.status}] {task.content}{owner}{blocked}"


def as_data(task: Todo, tasks: tuple[Todo, ...]) -> dict[str, Any]:
    """A task for programs, in the shape of `TaskGet`."""
    return {
        "id": str(task.number),
        "subject": task.content,
        "description": of(task, DESCRIPTION),
        "activeForm": task.active_form,
        "status": task.status,
        "owner": of(task, OWNER),
        "blocks": [str(each.number) for each in tasks if task.number in blockers(each)],
        "blockedBy": [str(number) for number in blockers(task)],
        "metadata": metadata(task),
    }


def _hashes(numbers: list[int]) -> str:
    return ", ".join(f"#{number}" for number in numbers)


def _reply(text: str, data: dict[str, Any]) -> Reply:
    shown, display = told(text.split("\n"))
    return Reply(shown, display, data)
