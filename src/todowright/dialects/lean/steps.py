"""A plan by numbers: the edits a model makes to single steps.

A step's number is the place of its id among the ids of its plan: it never shifts, whatever is added,
dropped or moved, and a new plan counts from 1 again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from todowright.plan.context import neutral, number_of
from todowright.errors import Refused
from todowright.plan.model import Issue, Plan, Status, Todo
from todowright.text import clip, kind, shown

SHORT = 40
_A_FEW = 5
_NUMBER = re.compile(r"(?:step\s*)?#?(\d{1,6})[.)]?", re.IGNORECASE)


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
            if number_of(self.plan, todo) == number > 0:
                return index
        raise self._no_step(str(number))

    def numbers(self, given: object) -> list[int]:
        """The numbers that are meant, at least one."""
        return (
            [self.number(each) for each in given]
            if isinstance(given, (list, tuple)) and given
            else [self.number(given)]
        )

    def number(self, given: object, *, least: int = 1) -> int:
        """The number that is meant: also `2.0`, `"#2"`, `"2."`, `"step 2"`, or the words of one step."""
        given = given[0] if isinstance(given, list) and len(given) == 1 else given
        if given is None or given in ("", []):
            raise Refused("", (Issue("missing", field="step"),))
        if isinstance(given, float) and given.is_integer():
            given = int(given)
        text = str(given).strip() if isinstance(given, (str, int)) else ""
        if (found := _NUMBER.fullmatch(text)) and int(found[1]) >= least:
            return int(found[1])
        same = [todo for todo in self.todos if todo.content == text]
        if len(same) == 1:
            return number_of(self.plan, same[0])
        if isinstance(given, bool) or not isinstance(given, (str, int, float)):
            expected = "a step's number"
            issue = Issue("type", field="step", kind=kind(given), expected=expected)
            raise Refused("", (issue,))
        raise self._no_step(f"'{shown(given)}'" if isinstance(given, str) else shown(given))

    def _no_step(self, name: str) -> Refused:
        known = ranges([number_of(self.plan, todo) for todo in self.todos])
        return Refused("", (Issue("no_step", field=name, value=known or "none"),))

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
        named: list[tuple[int, str]] = []
        for index, todo in enumerate(self.todos):
            if not todo.id:
                self.issued += 1
                self.todos[index] = replace(todo, id=f"t{self.plan.issued + self.issued}")
                named.append((number_of(self.plan, self.todos[index]), todo.content))
        if len(named) > 2:
            self.notes.append(f"new: {ranges([number for number, _ in named])}")
        else:
            self.notes += [f"{number} is {clip(neutral(text), SHORT)}" for number, text in named]

    def go_on(self) -> None:
        """Start the first step that waits, if nothing is in progress."""
        if not any(todo.status == "in_progress" for todo in self.todos):
            for index, todo in enumerate(self.todos):
                if todo.status == "pending":
                    self.todos[index] = replace(todo, status="in_progress")
                    return


def a_few(names: Sequence[str]) -> str:
    """Names in a row, the rest of many as a count."""
    more = [f"and {len(names) - _A_FEW} more"] if len(names) > _A_FEW else []
    return "; ".join([*names[:_A_FEW], *more])


def ranges(numbers: Sequence[int]) -> str:
    """Numbers in few characters: `1-4, 7`; those of earlier plans are left out."""
    parts: list[list[int]] = []
    for number in sorted(number for number in numbers if number > 0):
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(f"{part[0]}-{part[-1]}" if len(part) > 1 else f"{part[0]}" for part in parts)
