"""What lean answers: how far the plan is, and what is on now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from todowright.dialects.call import Call, Reply
from todowright.dialects.lean.tools import LeanDialect
from todowright.dialects.verb_dialect import VerbDialect
from todowright.plan.model import Plan, Todo
from todowright.text import SHORT, brief, ranges, told

WORDS = {
    "completed": " - done",
    "in_progress": " - NOW",
    "pending": "",
    "cancelled": " - cancelled",
}


def reply_to_plan(dialect: VerbDialect, call: Call) -> Reply:
    """The plan, where it was asked for; else how far it is, and which step is on.

    A new plan that only begins with its first step is answered "OK.": "0/5 done." made a small model finish all of
    them, or plan anew, at its first update (decision 100).
    """
    plan, before = call.plan, call.before
    if call.reads:
        return _reply(dialect, plan, listed(plan, numbers=_by_number(dialect))[0])
    if before is None or not before.issued:
        first = _on(plan) == (plan.todos[0].number if plan.todos else 0)
        is_all_open = 0 < len(plan.open) == len(plan.todos)
        if first and is_all_open and not _by_number(dialect):
            return _reply(dialect, plan, "OK.")
        return _reply(dialect, plan, progress(plan, numbers=_by_number(dialect), known=first))
    return reply_to_edit(dialect, call)


def reply_to_edit(dialect: VerbDialect, call: Call) -> Reply:
    """How far the plan is; what is on now, where that is another step than before."""
    plan, before, numbers = call.plan, call.before, _by_number(dialect)
    if before is not None and before.revision == plan.revision:
        return _reply(dialect, plan, "No change.")
    on = 0 if before is None else _on(before)
    known = on > 0 and on == _on(plan)
    reply = _reply(dialect, plan, progress(plan, numbers=numbers, known=known))
    if numbers and (new := _new(call)):
        return annotate(dialect, reply, f"new: {ranges(todo.number for todo in new)}")
    return reply


def _by_number(dialect: VerbDialect) -> bool:
    return isinstance(dialect, LeanDialect) and dialect.by == "number"


def _on(plan: Plan) -> int:
    """The number of the first step in progress; 0 for none."""
    for todo in plan.todos:
        if todo.status == "in_progress":
            return todo.number
    return 0


def _new(call: Call) -> Sequence[Todo]:
    issued = 0 if call.before is None else call.before.issued
    return [todo for todo in call.plan.todos if todo.number > issued]


class _Parts:
    """The plan beside a reply, for people and for programs."""

    __slots__ = ("_dialect", "_plan")

    def __init__(self, dialect: VerbDialect, plan: Plan) -> None:
        self._dialect = dialect
        self._plan = plan

    def __call__(self) -> Mapping[str, Any]:
        return self._dialect.arguments(self._plan)

    def display(self) -> str:
        return listed(self._plan, numbers=_by_number(self._dialect))[1]


def _reply(dialect: VerbDialect, plan: Plan, text: str) -> Reply:
    return Reply.late(text, _Parts(dialect, plan))


def annotate(dialect: VerbDialect, reply: Reply, note: str) -> Reply:
    """The reply with a note behind it: one sentence more."""
    end = " " if reply.text.endswith((".", "!", "?", "。")) else ". "
    end = "\n" if "\n" in reply.text else end  # behind a list, on a line of its own
    return replace(reply, text=f"{reply.text}{end}{note[0].upper()}{note[1:]}.")


def progress(plan: Plan, *, numbers: bool = False, known: bool = False) -> str:
    """How far the plan is, and what is on now, unless the model knows."""
    statuses = [todo.status for todo in plan.todos]
    done, total = statuses.count("completed"), len(statuses) - statuses.count("cancelled")
    if not total:
        return "Nothing left." if plan.todos else "No plan."
    text = f"{done}/{total} done"
    if "in_progress" not in statuses:
        return f"{text}." if done == total else f"{text}, paused."
    now = plan.todos[statuses.index("in_progress")]
    if numbers:
        text += f". Now {now.number}"
        return text if known else f"{text}: {brief(now.content, SHORT)}"
    return f"{text}." if known else f"{text}. Now: {brief(now.content, SHORT)}"


def listed(plan: Plan, *, numbers: bool = True) -> tuple[str, str]:
    """The steps, their state in words; for the model, and for people."""
    lines = [
        f"{f'{todo.number}.' if numbers else '-'} {todo.content}{todo.aside if todo.extras else ''}{WORDS[todo.status]}"
        for todo in plan.todos
    ]
    if plan.summary:
        lines.append(f"Note: {plan.summary}")
    text, display = told(lines or ["No plan yet."])
    return text, display.replace("<", "‹").replace(">", "›")
