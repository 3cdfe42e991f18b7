"""What a format is: one agent's way to write a plan, as a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from todowright.formats.reading import Reading, ToolCall
from todowright.plan.model import STATUSES, Plan, Status
from todowright.values import settings

WITHOUT_CANCELLED: tuple[Status, ...] = ("pending", "in_progress", "completed")
Payload = tuple[Any, list[int]]
"""What is sent, and which items of the plan are in it."""


@settings
class Holds:
    """What of a plan a format can hold. A test proves it in both directions, and the documentation is made of it."""

    statuses: tuple[Status, ...] = STATUSES
    """Those that are read back as they were. Items that are cancelled are left out where this has no such word."""
    states: tuple[str, ...] | None = ()
    """Other words for a status that it knows, such as `blocked`; None for any."""
    active_form: bool = False
    id: bool | str = False
    """Whether an item keeps its id; `number` where it must be one, `place` where it is the place in the list."""
    extras: tuple[str, ...] = ()
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The only texts that an extra may have."""
    summary: bool = False
    lines: bool = True
    """Whether a text keeps its line breaks and its outer spaces."""
    focus_first: bool = False
    """Whether the first item that is not finished counts as the one in progress, and no other can be."""
    fills: tuple[str, ...] = ()
    """What is filled in where the plan says nothing, since the agent demands it."""


@settings
class Format:
    """One agent's way to write a plan."""

    name: str
    agent: str
    """Whose it is: `Claude Code`."""
    description: str
    """What is sent, in one line."""
    tools: tuple[str, ...] = ()
    """The names of its tools, and the kinds of its messages."""
    holds: Holds = field(default_factory=Holds)
    reader: Callable[[ToolCall], Reading] | None = None
    """What a call says; raises `Unreadable` where it says nothing that can be read."""
    writer: Callable[[Plan], Payload] | None = None
    fit: Callable[[ToolCall], int] | None = None
    """How much a call looks like one of this format; 0 for not at all. Asked where the name of a tool does not decide."""

    def read(self, call: ToolCall) -> Reading:
        """What a call says; raises `Unreadable`."""
        assert self.reader is not None
        return self.reader(call)

    def write(self, plan: Plan) -> Payload:
        """The plan as the agent would send it."""
        assert self.writer is not None
        return self.writer(plan)

    def likeness(self, call: ToolCall) -> int:
        """How much a call looks like one of this format."""
        return self.fit(call) if self.fit is not None else 0

    def __repr__(self) -> str:
        return f"<Format {self.name}>"
