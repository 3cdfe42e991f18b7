"""Where a step goes that a model adds: at the end, or beside another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from todowright.errors import Issue, Refused
from todowright.plan.editing import Editor
from todowright.plan.matching import plain
from todowright.plan.model import Todo
from todowright.text import kind, quoted, shown

Where = tuple[str, object] | None
"""`before` or `after`, and the step that is meant; or `first`; None for the end."""
EXPECTED = '"end" or "before: <a step>"'
SIDES = ("before", "after")
_END = {"", "end", "the end", "at the end", "last", "none", "null"}


def where_of(arguments: dict[str, Any]) -> Where:
    """Where a call of `add` wants its steps: `{"before": …}`, `{"after": …}`, also `{"where": "before: …"}`."""
    for side in SIDES:
        given = arguments.get(side)
        if given is not None and not _is_end(given):
            return (side, given) if given not in (0, "0") else ("first", None)
    given = arguments.get("where")
    if given is None or _is_end(given):
        return None
    if not isinstance(given, str):
        raise Refused(Issue("type", field="where", kind=kind(given), expected=EXPECTED))
    text = given.strip()
    for side in SIDES:
        if text.casefold().startswith(side) and not text[len(side) : len(side) + 1].isalnum():
            step = text[len(side) :].strip().removeprefix(":").strip().strip("\"'<>")
            if step:
                return side, step
            raise Refused(Issue("type", field="where", kind=f"'{shown(given)}'", expected=EXPECTED))
    return "before", text


def _is_end(given: object) -> bool:
    return isinstance(given, str) and given.strip().casefold() in _END


def put(editor: Editor, texts: Sequence[str], where: Where) -> None:
    """Put in steps: where it is said, or else before the step of the plan that is named after them, or at the end.

    A step that is there already, and not finished, is not added again: it goes where that is said, and else
    says where the others go.
    """
    at = _place(editor, where)
    stops = editor.todos[at] if at < len(editor.todos) else None
    known = _by_words(editor.todos)
    waiting: list[Todo] = []
    for text in texts:
        old = _unfinished(known, text)
        if old is None:
            waiting.append(Todo(text))
            continue
        place = next(n for n, todo in enumerate(editor.todos) if todo.number == old.number)
        if old.closed:
            editor.set(place, "pending")
            editor.notes.append(f"open again: {quoted([old.content])}")
        elif where is None and len(texts) == 1:
            editor.notes.append(f"it is there already: {quoted([old.content])}")
        if where is None:
            editor.todos[place:place] = waiting
            at = place + len(waiting) + 1
            waiting = []
        elif stops is None or old.number != stops.number:
            waiting.append(editor.todos.pop(place))
    if where is not None and stops is not None:
        at = next(n for n, todo in enumerate(editor.todos) if todo.number == stops.number)
    elif where is not None:
        at = len(editor.todos)
    editor.todos[at:at] = waiting


def _place(editor: Editor, where: Where) -> int:
    """The place that is meant."""
    if where is None:
        return len(editor.todos)
    side, step = where
    if side == "first":
        return 0
    at = editor.find(step)
    _name_inexact_place(editor, side, step, editor.todos[at])
    return at + (side == "after")


def _name_inexact_place(editor: Editor, side: str, step: object, todo: Todo) -> None:
    if isinstance(step, str) and plain(step) != plain(todo.content):
        editor.notes.append(f"{side} {quoted([todo.content])}")


def _by_words(todos: Sequence[Todo]) -> dict[str, list[Todo]]:
    known: dict[str, list[Todo]] = {}
    for todo in todos:
        known.setdefault(plain(todo.content), []).append(todo)
    return known


def _unfinished(known: dict[str, list[Todo]], text: str) -> Todo | None:
    """The step of these words that is not finished."""
    return next((todo for todo in known.get(plain(text), ()) if todo.status != "completed"), None)
