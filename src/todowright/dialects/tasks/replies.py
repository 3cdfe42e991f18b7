"""What `tasks` answers."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

from todowright.dialects.call import Call, Reply
from todowright.dialects.tasks.model import (
    DESCRIPTION,
    OWNER,
    blockers,
    is_failed,
    metadata,
    of,
    open_blockers,
    open_numbers,
    place_of,
)
from todowright.dialects.tasks.verbs import asked_for
from todowright.dialects.verb_dialect import VerbDialect
from todowright.plan.model import Plan, Todo
from todowright.text import told


def reply_to_create(_: VerbDialect, call: Call) -> Reply:
    task = call.plan.todos[-1]
    made = {"task": {"id": str(task.number), "subject": task.content}}
    return _reply(f"Task #{task.number} created successfully: {task.content}", made)


def reply_to_update(_: VerbDialect, call: Call) -> Reply:
    before = call.before or call.plan
    old = before.todos[place_of(before.todos, asked_for(call.arguments).get("taskId"))]
    new = next((task for task in call.plan.todos if task.number == old.number), None)
    name = str(old.number)
    data: dict[str, Any] = {"success": True, "taskId": name, "updatedFields": []}
    if before is call.plan:
        return _reply(f"Task #{name}: no change", data)
    if new is None:
        data |= {"updatedFields": ["status"], "statusChange": {"from": old.status, "to": "deleted"}}
        return _reply(f"Updated task #{name} deleted{_freed(before, call.plan)}", data)
    data["updatedFields"] = changed = list(_changed(old, new, before, call.plan))
    if old.status != new.status:
        data["statusChange"] = {"from": old.status, "to": new.status}
    return _reply(f"Updated task #{name} {', '.join(changed)}{_freed(before, call.plan)}", data)


def _changed(old: Todo, new: Todo, before: Plan, after: Plan) -> Iterator[str]:
    """The fields that are different, as a call names them."""
    pairs = {
        "subject": (old.content, new.content),
        "description": (of(old, DESCRIPTION), of(new, DESCRIPTION)),
        "activeForm": (old.active_form, new.active_form),
        "status": (old.status, new.status),
        "owner": (of(old, OWNER), of(new, OWNER)),
        "addBlocks": (_blocked_by(old, before), _blocked_by(new, after)),
        "addBlockedBy": (blockers(old), blockers(new)),
        "metadata": (metadata(old), metadata(new)),
    }
    return (name for name, (was, now) in pairs.items() if was != now)


def _blocked_by(task: Todo, plan: Plan) -> list[int]:
    """The numbers of the tasks that wait for it."""
    return [each.number for each in plan.todos if task.number in blockers(each)]


def _freed(before: Plan, after: Plan) -> str:
    """The tasks that waited before, and wait for nothing now."""
    was, now = open_numbers(before.todos), open_numbers(after.todos)
    waited = {task.number for task in before.todos if open_blockers(task, was)}
    free = [
        task.number
        for task in after.todos
        if task.number in waited and not task.closed and not open_blockers(task, now)
    ]
    return f". Now free: {_hashes(free)}" if free else ""


def reply_to_get(_: VerbDialect, call: Call) -> Reply:
    tasks = call.plan.todos
    task = tasks[place_of(tasks, asked_for(call.arguments).get("taskId"))]
    lines = [f"Task #{task.number}: {task.content}", f"Status: {task.status}"]
    if owner := of(task, OWNER):
        lines.append(f"Owner: {owner}")
    if description := of(task, DESCRIPTION):
        lines += f"Description: {description}".replace("\n", "\n  ").split("\n")
    data = as_data(task, call.plan)
    for key, words in (("blockedBy", "Blocked by"), ("blocks", "Blocks")):
        if data[key]:
            lines.append(f"{words}: {', '.join(f'#{each}' for each in data[key])}")
    return _reply("\n".join(lines), {"task": data})


def reply_to_list(_: VerbDialect, call: Call) -> Reply:
    tasks = sorted(call.plan.todos, key=lambda task: task.number)
    still_open = open_numbers(tasks)
    lines = [_line(task, still_open) for task in tasks] or ["No tasks found"]
    listed = [
        {
            "id": str(task.number),
            "subject": task.content,
            "status": task.status,
            **({"owner": of(task, OWNER)} if of(task, OWNER) else {}),
            "blockedBy": [str(number) for number in open_blockers(task, still_open)],
        }
        for task in tasks
    ]
    return _reply("\n".join(lines), {"tasks": listed})


def _line(task: Todo, still_open: Container[int]) -> str:
    owner = f" ({of(task, OWNER)})" if of(task, OWNER) else ""
    waits = open_blockers(task, still_open)
    blocked = f" [blocked by {_hashes(waits)}]" if waits else ""
    failed = ", failed" if is_failed(task) else ""
    return f"#{task.number} [{task.status}{failed}] {task.content}{owner}{blocked}"


def as_data(task: Todo, plan: Plan) -> dict[str, Any]:
    """A task for programs, in the shape of `TaskGet`; tasks that are gone block nothing."""
    known = {each.number for each in plan.todos}
    return {
        "id": str(task.number),
        "subject": task.content,
        "description": of(task, DESCRIPTION),
        "activeForm": task.active_form,
        "status": task.status,
        "owner": of(task, OWNER),
        "blocks": [str(number) for number in _blocked_by(task, plan)],
        "blockedBy": [str(number) for number in blockers(task) if number in known],
        "metadata": metadata(task),
    }


def _hashes(numbers: list[int]) -> str:
    return ", ".join(f"#{number}" for number in numbers)


def _reply(text: str, data: dict[str, Any]) -> Reply:
    shown, display = told(text.split("\n"))
    return Reply(shown, display, data)
