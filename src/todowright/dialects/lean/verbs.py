"""What the five tools of lean make of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from todowright.dialects.call import Draft
from todowright.dialects.check import check
from todowright.dialects.lean.again import (
    MOST_NAMED,
    SHORT,
    Wanted,
    is_all_done,
    planned_again,
    replaced,
    undecorated,
)
from todowright.dialects.lean.where import Where, put, start, where_of
from todowright.dialects.verb_dialect import VerbDialect
from todowright.errors import Issue, Refused
from todowright.plan.editing import Editor
from todowright.plan.matching import core
from todowright.plan.model import Plan, Todo
from todowright.text import a_few, brief

NESTED = {"steps", "substeps", "subtasks", "todos", "items", "tasks", "children"}
STATUS_KEYS = {"state", "done", "completed", "checked"}
"""Keys by which an item may tell its status, in other words than ours."""
MOST_ADDED = 200
NEW_TEXT = ("text", "new", "to", "with")
"""Keys under which models send the new words of a step."""


@dataclass(slots=True)
class Listed:
    """The steps that a call of `plan` sent."""

    wanted: list[Wanted] | None
    """None: it sent no list."""
    now: object = None
    """The step to work on; empty for none, None where it does not say."""

    @property
    def tells(self) -> bool:
        """Whether it tells the status of a step."""
        return any(want.status for want in self.wanted or ())


@dataclass(slots=True)
class Added:
    """The steps that a call of `add` sent."""

    texts: list[str]
    where: Where


@dataclass(slots=True)
class Changed:
    """The step that a call of `change` names, and its new words."""

    step: object
    text: str


def check_plan(dialect: VerbDialect, arguments: dict[str, Any]) -> Listed:
    """Read the steps of a plan; without any, it is asked for."""
    given, now = arguments.get("steps"), arguments.get("now")
    if given is None and "step" in arguments:
        raise Refused(Issue("misplaced", field="step", value="done, add, drop or change"))
    if given is None and arguments.keys() <= {"steps", "now"}:
        return Listed(None, now)
    if given == [] and now not in (None, ""):
        return Listed(None, now)  # some hosts must send every key
    if given == []:
        return Listed([], now)
    _at_most(dialect.most_items, given, "steps")
    if isinstance(given, (list, tuple)):
        arguments = {**arguments, "steps": [_item(n, step) for n, step in enumerate(given)]}
    found = check(dialect.items, arguments)
    sent = zip(found.items, given or (), strict=True)
    wanted = [
        Wanted(content, status if isinstance(step, dict) and "status" in step else None)
        for (content, status, *_), step in sent
    ]
    return Listed(wanted, now)


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
    """Set the plan, say it again, or start another step; without anything, read it."""
    wanted = listed.wanted
    if wanted is None and listed.now is None:
        return Draft([], is_read=True)
    if wanted is None:
        return _started(before, listed.now)
    if before.finished and is_all_done(before, wanted):
        return _draft(before, _editor(before))
    again = None if before.finished else planned_again(before, wanted)
    outcome = again or replaced(before, undecorated(wanted))
    editor = Editor(outcome.todos, labels=False, notes=outcome.notes)
    if listed.now not in (None, ""):
        _start_if_there(editor, listed.now)
    elif not listed.tells:
        editor.go_on()
    _make_room(dialect, editor)
    return _draft(before, editor, outcome.confirm)


def _started(before: Plan, now: object) -> Draft:
    """Another step is started, or none."""
    editor = _editor(before)
    if (isinstance(now, str) and now.strip().lower() in ("", "none", "null")) or now in (0, []):
        editor.pause()
    else:
        start(editor, _one(now))
    draft = _draft(before, editor)
    draft.is_edit = True
    return draft


def _make_room(dialect: VerbDialect, editor: Editor) -> None:
    """Let go of closed steps, the oldest first, where the plan has more steps than the dialect allows."""
    over = len(editor.todos) - dialect.most_items
    if over > 0:
        closed = [at for at, todo in enumerate(editor.todos) if todo.closed and todo.number]
        for at in reversed(closed[:over]):
            editor.remove(at)


def _start_if_there(editor: Editor, now: object) -> None:
    """Start the step that is named; the first, and say so, where there is none: small models write anything there."""
    try:
        start(editor, _one(now))
    except Refused:
        editor.go_on()
        on = next((todo for todo in editor.todos if todo.status == "in_progress"), None)
        if on is not None:
            editor.notes.append(f'no step is called that, so "{brief(on.content, SHORT)}" is on')


def check_done(dialect: VerbDialect, arguments: dict[str, Any]) -> list[object]:
    """Read which steps are finished."""
    return _named(dialect, arguments, "steps")


def check_drop(dialect: VerbDialect, arguments: dict[str, Any]) -> list[object]:
    """Read which steps go."""
    return _named(dialect, arguments, "step")


def _named(dialect: VerbDialect, arguments: dict[str, Any], key: str) -> list[object]:
    """The steps that a call names: under `steps` or `step`, one or several."""
    keys = ("steps", "step")
    given = next((arguments[each] for each in keys if arguments.get(each) is not None), None)
    _at_most(dialect.most_items, given, key)
    if isinstance(given, (list, tuple)) and given:
        return list(given)
    if given is None or given in ("", []):
        raise Refused(Issue("missing", field=key))
    return [given]


def _at_most(limit: int, given: object, key: str) -> None:
    """Refuse a list that is too long, before anything is made of it."""
    if isinstance(given, (list, tuple)) and len(given) > limit:
        raise Refused(Issue("too_many", field=key, value=str(len(given)), limit=limit))


def draft_done(_: VerbDialect, before: Plan, steps: list[object]) -> Draft:
    """Finish steps; the next one starts by itself."""
    editor = _editor(before)
    _name_inexact(editor, "finished", steps, editor.finish(steps))
    return _draft(before, editor)


def draft_drop(_: VerbDialect, before: Plan, steps: list[object]) -> Draft:
    """Take steps off the plan; the next one starts by itself, if one of them was on."""
    editor = _editor(before)
    _name_inexact(editor, "dropped", steps, editor.drop(steps))
    return _draft(before, editor)


def check_add(dialect: VerbDialect, arguments: dict[str, Any]) -> Added:
    """Read which steps are new, and where they go."""
    keys = ("step", "steps", "text")
    given = next((arguments[key] for key in keys if arguments.get(key) is not None), None)
    _at_most(MOST_ADDED, given, "step")
    return Added(_texts(dialect, given, "step"), where_of(arguments))


def draft_add(dialect: VerbDialect, before: Plan, added: Added) -> Draft:
    """Put in steps; the first starts, if there was nothing left to do."""
    editor = _editor(before)
    put(editor, added.texts, added.where)
    if added.where is not None and added.where[0] == "now":
        start(editor, added.texts[0])
    if before.current or not before.open:
        editor.go_on()
    _make_room(dialect, editor)
    return _draft(before, editor)


def check_change(dialect: VerbDialect, arguments: dict[str, Any]) -> Changed:
    """Read which step is said in which other words."""
    step = arguments.get("step", arguments.get("steps"))
    if step is None or step in ("", []):
        raise Refused(Issue("missing", field="step"))
    given = next((arguments[key] for key in NEW_TEXT if arguments.get(key) is not None), None)
    if isinstance(given, list) and len(given) != 1:
        raise Refused(Issue("type", field="text", kind="array", expected="one text"))
    return Changed(_one(step), _texts(dialect, given, "text")[0])


def draft_change(_: VerbDialect, before: Plan, changed: Changed) -> Draft:
    """Say a step in other words."""
    editor = _editor(before)
    at = editor.find(changed.step)
    editor.reword(at, changed.text)
    _name_inexact(editor, "changed", [changed.step], [before.todos[at]])
    return _draft(before, editor)


def _editor(before: Plan) -> Editor:
    return Editor(list(before.todos), labels=False)


def _one(given: object) -> object:
    return given[0] if isinstance(given, list) and len(given) == 1 else given


def _texts(dialect: VerbDialect, text: object, key: str) -> list[str]:
    """The words of new steps, by the same rules as those of a plan."""
    if text is None or text == []:
        raise Refused(Issue("missing", field=key))
    texts = text if isinstance(text, list) else [text]
    try:
        found = check(dialect.items, {"steps": [{"content": each} for each in texts]})
    except Refused as refused:
        issues = (replace(issue, index=None, field=key) for issue in refused.issues)
        raise Refused(*issues) from None
    return [content for content, *_ in found.items]


def _name_inexact(editor: Editor, did: str, given: Sequence[object], found: Sequence[Todo]) -> None:
    """Say which steps were meant, where they were not named by their very words or number."""
    meant = [
        f'"{brief(todo.content, SHORT)}"'
        for name, todo in zip(given, found, strict=True)
        if isinstance(name, str) and name != todo.content and not _is_exact(name, todo)
    ]
    if meant:
        editor.notes.append(f"{did}: {a_few(meant, MOST_NAMED)}")


def _is_exact(name: str, todo: Todo) -> bool:
    return core(name) == core(todo.content)


def _draft(before: Plan, editor: Editor, confirm: tuple[Todo, ...] = ()) -> Draft:
    """The edited steps as a draft."""
    draft = Draft(editor.todos, before.summary, tuple(editor.notes))
    draft.confirm = confirm
    return draft
