"""What a person does to a plan: tick, reword, add, move, start, cancel, remove."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from todowright.errors import TodowrightError
from todowright.plan.model import MOST_ITEMS, Plan, Status, Todo
from todowright.stores import Store
from todowright.text import encodable, shown

LONGEST = 2_000
MOST_EDITS = 200
_STATUSES: dict[str, Status] = {
    "tick": "completed",
    "untick": "pending",
    "start": "in_progress",
    "cancel": "cancelled",
}
EDITS = (*_STATUSES, "reword", "add", "move", "remove")


class BadEdit(TodowrightError, ValueError):
    """An edit that cannot be made; the plan is as it was."""


def edit(store: Store, plan: Plan, edits: Sequence[Any]) -> Plan:
    """Make the edits on this revision and keep the outcome; raises `Conflict` if it is not the last."""
    todos, issued = list(plan.todos), plan.issued
    if not isinstance(edits, list) or not 0 < len(edits) <= MOST_EDITS:
        raise BadEdit(f"send a list of 1 to {MOST_EDITS} edits")
    spoken = any(todo.active_form for todo in todos)
    """Whether this plan has active forms: then a new step has one, too, since its dialect may want it."""
    for one in edits:
        if not isinstance(one, dict) or one.get("do") not in EDITS:
            raise BadEdit(f"each edit says what to do: {', '.join(EDITS)}")
        if one["do"] == "add":
            issued += 1
            text = _text(one)
            _insert(todos, Todo(text, active_form=text * spoken, id=f"t{issued}"), one)
        else:
            _change(todos, one)
    if len(todos) > MOST_ITEMS:
        raise BadEdit(f"a plan has at most {MOST_ITEMS} steps")
    if tuple(todos) == plan.todos:
        return plan  # as it is already
    revised = replace(
        plan,
        revision=plan.revision + 1,
        todos=tuple(todos),
        issued=issued,
        updated_at=datetime.now(UTC),
        by="person",
    )
    store.save(revised)
    return revised


def _change(todos: list[Todo], one: dict[str, Any]) -> None:
    at = _find(todos, one.get("id"))
    match one["do"]:
        case "reword":
            text = _text(one)
            spoken = bool(todos[at].active_form)
            todos[at] = replace(todos[at], content=text, active_form=text * spoken)
        case "move":
            _insert(todos, todos.pop(at), one)
        case "remove":
            del todos[at]
        case status:
            if status == "start":
                for index, todo in enumerate(todos):
                    if todo.status == "in_progress":
                        todos[index] = replace(todo, status="pending")
            todos[at] = replace(todos[at], status=_STATUSES[status])


def _insert(todos: list[Todo], todo: Todo, one: dict[str, Any]) -> None:
    """Put a step behind another, first where `after` is empty, last where there is none."""
    after = one.get("after")
    todos.insert(
        len(todos) if after is None else 0 if after == "" else _find(todos, after) + 1, todo
    )


def _find(todos: list[Todo], identity: object) -> int:
    for index, todo in enumerate(todos):
        if todo.id == identity:
            return index
    raise BadEdit(f"there is no step '{shown(identity)}' in this plan")


def _text(one: dict[str, Any]) -> str:
    text = one.get("text")
    if not isinstance(text, str) or not text.strip():
        raise BadEdit("text is missing: say what to do")
    if len(text) > LONGEST or not encodable(text):
        raise BadEdit(f"text must be at most {LONGEST} characters of valid Unicode")
    return text.strip()
