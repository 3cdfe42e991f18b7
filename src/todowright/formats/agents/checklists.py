"""Agents that send a checklist as one text: Roo Code and Kilo, Cline, Copilot CLI, Goose."""

from todowright.formats.format import WITHOUT_CANCELLED, Holds
from todowright.formats.text_format import TextFormat


class _Parameter(TextFormat):
    """A text that goes with any call, not with one of its own."""

    def _wrapped(self, text: str) -> object:
        return {self.key: text}


FORMATS = (
    TextFormat(
        name="roo",
        agent="Roo Code, Kilo",
        description="`update_todo_list`, a checklist in `todos`: `[ ]`, `[-]`, `[x]`",
        tools=("update_todo_list",),
        holds=Holds(statuses=WITHOUT_CANCELLED, extras=("level",), lines=False),
        key="todos",
        marks={"pending": " ", "in_progress": "-", "completed": "x"},
    ),
    _Parameter(
        name="cline",
        agent="Cline",
        description="the argument `task_progress` of any tool, a checklist: `[ ]`, `[x]`",
        tools=("task_progress",),
        holds=Holds(statuses=("pending", "completed"), extras=("level",), lines=False),
        key="task_progress",
        marks={"pending": " ", "completed": "x"},
    ),
    TextFormat(
        name="copilot-cli",
        agent="Copilot CLI",
        description="`update_todo`, a checklist in `todos`: `[ ]`, `[>]`, `[x]`, with a heading",
        tools=("update_todo",),
        holds=Holds(statuses=WITHOUT_CANCELLED, extras=("level",), summary=True, lines=False),
        key="todos",
        marks={"pending": " ", "in_progress": ">", "completed": "x"},
    ),
    TextFormat(
        name="goose",
        agent="Goose",
        description="`todo_write`, any text in `content`: its list is read; a text without one becomes the summary",
        tools=("todo_write",),
        holds=Holds(states=("blocked",), extras=("level",), summary=True, lines=False),
        key="content",
        marks={
            "pending": " ",
            "in_progress": ">",
            "completed": "x",
            "cancelled": "-",
            "blocked": "!",
        },
        dash="cancelled",
        free=True,
    ),
)
