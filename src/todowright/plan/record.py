"""One agent's revisions, folded: since when it is on a step, what it dropped, which edits of people it kept."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, replace
from typing import Literal

from todowright.plan.changes import ItemChange, compare
from todowright.plan.model import Plan, Todo

Kept = Literal["sent", "kept", "changed"]
"""`sent`: the agent has not written since. `kept`: its next list still had it. `changed`: it had not."""
KEPT_TIMES, KEPT_DROPS, KEPT_EDITS, KEPT_MOVES = 200, 50, 50, 720
"""How many times of finished steps, drops, edits of people and moments of a revision are remembered."""
_TAKE_OFF = frozenset({"lean", "tasks"})
"""Dialects with a tool that takes a step off: who uses it means it, and nobody has to look."""
_SUFFIX = re.compile(r"-[0-9a-f]{8}$")


@dataclass(frozen=True, slots=True)
class Dropped:
    """An open step that vanished from its agent's list."""

    number: int
    content: str
    at: float
    after: int = 0
    """The number of the step that it stood behind; 0 for the first place."""


@dataclass(frozen=True, slots=True)
class PersonEdit:
    """What a person did to one step, and what became of it."""

    revision: int
    at: float
    number: int
    content: str
    """The words of the step as the person left it."""
    kinds: tuple[str, ...]
    by: str = ""
    status: str = ""
    """Its status as the person left it; empty where they took it off."""
    state: Kept = "sent"
    judged_at: float = 0.0


class AgentRecord:
    """What is known of one agent; `take` its revisions in order, from any of them on."""

    __slots__ = (
        "_full", "began", "dropped", "edits", "first_at", "moves", "number", "plan", "since", "spoke_at", "times",
    )  # fmt: skip

    def __init__(self, plan: Plan) -> None:
        at = moment(plan)
        self.plan = self._full = plan
        self.began = {todo.number: at for todo in plan.todos if todo.status == "in_progress"}
        """When the steps that are in progress were started."""
        self.times: deque[tuple[float, float]] = deque(maxlen=KEPT_TIMES)
        """For each finished step, when that was and how many seconds it took."""
        self.dropped: list[Dropped] = []
        self.edits: list[PersonEdit] = []
        self.moves: deque[float] = deque([at], maxlen=KEPT_MOVES)
        self.spoke_at = at
        """When the agent itself last wrote."""
        self.first_at = self.since = at
        """When its first plan began, and its present one, as far as is known."""
        self.number = 1
        """Which plan of this agent it is, as far as is known."""

    def take(self, plan: Plan) -> None:
        """The next revision."""
        before, at = self.plan, moment(plan)
        changes = compare(before, plan)
        own = plan.by.kind == "agent"
        lost = own and not _is_meant(plan, changes)
        self.plan = plan
        self.moves.append(at)
        if own:
            self.spoke_at = at
            self._judge_edits(plan, at)
        elif plan.by.kind == "person":
            self._note_edits(plan, changes, at)
        self._count_plans(plan, at)
        for change in changes:
            self._time(change, at)
            if lost and "dropped" in change.kinds and change.before is not None:
                self._drop(before, change.before, at)
        if self.dropped:
            self._restore(plan)

    def _count_plans(self, plan: Plan, at: float) -> None:
        """A list that shares nothing with the finished one before it is the next plan."""
        if not plan.todos:
            return
        old = {todo.number for todo in self._full.todos}
        if self._full.finished and not any(todo.number in old for todo in plan.todos):
            self.number, self.since = self.number + 1, at
        self._full = plan

    def _time(self, change: ItemChange, at: float) -> None:
        number = change.todo.number
        on = change.after is not None and change.after.status == "in_progress"
        if on:
            self.began.setdefault(number, at)
            return
        began = self.began.pop(number, None)
        if began is not None and "completed" in change.kinds:
            self.times.append((at, at - began))

    def _drop(self, before: Plan, todo: Todo, at: float) -> None:
        numbers = [each.number for each in before.todos]
        place = numbers.index(todo.number)
        self.dropped.append(
            Dropped(todo.number, todo.content, at, numbers[place - 1] if place else 0)
        )
        del self.dropped[:-KEPT_DROPS]

    def _restore(self, plan: Plan) -> None:
        """A step that is there again, by its number or in its words, was not dropped."""
        numbers = {todo.number for todo in plan.todos}
        words = {todo.content for todo in plan.todos}
        self.dropped = [
            each
            for each in self.dropped
            if each.number not in numbers and each.content not in words
        ]

    def _note_edits(self, plan: Plan, changes: tuple[ItemChange, ...], at: float) -> None:
        for change in changes:
            todo = change.todo
            self.edits = [each for each in self.edits if each.number != todo.number]
            status = todo.status if change.after else ""
            self.edits.append(
                PersonEdit(
                    plan.revision, at, todo.number, todo.content, change.kinds, plan.by.name, status
                )
            )
        del self.edits[:-KEPT_EDITS]

    def _judge_edits(self, plan: Plan, at: float) -> None:
        here = {todo.number: todo for todo in plan.todos}
        self.edits = [
            replace(edit, state="kept" if _is_kept(edit, here) else "changed", judged_at=at)
            if edit.state == "sent"
            else edit
            for edit in self.edits
        ]


def _is_kept(edit: PersonEdit, here: dict[int, Todo]) -> bool:
    todo = here.get(edit.number)
    if not edit.status:  # the person took it off
        return todo is None and all(each.content != edit.content for each in here.values())
    if todo is None:  # what is done may be tidied away
        return edit.status in ("completed", "cancelled")
    if "reworded" in edit.kinds and todo.content != edit.content:
        return False
    match edit.status:
        case "completed" | "cancelled":
            return todo.status == edit.status
        case "in_progress":
            return "started" not in edit.kinds or todo.status != "pending"
        case _:
            return "reopened" not in edit.kinds or not todo.closed


def _is_meant(plan: Plan, changes: tuple[ItemChange, ...]) -> bool:
    """Whether all that a revision did was to take steps off, and the next one started by itself."""
    kinds = {kind for change in changes for kind in change.kinds}
    return plan.dialect in _TAKE_OFF and kinds <= {"dropped", "removed", "started"}


def moment(plan: Plan) -> float:
    """When a revision was made, in seconds since 1970."""
    return plan.updated_at.timestamp() if plan.updated_at else 0.0


def label(agent: str) -> str:
    """An agent's own name: without those it works for, and without the number that makes it unique."""
    return _SUFFIX.sub("", agent.rpartition("/")[2])
