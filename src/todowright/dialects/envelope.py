"""envelope: a summary beside the list, answers in a JSON envelope, logs what was finished."""

from dataclasses import replace
from typing import Any

from todowright.dialects.call import Call, Reply
from todowright.dialects.field import Field
from todowright.dialects.list_dialect import ListDialect
from todowright.dialects.render import counts, marked, recap
from todowright.errors import Issue
from todowright.plan.model import Plan
from todowright.text import harmless, json_as_sent, kind, shown, told

LONGEST_ECHO = 100_000
LONGEST_ECHO_OF_A_REFUSED_CALL = 2_000


def accept(dialect: ListDialect, plan: Plan, call: Call) -> Reply:
    text = "\n".join(["--- TODO UPDATE ---", *marked(dialect, plan), "-------------------"])
    if call.log_failure:
        text += f"\nThe completion log could not be written: {call.log_failure}"
    data = {
        "todos": [
            {**dict(t.extras), "id": t.id, "content": t.content, "status": t.status}
            for t in plan.todos
        ],
        "recap": recap(plan),
        "summary": plan.summary,
    }
    status = "partial" if call.log_failure else "success"
    return _reply(_envelope(status, data, text, call, LONGEST_ECHO), is_error=False)


def reject(dialect: ListDialect, issues: tuple[Issue, ...], call: Call) -> Reply:
    message = dialect.say(issues[0])
    envelope = _envelope("error", {}, f"Error: {message}", call, LONGEST_ECHO_OF_A_REFUSED_CALL)
    code = "INTERNAL_ERROR" if issues[0].code == "internal" else "INVALID_PARAM"
    envelope["error"] = {"code": code, "message": message}
    return replace(_reply(envelope, is_error=True), issues=issues)


def annotate(dialect: ListDialect, reply: Reply, note: str) -> Reply:
    envelope = {**reply.data, "text": f"{reply.data['text']}\n{note}"}
    return replace(_reply(envelope, is_error=reply.is_error), issues=reply.issues)


def _envelope(
    status: str, data: dict[str, Any], text: str, call: Call, longest_echo: int
) -> dict[str, Any]:
    return {
        "status": status,
        "data": data,
        "text": text,
        "stats": counts(call.plan) | {"time_ms": round(call.elapsed * 1000)},
        "context": {"cwd": ".", "params_input": echo(call.arguments, longest_echo)},
    }


def _reply(envelope: dict[str, Any], *, is_error: bool) -> Reply:
    _, display = told(envelope["text"].split("\n"))
    return Reply(json_as_sent(envelope), display, envelope, is_error)


def echo(value: object, room: int) -> Any:
    """What was sent, as JSON that can be written; a mark in its place where it needs more room."""
    try:
        copy, room = _copy(value, room)
    except Exception:  # nested too deep, changed under our eyes, or a stranger that cannot be read
        return "(too long to repeat)"
    return copy if room >= 0 else "(too long to repeat)"


def _copy(value: object, room: int) -> tuple[Any, int]:
    """A copy of the value, and the room that is left after it; it stops where there is none."""
    if room < 0:
        return None, room
    if isinstance(value, str):
        return _written(value), room - len(value)
    if isinstance(value, dict):
        members = {}
        for key, member in value.items():
            name = _written(key) if isinstance(key, str) else shown(key)
            members[name], room = _copy(member, room - 4 - len(name))
            if room < 0:
                break
        return members, room
    if isinstance(value, (list, tuple)):
        items = []
        for item in value:
            copy, room = _copy(item, room - 2)
            items.append(copy)
            if room < 0:
                break
        return items, room
    if value is None or isinstance(value, bool):
        return value, room - 4
    if isinstance(value, int) and value.bit_length() < 1000:
        return value, room - 20
    if isinstance(value, float) and value - value == 0:
        return value, room - 20
    return f"({kind(value)})", room - 20


def _written(text: str) -> str:
    """The text with question marks for what cannot be written."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def log_block(plan: Plan, title: str) -> str:
    """What the completion log keeps of a finished plan."""
    parts = [f"{title}\n\n总任务概述：{harmless(plan.summary)}\n"]
    for status, words, line in (
        ("completed", "Completed: 完成的任务.", "- {}\n"),
        ("cancelled", "Cancelled: 取消的任务.", "- ~~{}~~\n"),
    ):
        texts = [harmless(todo.content) for todo in plan.todos if todo.status == status]
        if texts:
            head = f"[{len(texts)}/{len(plan.todos)}] {words}\n"
            parts.append(head + "".join(line.format(text) for text in texts))
    return "\n".join(parts)


DIALECT = ListDialect(
    name="envelope",
    description=(
        "Overwrite the todo list with the current complete list. "
        "Framework persists and returns the updated list and recap."
    ),
    list_description="The full todo list (overwrites existing list).",
    summary=Field("content", "summary", "Overall task summary (required by the model)."),
    fields=(
        Field("content", description="Todo text."),
        Field("status", description="Todo status."),
        Field("id", description="Optional todo id (framework may assign/reuse).", required=False),
    ),
    statuses=("pending", "in_progress", "completed", "cancelled"),
    extra_arguments="ignore",
    trim=True,
    max_items=10,
    max_length=60,
    publish_limits=False,
    phrases={
        "focus": "{path} has {got} items in_progress, the limit is {limit}: "
        "keep one and set the others to pending",
    },
    marks={"in_progress": "[▶]", "pending": "[ ]", "cancelled": "[~]", "completed": "[✓]"},
    recap=recap,
    accept=accept,
    reject=reject,
    annotate=annotate,
    labels="fresh",
    log_folder="memory/todos",
    log_block=log_block,
    prompt_file="envelope.md",
)
