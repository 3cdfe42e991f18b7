"""Which item is which: whole lists are matched without asking a model for ids.

Items are matched by id where both sides share one, then by text, then by likeness, then by their
place between matched neighbours. The rules come from real sessions: a text is practically unique in its list,
while models give an old id to a new text; a finished list that is followed by other texts is a new
plan, not a rewording of the old one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from todowright.plan.model import Todo

if TYPE_CHECKING:
    from todowright.dialects.check import Entry

_WORD = re.compile(r"[^\W_]+")
_UNSPACED = "\u2e80"
"""From here on scripts write words without spaces between them."""
MOST_COMPARISONS = 10_000
_ISSUED_ID = re.compile("t([1-9][0-9]{0,8})")


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
    if not taken and _another_list(before, after):
        return origins
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


def _another_list(before: Sequence[Todo], after: Sequence[Todo]) -> bool:
    """Whether a finished list is followed by a new one, though it says a thing or two again."""
    if not before or not all(todo.closed for todo in before):
        return False
    said = {todo.content for todo in after}
    return 2 * sum(todo.content in said for todo in before) < len(before)


def _match_similar(
    before: Sequence[Todo], after: Sequence[Todo], origins: list[int | None]
) -> None:
    """Pair what is left by words: the items that share most of theirs, the closest first."""
    old, new = _unmatched(before, origins)
    if len(old) * len(new) > MOST_COMPARISONS:
        return
    theirs = {index: words(before[index].content) for index in old}
    scored = []
    for index in new:
        mine = words(after[index].content)
        for origin in old:
            shared, total = 2 * len(mine & theirs[origin]), len(mine) + len(theirs[origin])
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
    old_gaps = gaps(len(before), partners)
    new_gaps = gaps(len(after), {index: index for index in partners.values()})
    for place, new in new_gaps.items():
        old = old_gaps.get(place, [])
        if len(old) == len(new):
            for origin, index in zip(old, new, strict=True):
                if _plausible(before[origin], after[index]) and _akin(
                    before[origin].content, after[index].content
                ):
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


def _akin(one: str, other: str) -> bool:
    """Whether texts in the same place may be the same item: they share a word, or are but a word."""
    ours, theirs = words(one), words(other)
    return bool(ours & theirs) or min(len(ours), len(theirs)) < 2


def gaps(length: int, anchors: dict[int, int]) -> dict[int, list[int]]:
    """The unmatched indexes, by the anchor that stands before them (-1: none)."""
    gaps: dict[int, list[int]] = {}
    place = -1
    for index in range(length):
        if index in anchors:
            place = anchors[index]
        else:
            gaps.setdefault(place, []).append(index)
    return gaps


def words(text: str) -> set[str]:
    """The words of a text; in scripts that do not space them, the characters."""
    found: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        found.update([word] if max(word) < _UNSPACED else word)
    return found


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
    numbers = {todo.id: todo.number for todo in before if todo.number}
    origins = match(before, todos) if keep else [None] * len(todos)
    for index, todo in enumerate(todos):
        if todo.id:
            if (
                _ISSUED_ID.fullmatch(todo.id) is None
            ):  # a program's own: it takes a number all the same
                issued += todo.id not in numbers
                number = numbers.setdefault(todo.id, issued)
                todos[index] = Todo(todo.content, todo.status, todo.active_form, todo.id, number)
            continue
        origin = origins[index]
        if origin is not None and before[origin].id and before[origin].id not in taken:
            name = before[origin].id
        else:
            issued += 1
            name = f"t{issued}"
        number = numbers.get(name, 0)
        todos[index] = Todo(todo.content, todo.status, todo.active_form, name, number)
    return tuple(todos), issued


def _unmoved(before: Sequence[Todo], entries: Sequence[Entry]) -> tuple[Todo, ...] | None:
    """The entries as todos where every text stands where it stood, as after most updates."""
    todos = []
    for old, (content, status, active_form, name) in zip(before, entries, strict=True):
        if old.content != content or (name and name != old.id):
            return None
        if old.status != status or old.active_form != active_form:
            old = Todo(content, status, active_form, old.id, old.number)
        todos.append(old)
    return tuple(todos)


def _issued(ids: Iterable[str]) -> list[int]:
    """The numbers of ids that a program gave in our own form: the count goes on behind them."""
    return [int(found[1]) for name in ids if (found := _ISSUED_ID.fullmatch(name))]
