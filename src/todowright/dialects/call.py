"""What passes between the tool and a dialect: a call, the draft it asks for, and the reply."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from todowright.errors import Issue
from todowright.plan.model import Plan, Todo


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
class Draft:
    """The plan that a sound call asks for: todos with the number they had, or 0 where they are new."""

    todos: list[Todo]
    summary: str = ""
    notes: tuple[str, ...] = ()
    """What the model cannot know."""
    reads: bool = False
    """Whether the plan is only asked for, and stays as it is."""
    checked: bool = False
    """Whether it is a whole list that the checker has read; else the writer looks at the outcome."""
    edits: bool = False
    """Whether single todos were edited: then nothing is kept where nothing changed."""


@dataclass(slots=True, eq=False)
class Call:
    """What a dialect knows of a call when it words the reply."""

    arguments: object
    plan: Plan
    """The plan that stands now, after an accepted call or despite a refused one."""
    elapsed: float = 0.0
    """Seconds since the call came in."""
    log_failure: str = ""
    """Why the completion log could not be written, if it could not."""
    before: Plan | None = None
    """The plan that stood before an accepted call."""
    reads: bool = False
    """Whether it only asked for the plan."""
