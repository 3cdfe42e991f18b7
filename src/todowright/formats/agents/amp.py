"""todo_write of Amp, and of Trae, which spells the statuses as most do."""

from todowright.formats.format import WITHOUT_CANCELLED, Holds
from todowright.formats.list_format import PRIORITIES, THREE, ListFormat

_HOLDS = Holds(
    statuses=WITHOUT_CANCELLED,
    id=True,
    extras=("priority",),
    choices={"priority": PRIORITIES},
    fills=("id", "priority"),
)

FORMATS = (
    ListFormat(
        name="amp",
        agent="Amp",
        description="`todo_write`, the whole list: id, content, status (`todo`, `in-progress`), priority",
        tools=("todo_write", "todo_read"),
        holds=_HOLDS,
        id="id",
        words={"pending": "todo", "in_progress": "in-progress", "completed": "completed"},
        extras={"priority": "priority"},
        defaults={"priority": "medium"},
    ),
    ListFormat(
        name="trae",
        agent="Trae",
        description="`todo_write`, the whole list: id, content, status, priority",
        tools=("todo_write",),
        holds=_HOLDS,
        id="id",
        words=THREE,
        extras={"priority": "priority"},
        defaults={"priority": "medium"},
    ),
)
