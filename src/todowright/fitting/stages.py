"""The nine stages: what the user says, and what should happen to the plan then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from todowright.fitting.tasks import Task

Kind = Literal["plan", "done", "add", "insert", "drop", "reword"]


@dataclass(frozen=True, slots=True)
class Row:
    """A step as it should stand."""

    text: str
    done: bool = False


@dataclass(frozen=True, slots=True)
class Deed:
    """What should happen to a plan. `places` count from 0; an insert goes in front of its place."""

    kind: Kind
    places: tuple[int, ...] = ()
    texts: tuple[str, ...] = ()

    def on(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """The plan that should stand afterwards."""
        match self.kind:
            case "plan" | "add":
                return (*rows, *map(Row, self.texts))
            case "done":
                return tuple(
                    replace(row, done=row.done or place in self.places)
                    for place, row in enumerate(rows)
                )
            case "insert":
                (place,) = self.places
                return (*rows[:place], *map(Row, self.texts), *rows[place:])
            case "drop":
                return tuple(row for place, row in enumerate(rows) if place not in self.places)
            case "reword":
                (place,) = self.places
                return (*rows[:place], *map(Row, self.texts), *rows[place + 1 :])


@dataclass(frozen=True, slots=True)
class Stage:
    """A moment in the work, at which the user says something."""

    name: str
    before: int
    """How many plan calls stand in the history: none, the plan, or the plan and the first step's end."""
    moment: Callable[[Task], tuple[str, Deed]]
    """What the user says, and what should happen to the plan."""


def request(task: Task) -> str:
    """What the user asks for at the beginning."""
    return "\n".join(
        ["Do these steps in this order, and plan them first:", *(f"- {s}" for s in task.steps)]
    )


def finished(*steps: str) -> str:
    """What the user says of steps that are finished."""
    named = " and ".join(f'"{step}"' for step in steps)
    return f"Verified: {named} {'is' if len(steps) == 1 else 'are both'} finished. Update the plan."


def _low(text: str) -> str:
    return text[0].lower() + text[1:]


def _early(step: str) -> str:
    return f'I finished "{step}" myself already, before its turn. Update the plan.'


def _added(task: Task) -> tuple[str, Deed]:
    text = f"One more thing, at the end: {_low(task.spare[0])}. Add it to the plan."
    return text, Deed("add", texts=task.spare[:1])


def _inserted(task: Task) -> tuple[str, Deed]:
    text = f'Before "{task.steps[3]}", also {_low(task.spare[0])}. Add it to the plan.'
    return text, Deed("insert", (3,), task.spare[:1])


def _dropped(task: Task) -> tuple[str, Deed]:
    return f'We no longer need "{task.steps[2]}". Take it off the plan.', Deed("drop", (2,))


def _reworded(task: Task) -> tuple[str, Deed]:
    text = f'Instead of "{task.steps[2]}", {_low(task.spare[1])}. Change the plan.'
    return text, Deed("reword", (2,), task.spare[1:])


STAGES = (
    Stage("plan", 0, lambda task: (request(task), Deed("plan", texts=task.steps))),
    Stage("first", 1, lambda task: (finished(task.steps[0]), Deed("done", (0,)))),
    Stage("second", 2, lambda task: (finished(task.steps[1]), Deed("done", (1,)))),
    Stage("out of order", 2, lambda task: (_early(task.steps[3]), Deed("done", (3,)))),
    Stage("two at once", 2, lambda task: (finished(*task.steps[1:3]), Deed("done", (1, 2)))),
    Stage("add", 2, _added),
    Stage("insert", 2, _inserted),
    Stage("drop", 2, _dropped),
    Stage("reword", 2, _reworded),
)
