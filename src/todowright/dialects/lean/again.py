"""What a model means by a plan that it sends again: nothing that was open goes without a word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from todowright.plan.marks import bare, is_boxed
from todowright.plan.matching import core, match, plain
from todowright.plan.model import Plan, Status, Todo
from todowright.text import MOST_QUOTED, a_few, quoted


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
    confirm: tuple[Todo, ...] = ()
    """Open steps that would go, too many to go without a second word."""


def planned_again(plan: Plan, wanted: Sequence[Wanted]) -> Outcome | None:
    """What a list means for the plan that stands; None if it is another plan.

    Finished steps stay; when the list holds just the steps that wait, the one in progress is taken
    as done; other open ones that are missing are kept as cancelled; cancelled ones that are listed are
    open again. All of that is said. Where more open steps are missing than kept, it is asked for twice.
    """
    listed, origins = _matched(plan.todos, wanted)
    kept = {origin for origin in origins if origin is not None}
    finished = sum(plan.todos[origin].closed for origin in kept)
    if finished == len(kept) and (2 * finished < len(wanted) or not wanted):
        return None  # it has nothing of what is open, and little of what was done
    tells = any(want.status for want in listed)
    missing = {n for n, todo in enumerate(plan.todos) if n not in kept and not todo.closed}
    moved_on = (
        not (tells or finished)
        and len(missing) < 2
        and all(plan.todos[n].status == "in_progress" for n in missing)
    )
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
    gone = [plan.todos[n] for n in sorted(missing)]
    notes = [_taken_as_done(gone)] if moved_on and gone else []
    notes += _notes(plan, [] if moved_on else gone, todos, origins)
    many = not moved_on and len(gone) > min(max(1, len(kept) - finished), MOST_QUOTED)
    return Outcome(stayed + todos, notes, tuple(gone) if many else ())


def replaced(plan: Plan, wanted: Sequence[Wanted]) -> Outcome:
    """Another plan. One open step that it leaves is most likely done; several go, if it is said twice."""
    todos = [Todo(want.content, want.status or "pending") for want in wanted]
    left = list(plan.open)
    if len(left) > 1:
        return Outcome(todos, [f"dropped: {_named(left)}"], tuple(left))
    if not left:
        return Outcome(todos, [])
    if todos and left[0].status == "in_progress":
        return Outcome([left[0].with_status("completed"), *todos], [_taken_as_done(left)])
    return Outcome([left[0].with_status("cancelled"), *todos], [f"now cancelled: {_named(left)}"])


def _taken_as_done(todos: Sequence[Todo]) -> str:
    return f"taken as done: {_named(todos)}; if it is not, call plan with now"


def _named(todos: Sequence[Todo]) -> str:
    return quoted(todo.content for todo in todos)


def _revised(todo: Todo, want: Wanted) -> Todo:
    status = want.status or ("pending" if todo.status == "cancelled" else todo.status)
    return replace(todo, content=want.content, status=status)


def _notes(
    plan: Plan, left_out: Sequence[Todo], todos: Sequence[Todo], origins: Sequence[int | None]
) -> list[str]:
    """What was left out, what is open again, and what was said in other words."""
    notes = []
    if left_out:
        notes.append(f"left out, now cancelled: {_named(left_out)}")
    pairs = [(plan.todos[n], todo) for n, todo in zip(origins, todos, strict=True) if n is not None]
    again = [new for old, new in pairs if old.closed and not new.closed]
    if again:
        notes.append(f"open again: {_named(again)}")
    reworded = [
        f"{_named([new])} was {_named([old])}"
        for old, new in pairs
        if not old.closed and not _says_the_same(old.content, new.content)
    ]
    return [*notes, a_few(reworded)] if reworded else notes


def _says_the_same(one: str, other: str) -> bool:
    return one == other or plain(one) == plain(other)


def _matched(
    todos: Sequence[Todo], wanted: Sequence[Wanted]
) -> tuple[list[Wanted], list[int | None]]:
    """The list without marks that are not part of its words, and which step each item is."""
    items = [Todo(want.content, want.status or "pending") for want in wanted]
    origins = match(todos, items, strict=True)
    unlike = [
        index
        for index, origin in enumerate(origins)
        if origin is None or not _says_the_same(todos[origin].content, wanted[index].content)
    ]
    marked = {index: _unmarked(wanted[index].content, todos, origins[index]) for index in unlike}
    same = {
        index
        for index, (text, _) in marked.items()
        if (origin := origins[index]) is not None
        and plain(text) in (core(todos[origin].content), plain(todos[origin].content))
    }
    listed = list(wanted)
    for index, (text, status) in marked.items():
        want, origin = wanted[index], origins[index]
        if origin is not None and index in same:
            listed[index] = Wanted(todos[origin].content, want.status or status)
        elif same or is_boxed(want.content):
            text, status = bare(want.content, ends=False)  # the end may be its words
            listed[index] = Wanted(text, want.status or status)
    if any(status == "in_progress" for _, status in marked.values()):
        _put_back(todos, wanted, listed, origins)
    return listed, origins


def _unmarked(text: str, todos: Sequence[Todo], origin: int | None) -> tuple[str, Status | None]:
    """A text without its marks; an end such as ` - done` stays where the step has it in its words."""
    if origin is not None:
        headless = bare(text, ends=False)
        if plain(headless[0]) == plain(todos[origin].content):
            return headless
    return bare(text)


def _put_back(
    todos: Sequence[Todo],
    wanted: Sequence[Wanted],
    listed: Sequence[Wanted],
    origins: Sequence[int | None],
) -> None:
    """Where a box tells what is on, an empty box tells that a step is not."""
    for want, each, origin in zip(wanted, listed, origins, strict=True):
        on = origin is not None and todos[origin].status == "in_progress"
        if on and each.status is None and is_boxed(want.content):
            each.status = "pending"


def undecorated(wanted: Sequence[Wanted]) -> list[Wanted]:
    """The list without its boxes, where every item has one."""
    if not all(is_boxed(want.content) for want in wanted):
        return list(wanted)
    found = [(want, *bare(want.content, ends=False)) for want in wanted]
    return [Wanted(text, want.status or status) for want, text, status in found]


def is_all_done(plan: Plan, wanted: Sequence[Wanted]) -> bool:
    """Whether a list only says that what is finished is finished."""
    listed, origins = _matched(plan.todos, wanted)
    told = all(want.status in ("completed", "cancelled") for want in listed)
    return bool(wanted) and told and None not in origins
