"""What calls of other agents make of the todos that stand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from todowright.dialects.extras import merged
from todowright.plan.matching import Item, carry
from todowright.plan.model import LONGEST_TEXT, MOST_ITEMS, UNTOLD, Extras, Status, Todo
from todowright.text import shown
from todowright.values import value

Deed = Literal["add", "put", "change", "remove"]
Replaced = Literal["all", "open", "nothing"]
BLOCKED_BY, METADATA, LOG = "blockedBy", "metadata", "log"
LONGEST_METADATA = 20_000


@value
class Op:
    """One thing that a call does to one item. What is None stays as it is."""

    do: Deed
    """`put` changes the item with this id, or adds it; `add` and `change` do only the one."""
    id: str = ""
    at: int | None = None
    """Its place in the list, from 0, where it is named by that; for `add`, where it goes."""
    content: str | None = None
    status: Status | None = None
    active_form: str | None = None
    extras: Extras = ()
    """Texts to keep with it; an empty one takes one away."""
    blocked_by: tuple[str, ...] = ()
    """The ids of items that it waits for, too."""
    metadata: Any = None
    """Keys that are merged into its metadata; None takes one away."""
    log: str = ""
    """A line that is added to its `log`."""


def applied(
    edits: Sequence[Op],
    before: Sequence[Todo],
    issued: int = 0,
    *,
    sent: Sequence[Todo] = (),
    replaces: Replaced = "nothing",
    counted: bool = False,
    focus_first: bool = False,
) -> tuple[list[Todo], list[str]]:
    """The todos after a list was sent and edits were made, those that stay with their numbers.

    And what could not be done, in one line each.
    """
    todos = list(before)
    if replaces != "nothing":
        kept = [todo for todo in before if replaces == "open" and todo.closed]
        todos = _listed(before, [*kept, *sent])
    notes: list[str] = []
    if edits:
        table = _Table(todos, issued, counted=counted)
        notes = [note for op in edits if (note := table.make(op))]
        todos = [todo for todo in table.todos if todo is not None]
    return (_focused(todos) if focus_first else todos), notes


class _Table:
    """Todos while they are changed, found by their ids."""

    def __init__(self, todos: list[Todo], issued: int, *, counted: bool) -> None:
        self.todos: list[Todo | None] = [*todos]
        """None where one was taken off: so the others keep their places."""
        self._counted = counted
        self._count = max([issued, *(_count(todo.id) for todo in todos)])
        self._find_places()

    def _find_places(self) -> None:
        found = {todo.id: at for at, todo in enumerate(self.todos) if todo is not None}
        self._places = {label: at for label, at in found.items() if label}

    def make(self, op: Op) -> str:
        """Make one edit; what is wrong with it, where it cannot be made."""
        label = op.id
        if self._counted and not label and op.do in ("add", "put"):
            label = str(self._count + 1)
        self._count = max(self._count, _count(label))
        at = self._places.get(label) if label else op.at
        if op.do in ("add", "put") and (at is None or not label):
            return self._add(op, label)
        todo = self.todos[at] if at is not None and 0 <= at < len(self.todos) else None
        if at is None or todo is None:
            return f"no item is called '{shown(label or op.at)}': its change was left out"
        if op.do != "remove":
            self.todos[at] = _changed(todo, op)
        elif label:
            self.todos[at] = None
            del self._places[label]
        else:
            del self.todos[at]
        return ""

    def _add(self, op: Op, label: str) -> str:
        if not op.content:
            return f"no item is called '{shown(label)}': its change was left out"
        if len(self.todos) >= MOST_ITEMS:
            return f"there are {MOST_ITEMS} items: a new one was left out"
        at = len(self.todos) if op.at is None else max(0, min(op.at, len(self.todos)))
        self.todos.insert(at, _changed(Todo(op.content, id=label), op))
        if at < len(self.todos) - 1:
            self._find_places()
        elif label:
            self._places[label] = at
        return ""


def _listed(before: Sequence[Todo], after: Sequence[Todo]) -> list[Todo]:
    """The todos of a list with the numbers of those they were: by their words, since agents use ids again."""
    items: list[Item] = [(todo.content, todo.status, todo.active_form, "") for todo in after]
    found = []
    for todo, sent in zip(carry(before, items), after, strict=True):
        untold = tuple(pair for pair in todo.extras if pair[0] in UNTOLD)
        extras = tuple(sorted((*untold, *sent.extras))) if untold else sent.extras
        label = sent.id or todo.id
        same = todo.extras == extras and todo.id == label
        found.append(todo if same else replace(todo, id=label, extras=extras))
    return found


def _changed(todo: Todo, op: Op) -> Todo:
    sent = dict(op.extras)
    if op.status is not None:
        sent.setdefault("state", "")
    if op.blocked_by:
        kept = dict(todo.extras).get(BLOCKED_BY, "")
        sent[BLOCKED_BY] = ids_text([*ids_of(kept), *op.blocked_by])
    if op.metadata is not None:
        sent[METADATA] = merged_metadata(dict(todo.extras).get(METADATA, ""), op.metadata)
    if op.log:
        kept = dict(todo.extras).get(LOG, "")
        sent[LOG] = f"{kept}\n{op.log}"[-LONGEST_TEXT:] if kept else op.log
    content = todo.content if op.content is None else op.content
    return Todo(
        content,
        todo.status if op.status is None else op.status,
        todo.active_form if op.active_form is None else op.active_form,
        todo.id,
        todo.number,
        merged(todo.extras, sent),
    )


def _focused(todos: list[Todo]) -> list[Todo]:
    """The todos with the first open one in progress, and no other."""
    first = next((at for at, todo in enumerate(todos) if not todo.closed), None)
    wanted = ["in_progress" if at == first else "pending" for at in range(len(todos))]
    return [
        todo if todo.closed or todo.status == wanted[at] else todo.with_status(wanted[at])  # type: ignore[arg-type]
        for at, todo in enumerate(todos)
    ]


def _count(label: str) -> int:
    return int(label) if label.isascii() and label.isdecimal() and len(label) < 13 else 0


def ids_text(ids: Sequence[str]) -> str:
    """Ids as one text, each once: in a row, or as JSON where one has a space in it."""
    each = list(dict.fromkeys(ids))
    plain = all(one.split() == [one] and one[0] != "[" for one in each)
    return " ".join(each) if plain else json.dumps(each, ensure_ascii=False)


def ids_of(text: str) -> list[str]:
    """The ids in such a text."""
    if text.startswith("["):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            return text.split()
        if isinstance(found, list):
            return [str(each) for each in found]
    return text.split()


def merged_metadata(kept: str, sent: Any) -> str:
    """Metadata as JSON text, with keys merged in; null takes one away. As it was where it would be too long."""
    try:
        had = json.loads(kept or "{}")
        both = {**had, **sent} if isinstance(had, dict) else dict(sent)
        found = {key: each for key, each in both.items() if each is not None}
        text = json.dumps(found, ensure_ascii=False, allow_nan=False) if found else ""
        text.encode()
    except (TypeError, ValueError, RecursionError):
        return kept
    return text if len(text) <= LONGEST_METADATA else kept
