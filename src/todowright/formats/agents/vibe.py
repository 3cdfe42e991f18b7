"""todo of mistral-vibe, and the one of learn-claude-code, which has the same name."""

from todowright.formats.format import WITHOUT_CANCELLED, Holds
from todowright.formats.list_format import FOUR, PRIORITIES, ListFormat

FORMATS = (
    ListFormat(
        name="mistral-vibe",
        agent="mistral-vibe",
        description="`todo` with the action `write`: id, content, status, priority",
        tools=("todo",),
        holds=Holds(
            id=True,
            extras=("priority",),
            choices={"priority": PRIORITIES},
            fills=("id", "priority"),
        ),
        id="id",
        words=FOUR,
        extras={"priority": "priority"},
        defaults={"priority": "medium"},
        always={"action": "write"},
    ),
    ListFormat(
        name="learn-claude-code",
        agent="learn-claude-code",
        description="`todo`, the whole list: id, text, status",
        tools=("todo",),
        holds=Holds(statuses=WITHOUT_CANCELLED, id=True, fills=("id",)),
        list_key="items",
        content="text",
        id="id",
    ),
)
