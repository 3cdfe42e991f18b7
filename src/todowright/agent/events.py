"""What a run yields, in order: what renderers, logs and tests read."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

from todowright.agent.providers import Usage
from todowright.plan.data import as_data
from todowright.plan.model import Plan

Reason = Literal["answer", "rounds", "tokens", "time", "error", "refusal", "interrupted"]


@dataclass(frozen=True)
class Event:
    """Something that happened to an agent: `main`, or a sub-agent below it."""

    name: ClassVar[str]
    agent: str


@dataclass(frozen=True)
class Started(Event):
    """A run begins, or goes on."""

    name = "start"
    task: str
    session: str
    resumed: bool


@dataclass(frozen=True)
class Thought(Event):
    """An answer of the model: what it said, if anything, beside its calls."""

    name = "thought"
    text: str
    usage: Usage


@dataclass(frozen=True)
class CallsInText(Event):
    """The model wrote its calls as text, and they are taken as calls; comes before its `Thought`."""

    name = "calls_in_text"
    text: str
    """What it wrote."""
    count: int


@dataclass(frozen=True)
class Action(Event):
    """The model calls a tool."""

    name = "action"
    id: str
    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Observation(Event):
    """What the call gave back."""

    name = "observation"
    id: str
    tool: str
    text: str
    is_error: bool


@dataclass(frozen=True)
class TodoUpdate(Event):
    """The plan after a call that changed it; a sub-agent's knows the step of its parent that it serves."""

    name = "todo_update"
    plan: Plan


@dataclass(frozen=True)
class Reminder(Event):
    """A nudge that the model is given."""

    name = "reminder"
    text: str


@dataclass(frozen=True)
class Compaction(Event):
    """The context was made smaller, the plan is still in it; sizes are estimated, `usage` is a summary's."""

    name = "compaction"
    kind: Literal["cleared", "summarised"]
    before: int
    after: int
    usage: Usage


@dataclass(frozen=True)
class Waiting(Event):
    """The provider could not answer; it is asked again after a while."""

    name = "waiting"
    seconds: float
    why: str


@dataclass(frozen=True)
class Ended(Event):
    """A run is over: the answer, or why there is none; tokens of sub-agents included."""

    name = "end"
    reason: Reason
    text: str
    plan: Plan
    usage: Usage
    rounds: int


def as_json(event: Event) -> dict[str, Any]:
    """An event as values that JSON knows; of a plan, what a reader needs."""
    values = asdict(event)
    plan = getattr(event, "plan", None)
    return {"event": event.name, **values} | ({"plan": as_data(plan)} if plan else {})
