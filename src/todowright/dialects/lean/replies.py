"""What lean answers: how far the plan is, what is on now, and the numbers of new steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from todowright.dialects.call import Call, Reply
from todowright.dialects.lean.again import SHORT
from todowright.dialects.verb_dialect import VerbDialect
from todowright.plan.model import Plan, Todo
from todowright.text import brief, ranges, told

WORDS = {
    "completed": " - done",
    "in_progress": " - NOW",
    "pending": "",
    "cancelled": " - cancelled",
}


def reply_to_plan(dialect: VerbDialect, call: Call) -> Reply:
    """The plan, where it was asked for; else how far it is, and which numbers are new."""
    plan, before = call.plan, call.before
    if call.reads:
        return _reply(dialect, plan, listed(plan)[0])
    if _unchanged(call):
        return _reply(dialect, plan, "No change.")
    new = _new(call)
    reply = _reply(dialect, plan, progress(plan, known=plan.current in new))
    first = before is None or not before.issued
    if not new or first:
        return reply
    if len(new) > 2 or len(new) == len(plan.open):
        return annotate(dialect, reply, f"new: {ranges(todo.number for todo in new)}")
    for todo in new:
        note = f"{todo.number} is {brief(todo.content, SHORT)}"
        reply = annotate(dialect, reply, note)
    return reply


def reply_to_done(dialect: VerbDialect, call: Call) -> Reply:
    """How far the plan is, and what is on now."""
    text = "No change." if _unchanged(call) else progress(call.plan)
    return _reply(dialect, call.plan, text)


def reply_to_wish(dialect: VerbDialect, call: Call) -> Reply:
    """How far the plan is; what is on now only where the wish changed it."""
    plan, before = call.plan, call.before
    if _unchanged(call) or before is None:
        return _reply(dialect, plan, "No change.")
    new = _new(call)
    same = plan.current == before.current
    if not new and _only_switched(before, plan) and (not same or plan.current is None):
        text = f"Now {plan.current.number}." if plan.current else "Paused."
        return _reply(dialect, plan, text)
    reply = _reply(dialect, plan, progress(plan, known=same or plan.current in new))
    return annotate(dialect, reply, f"new: {ranges(t.number for t in new)}") if new else reply


def _only_switched(before: Plan, after: Plan) -> bool:
    """Whether another step was started, or none, and nothing else is different."""
    return before.progress == after.progress and len(before.open) == len(after.open)


def _unchanged(call: Call) -> bool:
    return call.before is not None and call.before.revision == call.plan.revision


def _new(call: Call) -> Sequence[Todo]:
    issued = 0 if call.before is None else call.before.issued
    return [todo for todo in call.plan.todos if todo.number > issued]


def _reply(dialect: VerbDialect, plan: Plan, text: str) -> Reply:
    return Reply(text, listed(plan)[1], lambda: dialect.arguments(plan))


def annotate(dialect: VerbDialect, reply: Reply, note: str) -> Reply:
    """The reply with a note behind it: one sentence more."""
    end = " " if reply.text.endswith((".", "!", "?", "。")) else ". "
    end = "\n" if "\n" in reply.text else end  # behind a list, on a line of its own
    return replace(reply, text=f"{reply.text}{end}{note[0].upper()}{note[1:]}.")


def progress(plan: Plan, *, known: bool = False) -> str:
    """How far the plan is, and what is on now; by its number alone where the model has just said it itself."""
    statuses = [todo.status for todo in plan.todos]
    done, total = statuses.count("completed"), len(statuses) - statuses.count("cancelled")
    text = f"{done}/{total} done"
    if "in_progress" in statuses:
        now = plan.todos[statuses.index("in_progress")]
        text += f". Now {now.number}"
        return text if known else f"{text}: {brief(now.content, SHORT)}"
    if not total:
        return "Nothing left." if plan.todos else "No plan."
    return f"{text}." if done == total else f"{text}, paused."


def listed(plan: Plan) -> tuple[str, str]:
    """The steps with their numbers, their state in words; for the model, and for people."""
    lines = [
        f"{todo.number}. {todo.content}{todo.aside if todo.extras else ''}{WORDS[todo.status]}"
        for todo in plan.todos
    ]
    if plan.summary:
        lines.append(f"Note: {plan.summary}")
    text, display = told(lines or ["No plan yet."])
    return text, display.replace("<", "‹").replace(">", "›")
