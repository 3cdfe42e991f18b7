"""Where a step goes that a model adds: at the end, or beside another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from todowright.errors import Issue, Refused
from todowright.plan.editing import Editor
from todowright.plan.matching import plain
from todowright.plan.model import Todo
from todowright.text import kind

Where = tuple[str, object] | None
"""`before` or `after`, and the step that is meant; or `now`; None for the end."""
_NOW = {"now", "next", "first"}
_END = {"", "0", "end", "the end", "at the end", "last", "none", "null"}
_BESIDE = re.compile(r"\s*(before|after)\b\s*:?\s*(.*\S)\s*", re.IGNORECASE | re.DOTALL)


def where_of(arguments: dict[str, Any]) -> Where:
    """Where a call of `add` wants its steps: `{"before": …}`, `{"after": …}`, also `{"where": "before: …"}`."""
    for side in ("before", "after"):
        if (given := arguments.get(side)) is not None and not _is_end(given):
            return side, given
    given = arguments.get("where")
    if given is None or _is_end(given):
        return None
    if not isinstance(given, str):
        expected = '"end" or "before: <a step>"'
        raise Refused(Issue("type", field="where", kind=kind(given), expected=expected))
    if given.strip().casefold() in _NOW:
        return "now", None
    found = _BESIDE.fullmatch(given)
    return (found[1].lower(), found[2].strip("\"'<>")) if found else ("before", given)


def _is_end(given: object) -> bool:
    return str(given).strip().casefold() in _END


def put(editor: Editor, texts: Sequence[str], where: Where) -> None:
    """Put in steps: where it is said, or else before the step of the plan that is named after them, or at the end.

    A step that is there already, and not finished, is not added again: it says where the others go.
    """
    waiting: list[Todo] = []
    at = _place(editor, where)
    for text in texts:
        old = _there(editor.todos, text, again=where is not None and where[0] == "now")
        if old is None:
            waiting.append(Todo(text))
            continue
        if editor.todos[old].closed:
            editor.set(old, "pending")
        if where is None:
            editor.todos[old:old] = waiting
            at = old + len(waiting) + 1
            waiting = []
    editor.todos[at:at] = waiting


def _place(editor: Editor, where: Where) -> int:
    """The place that is meant; for `now` the one of the step that is on, or of the first open one."""
    if where is None:
        return len(editor.todos)
    if where[0] != "now":
        return editor.find(where[1]) + (where[0] == "after")
    on = [at for at, todo in enumerate(editor.todos) if todo.status == "in_progress"]
    waits = [at for at, todo in enumerate(editor.todos) if not todo.closed]
    return (on or waits or [len(editor.todos)])[0]


def start(editor: Editor, text: object) -> None:
    """Start the step that is named; what was on waits."""
    at = editor.find(text)
    editor.pause()
    editor.set(at, "in_progress")


def _there(todos: Sequence[Todo], text: str, *, again: bool) -> int | None:
    """Where a step of these words stands that is not finished, or finished and wanted again."""
    same = [n for n, todo in enumerate(todos) if plain(todo.content) == plain(text)]
    unfinished = [n for n in same if todos[n].status != "completed"]
    return next(iter(unfinished or (same if again else [])), None)
