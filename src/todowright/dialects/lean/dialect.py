"""lean: the plan is sent once as plain strings, then only what changes, by number."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from todowright.dialects.check import Draft, check
from todowright.plan.context import neutral, number_of
from todowright.dialects.dialect import Dialect, Field, Tool, Verb
from todowright.errors import Refused
from todowright.plan.model import Call, Issue, Plan, Reply, Todo
from todowright.dialects.lean.again import Wanted, is_all_done, planned_again, undecorated
from todowright.dialects.lean.steps import SHORT, Steps, a_few
from todowright.text import clip, harmless
from todowright.dialects.lean.wishes import WISHES, meant

STRINGS = {"type": "array", "items": {"type": "string"}}
NUMBER = {"type": "integer"}
STRING = {"type": "string"}
NESTED = {"steps", "substeps", "subtasks", "todos", "items", "tasks", "children"}
TOLD = {"state", "done", "completed", "checked"}
"""Keys by which an item may tell its status, in other words than ours."""
WORDS = {
    "completed": " - done",
    "in_progress": " - NOW",
    "pending": "",
    "cancelled": " - cancelled",
}


def plan(dialect: Dialect, before: Plan, arguments: dict[str, Any]) -> Draft:
    """Set the plan, or say it again; without steps, read it."""
    given = arguments.get("steps")
    if "do" in arguments and given is None:
        raise Refused("", (Issue("misplaced", field="do", value="wish"),))
    nothing = given is None or given == []
    if nothing and arguments.keys() <= {"steps"} and not (given == [] and before.finished):
        return Draft(reads=True)  # an empty list takes away what is finished, never what is open
    if isinstance(given, (list, tuple)):
        items = [_item(n, step) for n, step in enumerate(given)]
        arguments = {**arguments, "steps": items}
    found = check(dialect, arguments)
    if isinstance(found, tuple):
        raise Refused("", found)
    wanted = [
        Wanted(content, status if isinstance(step, dict) and "status" in step else None)
        for (content, status, *_), step in zip(found.entries, given or (), strict=True)
    ]
    if before.finished and is_all_done(before, wanted):
        return _draft(dialect, Steps(before, list(before.todos)))
    again = None if before.finished else planned_again(before, wanted)
    if again is None:
        return _new_plan(dialect, before, wanted)
    steps = Steps(before, again.todos, dialect.max_in_progress, again.notes)
    steps.name_new()
    if not any(want.status for want in wanted):
        steps.go_on()
    return _draft(dialect, steps)


def _item(index: int, step: object) -> object:
    """A step as an item; what would be lost of it is refused, and mended where that can be done."""
    if isinstance(step, str):
        return {"content": step}
    if isinstance(step, dict):
        if any(isinstance(value, list) and value and key in NESTED for key, value in step.items()):
            raise Refused("", (Issue("nested", index),))
        if "status" not in step and (told := TOLD.intersection(step)):
            raise Refused("", (Issue("unknown", index, value=", ".join(sorted(told))),))
    return step


def _new_plan(dialect: Dialect, before: Plan, wanted: list[Wanted]) -> Draft:
    """Another plan, numbered from 1; what was open before it is cancelled, and named."""
    left = [replace(todo, status="cancelled") for todo in before.todos if not todo.closed]
    listed = undecorated(wanted)
    todos = [Todo(want.content, want.status or "pending") for want in listed]
    steps = Steps(before, todos, dialect.max_in_progress)
    if not any(want.status for want in wanted):
        steps.go_on()
    steps.todos = left + steps.todos
    if left:
        named = a_few([clip(neutral(todo.content), SHORT) for todo in left])
        steps.notes.append(f"left open before, now cancelled: {named}")
    return _draft(dialect, steps, new_plan=True)


def done(dialect: Dialect, before: Plan, arguments: dict[str, Any]) -> Draft:
    """Finish a step, or several; the next one starts by itself."""
    steps = Steps(before, list(before.todos), dialect.max_in_progress)
    _finish(steps, arguments.get("step", arguments.get("steps")))
    return _draft(dialect, steps, note=arguments.get("note"))


def _finish(steps: Steps, given: object) -> None:
    changed = False
    for number in steps.numbers(given):
        changed |= steps.todos[steps.find(number)].status != "completed"
        steps.set(number, "completed")
    if changed:
        steps.go_on()


def change(dialect: Dialect, before: Plan, arguments: dict[str, Any]) -> Draft:
    """Do what is wished: add, drop, reword or start a step; `start` 0 pauses.

    Whatever a wish does not need is not looked at, since weak models fill in every key there is.
    """
    wish = meant(arguments)
    do, text, step = wish["do"], wish.get("text"), wish.get("step")
    steps = Steps(before, list(before.todos), dialect.max_in_progress)
    match do:
        case "add" | "add after":
            after = steps.number(step, least=0) if do == "add after" else None
            steps.add(_texts(dialect, text), after)
        case "drop":
            for number in dict.fromkeys(steps.numbers(step)):
                steps.drop(number)
        case "reword":
            (new,) = _texts(dialect, text)[:1]
            steps.reword(steps.number(step), new)
        case "start":
            number = steps.number(step, least=0)
            if number:
                steps.start(number)
            else:
                steps.pause()
        case "done":
            _finish(steps, step)
        case "pause":
            steps.pause()
    if do in ("add", "add after", "drop") and (
        before.current or before.finished or not before.todos
    ):
        steps.go_on()  # what was on is gone, or there was nothing left to do
    return _draft(dialect, steps, note=wish.get("note"))


def _texts(dialect: Dialect, text: object) -> list[str]:
    """The words of new steps, by the same rules as those of a plan."""
    if text is None or text == []:
        raise Refused("", (Issue("missing", field="text"),))
    texts = text if isinstance(text, list) else [text]
    found = check(dialect, {"steps": [{"content": each} for each in texts]})
    if isinstance(found, tuple):
        raise Refused("", tuple(replace(issue, index=None, field="text") for issue in found))
    return [content for content, *_ in found.entries]


def _draft(dialect: Dialect, steps: Steps, *, new_plan: bool = False, note: object = None) -> Draft:
    """The edited steps as a draft; limits count for what this call makes worse."""
    before, todos = steps.plan, steps.todos
    most, limit = dialect.most_items, dialect.max_in_progress
    if len(todos) > max(most, len(before.todos)):
        raise Refused("", (Issue("too_many", field="steps", value=str(len(todos)), limit=most),))
    at_once = [todo.status for todo in todos].count("in_progress")
    if limit is not None and at_once > max(limit, before.count("in_progress")):
        raise Refused("", (Issue("focus", field="steps", value=str(at_once), limit=limit),))
    entries = [(todo.content, todo.status, todo.active_form, todo.id) for todo in todos]
    summary = clip(harmless(note), 200) if isinstance(note, str) else before.summary
    return Draft(entries, summary, notes=tuple(steps.notes), new_plan=new_plan)


def accept(dialect: Dialect, plan: Plan, call: Call) -> Reply:
    before = call.before
    if call.reads:
        text = listed(plan)
    elif before is not None and before.revision == plan.revision:
        text = "No change."
    elif _switched(plan, call):
        text = f"Now {number_of(plan, plan.current)}." if plan.current else "Paused."
    else:
        text = progress(plan, brief=_known(plan, call))
    return Reply(text, display=listed(plan), structured=lambda: dialect.arguments(plan))


def _switched(plan: Plan, call: Call) -> bool:
    """Whether another step was started, or none, and nothing else is different."""
    started = isinstance(call.arguments, dict) and call.arguments.get("do") == "start"
    before = call.before
    return started and before is not None and plan.progress == before.progress


def _known(plan: Plan, call: Call) -> bool:
    """Whether the model knows what is on now: its plan is new, or its wish left that as it was."""
    before = call.before
    if before is None or not before.revision or plan.numbered_from != before.numbered_from:
        return True
    wished = isinstance(call.arguments, dict) and "do" in call.arguments
    return wished and plan.current == before.current


def annotate(dialect: Dialect, reply: Reply, note: str) -> Reply:
    end = " " if reply.text.endswith((".", "!", "?", "。")) else ". "
    end = "\n" if "\n" in reply.text else end  # behind a list, on a line of its own
    return replace(reply, text=f"{reply.text}{end}{note[0].upper()}{note[1:]}.")


def progress(plan: Plan, *, brief: bool = False) -> str:
    """How far the plan is, and what is on now; `brief` where the model has just said so itself."""
    done, total = plan.progress
    text = f"{done}/{total} done"
    now = plan.current
    if now is not None:
        text += f". Now {number_of(plan, now)}"
        return text if brief else f"{text}: {clip(neutral(now.content), SHORT)}"
    if not total:
        return "Nothing left." if plan.todos else "No plan."
    return f"{text}." if plan.finished else f"{text}, paused."


def listed(plan: Plan) -> str:
    """The steps with their numbers, their state in words."""
    lines = []
    for todo in plan.todos:
        number = number_of(plan, todo)
        head = f"{number}. " if number > 0 else "- "
        lines.append(f"{head}{neutral(todo.content)}{WORDS[todo.status]}")
    if plan.summary:
        lines.append(f"Note: {neutral(plan.summary)}")
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
