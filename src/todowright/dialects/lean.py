"""lean: the plan is sent once as plain strings, then only what changes, by number."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from todowright.check import Draft, check
from todowright.context import neutral, number_of
from todowright.dialect import Dialect, Field, Tool, Verb
from todowright.errors import Refused
from todowright.model import Call, Issue, Plan, Reply, Todo
from todowright.steps import Steps, planned_again
from todowright.text import clip, harmless, kind

STRINGS = {"type": "array", "items": {"type": "string"}}
NUMBER = {"type": "integer"}
STRING = {"type": "string"}
WISHES = ("add", "drop", "reword", "start", "add after")
WORDS = {
    "completed": " - done",
    "in_progress": " - NOW",
    "pending": "",
    "cancelled": " - cancelled",
}


def plan(dialect: Dialect, before: Plan, arguments: dict[str, Any]) -> Draft:
    """Set the plan, or say it again; without steps, read it."""
    if not arguments:
        return _draft(dialect, Steps(before, list(before.todos)))
    given = arguments.get("steps")
    if isinstance(given, (list, tuple)):
        items = [{"content": step} if isinstance(step, str) else step for step in given]
        arguments = {**arguments, "steps": items}
    found = check(dialect, arguments)
    if isinstance(found, tuple):
        raise Refused("", found)
    whole = any(isinstance(step, dict) and "status" in step for step in given or ())
    todos = [Todo(content, status) for content, status, *_ in found.entries]
    again = None if before.finished else planned_again(before, todos, whole=whole)
    if again is None:
        return _new_plan(dialect, before, todos, whole=whole)
    steps = Steps(before, again[0], dialect.max_in_progress, again[1])
    steps.name_new()
    if not whole:
        steps.go_on()
    return _draft(dialect, steps)


def _new_plan(dialect: Dialect, before: Plan, todos: list[Todo], *, whole: bool) -> Draft:
    """Another plan, numbered from 1; what was open before it is cancelled, and named."""
    left = [replace(todo, status="cancelled") for todo in before.todos if not todo.closed]
    steps = Steps(before, todos, dialect.max_in_progress)
    if not whole:
        steps.go_on()
    steps.todos = left + steps.todos
    if left:
        named = "; ".join(clip(neutral(todo.content), 40) for todo in left)
        steps.notes.append(f"left open before, now cancelled: {named}")
    return _draft(dialect, steps, new_plan=True)


def done(dialect: Dialect, before: Plan, arguments: dict[str, Any]) -> Draft:
    """Finish a step, or several; the next one starts by itself."""
    steps = Steps(before, list(before.todos), dialect.max_in_progress)
    changed = False
    for number in _numbers(arguments.get("step", arguments.get("steps"))):
        changed |= before.todos[steps.find(number)].status != "completed"
        steps.set(number, "completed")
    if changed:
        steps.go_on()
    return _draft(dialect, steps)


def change(dialect: Dialect, before: Plan, arguments: dict[str, Any]) -> Draft:
    """Do what is wished: add, drop, reword or start a step; `start` 0 pauses.

    Whatever a wish does not need is not looked at, since weak models fill in every key there is.
    """
    wish = _meant(arguments)
    do, text = wish.get("do"), wish.get("text")
    steps = Steps(before, list(before.todos), dialect.max_in_progress)
    if do in ("add", "add after"):
        texts = [text] if isinstance(text, str) else text
        if not isinstance(texts, list) or not all(isinstance(each, str) for each in texts):
            raise _wrong("text", texts, "the words of the new step")
        steps.add(texts, _number(wish.get("step")) if do == "add after" else None)
    elif do == "drop":
        for number in dict.fromkeys(_numbers(wish.get("step"))):
            steps.drop(number)
    elif do == "reword":
        if not isinstance(text, str):
            raise _wrong("text", text, "the new words of the step")
        steps.reword(_number(wish.get("step")), text)
    elif do == "start":
        number = _number(wish.get("step"))
        if number:
            steps.start(number)
        else:
            steps.pause()
    else:
        raise _wrong("do", do, f"one of {', '.join(WISHES)}")
    if do != "start" and (before.current is not None or before.finished):
        steps.go_on()  # what was on is gone, or there was nothing left to do
    return _draft(dialect, steps, note=wish.get("note"))


def _meant(arguments: dict[str, Any]) -> dict[str, Any]:
    """The wish, also where a model spells it `{"drop": 3}`; keys that nobody knows are refused."""
    unknown = arguments.keys() - {"do", "step", "text", "note", *WISHES}
    if unknown:
        names = ", ".join(f"'{harmless(str(key))[:20]}'" for key in sorted(map(str, unknown))[:5])
        raise Refused("", (Issue("unknown", value=names),))
    said = [do for do in WISHES if do in arguments]
    if "do" in arguments or len(said) != 1:
        return arguments
    value = arguments[said[0]]
    return {"do": said[0], "text" if said[0] == "add" else "step": value, **arguments}


def _numbers(given: object) -> list[int]:
    return [_number(each) for each in (given if isinstance(given, (list, tuple)) else [given])]


def _number(value: object) -> int:
    value = value[0] if isinstance(value, list) and len(value) == 1 else value
    text = str(value).strip().lstrip("#") if isinstance(value, (str, int)) else ""
    if isinstance(value, bool) or not (text.isascii() and text.isdigit() and len(text) < 7):
        raise _wrong("step", value, "a step's number")
    return int(text)


def _wrong(key: str, value: object, expected: str) -> Refused:
    return Refused("", (Issue("type", field=key, kind=kind(value), expected=expected),))


def _draft(dialect: Dialect, steps: Steps, *, new_plan: bool = False, note: object = None) -> Draft:
    """The edited steps as a draft; new words go by the same rules as those of a plan."""
    items = [{"content": todo.content, "status": todo.status} for todo in steps.todos]
    found = check(dialect, {"steps": items})
    if isinstance(found, tuple):
        raise Refused("", found)
    entries = [
        (content, status, todo.active_form, todo.id)
        for (content, status, *_), todo in zip(found.entries, steps.todos, strict=True)
    ]
    summary = clip(harmless(note), 200) if isinstance(note, str) else steps.plan.summary
    return Draft(entries, summary, notes=tuple(steps.notes), new_plan=new_plan)


def accept(dialect: Dialect, plan: Plan, call: Call) -> Reply:
    before = call.before
    unchanged = before is not None and before.revision == plan.revision
    if unchanged:
        text = "No change." if call.arguments else listed(plan)
    elif _switched(plan, call):
        text = f"Now {number_of(plan, plan.current)}." if plan.current else "Paused."
    else:
        text = progress(plan, brief=_known(plan, call))
    return Reply(text, display=listed(plan), structured=lambda: dialect.arguments(plan))


def _switched(plan: Plan, call: Call) -> bool:
    """Whether another step was started, or none, and nothing else is different."""
    started = isinstance(call.arguments, dict) and call.arguments.get("do") == "start"
    before = call.before
    return started and before is not None and _closed(plan) == _closed(before)


def _known(plan: Plan, call: Call) -> bool:
    """Whether the model knows what is on now: its plan is new, or its wish left that as it was."""
    before = call.before
    if before is None or not before.revision or plan.numbered_from != before.numbered_from:
        return True
    wished = isinstance(call.arguments, dict) and "do" in call.arguments
    return wished and plan.current == before.current


def _closed(plan: Plan) -> int:
    return sum(todo.closed for todo in plan.todos)


def annotate(dialect: Dialect, reply: Reply, note: str) -> Reply:
    end = "" if reply.text.endswith((".", "!", "?", "。")) else "."
    return replace(reply, text=f"{reply.text}{end} {note[0].upper()}{note[1:]}.")


def progress(plan: Plan, *, brief: bool = False) -> str:
    """How far the plan is, and what is on now; `brief` where the model has just said so itself."""
    closed = _closed(plan)
    text = f"{closed}/{len(plan.todos)} done"
    now = plan.current
    if now is not None:
        text += f". Now {number_of(plan, now)}"
        return text if brief else f"{text}: {clip(neutral(now.content), 40)}"
    return f"{text}, paused." if closed < len(plan.todos) else f"{text}."


def listed(plan: Plan) -> str:
    """The steps with their numbers, their state in words."""
    lines = []
    for todo in plan.todos:
        number = number_of(plan, todo)
        head = f"{number}. " if number > 0 else "- "
        lines.append(f"{head}{neutral(todo.content)}{WORDS[todo.status]}")
    return "\n".join(lines) or "No plan yet."


def _schema(required: list[str], **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties}
    return schema | {"required": required} if required else schema


PLAN = Tool("plan", "Sets the steps, once, at the beginning.", _schema(["steps"], steps=STRINGS))
DONE = Tool(
    "done",
    "Finishes a step by its number; the next starts by itself.",
    _schema(["step"], step=NUMBER),
)
WISH = Tool(
    "wish",
    "For new wishes only.",
    _schema(["do"], do={"type": "string", "enum": list(WISHES)}, step=NUMBER, text=STRING),
)

DIALECT = Dialect(
    name="lean",
    tool_name="plan",
    description=PLAN.description,
    list_key="steps",
    fields=(Field("content"), Field("status", required=False)),
    statuses=("pending", "in_progress", "completed", "cancelled"),
    extra_arguments="ignore",
    extra_fields="ignore",
    trim=True,
    repair=True,
    keep_unchanged=False,
    phrases={
        "type.item": "steps[{i}] must be a text, not {kind}",
        "missing.field": "steps[{i}] is empty: say what to do",
        "blank.field": "steps[{i}] is blank: say what to do",
        "storm": "Same again: nothing changed. Go on with the work.",
    },
    verbs=(Verb(PLAN, plan, "steps"), Verb(DONE, done, "step"), Verb(WISH, change, "do")),
    accept=accept,
    annotate=annotate,
)
