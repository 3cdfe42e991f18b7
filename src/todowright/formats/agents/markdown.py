"""A task list in Markdown, as GitHub and editors show it. A person may have written it."""

from todowright.errors import Unreadable
from todowright.formats.format import Format, Holds, Payload
from todowright.formats.items import Notes
from todowright.formats.markdown import (
    escaped,
    is_heading,
    looks_like_a_checklist,
    read_checklist,
    rich_lines,
)
from todowright.formats.reading import Reading, ToolCall
from todowright.plan.model import Plan
from todowright.text import kind


def _read(call: ToolCall) -> Reading:
    if not isinstance(call.arguments, str):
        raise Unreadable(f"a checklist is a text, not {kind(call.arguments)}")
    notes = Notes()
    todos, heading = read_checklist(call.arguments, notes, rich=True)
    if not todos and call.arguments.strip() and not is_heading(call.arguments):
        raise Unreadable(
            "the text holds no checklist: write a line like `- [ ] words` for each item"
        )
    return Reading("", "all", todos, (), heading or None, notes.lines)


def _write(plan: Plan) -> Payload:
    heading = [f"# {escaped(plan.summary)}", ""] if plan.summary else []
    return "\n".join([*heading, *rich_lines(plan)]), [*range(len(plan.todos))]


def _fit(call: ToolCall) -> int:
    return 5 if isinstance(call.arguments, str) and looks_like_a_checklist(call.arguments) else 0


FORMAT = Format(
    name="markdown",
    agent="files, people",
    description="a task list: `- [ ] words`, `- [x] words`, `- [ ] **words** (in progress)`, `- [x] ~~words~~`; a heading",
    holds=Holds(summary=True, extras=("level",), lines=False),
    reader=_read,
    writer=_write,
    fit=_fit,
)
