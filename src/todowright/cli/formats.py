"""A plan as text for files and pipes: checklist, recap, Markdown and JSON."""

from __future__ import annotations

from todowright.dialects.render import PLAIN, checklist, recap
from todowright.plan.data import as_data
from todowright.plan.model import Plan
from todowright.text import harmless, json_text

_BOXES = {"pending": "[ ]", "in_progress": "[ ]", "completed": "[x]", "cancelled": "[x]"}


def as_markdown(plan: Plan) -> str:
    """A task list that GitHub and editors show as one."""
    lines = [f"# {escaped(plan.summary or f'Plan of {plan.session}')}", ""]
    for todo in plan.todos:
        text = escaped(todo.content)
        if todo.status == "cancelled":
            text = f"~~{text}~~"
        elif todo.status == "in_progress":
            text = f"**{text}** (in progress)"
        lines.append(f"- {_BOXES[todo.status]} {text}{escaped(todo.aside)}")
    done, total = plan.progress
    return "\n".join([*lines, "", f"{done} of {total} done"])


def escaped(text: str) -> str:
    """Text that means nothing to Markdown or HTML."""
    text = harmless(text)
    for char in "\\`*_[]<>~#|":
        text = text.replace(char, f"\\{char}")
    return text


def formatted(plan: Plan, style: str) -> str:
    """The plan in one of the styles that need no terminal."""
    match style:
        case "checklist":
            return checklist(PLAIN, plan)[1]
        case "recap":
            return harmless(recap(plan))
        case "markdown":
            return as_markdown(plan)
        case _:
            return json_text(as_data(plan), indent=2)
