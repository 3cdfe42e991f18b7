"""How alike two texts are: whether they may be one step in other words.

Words count by how rare they are in their lists, and verbs such as `add` count little. Two texts that do different
things (one tests, one builds), or that name different things by number or by a name in code, are not alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import fsum, sqrt

from todowright.plan.acts import opposed
from todowright.plan.wording import Text, is_general

_GENERAL_COUNTS = 0.4


Score = tuple[float, float, bool]
"""How alike two texts are: the share of the words of both that both have; the share of the words of the shorter one
that the other has too; and whether they share more than general words."""
NOT_ALIKE: Score = (0.0, 0.0, False)


class Likeness:
    """Compares the texts of two lists; a word counts more if few of them have it."""

    def __init__(self, old: Sequence[Text], new: Sequence[Text]) -> None:
        before, after = _counted(old), _counted(new)
        self._weights = {
            word: 1 / sqrt(max(before[word], after[word])) for word in before.keys() | after.keys()
        }
        self._gone = _subjects(before, len(old)) - after.keys()
        self._came = _subjects(after, len(new)) - before.keys()
        self._totals: dict[Text, float] = {}

    def score(self, one: Text, other: Text) -> Score:
        """How alike a text of the old list and one of the new list are."""
        shared = one.words & other.words
        if not shared or _differ(one, other):
            return NOT_ALIKE
        gone, came = self._gone & one.words, self._came & other.words
        if gone and came and not all(map(is_general, gone | came)):
            return NOT_ALIKE  # the whole plan has another subject
        marks = len(one.marks & other.marks)
        common = (self._weight(one, shared) + self._weight(other, shared)) / 2 + marks
        ours, theirs = self._total(one) + marks, self._total(other) + marks
        alike = 2 * common / (ours + theirs)
        if len(one.title & other.title) > 1 and _one_in_the_other(one.title, other.title):
            alike = max(alike, 0.8 if marks else 0.6)
        telling = bool(marks or one.telling & other.telling)
        if not telling and not (one.telling and other.telling):
            telling = len(shared) > 1
        telling = telling or _one_in_the_other(one.words, other.words)
        return alike, min(1, common / min(ours, theirs)), telling

    def _weight(self, text: Text, words: Iterable[str]) -> float:
        general = _GENERAL_COUNTS if text.telling else 1
        weights = (self._weights[word] * (1 if word in text.telling else general) for word in words)
        return fsum(weights)  # exact, whatever the order of the words

    def _total(self, text: Text) -> float:
        found = self._totals.get(text)
        if found is None:
            found = self._totals[text] = self._weight(text, text.words)
        return found


def _counted(texts: Sequence[Text]) -> Counter[str]:
    return Counter(word for text in texts for word in text.words)


def _subjects(counted: Counter[str], steps: int) -> set[str]:
    """The words that half of the steps of a plan have."""
    return {word for word, n in counted.items() if n > 2 and 2 * n >= steps}


def _differ(one: Text, other: Text) -> bool:
    """Whether two texts cannot mean the same: by what they do, or by number, or by a name in code."""
    if opposed(one.acts, other.acts):
        return True
    for key in one.numbers.keys() & other.numbers.keys():
        if not one.numbers[key] & other.numbers[key]:
            return True
    if not one.names or not other.names or one.names & other.names:
        return False
    return not any(_renamed(a, b) for a in one.names for b in other.names)


def _renamed(one: str, other: str) -> bool:
    """Whether a name may be the other one with another end, or a path with less of its folders."""
    if one.endswith(f"/{other}") or other.endswith(f"/{one}"):
        return True
    half = (min(len(one), len(other)) + 1) // 2
    return one[:half] == other[:half]


def _one_in_the_other(one: frozenset[str], other: frozenset[str]) -> bool:
    return one <= other or other <= one
