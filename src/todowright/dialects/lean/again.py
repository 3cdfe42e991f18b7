"""What a model means by a plan that it sends again.

Steps are matched by their words: as they are, then without marks, case and outer punctuation, then as
the same words and more in the same place. What is matched in no way is new, or was left out; nothing
that was open goes without a word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from todowright.plan.context import neutral, number_of
from todowright.plan.matching import MOST_COMPARISONS, gaps, words
from todowright.plan.marks import bare, is_boxed
from todowright.plan.model import Plan, Status, Todo
from todowright.dialects.lean.steps import SHORT, a_few
from todowright.text import clip


@dataclass(slots=True)
class Wanted:
    """A step of the list that was sent; its status, if it tells one."""

    content: str
    status: Status | None = None


@dataclass(slots=True)
class Outcome:
    """The steps as they stand after all, and what the model cannot know."""

    todos: list[Todo]
    notes: list[str]


def planned_again(plan: Plan, wanted: Sequence[Wanted]) -> Outcome | None:
    """What a list means for the plan that stands; None if it is another plan.

    Finished steps stay; when the list holds just the steps that wait, the one in progress is done;
    other open ones that are missing are kept as cancelled and named; cancelled ones that are
    listed are open again.
    """
    listed, origins = _matched(plan.todos, wanted)
    kept = {origin for origin in origins if origin is not None}
    finished = sum(plan.todos[origin].closed for origin in kept)
    if finished == len(kept) and (2 * finished < len(wanted) or not wanted):
        return None  # it has nothing of what is open, and little of what was done
    tells = any(want.status for want in listed)
    missing = {n for n, todo in enumerate(plan.todos) if n not in kept and not todo.closed}
    moved_on = (
        not (tells or finished or None in origins)
        and all(plan.todos[n].status == "in_progress" for n in missing)
    )  # fmt: skip
    status: Status = "completed" if moved_on else "cancelled"
    stayed = [
        replace(todo, status=status) if n in missing else todo
        for n, todo in enumerate(plan.todos)
        if n not in kept
    ]
    todos = [
        Todo(want.content, want.status or "pending")
        if origin is None
        else _revised(plan.todos[origin], want)
        for want, origin in zip(listed, origins, strict=True)
    ]
    notes = _notes(plan, [] if moved_on else sorted(missing), todos, origins)
    return Outcome(stayed + todos, notes)


def _revised(todo: Todo, want: Wanted) -> Todo:
    status = want.status or ("pending" if todo.status == "cancelled" else todo.status)
    return replace(todo, content=want.content, status=status)


def _notes(
    plan: Plan, left_out: Sequence[int], todos: Sequence[Todo], origins: Sequence[int | None]
) -> list[str]:
    """What was left out, what is open again, and what was said in other words."""

    def named(todo: Todo, between: str = " ") -> str:
        return f"{number_of(plan, todo)}{between}{clip(neutral(todo.content), SHORT)}"

    notes = []
    if left_out:
        notes.append(f"left out, now cancelled: {a_few([named(plan.todos[n]) for n in left_out])}")
    pairs = [(plan.todos[n], todo) for n, todo in zip(origins, todos, strict=True) if n is not None]
    again = [str(number_of(plan, old)) for old, new in pairs if old.closed and not new.closed]
    if again:
        notes.append(f"open again: {', '.join(again)}")
    reworded = [
        named(old, " was ")
        for old, new in pairs
        if not old.closed and _plain(old.content) != _plain(new.content)
    ]
    return [*notes, a_few(reworded)] if reworded else notes


def _matched(
    todos: Sequence[Todo], wanted: Sequence[Wanted]
) -> tuple[list[Wanted], list[int | None]]:
    """The list without marks that are not part of its words, and which step each item is."""
    listed = list(wanted)
    origins: list[int | None] = [None] * len(listed)
    for key in (str, _plain):
        _match_same(todos, listed, origins, key)
    left = [index for index, origin in enumerate(origins) if origin is None]
    _match_same(todos, listed, origins, lambda text: _plain(bare(text)[0]))
    decorated = any(origins[index] is not None for index in left)
    for index in left:
        want, origin = listed[index], origins[index]
        text, status = bare(want.content)
        if origin is not None:
            listed[index] = Wanted(todos[origin].content, want.status or status)
        elif decorated or is_boxed(want.content):
            listed[index] = Wanted(text, want.status or status)
    _match_more_words(todos, listed, origins)
    return listed, origins


def undecorated(wanted: Sequence[Wanted]) -> list[Wanted]:
    """The list without its boxes, where every item has one."""
    if not all(is_boxed(want.content) for want in wanted):
        return list(wanted)
    found = [(want, *bare(want.content)) for want in wanted]
    return [Wanted(text, want.status or status) for want, text, status in found]


def is_all_done(plan: Plan, wanted: Sequence[Wanted]) -> bool:
    """Whether a list only says that what is finished is finished."""
    listed, origins = _matched(plan.todos, wanted)
    told = all(want.status in ("completed", "cancelled") for want in listed)
    return bool(wanted) and told and None not in origins


def _match_same(
    todos: Sequence[Todo],
    listed: Sequence[Wanted],
    origins: list[int | None],
    key: Callable[[str], str],
) -> None:
    """Pair equal texts; where the plan says one more often than the list, the open and later ones."""
    places: dict[str, list[int]] = {}
    taken = set(origins)
    for n, todo in enumerate(todos):
        if n not in taken:
            places.setdefault(key(todo.content), []).append(n)
    mine: dict[str, list[int]] = {}
    for index, want in enumerate(listed):
        if origins[index] is None and key(want.content) in places:
            mine.setdefault(key(want.content), []).append(index)
    for text, indexes in mine.items():
        there = places[text]
        if len(there) <= len(indexes):
            for index, n in zip(indexes, there, strict=False):
                origins[index] = n
            continue
        for index in reversed(indexes):
            closed = listed[index].status in ("completed", "cancelled")
            best = max(there, key=lambda n: (todos[n].closed == closed, n))
            origins[index] = best
            there.remove(best)


def _match_more_words(
    todos: Sequence[Todo], listed: Sequence[Wanted], origins: list[int | None]
) -> None:
    """Pair what stands in the same place and says the same with a few words more or less.

    A number more is another thing; and a finished step that comes in other words is new work.
    """
    partners = {n: index for index, n in enumerate(origins) if n is not None}
    old_gaps = gaps(len(todos), partners)
    for place, new in gaps(len(listed), {index: index for index in partners.values()}).items():
        left = {n: words(todos[n].content) for n in old_gaps.get(place, ()) if not todos[n].closed}
        if len(left) * len(new) > MOST_COMPARISONS:
            continue
        for index in new:
            mine = words(listed[index].content)
            alone = len(left) == len(new) == 1
            same = (n for n, theirs in left.items() if _alike(mine, theirs, alone=alone))
            if (found := next(same, None)) is not None:
                origins[index] = found
                del left[found]


def _alike(one: set[str], other: set[str], *, alone: bool) -> bool:
    """Whether all words of one text are in the other; for two that are `alone` in their place, half of them.

    A number more or less makes it another thing, and one word is too little to tell.
    """
    shared = len(one & other)
    if shared < 2 or any(char.isdigit() for word in one ^ other for char in word):
        return False
    return one <= other or other <= one or (alone and 4 * shared >= len(one) + len(other))


def _plain(text: str) -> str:
    """A text without case, outer punctuation and more spaces than needed."""
    if not text.isascii():
        from unicodedata import normalize

        text = normalize("NFC", text)
    return " ".join(text.casefold().strip(" \t.!;:,。！；：，").split())
