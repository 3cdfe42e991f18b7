"""The values everything else is about. They are frozen: whoever has one may keep it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple, get_args

from todowright.text import clip, neutral
from todowright.values import value

Status = Literal["pending", "in_progress", "completed", "cancelled"]
STATUSES: tuple[Status, ...] = get_args(Status)
Maker = Literal["agent", "person", "program"]
MAKERS: tuple[Maker, ...] = get_args(Maker)
CLOSED: frozenset[str] = frozenset({"completed", "cancelled"})
MAIN = "main"
"""The agent that speaks for its session; all others are sub-agents."""

MOST_ITEMS = 10_000
"""The house's ceiling where a dialect names no limit: no plan is longer, but an accident may be."""
LONGEST_TEXT = 100_000
"""Likewise for the characters of one text."""

_MOST_OPEN = 12
_LONGEST = 120


@value
class Todo:
    """One line of work."""

    content: str
    status: Status = "pending"
    active_form: str = ""
    id: str = ""
    """A label: `t1`, `t2`, … or a program's own."""
    number: int = 0
    """What tells it from all other todos of its agent and session, now and ever; 0 before it is kept."""

    @property
    def closed(self) -> bool:
        """Completed or cancelled: nothing is left to do."""
        return self.status in CLOSED


class Author(NamedTuple):
    """Who made a revision."""

    kind: Maker = "agent"
    name: str = ""


AGENT, PERSON, PROGRAM = Author("agent"), Author("person"), Author("program")


@value
class Plan:
    """The whole list of one agent in one session at one revision."""

    session: str = "default"
    agent: str = MAIN
    revision: int = 0
    todos: tuple[Todo, ...] = ()
    summary: str = ""
    updated_at: datetime | None = None
    """When this revision was made, in UTC; None before the first."""
    issued: int = 0
    """The highest number that a todo of this plan has had."""
    log: str = ""
    """The file name of the session's completion log, once there is one."""
    by: Author = AGENT
    """Who made this revision."""
    dialect: str = ""
    """The dialect whose rules it follows; empty for one that an earlier release wrote."""
    serves: int = 0
    """The number of the parent's step that this sub-agent works on; 0 for none."""
    ended: str = ""
    """How a sub-agent ended, once it has."""
    verified: bool = False
    """Whether its program verifies what is completed."""

    def count(self, status: str) -> int:
        """How many todos have this status."""
        return [str(todo.status) for todo in self.todos].count(status)

    @property
    def progress(self) -> tuple[int, int]:
        """How many todos are completed, and of how many that were not cancelled."""
        return self.count("completed"), len(self.todos) - self.count("cancelled")

    @property
    def finished(self) -> bool:
        """There was something to do, and nothing of it is left."""
        return bool(self.todos) and all(todo.closed for todo in self.todos)

    @property
    def current(self) -> Todo | None:
        """The first todo that is in progress."""
        return next((todo for todo in self.todos if todo.status == "in_progress"), None)

    @property
    def open(self) -> tuple[Todo, ...]:
        """The todos that are not closed."""
        return tuple(todo for todo in self.todos if not todo.closed)

    @property
    def parent(self) -> str:
        """The agent that this sub-agent works for; empty for one that works for nobody."""
        return self.agent.rpartition("/")[0]

    def tail(self) -> str:
        """Where the plan stands, in words, for the end of a model's context; empty if nothing is open."""
        return self._tail(_MOST_OPEN, _LONGEST)

    def snapshot(self) -> str:
        """The plan for a compacted context: notes about where the work is, not new orders."""
        body = self._tail(len(self.todos), LONGEST_TEXT)
        if not body:
            return ""
        done = [neutral(todo.content) for todo in self.todos if todo.status == "completed"]
        finished = f"\nFinished, not to be done again: {clip('; '.join(done), 400)}" if done else ""
        return f"<plan>\n{body}{finished}\n</plan>"

    def _tail(self, most: int, longest: int) -> str:
        """State is told in words, since a weak model hardly reads marks; no text breaks out of its line."""
        left = self.open
        if not left:
            return ""
        done, total = self.progress
        lines = [f"Plan: {done} of {total} done."]
        following = next((todo for todo in left if todo.status == "pending"), None)
        for todo in left[:most]:
            state = " - NEXT" if todo is following else ""
            state = " - NOW" if todo.status == "in_progress" else state
            name = f"{todo.number}. " if todo.number else "- "
            lines.append(f"{name}{clip(neutral(todo.content), longest)}{state}")
        if len(left) > most:
            lines.append(f"and {len(left) - most} more")
        if self.summary:
            lines.append(f"Note: {clip(neutral(self.summary), longest)}")
        return "\n".join(lines)
