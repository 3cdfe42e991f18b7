"""The tasks that Claude Code keeps in files, as one list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from todowright.formats import Reading, read_plan


def reading_of_tasks(tasks: Sequence[dict[str, Any]]) -> Reading:
    """The list that the tasks make: as if each had been created, and then updated, by calls."""
    read = Reading()
    for task in tasks:
        told = f"Task #{task.get('id')} created successfully"
        read = read.then(read_plan(task, tool="TaskCreate", result=told))
    for task in tasks:
        keys = ("status", "owner", "blockedBy", "activeForm", "description")
        change = {"taskId": task.get("id"), **{key: task[key] for key in keys if task.get(key)}}
        read = read.then(read_plan(change, tool="TaskUpdate"))
    return replace(read, replaces="all", todos=read.plan.todos, edits=(), format="claude-tasks")
