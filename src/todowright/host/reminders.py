"""Soft nudges for an agent's loop: which text a round gets, if any. Never stored, never forced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from todowright.plan.model import Plan, Todo
from todowright.text import a_few, clip, neutral
from todowright.tool.todowrite import TodoWrite

INITIAL_REMINDER = "<reminder>Use TodoWrite for multi-step tasks.</reminder>"
NAG_REMINDER = "<reminder>10+ turns without todo update. Please update todos.</reminder>"
PATIENT_ROUNDS = 10


class Reminders:
    """The nudges of document 003: one at the start, one every round from the eleventh without a write."""

    def __init__(self) -> None:
        self._begun = False
        self._idle = 0

    def at_start(self) -> str | None:
        """For the session's first user message, before the user's text; once."""
        if self._begun:
            return None
        self._begun = True
        return INITIAL_REMINDER

    def after_round(self, *, wrote: bool) -> str | None:
        """For the message with a round's tool results; `wrote` if the plan tool was called at all."""
        self._idle = 0 if wrote else self._idle + 1
        return NAG_REMINDER if self._idle > PATIENT_ROUNDS else None


class WorkReminders:
    """Nudges by work done: calls of other tools since the step in progress last changed.

    Silent on a plan that is empty, finished or just changed. Each nudge waits twice as long as the
    one before, and a run gets `most` of them; `most=0` turns them off.
    """

    def __init__(self, todo: TodoWrite, *, after: int = 12, most: int = 3) -> None:
        self._todo = todo
        self._after = after
        self._most = most
        self._seen: tuple[int, Todo | None] | None = None
        self._work = 0
        self._due = after
        self._given = 0

    def after_round(self, *, calls: int = 1) -> str | None:
        """The nudge for a round that called so many other tools, if it is time for one."""
        if self._given >= self._most:
            return None
        plan = self._todo.plan
        focus = (plan.revision, plan.current)
        if focus != self._seen:
            self._seen, self._work, self._due = focus, 0, self._after
            return None
        if not plan.todos or plan.finished:
            return None
        self._work += calls
        if self._work < self._due:
            return None
        self._work, self._due = 0, self._due * 2
        self._given += 1
        return _nudge(plan)


def _nudge(plan: Plan) -> str:
    now = plan.current
    if now is None:
        return "<reminder>No step of the plan is started.</reminder>"
    name = f"{now.number}: " if now.number else ""
    return f"<reminder>Still on step {name}{clip(neutral(now.content), 60)}? If not, update the plan.</reminder>"


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do with a final answer."""

    kind: Literal["accept", "continue"]
    text: str = ""
    """For the model, where it is to go on."""
    open: tuple[Todo, ...] = ()


class StopGuard:
    """What to do when an agent gives its final answer with open steps.

    It is asked to go on at most `most` times a run, with the open steps listed; then the answer is
    accepted. It never deadlocks.
    """

    def __init__(self, todo: TodoWrite, *, most: int = 2) -> None:
        self._todo = todo
        self._most = most
        self._asked = 0

    def at_end(self) -> Decision:
        """The decision about a final answer."""
        left = self._todo.plan.open
        if not left:
            return Decision("accept")
        if self._asked < self._most:
            self._asked += 1
            return Decision("continue", _open_steps(left), left)
        return Decision("accept", open=left)


def _open_steps(left: tuple[Todo, ...]) -> str:
    names = [f"{todo.number}. {clip(neutral(todo.content), 60)}" for todo in left]
    return f"<reminder>Open steps: {a_few(names)}. Finish them, or say why not.</reminder>"
