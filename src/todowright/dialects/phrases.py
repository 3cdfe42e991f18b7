"""The parts of a dialect: its fields, its tools, its verbs, and the house's own words for faults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from todowright.dialects.check import Draft
    from todowright.dialects.dialect import Dialect
    from todowright.plan.model import Plan

Role = Literal["content", "status", "active_form", "id"]
ROLES: tuple[Role, ...] = ("content", "status", "active_form", "id")
Stage = Literal["count", "items", "focus"]

PHRASES: Mapping[str, str] = MappingProxyType(
    {
        "no_argument": "no arguments: send an object with the key {list}",
        "not_json": "the arguments are not JSON: send an object with the key {list}",
        "tool": "no tool is called '{got}': call {tool}",
        "type": "{path} must be {expected}, not {kind}",
        "missing": "{path} is missing: add it",
        "blank": "{path} is blank: say what to do",
        "too_long": "{path} has {got} characters, the limit is {limit}: shorten it",
        "unicode": "{path} is not valid Unicode: send it without lone surrogates",
        "status": "{path} is '{got}': use one of {allowed}",
        "unknown": "{path} has unknown keys ({got}): leave them out",
        "too_many": "{path} has {got} items, the limit is {limit}: merge or drop some",
        "focus": "{path} has {got} items in progress, the limit is {limit}: keep one, set the others back",
        "environment": "{path} must be a positive integer, not '{got}'",
        "no_step": "there is no step {field}: the steps are {got}",
        "misplaced": "{field} belongs to {got}: call that",
        "nested": "{path} holds steps of its own: list them one by one",
        "replaced": "another plan stands now, look at it first: {got}",
        "edited": "{got}. Nothing was changed: send the list again, with that in it",
        "ended": "this sub-agent has ended, and its plan with it: leave it",
        "judging": "a step is being verified: change the plan after that, not within",
        "skipped": "step {field} was never started: start it before you finish it",
        "reopened": "step {field} was finished: it may not be opened again",
        "rushed": "{got} steps finished at once: finish them one by one",
        "warn_skipped": "note: step {got} was never started",
        "warn_reopened": "note: step {got} had been finished",
        "warn_rushed": "note: {got} steps finished at once",
        "unverified": "step {field} is not finished: {got}",
        "internal": "the plan could not be kept ({got}); the one before it stands: try again",
        "storm": "The same again: nothing changed.",
        "last_stands": "Note: {got} plan calls in this turn; this is the one that stands.",
    }
)


@dataclass(frozen=True, eq=False)
class Field:
    """One key of an item: the part of a `Todo` it fills, and how the dialect spells it."""

    role: Role
    key: str = ""
    description: str = ""
    required: bool = True

    def __post_init__(self) -> None:
        if not self.key:
            object.__setattr__(self, "key", self.role)


@dataclass(slots=True)
class Tool:
    """A tool as a host offers it to a model, and what the host should know of it."""

    name: str
    description: str
    input_schema: dict[str, Any]
    read_only: bool = False
    """False: a batch that holds this tool runs one by one, in call order."""
    needs_permission: bool = False
    in_plan_mode: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Verb:
    """One of the small tools of a dialect that changes its plan step by step."""

    tool: Tool
    apply: Callable[[Dialect, Plan, dict[str, Any]], Draft]
    """Drafts the plan that the call makes of the one that stands; raises `Refused` if it cannot."""
    key: str
    """The argument by which a call without a tool's name is known."""
