"""todo_write of Qwen Code."""

from todowright.formats.format import WITHOUT_CANCELLED, Holds
from todowright.formats.list_format import ListFormat

FORMAT = ListFormat(
    name="qwen",
    agent="Qwen Code",
    description="`todo_write`, the whole list: id, content, status, blockedBy",
    tools=("todo_write",),
    holds=Holds(
        statuses=WITHOUT_CANCELLED,
        id=True,
        extras=("blockedBy",),
        fills=("id",),
    ),
    id="id",
    extras={"blockedBy": "blockedBy"},
)
