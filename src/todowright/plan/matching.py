"""The one matcher: which todo of a plan an item of a new list is.

A list comes without numbers. Its items are matched by label where they carry one, then by text (as it is, then without
case and outer punctuation), then by likeness and place (`rewording`). The rules come from real sessions: a text is practically unique in its list, while models give an old id to a new text; a finished
list that is followed by other texts is a new plan, not a rewording of the old one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from todowright.plan.model import Status, Todo
from todowright.plan.places import gaps, plausible

_WORD = r"[^\W_]+"
UNSPACED = "\u2e80"
"""From here on scripts write words without spaces between them."""
_MANY_MARKS = r"[^\w\s]{6}"
"""Too many accents on one letter: to put them in order takes time by their square, and nobody writes them."""
MOST_COMPARISONS, LONGEST = 10_000, 400
"""How many pairs of todos are compared by their words at most, and how long a text is that is. Real ones have 245 characters."""
LONGEST_PLAIN, MOST_PLAIN = 2_000, 2_000
"""How long a text is whose letters are put into one form, and how many todos are matched by more than their very words."""
Item = tuple[str, Status, str, str]
"""Content, status, active form and label of an item of a list that came without numbers."""


def match(
    before: Sequence[Todo], after: Sequence[Todo], *, strict: bool = False
) -> list[int | None]:
    """For each item of `after`, the index in `before` of the todo it was; None if it is new.

    No todo of `before` is named twice. `strict` is for who acts on the outcome: then only the same words,
    or a few more or less in the same place, make the same step.
    """
    origins: list[int | None] = [None] * len(after)
    labels = {todo.id: index for index, todo in enumerate(before) if todo.id}
    for index, todo in enumerate(after):
        origins[index] = labels.pop(todo.id, None) if todo.id else None
    if not strict and origins.count(None) == len(after) and _another_list(before, after):
        return origins
    for key in (str, plain, core) if strict else (str, plain):
        left = origins.count(None)
        if left and (key is str or left <= MOST_PLAIN):
            _match_texts(before, after, origins, key, strict or key is str)
    left = origins.count(None)
    if not 0 < left <= MOST_PLAIN or len(set(origins) - {None}) == len(before):
        return origins
    if strict:
        _match_more_words(before, after, origins)
    else:
        from todowright.plan.rewording import match_reworded

        match_reworded(before, after, origins)
    return origins


def load() -> None:
    """Load what few lists need, ahead of the first: nothing is imported while a revision is made."""
    import unicodedata  # noqa: F401

    import todowright.plan.rewording  # noqa: F401


def plain(text: str) -> str:
    """A text without case, outer punctuation and more spaces than needed."""
    if not text.isascii() and len(text) <= LONGEST_PLAIN and not re.search(_MANY_MARKS, text):
        from unicodedata import normalize

        text = normalize("NFC", text)
    return " ".join(text.casefold().strip(" \t.!;:,。！；：，").split())


def core(text: str) -> str:
    """The words of a text, without the marks around them."""
    from todowright.plan.marks import bare

    return plain(bare(text)[0])


def words_of(text: str) -> set[str]:
    """The words of a text; in scripts that do not space them, the characters. None of a very long one."""
    found: set[str] = set()
    if len(text) > LONGEST:
        return found
    words = re.findall(_WORD, text.casefold())
    if text.isascii():
        return set(words)
    for word in words:
        found.update([word] if max(word) < UNSPACED else word)
    return found


def _another_list(before: Sequence[Todo], after: Sequence[Todo]) -> bool:
    """Whether a finished list is followed by a new one, though it says a thing or two again."""
    if not before or not all(todo.closed for todo in before):
        return False
    said = {todo.content for todo in after}
    return 2 * sum(todo.content in said for todo in before) < len(before)


def _match_texts(
    before: Sequence[Todo],
    after: Sequence[Todo],
    origins: list[int | None],
    key: Callable[[str], str],
    reopens: bool,
) -> None:
    """Pair equal texts; where the plan says one more often than the list, the open and later ones.

    Unless it `reopens`, what is finished is not paired with what is open.
    """
    places: dict[str, list[int]] = {}
    taken = set(origins)
    for index, todo in enumerate(before):
        if index not in taken:
            places.setdefault(key(todo.content), []).append(index)
    mine: dict[str, list[int]] = {}
    for index, todo in enumerate(after):
        if origins[index] is None and (text := key(todo.content)) in places:
            mine.setdefault(text, []).append(index)
    for text, indexes in mine.items():
        there = places[text]
        if len(there) <= len(indexes):
            pairs = list(zip(indexes, there, strict=False))
        else:
            pairs = _best_pairs(before, after, indexes, there)
        for index, origin in pairs:
            if reopens or plausible(before[origin], after[index]):
                origins[index] = origin


def _best_pairs(
    before: Sequence[Todo], after: Sequence[Todo], indexes: list[int], there: list[int]
) -> list[tuple[int, int]]:
    """Which of many todos with one text are meant: the later ones of the same kind, open or closed."""
    groups: dict[str, list[int]] = {"closed": [], "in_progress": [], "pending": []}
    for origin in there:
        groups["closed" if before[origin].closed else before[origin].status].append(origin)
    pairs = []
    for index in reversed(indexes):
        on, waiting = groups["in_progress"], groups["pending"]
        if after[index].closed:
            order = (groups["closed"], on, waiting)
        elif on and (not waiting or on[-1] > waiting[-1]):
            order = (on, waiting, groups["closed"])
        else:
            order = (waiting, on, groups["closed"])
        pairs.append((index, next(group for group in order if group).pop()))
    return pairs


def _match_more_words(
    before: Sequence[Todo], after: Sequence[Todo], origins: list[int | None]
) -> None:
    """Pair what stands in the same place and says the same with a few words more or less.

    A number more is another thing; and a finished step that comes in other words is new work.
    """
    from todowright.plan.marks import bare

    for old, new in gaps(len(before), origins):
        left = {n: words_of(before[n].content) for n in old if not before[n].closed}
        if len(left) * len(new) > MOST_COMPARISONS:
            continue
        for index in new:
            mine = words_of(bare(after[index].content)[0])
            alone = len(left) == len(new) == 1
            same = (n for n, theirs in left.items() if _same_and_more(mine, theirs, alone=alone))
            if (found := next(same, None)) is not None:
                origins[index] = found
                del left[found]


def _same_and_more(one: set[str], other: set[str], *, alone: bool) -> bool:
    """Whether all words of one text are in the other; for two that are `alone` in their place, half of them.

    A number more or less makes it another thing, and one word is too little to tell.
    """
    if not (one <= other or other <= one or alone):
        return False
    shared, total = len(one & other), len(one) + len(other)
    if shared < 2 or any(char.isdigit() for word in one ^ other for char in word):
        return False
    return shared == min(len(one), len(other)) or 4 * shared >= total


def carry(before: Sequence[Todo], items: Sequence[Item]) -> Sequence[Todo]:
    """The items of a new list as todos, with the numbers and labels of those they were.

    A todo that did not change is the very same object. The outcome is a tuple if all have a number and a label.
    """
    if len(before) == len(items) and (same := _unmoved(before, items)) is not None:
        return tuple(same)
    after = [Todo(*item) for item in items]
    found = list(after)
    for index, origin in enumerate(match(before, after)):
        if origin is not None:
            old, new = before[origin], after[index]
            kept = old.sent_again(new.content, new.status, new.active_form, new.id or old.id)
            found[index] = old if kept == old else kept
    return found


def _unmoved(before: Sequence[Todo], items: Sequence[Item]) -> list[Todo] | None:
    """The items as todos where every text stands where it stood, as after most updates."""
    todos: list[Todo] = []
    for old, (content, status, active_form, label) in zip(before, items):  # noqa: B905  as many
        if old.content != content or (label and label != old.id):
            return None
        if old.status != status or old.active_form != active_form:
            old = old.sent_again(content, status, active_form, old.id)
        todos.append(old)
    return todos
