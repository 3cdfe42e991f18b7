"""Soft nudges for an agent's loop: which text a round gets, if any. Never stored, never forced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from todowright.plan.model import Plan, Todo
from todowright.text import a_few, clip, neutral
from todowright.tool.todowrite import TodoWrite

_INITIAL = "<reminder>Use {tool} for multi-step tasks.</reminder>"
INITIAL_REMINDER = _INITIAL.format(tool="TodoWrite")
NAG_REMINDER = "<reminder>10+ turns without todo update. Please update todos.</reminder>"
PATIENT_ROUNDS = 10


class Reminders:
    """The nudges of document 003: one at the start, one every round from the eleventh without a write.

    Ask only while the plan tool is offered: in plan mode there is nothing to remind of.
    """

    def __init__(self, *, tool: str = "TodoWrite", idle: int = 0) -> None:
        self.idle = idle
        """Rounds in a row without a write; a host that goes on with a session gives what it was."""
        self._tool = tool
        self._begun = False

    def at_start(self) -> str | None:
        """For the session's first user message, before the user's text; once."""
        if self._begun:
            return None
        self._begun = True
        return _INITIAL.format(tool=self._tool)

    def after_round(self, *, wrote: bool) -> str | None:
        """For the message with a round's tool results; `wrote` if the plan tool was called at all."""
        self.idle = 0 if wrote else self.idle + 1
        return NAG_REMINDER if self.idle > PATIENT_ROUNDS else None


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

    def after_round(self, *, calls: int = 1, plan: Plan | None = None) -> str | None:
        """The nudge for a round that called so many other tools, if it is time for one; `plan` is how it stands, if you know."""
        if self._given >= self._most:
            return None
        plan = plan or self._todo.plan
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
        return _nudge(plan, starts=self._todo.dialect.wire_status("in_progress") is not None)


def _nudge(plan: Plan, *, starts: bool) -> str:
    """The nudge for a plan; `starts` says whether its dialect can tell that a step is in progress."""
    if not starts:
        return f"<reminder>Is step {_named(plan.open[0])} done? If so, update the plan.</reminder>"
    if plan.current is None:
        return "<reminder>No step of the plan is started.</reminder>"
    return f"<reminder>Still on step {_named(plan.current)}? If not, update the plan.</reminder>"


def _named(todo: Todo) -> str:
    name = f"{todo.number}: " if todo.number else ""
    return f"{name}{clip(neutral(todo.content), 60)}"


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
