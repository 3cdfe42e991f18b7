"""The values everything else is about. What is kept is frozen; calls and replies only pass by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, get_args

from todowright.plan import context

Status = Literal["pending", "in_progress", "completed", "cancelled"]
Maker = Literal["", "person", "program"]
STATUSES: tuple[Status, ...] = get_args(Status)
CLOSED: frozenset[str] = frozenset({"completed", "cancelled"})
MAIN = "main"
"""The agent that speaks for its session; all others are sub-agents."""

MOST_ITEMS = 10_000
"""The house's ceiling where a dialect names no limit: no plan is longer, but an accident may be."""
LONGEST_TEXT = 100_000
"""Likewise for the characters of one text."""

Code = Literal[
    "no_argument",
    "not_json",
    "tool",
    "type",
    "missing",
    "blank",
    "too_long",
    "unicode",
    "status",
    "unknown",
    "too_many",
    "focus",
    "environment",
    "no_step",
    "misplaced",
    "nested",
    "replaced",
    "edited",
    "ended",
    "judging",
    "skipped",
    "reopened",
    "rushed",
    "unverified",
    "internal",
]


@dataclass(frozen=True, slots=True)
class Todo:
    """One line of work."""

    content: str
    status: Status = "pending"
    active_form: str = ""
    id: str = ""
    number: int = field(default=0, compare=False, repr=False)
    """The place among the ids of its plan that one a program chose stands for; ours tell theirs."""

    @property
    def closed(self) -> bool:
        """Completed or cancelled: nothing is left to do."""
        return self.status in CLOSED


@dataclass(frozen=True, slots=True)
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
    """How many ids this plan has handed out: none is ever given twice."""
    numbered_from: int = 0
    """How many ids were handed out before this plan began: its steps are numbered behind them."""
    log: str = ""
    """The file name of the session's completion log, once there is one."""
    by: Maker = ""
    """Who made this revision; empty for the agent itself, by its tool."""

    def count(self, status: str) -> int:
        """How many todos have this status."""
        return [todo.status for todo in self.todos].count(status)  # type: ignore[arg-type]

    @property
    def progress(self) -> tuple[int, int]:
        """How many todos are completed, and of how many that were not cancelled."""
        return self.count("completed"), len(self.todos) - self.count("cancelled")

    @property
    def finished(self) -> bool:
        """There was something to do, and nothing of it is left."""
        return bool(self.todos) and all(todo.closed for todo in self.todos)

    def tail(self) -> str:
        """Where the plan stands, in words, for the end of a model's context."""
        return context.tail(self)

    def snapshot(self) -> str:
        """The plan for a context that was compacted."""
        return context.snapshot(self)

    @property
    def current(self) -> Todo | None:
        """The first todo that is in progress."""
        return next((todo for todo in self.todos if todo.status == "in_progress"), None)


@dataclass(frozen=True)
class Issue:
    """One reason a call was refused. The dialect chooses the words."""

    code: Code
    index: int | None = None
    """The item at fault, from 0; None when it is the list or the whole call."""
    field: str | None = None
    """The key at fault as the dialect spells it; None when it is the item or call as a whole."""
    value: str = ""
    """What was sent, clipped and harmless: never the payload."""
    kind: str = ""
    """What kind of value was sent, in JSON's words."""
    expected: str = ""
    """The kind that was wanted."""
    limit: int | None = None


@dataclass(slots=True)
class Reply:
    """What a call gives back."""

    text: str
    """For the model."""
    display: str = ""
    """For the person who watches."""
    structured: Mapping[str, Any] | Callable[[], Mapping[str, Any]] = dict
    """`data`, or what makes it when somebody asks: most replies are only read by a model."""
    is_error: bool = False
    issues: tuple[Issue, ...] = ()

    @property
    def data(self) -> Mapping[str, Any]:
        """For programs, in the dialect's own shape."""
        return self.structured() if callable(self.structured) else self.structured


@dataclass(slots=True, eq=False)
class Call:
    """What a dialect knows of a call when it shapes the reply."""

    arguments: object
    plan: Plan
    """The plan that stands now, after an accepted call or despite a refused one."""
    elapsed: float = 0.0
    """Seconds since the call came in."""
    log_failure: str = ""
    """Why the completion log could not be written, if it could not."""
    tool: str | None = None
    """The tool that was called, where the host said which."""
    before: Plan | None = None
    """The plan that stood before an accepted call."""
    reads: bool = False
    """Whether it only asked for the plan."""
    notes: tuple[str, ...] = ()
    """What the model cannot know: new numbers, what was left out, what was mended."""
