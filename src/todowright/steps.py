"""A plan by numbers: the edits a model makes to single steps, and what it means by a plan sent again.

A step's number is the place of its id among the ids of its plan: it never shifts, whatever is added,
dropped or moved, and a new plan counts from 1 again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from todowright.context import neutral, number_of
from todowright.errors import Refused
from todowright.identity import match
from todowright.model import Issue, Plan, Status, Todo
from todowright.text import clip

_SHORT = 40


@dataclass(slots=True)
class Steps:
    """The steps of a plan while they are edited."""

    plan: Plan
    todos: list[Todo]
    most_in_progress: int | None = 1
    notes: list[str] = field(default_factory=list)
    """What the model cannot know of."""
    issued: int = 0

    def find(self, number: int) -> int:
        """Where the step with this number stands."""
        for index, todo in enumerate(self.todos):
            if number_of(self.plan, todo) == number:
                return index
        known = ranges([number_of(self.plan, todo) for todo in self.todos])
        raise Refused("", (Issue("no_step", field=str(number), value=known or "none"),))

    def set(self, number: int, status: Status) -> None:
        """Give a step a status."""
        at = self.find(number)
        self.todos[at] = replace(self.todos[at], status=status)

    def start(self, number: int) -> None:
        """Start a step, a finished one again; what was in progress waits, where only one may be."""
        at = self.find(number)
        if self.todos[at].status != "in_progress":
            if self.most_in_progress == 1:
                self.pause()
            self.set(number, "in_progress")

    def pause(self) -> None:
        """Put back whatever is in progress."""
        for index, todo in enumerate(self.todos):
            if todo.status == "in_progress":
                self.todos[index] = replace(todo, status="pending")

    def drop(self, number: int) -> None:
        """Cancel an open step; take one that is closed off the plan."""
        at = self.find(number)
        if self.todos[at].closed:
            del self.todos[at]
        else:
            self.todos[at] = replace(self.todos[at], status="cancelled")

    def reword(self, number: int, text: str) -> None:
        """Say a step differently."""
        at = self.find(number)
        self.todos[at] = replace(self.todos[at], content=text)

    def add(self, texts: Sequence[str], after: int | None) -> None:
        """Put in steps, at the end or behind one (0: first); each gets the next number there is."""
        at = len(self.todos) if after is None else 0 if after == 0 else self.find(after) + 1
        self.todos[at:at] = [Todo(text) for text in texts]
        before = len(self.notes)
        self.name_new()
        first = self.plan.issued + self.issued - len(texts) + 1 - self.plan.numbered_from
        self.notes[before:] = [f"new: {ranges(range(first, first + len(texts)))}"] if texts else []

    def name_new(self) -> None:
        """Number the steps that are new, and tell their numbers."""
        for index, todo in enumerate(self.todos):
            if not todo.id:
                self.issued += 1
                self.todos[index] = replace(todo, id=f"t{self.plan.issued + self.issued}")
                number = number_of(self.plan, self.todos[index])
                self.notes.append(f"{number} is {clip(neutral(todo.content), _SHORT)}")

    def go_on(self) -> None:
        """Start the first step that waits, if nothing is in progress."""
        if not any(todo.status == "in_progress" for todo in self.todos):
            for index, todo in enumerate(self.todos):
                if todo.status == "pending":
                    self.todos[index] = replace(todo, status="in_progress")
                    return


def ranges(numbers: Sequence[int]) -> str:
    """Numbers in few characters: `1-4, 7`; those of earlier plans are left out."""
    parts: list[list[int]] = []
    for number in sorted(number for number in numbers if number > 0):
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(f"{part[0]}-{part[-1]}" if len(part) > 1 else f"{part[0]}" for part in parts)


def planned_again(
    plan: Plan, wanted: Sequence[Todo], *, whole: bool
) -> tuple[list[Todo], list[str]] | None:
    """What a plan sent again means for the one that stands; None if it is another plan.

    Steps are matched by their words. Finished ones stay; when the list holds just the steps that
    wait, the one in progress is done; other open ones that are missing are kept as cancelled and
    named. `whole` says that the list gives statuses, which then count.
    """
    origins = match(plan.todos, wanted)
    kept = {origin for origin in origins if origin is not None}
    if not any(not plan.todos[origin].closed for origin in kept):
        return None
    missing = [n for n, todo in enumerate(plan.todos) if n not in kept and not todo.closed]
    in_progress = all(plan.todos[n].status == "in_progress" for n in missing)
    finished = in_progress and None not in origins and not whole
    left_out: list[str] = []
    stayed: list[Todo] = []
    for n, todo in enumerate(plan.todos):
        if n in missing:
            stayed.append(replace(todo, status="completed" if finished else "cancelled"))
            if not finished:
                left_out.append(f"{number_of(plan, todo)} {clip(neutral(todo.content), _SHORT)}")
        elif n not in kept:
            stayed.append(todo)
    listed = [
        want if origin is None else _as_wanted(plan.todos[origin], want, whole=whole)
        for want, origin in zip(wanted, origins, strict=True)
    ]
    notes = ["left out, now cancelled: " + "; ".join(left_out)] if left_out else []
    return stayed + listed, notes


def _as_wanted(todo: Todo, want: Todo, *, whole: bool) -> Todo:
    return replace(todo, content=want.content, status=want.status if whole else todo.status)
