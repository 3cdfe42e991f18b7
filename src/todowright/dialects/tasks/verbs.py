"""What the four tools of `tasks` make of a list of tasks."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from todowright.dialects.call import Draft
from todowright.dialects.tasks.model import (
    DESCRIPTION,
    OWNER,
    blockers,
    checked_line,
    checked_text,
    place_of,
    places_of,
    with_blockers,
    with_metadata,
    with_text,
)
from todowright.dialects.verb_dialect import VerbDialect
from todowright.errors import Issue, Refused
from todowright.plan.model import Plan, Todo
from todowright.text import shown

STATUSES = ("pending", "in_progress", "completed", "deleted")
_OTHER_NAMES = (
    ("task_id", "taskId"),
    ("id", "taskId"),
    ("active_form", "activeForm"),
    ("title", "subject"),
)
"""What models write in place of the right key; the first of two is taken."""


@dataclass(slots=True)
class Asked:
    """The arguments of a call, under their right keys."""

    given: dict[str, Any]

    def get(self, key: str) -> Any:
        """An argument; None where it was not given."""
        return self.given.get(key)


def asked_for(arguments: object) -> Asked:
    """The arguments of a call, under their right keys; a host may pass them on as the text they came in."""
    if isinstance(arguments, (str, bytes)):
        arguments = json.loads(arguments)
    given = dict(arguments) if isinstance(arguments, dict) else {}
    for other, right in _OTHER_NAMES:
        if given.get(other) is not None and given.get(right) is None:
            given[right] = given[other]
    return Asked(given)


def check_call(_: VerbDialect, arguments: dict[str, Any]) -> Asked:
    """Read the arguments of any of the four."""
    return asked_for(arguments)


def check_create(dialect: VerbDialect, arguments: dict[str, Any]) -> Asked:
    """Read the arguments of `TaskCreate`."""
    asked = check_call(dialect, arguments)
    if asked.get("subject") is None:
        raise Refused(Issue("missing", field="subject"))
    if not checked_line(asked.get("subject"), "subject", dialect.max_length):
        raise Refused(Issue("blank", field="subject"))
    return asked


def draft_create(dialect: VerbDialect, before: Plan, asked: Asked) -> Draft:
    """One task more, at the end."""
    task = _with_texts(dialect, Todo(""), asked)
    if asked.get("metadata") is not None:
        task = with_metadata(task, asked.get("metadata"))
    return Draft([*before.todos, task], before.summary)


def draft_update(dialect: VerbDialect, before: Plan, asked: Asked) -> Draft:
    """A task with another status, text, owner or metadata, or with tasks that it blocks or waits for.

    Whether that may be is said by the rules, for whoever changes tasks.
    """
    tasks = list(before.todos)
    at = place_of(tasks, asked.get("taskId"))
    status = asked.get("status")
    if status is not None and status not in STATUSES:
        got = shown(status) if isinstance(status, str) else shown(repr(status))
        raise Refused(Issue("choice", field="status", value=got, expected=", ".join(STATUSES)))
    tasks[at] = _with_texts(dialect, tasks[at], asked)
    if asked.get("metadata") is not None:
        tasks[at] = with_metadata(tasks[at], asked.get("metadata"))
    if others := _named(tasks, asked, "addBlockedBy"):
        tasks[at] = _blocked(tasks[at], [tasks[other] for other in others])
    for other in _named(tasks, asked, "addBlocks"):
        tasks[other] = _blocked(tasks[other], [tasks[at]])
    if status == "deleted":
        del tasks[at]
    elif status is not None:
        tasks[at] = tasks[at].with_status(status)
    return Draft(tasks, before.summary)


def _blocked(task: Todo, by: Iterable[Todo]) -> Todo:
    return with_blockers(task, [*blockers(task), *(each.number for each in by)])


def _named(tasks: list[Todo], asked: Asked, key: str) -> list[int]:
    return [] if asked.get(key) is None else places_of(tasks, asked.get(key), key)


def _with_texts(dialect: VerbDialect, task: Todo, asked: Asked) -> Todo:
    """The task with the texts that a call gives."""
    if asked.get("subject") is not None:
        subject = checked_line(asked.get("subject"), "subject", dialect.max_length)
        if not subject:
            raise Refused(Issue("blank", field="subject"))
        task = replace(task, content=subject)
    if asked.get("activeForm") is not None:
        task = replace(task, active_form=checked_text(asked.get("activeForm"), "activeForm", None))
    if asked.get(DESCRIPTION) is not None:
        text = checked_text(asked.get(DESCRIPTION), DESCRIPTION, None)
        task = with_text(task, DESCRIPTION, text)
    if asked.get(OWNER) is not None:
        task = with_text(task, OWNER, checked_line(asked.get(OWNER), OWNER, None))
    return task


def draft_get(_: VerbDialect, before: Plan, asked: Asked) -> Draft:
    """One task is looked at."""
    place_of(before.todos, asked.get("taskId"))
    return Draft([], is_read=True)


def draft_list(_: VerbDialect, before: Plan, asked: Asked) -> Draft:
    """All tasks are looked at."""
    return Draft([], is_read=True)
