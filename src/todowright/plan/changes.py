"""What a revision did to each item."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Self, get_args

from todowright.errors import UnknownName
from todowright.plan.matching import match
from todowright.plan.model import CLOSED, STATUSES, Plan, Status, Todo
from todowright.text import likely, shown
from todowright.values import value

Kind = Literal[
    "created",
    "started",
    "paused",
    "completed",
    "cancelled",
    "reopened",
    "reworded",
    "changed",
    "moved",
    "dropped",
    "removed",
]
"""`changed` are the extras of an item; `dropped` is an unfinished item that vanished; `removed` is a
finished one that was tidied away."""
KINDS: tuple[Kind, ...] = get_args(Kind)


@value
class ItemChange:
    """What happened to one item; it may have been reworded, moved and started at once."""

    before: Todo | None
    after: Todo | None
    kinds: tuple[Kind, ...]

    @property
    def todo(self) -> Todo:
        """The item as it is, or as it last was."""
        todo = self.before if self.after is None else self.after
        assert todo is not None
        return todo


@dataclass(frozen=True)
class Change:
    """One revision, and what it did to each item."""

    before: Plan
    plan: Plan

    @property
    def items(self) -> tuple[ItemChange, ...]:
        """The items that changed: those of the new plan in its order, then those that went."""
        made: tuple[ItemChange, ...] | None = vars(self).get("_items")
        if made is None:  # `cached_property` takes a lock, for a change that is asked once
            made = vars(self)["_items"] = compare(self.before, self.plan)
        return made

    def of(self, kind: Kind) -> tuple[Todo, ...]:
        """The items to which this happened."""
        if kind not in KINDS:
            meant = likely(kind, KINDS)
            raise UnknownName(f"no change is called '{shown(kind)}': {meant}use {', '.join(KINDS)}")
        return tuple(item.todo for item in self.items if kind in item.kinds)

    def to_dict(self) -> dict[str, object]:
        """Both plans as plain values, for JSON."""
        return {"before": self.before.to_dict(), "plan": self.plan.to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> Self:
        """The change of which `to_dict` made this; a `ValueError` says what is wrong where none did."""
        from todowright.plan.plain import Given

        given = Given("a Change", data, ("before", "plan"))
        before, plan = (Plan.from_dict(given.get(key, dict)) for key in ("before", "plan"))
        return cls(before, plan)


def compare(before: Plan, after: Plan) -> tuple[ItemChange, ...]:
    """The items that differ between two revisions of a plan."""
    if after.dialect and _are_the_same(before, after):  # most revisions only touch single items
        both = zip(before.todos, after.todos, strict=True)
        differ = [
            (old, todo, _kinds(old, todo, moved=False)) for old, todo in both if old is not todo
        ]
        return tuple([ItemChange(*each) for each in differ if each[2]])
    came_from = origins(before, after)
    moved = _moved(came_from)
    found = []
    for index, todo in enumerate(after.todos):
        origin = came_from[index]
        old = None if origin is None else before.todos[origin]
        kinds = _kinds(old, todo, moved=index in moved)
        if kinds:
            found.append(ItemChange(old, todo, kinds))
    kept = set(came_from)
    for index, todo in enumerate(before.todos):
        if index not in kept:
            found.append(ItemChange(todo, None, ("removed",) if todo.closed else ("dropped",)))
    return tuple(found)


def _are_the_same(before: Plan, after: Plan) -> bool:
    """Whether both have the same items in the same order."""
    if len(before.todos) != len(after.todos):
        return False
    for old, todo in zip(before.todos, after.todos, strict=True):
        if old is not todo and old.number != todo.number:
            return False
    return True


def origins(before: Plan, after: Plan) -> list[int | None]:
    """For each todo of a revision, the index of the same one in the revision before; None if it is new."""
    if (
        after.todos and not after.dialect
    ):  # an earlier release wrote it, and knew no lasting numbers
        return match(before.todos, after.todos)
    places = {todo.number: index for index, todo in enumerate(before.todos)}
    return [places.get(todo.number) for todo in after.todos]


def _kinds(before: Todo | None, after: Todo, *, moved: bool) -> tuple[Kind, ...]:
    kinds: list[Kind] = []
    if before is None:
        kinds.append("created")
    elif before.content != after.content:
        kinds.append("reworded")
    if before is not None and before.extras != after.extras:
        kinds.append("changed")
    if moved:
        kinds.append("moved")
    steps = _STEPS.get((before.status if before else "pending", after.status), ())
    return (*kinds, *steps) if kinds else steps


def _steps(was: Status, now: Status) -> tuple[Kind, ...]:
    """What it means for an item to come from one status into another."""
    kinds: list[Kind] = []
    if was in CLOSED and now not in CLOSED:
        kinds.append("reopened")
    match now:
        case "in_progress":
            kinds.append("started")
        case "completed" | "cancelled":
            kinds.append(now)
        case "pending" if was == "in_progress":
            kinds.append("paused")
    return tuple(kinds)


_STEPS = {(was, now): _steps(was, now) for was in STATUSES for now in STATUSES if was != now}


def _moved(origins: Sequence[int | None]) -> set[int]:
    """The fewest items that must have moved: those outside the longest run that kept its order."""
    tails: list[int] = []
    ends: list[int] = []
    previous: dict[int, int | None] = {}
    for index, origin in enumerate(origins):
        if origin is None:
            continue
        place = bisect_left(tails, origin)
        previous[index] = ends[place - 1] if place else None
        tails[place : place + 1] = [origin]
        ends[place : place + 1] = [index]
    stayed: set[int] = set()
    at = ends[-1] if ends else None
    while at is not None:
        stayed.add(at)
        at = previous[at]
    return previous.keys() - stayed
