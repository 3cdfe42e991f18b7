"""Was it right? The model's calls are made on a real plan, and the plan that stands then is looked at.

Which step is in progress does not count, nor how a new step is worded, as long as it says the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from todowright.fitting.forms import Form
from todowright.fitting.stages import Deed, Row
from todowright.plan.model import Plan, Todo
from todowright.tool.todowrite import TodoWrite

Outcome = Literal["right", "wrong", "harm"]
MOST_CALLS = 20
"""More calls than this in one answer are not made."""
_SMALL = {"a", "an", "and", "at", "by", "for", "from", "in", "into", "it", "of", "on", "the", "to"}
_SMALL |= {"with"}
_WRITTEN = re.compile(r'<tool_call>|"name"\s*:\s*"|"arguments"\s*:|```')


@dataclass(frozen=True, slots=True)
class Made:
    """A call as the model made it; `fault` says why it cannot be read."""

    name: str
    arguments: Any
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """An answer of the model."""

    text: str = ""
    calls: tuple[Made, ...] = ()
    tokens: int = 0
    """As the server counted what was written; 0 if it did not."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """`harm`: a step was finished, or taken off the plan, that was not meant."""

    outcome: Outcome
    faults: tuple[str, ...] = ()
    replies: tuple[str, ...] = ()
    """What the tool answered."""


def judged(form: Form, todo: TodoWrite, rows: Sequence[Row], deed: Deed, said: Said) -> Verdict:
    """Make the calls of an answer on the plan, and compare it with the one that is wanted."""
    before = todo.plan
    calls = [
        call
        for made in said.calls[:MOST_CALLS]
        if not made.fault
        for call in form.plan_calls(made.name, made.arguments)
    ]
    replies = todo.turn(calls) if calls else []
    wanted, plan = deed.on(rows), todo.plan
    harms = _harms(before, plan, rows, wanted)
    if not harms and _matches(before, plan, rows, wanted):
        return Verdict("right", replies=tuple(reply.text for reply in replies))
    faults = [*harms, *_call_faults(said, bool(calls))]
    faults += [f"refused: {reply.issues[0].code}" for reply in replies if reply.is_error]
    faults = faults or _plan_faults(before, plan, rows, wanted)
    told = tuple(dict.fromkeys(faults))
    return Verdict("harm" if harms else "wrong", told, tuple(reply.text for reply in replies))


def tells(text: str, step: str) -> bool:
    """Whether a text says what the step says: most of its words."""
    words = _words(step)
    return 3 * len(words & _words(text)) >= 2 * len(words)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold())) - _SMALL


def _is(before: Plan, rows: Sequence[Row], todo: Todo, row: Row) -> bool:
    """Whether a todo is this step: in its words, or under its number in nearly its words."""
    if tells(todo.content, row.text):
        return True
    numbers = {kept.text: old.number for old, kept in zip(before.todos, rows, strict=True)}
    near = bool(_words(todo.content) & _words(row.text))
    return near and todo.number == numbers.get(row.text)


def _shown(plan: Plan) -> list[Todo]:
    return [todo for todo in plan.todos if todo.status != "cancelled"]


def _matches(before: Plan, plan: Plan, rows: Sequence[Row], wanted: Sequence[Row]) -> bool:
    found = _shown(plan)
    return len(found) == len(wanted) and all(
        _is(before, rows, todo, row) and (todo.status == "completed") == row.done
        for todo, row in zip(found, wanted, strict=True)
    )


def _harms(before: Plan, plan: Plan, rows: Sequence[Row], wanted: Sequence[Row]) -> list[str]:
    """Steps that are finished, or gone, and should be open."""
    harms = []
    found = _shown(plan)
    finished = [todo for todo in found if todo.status == "completed"]
    meant = [row for row in wanted if row.done]
    if not all(any(_is(before, rows, todo, row) for row in meant) for todo in finished):
        harms.append("finished a step that was not meant")
    stay = [row for row in rows if not row.done and any(row.text == w.text for w in wanted)]
    if not all(any(_is(before, rows, todo, row) for todo in found) for row in stay):
        harms.append("lost an open step")
    return harms


def _call_faults(said: Said, planned: bool) -> list[str]:
    if any(made.fault for made in said.calls):
        return ["a call that cannot be read"]
    if planned:
        return []
    if said.calls:
        return ["another tool, no plan call"]
    return ["a call written as text" if _WRITTEN.search(said.text) else "no call"]


def _plan_faults(before: Plan, plan: Plan, rows: Sequence[Row], wanted: Sequence[Row]) -> list[str]:
    """What is wrong with a plan that does no harm, in a few fixed words that can be counted."""
    state = [[(todo.content, todo.status) for todo in each.todos] for each in (before, plan)]
    if state[0] == state[1]:
        return ["nothing changed"]
    found, faults = _shown(plan), []
    for row in wanted:
        todo = next((todo for todo in found if _is(before, rows, todo, row)), None)
        if todo is None:
            faults.append("left out a finished step" if row in rows else "the new step is missing")
        elif row.done and todo.status != "completed":
            faults.append("opened a finished step" if row in rows else "a step is not finished")
    if len(found) > len(wanted):
        faults.append("more steps than meant")
    return faults or ["a step in the wrong place"]
