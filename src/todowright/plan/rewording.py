"""Which todos of a new list are old ones in other words.

The limits were tuned on half of the cases of `bench/matching_cases.txt`; the other half judges them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from todowright.plan.likeness import Likeness, Score
from todowright.plan.model import Todo
from todowright.plan.places import gaps, plausible, unmatched
from todowright.plan.wording import Text, read

MOST_COMPARISONS, MOST_TODOS, MOST_OTHERS = 4_000, 200, 100
"""How many pairs of todos are compared at most, how many of those there may be, and how many others are read."""
_ANYWHERE, _NEAR, _IN_PLACE = 0.5, 0.45, 0.2
"""How alike two texts must be: wherever they stand, behind the same neighbour, and in the very same place."""
_MOSTLY, _WHOLLY = 0.7, 0.95
"""How much of the shorter text must be in the other: behind the same neighbour, and where nothing holds the place."""
_ALONE = 0.8
"""How alike the one pair must be that is all that two lists share."""
_TIE = 0.02


class Pair:
    """A todo of the old list and one of the new list that may be the same."""

    __slots__ = ("alike", "in_place", "near", "new", "old", "telling", "within")

    def __init__(self, old: int, new: int, score: Score, *, near: bool, in_place: bool) -> None:
        self.old = old
        self.new = new
        self.alike, self.within, self.telling = score
        self.near = near
        """Whether they stand behind the same neighbour."""
        self.in_place = in_place
        """Whether as many stand there in both lists, and these in the same order."""


def match_reworded(
    before: Sequence[Todo], after: Sequence[Todo], origins: list[int | None]
) -> None:
    """Pair what is left by likeness: what is alike wherever it stands, then what is less so but in its place."""
    old, new = unmatched(len(before), origins)
    if len(old) * len(new) > MOST_COMPARISONS or len(old) + len(new) > MOST_TODOS:
        return
    anchored = len(new) < len(after)
    lists = _Lists(before, after, old, new)
    found = lists.match(origins, _alike_anywhere)
    if not anchored and len(found) == 1 < min(len(before), len(after)) / 2:
        pair = found[0]
        if pair.alike < _ALONE:
            origins[pair.new] = None  # by chance: this is another list
    if any(origin is not None for origin in origins):
        lists.match(origins, _alike_in_place)


def _alike_anywhere(pair: Pair) -> bool:
    return pair.alike >= _ANYWHERE or (pair.in_place and pair.telling and pair.within >= _WHOLLY)


def _alike_in_place(pair: Pair) -> bool:
    if not pair.telling:
        return False
    if pair.near and (pair.alike >= _NEAR or pair.within >= _MOSTLY):
        return True
    return pair.in_place and pair.alike >= _IN_PLACE


class _Lists:
    """Two lists whose unmatched todos are compared with each other, once."""

    def __init__(
        self, before: Sequence[Todo], after: Sequence[Todo], old: list[int], new: list[int]
    ) -> None:
        self.before = before
        self.old, self.new = _texts(before, old), _texts(after, new)
        likeness = Likeness(list(self.old.values()), list(self.new.values()))
        self.scores: dict[tuple[int, int], Score] = {}
        for one in old:
            for other in new:
                score = likeness.score(self.old[one], self.new[other])
                if score[0] and plausible(before[one], after[other]):
                    self.scores[one, other] = score

    def match(self, origins: list[int | None], enough: Callable[[Pair], bool]) -> list[Pair]:
        """Pair the todos that are alike enough, the closest first; where two are equally close, neither."""
        pairs = [pair for pair in self._pairs(origins) if enough(pair)]
        ranked = sorted(
            ((-self._rank(pair), abs(pair.old - pair.new), pair) for pair in pairs),
            key=lambda each: (*each[:2], each[2].old, each[2].new),
        )
        rivals: dict[int, list[tuple[float, int]]] = {}
        for rank, _, pair in ranked:
            rivals.setdefault(pair.old, []).append((rank, pair.new))
        found: list[Pair] = []
        settled: set[int] = set()
        for rank, _, pair in ranked:
            if pair.old in settled or origins[pair.new] is not None:
                continue
            settled.add(pair.old)
            close = [new for theirs, new in rivals[pair.old] if theirs - rank < _TIE]
            if [new for new in close if origins[new] is None] == [pair.new]:
                origins[pair.new] = pair.old
                found.append(pair)
        return found

    def _pairs(self, origins: Sequence[int | None]) -> Iterator[Pair]:
        """The pairs that are not matched, and where they stand."""
        places: dict[int, tuple[int, int]] = {}
        mine: dict[int, tuple[int, int]] = {}
        even: set[int] = set()
        for gap, (old, new) in enumerate(gaps(len(self.before), origins)):
            places.update((index, (gap, at)) for at, index in enumerate(old))
            mine.update((index, (gap, at)) for at, index in enumerate(new))
            if len(old) == len(new):
                even.add(gap)
        taken = set(origins)
        for (one, other), score in self.scores.items():
            if one not in taken and origins[other] is None:
                here, there = places.get(one, (-1, -1)), mine[other]
                in_place = here == there and here[0] in even
                yield Pair(one, other, score, near=here[0] == there[0], in_place=in_place)

    def _rank(self, pair: Pair) -> float:
        """How close they are; what is in progress, begins alike, or stands behind the same neighbour is closer."""
        rank = max(pair.alike, 0.8 * pair.within)
        if self.old[pair.old].opening == self.new[pair.new].opening:
            rank += 0.1
        return rank + 0.05 * pair.near + 0.05 * (self.before[pair.old].status == "in_progress")


def _texts(todos: Sequence[Todo], left: list[int]) -> dict[int, Text]:
    """The texts that are left, and those of other todos: they tell which words are rare in the list."""
    known = set(left)
    others = [index for index in range(len(todos)) if index not in known]
    return {index: read(todos[index].content) for index in [*left, *others[:MOST_OTHERS]]}
