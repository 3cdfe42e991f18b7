"""What the five tools of lean make of a plan."""

from __future__ import annotations

from collections.abc import Sequence

from todowright.dialects.call import Draft
from todowright.dialects.lean.again import is_all_done, planned_again, replaced, undecorated
from todowright.dialects.lean.reading import Added, Changed, Listed, only
from todowright.dialects.lean.where import put
from todowright.dialects.verb_dialect import VerbDialect
from todowright.errors import Refused
from todowright.plan.editing import Editor
from todowright.plan.matching import core
from todowright.plan.model import Plan, Todo
from todowright.text import quoted


def draft_plan(dialect: VerbDialect, before: Plan, listed: Listed) -> Draft:
    """Set the plan, say it again, or start another step; without anything, read it."""
    wanted = listed.wanted
    if wanted is None and listed.now is None:
        return Draft([], is_read=True)
    if wanted is None:
        return _started(before, listed.now)
    finished = before.finished
    if finished and is_all_done(before, wanted):
        return _draft(before, _editor(before))
    again = None if finished or not before.todos else planned_again(before, wanted)
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
        editor.start(only(now))
    return _draft(before, editor, is_edit=True)


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
        editor.start(only(now))
    except Refused:
        editor.go_on()
        on = next((todo for todo in editor.todos if todo.status == "in_progress"), None)
        if on is not None:
            editor.notes.append(f"no step is called that, so {quoted([on.content])} is on")


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


def draft_add(dialect: VerbDialect, before: Plan, added: Added) -> Draft:
    """Put in steps; the first starts, if there was nothing left to do."""
    editor = _editor(before)
    put(editor, added.texts, added.where)
    if before.current or not before.open:
        editor.go_on()
    _make_room(dialect, editor)
    return _draft(before, editor)


def draft_change(_: VerbDialect, before: Plan, changed: Changed) -> Draft:
    """Say a step in other words."""
    editor = _editor(before)
    at = editor.find(changed.step)
    editor.reword(at, changed.text)
    _name_inexact(editor, "changed", [changed.step], [before.todos[at]])
    return _draft(before, editor)


def _editor(before: Plan) -> Editor:
    return Editor(list(before.todos), labels=False)


def _name_inexact(editor: Editor, did: str, given: Sequence[object], found: Sequence[Todo]) -> None:
    """Say which steps were meant, where they were not named by their words, their first words or their number."""
    if list(given) == [todo.content for todo in found]:
        return
    named = [
        (did, name, todo)
        for name, todo in zip(given, found, strict=True)
        if isinstance(name, str)
        and name != todo.content
        and name.strip() not in editor.same_words
        and core(name) != core(todo.content)
    ]
    editor.inexact += [each for each in named if not each[1].strip().isdecimal()]
    meant = [todo.content for _, name, todo in named if not _begins(name, todo)]
    if meant:
        editor.notes.append(f"{did}: {quoted(meant)}")


def _begins(name: str, todo: Todo) -> bool:
    """Whether a name is two words or more that the step begins with: no other step has them."""
    given = core(name)
    return " " in given and core(todo.content).startswith(f"{given} ")


def _draft(
    before: Plan, editor: Editor, confirm: tuple[Todo, ...] = (), *, is_edit: bool = False
) -> Draft:
    """The edited steps as a draft."""
    notes = tuple(editor.notes)
    return Draft(
        editor.todos,
        before.summary,
        notes,
        is_edit=is_edit,
        confirm=confirm,
        inexact=tuple(editor.inexact),
    )
