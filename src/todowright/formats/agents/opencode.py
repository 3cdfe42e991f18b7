"""todowrite of opencode, and of Kilo, which is a fork of it. Neither checks its statuses and priorities."""

from todowright.formats.format import Holds
from todowright.formats.list_format import FOUR, ListFormat

FORMAT = ListFormat(
    name="opencode",
    agent="opencode, Kilo",
    description="`todowrite`, the whole list: content, status, priority",
    tools=("todowrite", "todo.updated", "todoread"),
    holds=Holds(states=None, extras=("priority",), fills=("priority",)),
    words=FOUR,
    extras={"priority": "priority"},
    defaults={"priority": "medium"},
)
