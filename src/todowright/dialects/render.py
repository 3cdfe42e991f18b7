"""Plans as lines of text: what every dialect may share, and the plain replies of one without its own."""

from __future__ import annotations

from dataclasses import replace

from todowright.dialects.call import Call, Reply
from todowright.dialects.dialect import Dialect
from todowright.dialects.list_dialect import ListDialect
from todowright.errors import Issue
from todowright.plan.model import CLOSED, STATUSES, Plan, Todo
from todowright.text import all_harmless, as_sent, clip, told

PLAIN = ListDialect(name="plain", statuses=STATUSES, max_in_progress=None)
"""A dialect that can say whatever a plan can hold: for plans whose own is not known here."""
RECAP_LIMIT = 299


def marked(dialect: Dialect, plan: Plan) -> list[str]:
    """A line for each todo, behind its mark, for people."""
    return all_harmless(_lines(dialect, plan))


def _lines(dialect: Dialect, plan: Plan) -> list[str]:
    """With its extras, if the dialect has some."""
    marks = dialect.all_marks
    if dialect.extras:
        return [f"{marks[todo.status]} {todo.content}{todo.aside}" for todo in plan.todos]
    return [f"{marks[todo.status]} {todo.content}" for todo in plan.todos]


def checklist(dialect: Dialect, plan: Plan) -> tuple[str, str]:
    """The list behind its marks, with what is going on, and how far it is; for the model, and for people."""
    if not plan.todos:
        return "No todos.", "No todos."
    marks, done = dialect.all_marks, 0
    if dialect.extras or dialect is PLAIN:
        plan = replace(plan, todos=tuple(_worded(todo) for todo in plan.todos))
    lines: list[str] = []
    for todo in plan.todos:
        status = todo.status
        if status == "completed":
            done += 1
        elif status == "in_progress" and todo.active_form:
            lines.append(f"{marks[status]} {todo.content} <- {todo.active_form}")
            continue
        lines.append(f"{marks[status]} {todo.content}")
    lines += "", f"({done}/{len(lines)} completed)"
    return told(lines)


def _worded(todo: Todo) -> Todo:
    """A todo with its extras in its words."""
    return replace(todo, content=todo.content + todo.aside)


def counts(plan: Plan) -> dict[str, int]:
    """How many todos there are of each status, and in all."""
    statuses = [todo.status for todo in plan.todos]
    return {"total": len(statuses)} | {status: statuses.count(status) for status in STATUSES}


def recap(plan: Plan) -> str:
    """Where the plan stands, in one line of less than 300 characters, for a model to read."""
    done = [todo.status in CLOSED for todo in plan.todos].count(True)
    head = f"[{done}/{len(plan.todos)}] "
    now = _titles(plan, "in_progress", 1)
    pending = _titles(plan, "pending", 3)
    cancelled = _titles(plan, "cancelled", 2)
    line = _recap_line(head, now, pending, cancelled)
    if len(line) <= RECAP_LIMIT:
        return line
    now = [clip(title, 120) for title in now]
    room = RECAP_LIMIT - len(_recap_line(head, now, [], []))
    pending = _fitted(pending, room - len(" Pending: ."), least=15)
    room = RECAP_LIMIT - len(_recap_line(head, now, pending, []))
    cancelled = _fitted(cancelled, room - len(" Cancelled: ."), least=5)
    return _recap_line(head, now, pending, cancelled)


def _titles(plan: Plan, status: str, most: int) -> list[str]:
    found = [todo.content for todo in plan.todos if todo.status == status]
    return [as_sent(title) for title in found[:most]]


def _recap_line(head: str, now: list[str], pending: list[str], cancelled: list[str]) -> str:
    line = f"{head}In progress: {'; '.join(now) or 'None'}."
    if pending:
        line += f" Pending: {'; '.join(pending)}."
    if cancelled:
        line += f" Cancelled: {'; '.join(cancelled)}."
    return line


def _fitted(titles: list[str], room: int, *, least: int) -> list[str]:
    """The titles, cut evenly to fit the room; fewer of them where each would be too short to read."""
    while titles and len("; ".join(titles)) > room:
        width = (room - 2 * (len(titles) - 1)) // len(titles)
        if width >= least:
            return [clip(title, width) for title in titles]
        titles = titles[:-1]
    return titles


def accept(dialect: Dialect, plan: Plan, call: Call) -> Reply:
    """The plain reply of a dialect without its own: the list."""
    text, display = told(_lines(dialect, plan) or ["The list is empty."])
    return Reply(text, display=display, structured=lambda: dialect.arguments(plan))


def reject(dialect: Dialect, issues: tuple[Issue, ...], call: Call) -> Reply:
    """The plain refusal: `Error: ` and one line for each fault."""
    text, display = told(("Error: " + "\n".join(map(dialect.say, issues))).split("\n"))
    return Reply(text, display, {"error": text}, is_error=True, issues=issues)


def annotate(dialect: Dialect, reply: Reply, note: str) -> Reply:
    """The reply with a note on a line of its own."""
    said, shown = told([note])
    return Reply(
        f"{reply.text}\n{said}",
        display=f"{reply.display}\n{shown}",
        structured=reply.structured,
        is_error=reply.is_error,
        issues=reply.issues,
    )
