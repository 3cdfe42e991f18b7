"""A dialect of small tools, each of which changes single steps of the plan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from todowright.dialects import schema_parts as schema
from todowright.dialects.call import Call, Draft, Reply
from todowright.dialects.dialect import Dialect, Tool
from todowright.dialects.list_dialect import ListDialect
from todowright.errors import Issue, Refused
from todowright.plan.model import Plan
from todowright.text import shown
from todowright.values import settings


@dataclass(frozen=True, eq=False, repr=False)
class Verb:
    """One small tool: how its arguments are read, what they make of the plan, and what is answered."""

    tool: Tool
    check: Callable[[VerbDialect, dict[str, Any]], Any]
    """Reads the arguments, without looking at a plan; raises `Refused` if they cannot be meant."""
    draft: Callable[[VerbDialect, Plan, Any], Draft]
    """Drafts what the checked arguments make of the plan that stands; raises `Refused` if it cannot."""
    reply: Callable[[VerbDialect, Call], Reply]
    whole: bool = False
    """Whether it sends the whole plan: it then must know what others did to the one that stands."""
    texts: tuple[str, ...] = ()
    """The arguments that hold the words of steps: their schema shows the limits of the dialect."""


@dataclass(slots=True, eq=False)
class ReadCall:
    """A call of a verb, and its checked arguments."""

    verb: Verb
    arguments: Any


@settings
class VerbDialect(Dialect):
    """Small tools in place of one for the whole list."""

    verbs: tuple[Verb, ...]
    """The first is meant where a call names no tool."""
    items: ListDialect
    """How the items of a list are read, where a verb takes one; it has the limits of this dialect."""

    def __post_init__(self) -> None:
        """Give the items the limits of this dialect, also of one that was made by `replace`."""
        super().__post_init__()
        if not self.verbs:
            raise self._wrong("verbs must hold at least one")
        shared = {part.name: getattr(self, part.name) for part in fields(Dialect) if part.init}
        object.__setattr__(self, "items", replace(self.items, **shared))
        first = self.verbs[0].tool
        if any(extra.required for extra in self.extras):
            raise self._wrong("extras cannot be required: its steps are texts, which carry none")
        object.__setattr__(self, "tool_name", first.name)
        object.__setattr__(self, "description", first.description)
        object.__setattr__(self, "list_key", self.items.list_key)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """A tool for each verb, with the limits in force."""
        return self._tools

    @cached_property
    def _tools(self) -> tuple[Tool, ...]:
        limits = self.max_items, self.max_length
        if limits == (None, None):
            return tuple(verb.tool for verb in self.verbs)
        return tuple(
            replace(
                verb.tool, input_schema=schema.limited(verb.tool.input_schema, verb.texts, *limits)
            )
            for verb in self.verbs
        )

    def read(self, tool: str | None, arguments: dict[str, Any]) -> ReadCall:
        """Read a call of one of the tools; raises `Refused` where it cannot be meant."""
        verb = self.verb(tool)
        if verb is None:
            raise Refused(Issue("tool", value=shown(tool)))
        return ReadCall(verb, verb.check(self, arguments))

    def verb(self, tool: str | None) -> Verb | None:
        """The verb of that name; the first, where none is given."""
        if tool is None:
            return self.verbs[0]
        return self._by_name.get(tool) if isinstance(tool, str) else None  # type: ignore[redundant-expr]

    @cached_property
    def _by_name(self) -> dict[str, Verb]:
        return {verb.tool.name: verb for verb in self.verbs}

    def arguments(self, plan: Plan) -> dict[str, Any]:
        """The plan as a list of items."""
        return self.items.arguments(plan)
