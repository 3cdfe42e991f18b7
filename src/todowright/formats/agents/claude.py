"""TodoWrite of Claude Code, in its three generations. They never mix in one list."""

from todowright.formats.format import WITHOUT_CANCELLED, Holds
from todowright.formats.list_format import PRIORITIES, ListFormat

FORMATS = (
    ListFormat(
        name="claude",
        agent="Claude Code (and Kode)",
        description="`TodoWrite`, the whole list: content, status, activeForm",
        tools=("TodoWrite",),
        holds=Holds(statuses=WITHOUT_CANCELLED, active_form=True, fills=("active_form",)),
        active_form="activeForm",
    ),
    ListFormat(
        name="claude-ids",
        agent="Claude Code, 2025",
        description="`TodoWrite` before activeForm: content, status, id",
        tools=("TodoWrite",),
        holds=Holds(statuses=WITHOUT_CANCELLED, id=True, fills=("id",)),
        id="id",
    ),
    ListFormat(
        name="claude-priorities",
        agent="Claude Code, early 2025",
        description="the first `TodoWrite`: content, status, priority, id",
        tools=("TodoWrite",),
        holds=Holds(
            statuses=WITHOUT_CANCELLED,
            id=True,
            extras=("priority",),
            choices={"priority": PRIORITIES},
            fills=("id", "priority"),
        ),
        id="id",
        extras={"priority": "priority"},
        defaults={"priority": "medium"},
    ),
)
