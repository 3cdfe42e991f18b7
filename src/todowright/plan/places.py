"""What is unmatched in two lists, and where it stands."""

from __future__ import annotations

from collections.abc import Sequence

from todowright.plan.model import Todo


def unmatched(length: int, origins: Sequence[int | None]) -> tuple[list[int], list[int]]:
    """The places of the first list that are not named, and those of the second that name none."""
    taken = set(origins)
    old = [index for index in range(length) if index not in taken]
    return old, [index for index, origin in enumerate(origins) if origin is None]


def gaps(length: int, origins: Sequence[int | None]) -> list[tuple[list[int], list[int]]]:
    """What is unmatched in both lists, by the matched neighbour that stands before it in both."""
    partners = {origin: index for index, origin in enumerate(origins) if origin is not None}
    old: dict[int, list[int]] = {}
    place = -1
    for index in range(length):
        place = partners.get(index, place)
        if index not in partners:
            old.setdefault(place, []).append(index)
    new: dict[int, list[int]] = {}
    place = -1
    for index, origin in enumerate(origins):
        if origin is None:
            new.setdefault(place, []).append(index)
        else:
            place = index
    return [(old.get(place, []), found) for place, found in new.items()]


def plausible(before: Todo, after: Todo) -> bool:
    """A finished item that opens again does not change its words as well: that is a new one."""
    return after.closed or not before.closed
