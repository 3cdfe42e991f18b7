"""What the three tools of lean make of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from todowright.dialects.call import Draft
from todowright.dialects.check import check
from todowright.dialects.lean.again import SHORT, Wanted, is_all_done, planned_again, undecorated
from todowright.dialects.lean.wishes import wish_of
from todowright.dialects.verb_dialect import VerbDialect
from todowright.errors import Issue, Refused
from todowright.plan.editing import Editor, finished_plan
from todowright.plan.model import Plan, Todo
from todowright.text import a_few, brief

NESTED = {"steps", "substeps", "subtasks", "todos", "items", "tasks", "children"}
STATUS_KEYS = {"state", "done", "completed", "checked"}
"""Keys by which an item may tell its status, in other words than ours."""


@dataclass(slots=True)
class Listed:
    """The steps that a call of `plan` sent."""

    wanted: list[Wanted]
    is_read: bool = False
    """Whether it asks for the plan: it sent none."""
    empties: bool = False
    """Whether it sent an empty list: that takes away what is finished, never what is open."""

    @property
    def tells(self) -> bool:
        """Whether it tells the status of a step."""
        return any(want.status for want in self.wanted)


@dataclass(slots=True)
class Finished:
    """The steps that a call of `done` names."""

    steps: list[object]
    note: object = None


def check_plan(dialect: VerbDialect, arguments: dict[str, Any]) -> Listed:
    """Read the steps of a plan; without any, it is asked for."""
    given = arguments.get("steps")
    if given is None and (other := _belongs_to(arguments)):
        raise Refused(Issue("misplaced", field=other[0], value=other[1]))
    nothing = given is None or given == []
    if nothing and arguments.keys() <= {"steps"}:
        return Listed([], is_read=True, empties=given == [])
    _at_most(dialect, given, "steps")
    if isinstance(given, (list, tuple)):
        arguments = {**arguments, "steps": [_item(n, step) for n, step in enumerate(given)]}
    found = check(dialect.items, arguments)
    sent = zip(found.items, given or (), strict=True)
    return Listed(
        [
            Wanted(content, status if isinstance(step, dict) and "status" in step else None)
            for (content, status, *_), step in sent
        ]
    )


def _belongs_to(arguments: Mapping[str, Any]) -> tuple[str, str] | None:
    """The key of another tool that a call of `plan` was given, and that tool."""
    for key, tool in (("do", "wish"), ("step", "done")):
        if key in arguments:
            return key, tool
    return None


def _item(index: int, step: object) -> object:
    """A step as an item; what would be lost of it is refused, and mended where that can be done."""
    if isinstance(step, str):
        return {"content": step}
    if isinstance(step, dict):
        if any(isinstance(value, list) and value and key in NESTED for key, value in step.items()):
            raise Refused(Issue("nested", index))
        if "status" not in step and (told := STATUS_KEYS.intersection(step)):
            raise Refused(Issue("unknown", index, value=", ".join(sorted(told))))
    return step


def draft_plan(dialect: VerbDialect, before: Plan, listed: Listed) -> Draft:
    """Set the plan, or say it again; without steps, read it."""
    if listed.is_read and not (listed.empties and before.finished):
        return Draft([], is_read=True)
    wanted = listed.wanted
    if before.finished and is_all_done(before, wanted):
        return Draft(list(before.todos), before.summary)
    again = None if before.finished else planned_again(before, wanted)
    if again is None:
        return _new_plan(dialect, before, listed)
    editor = Editor(again.todos, dialect.max_in_progress, notes=again.notes)
    if not listed.tells:
        editor.go_on()
    return _draft(before, editor)


def _new_plan(dialect: VerbDialect, before: Plan, listed: Listed) -> Draft:
    """Another plan; what was open before it is cancelled, and named."""
    left = [replace(todo, status="cancelled") for todo in before.open]
    todos = [Todo(want.content, want.status or "pending") for want in undecorated(listed.wanted)]
    editor = Editor(todos, dialect.max_in_progress)
    if not listed.tells:
        editor.go_on()
    editor.todos = left + editor.todos
    if left:
        named = a_few([brief(todo.content, SHORT) for todo in left])
        editor.notes.append(f"left open before, now cancelled: {named}")
    return _draft(before, editor)


def check_done(dialect: VerbDialect, arguments: dict[str, Any]) -> Finished:
    """Read which steps are finished."""
    if "steps" in arguments and "step" not in arguments and isinstance(arguments["steps"], str):
        return Finished([arguments["steps"]], arguments.get("note"))
    given = arguments.get("step", arguments.get("steps"))
    _at_most(dialect, given, "step")
    return Finished(_several(given), arguments.get("note"))


def _at_most(dialect: VerbDialect, given: object, key: str) -> None:
    """Refuse a list that is longer than any plan, before anything is made of it."""
    if isinstance(given, (list, tuple)) and len(given) > dialect.most_items:
        count, limit = str(len(given)), dialect.most_items
        raise Refused(Issue("too_many", field=key, value=count, limit=limit))


def _several(given: object) -> list[object]:
    return list(given) if isinstance(given, (list, tuple)) and given else [given]


def draft_done(dialect: VerbDialect, before: Plan, finished: Finished) -> Draft:
    """Finish a step, or several; the next one starts by itself."""
    editor = finished_plan(before, finished.steps, dialect.max_in_progress)
    return _draft(before, editor, note=finished.note)


def check_wish(dialect: VerbDialect, arguments: dict[str, Any]) -> dict[str, Any]:
    """Read what is wished.

    Whatever a wish does not need is not looked at, since weak models fill in every key there is.
    """
    wish = wish_of(arguments)
    _at_most(dialect, wish.get("step"), "step")
    _at_most(dialect, wish.get("text"), "text")
    if wish["do"] in ("add", "add after", "reword"):
        wish["text"] = _texts(dialect, wish.get("text"))
    return wish


def draft_wish(dialect: VerbDialect, before: Plan, wish: dict[str, Any]) -> Draft:
    """Do what is wished: add, drop, reword or start a step; `start` 0 pauses."""
    do, step = wish["do"], wish.get("step")
    editor = Editor.of(before, dialect.max_in_progress, labels=False)
    match do:
        case "add":
            editor.add(wish["text"])
        case "add after":
            editor.add(wish["text"], _required(step))
        case "drop":
            editor.drop_all(_several(step))
        case "reword":
            editor.reword(editor.find(_one(step)), wish["text"][0])
        case "start" if _one(step) in (0, "0"):
            editor.pause()
        case "start":
            editor.set(editor.find(_one(step)), "in_progress")
        case "done":
            editor.finish(_several(step))
        case "pause":
            editor.pause()
    if do in ("add", "add after", "drop") and (
        before.current or before.finished or not before.todos
    ):
        editor.go_on()  # what was on is gone, or there was nothing left to do
    return _draft(before, editor, note=wish.get("note"))


def _one(given: object) -> object:
    return given[0] if isinstance(given, list) and len(given) == 1 else given


def _required(step: object) -> object:
    step = _one(step)
    if step is None or step in ("", []):
        raise Refused(Issue("missing", field="step"))
    return step


def _texts(dialect: VerbDialect, text: object) -> list[str]:
    """The words of new steps, by the same rules as those of a plan."""
    if text is None or text == []:
        raise Refused(Issue("missing", field="text"))
    texts = text if isinstance(text, list) else [text]
    try:
        found = check(dialect.items, {"steps": [{"content": each} for each in texts]})
    except Refused as refused:
        issues = (replace(issue, index=None, field="text") for issue in refused.issues)
        raise Refused(*issues) from None
    return [content for content, *_ in found.items]


def _draft(before: Plan, editor: Editor, *, note: object = None) -> Draft:
    """The edited steps as a draft; a note is kept beside them."""
    summary = brief(note, 200) if isinstance(note, str) else before.summary
    return Draft(editor.todos, summary, tuple(editor.notes))
