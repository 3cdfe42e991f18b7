"""What passes between the tool and a dialect: a call, the draft it asks for, and the reply."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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


class Draft:
    """The plan that a sound call asks for: todos with the number they had, or 0 where they are new."""

    __slots__ = ("checked", "is_edit", "is_read", "notes", "summary", "todos")

    def __init__(
        self,
        todos: Sequence[Todo],
        summary: str = "",
        notes: tuple[str, ...] = (),
        is_read: bool = False,
        checked: bool = False,
        is_edit: bool = False,
    ) -> None:
        self.todos = todos
        """A tuple if all of them have a number and a label already."""
        self.summary = summary
        self.notes = notes
        """What the model cannot know."""
        self.is_read = is_read
        """Whether the plan is only asked for, and stays as it is."""
        self.checked = checked
        """Whether it is a whole list that the checker has read; else the writer looks at the outcome."""
        self.is_edit = is_edit
        """Whether single todos were edited: then nothing is kept where nothing changed."""


class Call:
    """What a dialect knows of a call when it words the reply."""

    __slots__ = ("arguments", "before", "elapsed", "log_failure", "plan", "reads")

    def __init__(
        self,
        arguments: object,
        plan: Plan,
        elapsed: float = 0.0,
        log_failure: str = "",
        before: Plan | None = None,
        reads: bool = False,
    ) -> None:
        self.arguments = arguments
        self.plan = plan
        """The plan that stands now, after an accepted call or despite a refused one."""
        self.elapsed = elapsed
        """Seconds since the call came in."""
        self.log_failure = log_failure
        """Why the completion log could not be written, if it could not."""
        self.before = before
        """The plan that stood before an accepted call."""
        self.reads = reads
        """Whether it only asked for the plan."""
