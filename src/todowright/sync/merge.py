"""Three lists made one: what the file and the plan were when they were last in step, and what each is now."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from todowright.plan.matching import match
from todowright.plan.model import Plan, Status, Todo
from todowright.sync.checklist_file import WRITTEN, Item, words_of

_T = TypeVar("_T")


@dataclass
class Merged:
    """What both sides should be."""

    todos: list[Todo] = field(default_factory=list)
    """The plan: todos with their numbers, new ones without."""
    changes: dict[int, Todo | None] = field(default_factory=dict)
    """The items of the file that change, by their lines; None for one that goes."""
    placed: list[tuple[int | None, Todo | int]] = field(default_factory=list)
    """The items that come to the file, and the lines of those that move, each with the line behind which it stands."""
    notes: dict[int, str] = field(default_factory=dict)
    """Conflicts, by the line of the item: what the person had written."""
    told: list[str] = field(default_factory=list)
    """What a person should know, in one line each."""


def merged(base: Plan | None, plan: Plan, items: Sequence[Item]) -> Merged:
    """Bring a plan and the items of a file together.

    Where both changed the same thing, the plan's word stands, and the person's is kept as a note. What one
    side deleted and the other changed stays.
    """
    return _Merge(base, plan, items).made()


class _Merge:
    def __init__(self, base: Plan | None, plan: Plan, items: Sequence[Item]) -> None:
        self._plan = plan
        self._items = items
        self._base = {} if base is None else {todo.number: todo for todo in base.todos}
        self._theirs = {todo.number: todo for todo in plan.todos}
        self._numbers = self._identified(base)
        self._out = Merged()
        self._final: dict[int, Todo] = {}
        """The todos of the outcome: by their number, and new ones by minus the place of their item less one."""

    def _identified(self, base: Plan | None) -> list[int]:
        """Which todo each item is; 0 for a new one."""
        known = self._plan if base is None else base
        before = [replace(todo, content=words_of(todo), id="") for todo in known.todos]
        found = match(before, [item.todo for item in self._items])
        numbers = [0 if at is None else before[at].number for at in found]
        taken = set(numbers)
        fresh: dict[str, list[int]] = {}
        for todo in reversed(self._plan.todos):
            if todo.number not in self._base and todo.number not in taken:
                fresh.setdefault(words_of(todo), []).append(todo.number)
        for place, item in enumerate(self._items):
            if not numbers[place] and (same := fresh.get(words_of(item.todo))):
                numbers[place] = same.pop()
        return numbers

    def made(self) -> Merged:
        keys = []
        for place, (number, item) in enumerate(zip(self._numbers, self._items, strict=True)):
            key = number or -place - 1
            todo = self._of_both(number, item) if number in self._theirs else self._of_file(number, item)  # fmt: skip
            if todo is not None:
                self._final[key] = todo
                keys.append(key)
        known = set(self._numbers)
        for todo in self._plan.todos:
            if todo.number not in known and not self._was_deleted(todo):
                self._final[todo.number] = todo
        self._out.todos = [self._final[key] for key in self._ordered(keys)]
        self._place_in_file()
        return self._out

    def _of_both(self, number: int, item: Item) -> Todo:
        """An item that both have."""
        old, now = self._base.get(number), self._theirs[number]
        words, their_words = item.words, words_of(now)
        new_words = _three(words_of(old) if old else None, words, their_words)
        was = old.status if old else None
        new_status: Status | None = _three(was, item.status, now.status)
        if new_words is None or new_status is None:
            had = f"[{WRITTEN[item.status]}] {words}"
            self._out.notes[item.line] = had
            self._out.told.append(f"line {item.line + 1}: you wrote '{had}', the plan says '[{WRITTEN[now.status]}] {their_words}'")  # fmt: skip
            new_words, new_status = new_words or their_words, new_status or now.status
        todo = now if new_status == now.status else now.with_status(new_status)
        if new_words != their_words:
            form = new_words if now.active_form else ""
            todo = replace(todo, content=new_words, active_form=form)
        if (new_words, new_status) != (words, item.status):
            self._out.changes[item.line] = todo
        return todo

    def _of_file(self, number: int, item: Item) -> Todo | None:
        """An item that only the file has; None where the plan dropped it, and the person left it as it was."""
        old = self._base.get(number)
        if old is None:
            return item.todo
        if (words_of(old), old.status) == (item.words, item.status):
            self._out.changes[item.line] = None
            return None
        self._out.told.append(f"line {item.line + 1}: the plan had dropped '{item.words}', you changed it: it is back")  # fmt: skip
        return item.todo

    def _was_deleted(self, todo: Todo) -> bool:
        """Whether the person took an item out that nobody else touched."""
        old = self._base.get(todo.number)
        if old is None:
            return False
        if (words_of(old), old.status) == (words_of(todo), todo.status):
            return True
        self._out.told.append(f"you had deleted '{words_of(old)}', but it was changed in the plan: it is back")  # fmt: skip
        return False

    def _ordered(self, keys: list[int]) -> list[int]:
        """The order of the plan: the file's, where the person moved something; else its own."""
        theirs = [todo.number for todo in self._plan.todos if todo.number in self._final]
        common = [key for key in keys if key in self._base or (not self._base and key > 0)]
        shared = set(common)
        before = [number for number in (self._base or self._theirs) if number in shared]
        if common != before:
            return _woven(keys, theirs)
        return _woven(theirs, keys)

    def _place_in_file(self) -> None:
        """Where in the file all items stand: as few as can be are moved, and the new ones come between."""
        places = enumerate(zip(self._numbers, self._items, strict=True))
        lines = {number or -place - 1: item.line for place, (number, item) in places}
        order = self._final_in_order()
        staying = _rising([lines[key] for key, _ in order if key in lines])
        behind: int | None = None
        for key, todo in order:
            if lines.get(key) in staying:
                behind = lines[key]
            else:
                self._out.placed.append((behind, lines.get(key, todo)))

    def _final_in_order(self) -> list[tuple[int, Todo]]:
        keys = {id(todo): key for key, todo in self._final.items()}
        return [(keys[id(todo)], todo) for todo in self._out.todos]


def _three(old: _T | None, mine: _T, theirs: _T) -> _T | None:
    """What a value is after both sides; None where they differ and both changed it."""
    if mine in (theirs, old):
        return theirs
    return mine if theirs == old else None


def _woven(first: Sequence[int], other: Sequence[int]) -> list[int]:
    """The first list, with what only the other has put behind what stands before it there."""
    known = set(first)
    behind: dict[int | None, list[int]] = {}
    before: int | None = None
    for key in other:
        if key not in known:
            behind.setdefault(before, []).append(key)
            known.add(key)
        before = key
    woven: list[int] = []
    waiting = [*reversed(first), None]  # None: what stands before all
    while waiting:
        before = waiting.pop()
        if before is not None:
            woven.append(before)
        waiting += behind.pop(before, ())
    return woven


def _rising(lines: Sequence[int]) -> set[int]:
    """The most of these numbers that stand in their order."""
    tails: list[int] = []
    previous: dict[int, int | None] = {}
    for line in lines:
        place = bisect_left(tails, line)
        previous[line] = tails[place - 1] if place else None
        tails[place : place + 1] = [line]
    found: set[int] = set()
    at = tails[-1] if tails else None
    while at is not None:
        found.add(at)
        at = previous[at]
    return found
