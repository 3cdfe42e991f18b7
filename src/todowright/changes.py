"""What a revision did to each item: whole lists are matched without asking a model for ids.

Items are matched by id where both sides share one, then by text, then by likeness, then by their
place between matched neighbours. The rules come from real sessions: a text is practically unique in its list,
while models give an old id to a new text; a finished list that is followed by other texts is a new
plan, not a rewording of the old one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from todowright.model import Plan, Todo

if TYPE_CHECKING:
    from todowright.check import Entry

Kind = Literal[
    "created",
    "started",
    "paused",
    "completed",
    "cancelled",
    "reopened",
    "reworded",
    "moved",
    "dropped",
    "removed",
]
"""`dropped` is an unfinished item that vanished; `removed` is a finished one that was tidied away."""

_WORD = re.compile(r"[^\W_]+")
_UNSPACED = "\u2e80"
"""From here on scripts write words without spaces between them."""
_MOST_COMPARISONS = 10_000
_ISSUED_ID = re.compile("t([1-9][0-9]{0,8})")


@dataclass(frozen=True, slots=True)
class ItemChange:
    """What happened to one item; it may have been reworded, moved and started at once."""

    before: Todo | None
    after: Todo | None
    kinds: tuple[Kind, ...]

    @property
    def todo(self) -> Todo:
        """The item as it is, or as it last was."""
        todo = self.after or self.before
        assert todo is not None
        return todo


@dataclass(frozen=True)
class Change:
    """One revision, and what it did to each item."""

    before: Plan
    plan: Plan

    @cached_property
    def items(self) -> tuple[ItemChange, ...]:
        """The items that changed: those of the new plan in its order, then those that went."""
        return compare(self.before.todos, self.plan.todos)

    def of(self, kind: Kind) -> tuple[Todo, ...]:
        """The items to which this happened."""
        return tuple(item.todo for item in self.items if kind in item.kinds)


def compare(before: Sequence[Todo], after: Sequence[Todo]) -> tuple[ItemChange, ...]:
    """The items that differ between two lists."""
    origins = match(before, after)
    moved = _moved(origins)
    found = []
    for index, todo in enumerate(after):
        origin = origins[index]
        old = None if origin is None else before[origin]
        kinds = _kinds(old, todo, moved=index in moved)
        if kinds:
            found.append(ItemChange(old, todo, kinds))
    kept = set(origins)
    for index, todo in enumerate(before):
        if index not in kept:
            found.append(ItemChange(todo, None, ("removed",) if todo.closed else ("dropped",)))
    return tuple(found)


def _kinds(before: Todo | None, after: Todo, *, moved: bool) -> tuple[Kind, ...]:
    kinds: list[Kind] = []
    if before is None:
        kinds.append("created")
    elif before.content != after.content:
        kinds.append("reworded")
    if moved:
        kinds.append("moved")
    was = before.status if before else "pending"
    if after.status != was:
        if before is not None and before.closed and not after.closed:
            kinds.append("reopened")
        match after.status:
            case "in_progress":
                kinds.append("started")
            case "completed" | "cancelled":
                kinds.append(after.status)
            case "pending" if was == "in_progress":
                kinds.append("paused")
    return tuple(kinds)


def match(before: Sequence[Todo], after: Sequence[Todo]) -> list[int | None]:
    """For each item of `after`, the index in `before` of the item it was; None if it is new.

    No item of `before` is named twice.
    """
    origins: list[int | None] = [None] * len(after)
    places: dict[str, list[int]] = {}
    ids = {todo.id: index for index, todo in enumerate(before) if todo.id}
    taken: set[int] = set()
    for index, todo in enumerate(after):
        origin = ids.get(todo.id) if todo.id else None
        if origin is not None and origin not in taken:
            origins[index] = origin
            taken.add(origin)
    for index, todo in enumerate(before):
        if index not in taken:
            places.setdefault(todo.content, []).append(index)
    for index, todo in enumerate(after):
        if origins[index] is None and (same := places.get(todo.content)):
            origins[index] = same.pop(0)
    if None in origins and len(set(origins)) <= len(before):
        _match_similar(before, after, origins)
        _match_places(before, after, origins)
    return origins


def _match_similar(
    before: Sequence[Todo], after: Sequence[Todo], origins: list[int | None]
) -> None:
    """Pair what is left by words: the items that share most of theirs, the closest first."""
    old, new = _unmatched(before, origins)
    if len(old) * len(new) > _MOST_COMPARISONS:
        return
    words = {index: _words(before[index].content) for index in old}
    scored = []
    for index in new:
        mine = _words(after[index].content)
        for origin in old:
            shared, total = 2 * len(mine & words[origin]), len(mine) + len(words[origin])
            if shared and 2 * shared >= total and _plausible(before[origin], after[index]):
                scored.append((-shared / total, abs(origin - index), origin, index))
    paired: set[int] = set()
    for *_, origin, index in sorted(scored):
        if origins[index] is None and origin not in paired:
            origins[index] = origin
            paired.add(origin)


def _match_places(before: Sequence[Todo], after: Sequence[Todo], origins: list[int | None]) -> None:
    """Pair what is left by place: equally many items between the same matched neighbours."""
    partners = {origin: index for index, origin in enumerate(origins) if origin is not None}
    if not partners:
        return  # nothing holds the places: this is another list
    old_gaps = _gaps(len(before), partners)
    new_gaps = _gaps(len(after), {index: index for index in partners.values()})
    for place, new in new_gaps.items():
        old = old_gaps.get(place, [])
        if len(old) == len(new):
            for origin, index in zip(old, new, strict=True):
                if _plausible(before[origin], after[index]):
                    origins[index] = origin


def _unmatched(
    before: Sequence[Todo], origins: Sequence[int | None]
) -> tuple[list[int], list[int]]:
    """The indexes, in both lists, of the items that have no partner yet."""
    taken = set(origins)
    old = [index for index in range(len(before)) if index not in taken]
    return old, [index for index, origin in enumerate(origins) if origin is None]


def _plausible(before: Todo, after: Todo) -> bool:
    """A finished item that opens again does not change its words as well: that is a new one."""
    return after.closed or not before.closed


def _gaps(length: int, anchors: dict[int, int]) -> dict[int, list[int]]:
    """The unmatched indexes, by the anchor that stands before them (-1: none)."""
    gaps: dict[int, list[int]] = {}
    place = -1
    for index in range(length):
        if index in anchors:
            place = anchors[index]
        else:
            gaps.setdefault(place, []).append(index)
    return gaps


def _words(text: str) -> set[str]:
    """The words of a text; in scripts that do not space them, the characters."""
    found: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        found.update([word] if max(word) < _UNSPACED else word)
    return found


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


def inherit(
    before: Sequence[Todo], entries: Sequence[Entry], issued: int, *, keep: bool
) -> tuple[tuple[Todo, ...], int]:
    """The entries as todos with ids, and how many ids have now been issued.

    With `keep`, an item that is matched keeps its id, and one that did not change is the very
    same object; without, every item gets a new id.
    """
    if keep and len(before) == len(entries):
        same = _unmoved(before, entries)
        if same is not None:
            return same, issued
    todos = [Todo(*entry) for entry in entries]
    taken = {todo.id for todo in todos if todo.id}
    issued = max([issued, *_issued(taken)])
    origins = match(before, todos) if keep else [None] * len(todos)
    for index, todo in enumerate(todos):
        if todo.id:
            continue
        origin = origins[index]
        if origin is not None and before[origin].id and before[origin].id not in taken:
            name = before[origin].id
        else:
            issued += 1
            name = f"t{issued}"
        todos[index] = Todo(todo.content, todo.status, todo.active_form, name)
    return tuple(todos), issued


def _unmoved(before: Sequence[Todo], entries: Sequence[Entry]) -> tuple[Todo, ...] | None:
    """The entries as todos where every text stands where it stood, as after most updates."""
    todos = []
    for old, (content, status, active_form, name) in zip(before, entries, strict=True):
        if old.content != content or (name and name != old.id):
            return None
        if old.status != status or old.active_form != active_form:
            old = Todo(content, status, active_form, old.id)
        todos.append(old)
    return tuple(todos)


def _issued(ids: Iterable[str]) -> list[int]:
    """The numbers of ids that a program gave in our own form: the count goes on behind them."""
    return [int(found[1]) for name in ids if (found := _ISSUED_ID.fullmatch(name))]
