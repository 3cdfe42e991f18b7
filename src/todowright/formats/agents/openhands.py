"""task_tracker of OpenHands."""

from todowright.formats.format import WITHOUT_CANCELLED, Holds
from todowright.formats.list_format import ListFormat

FORMAT = ListFormat(
    name="openhands",
    agent="OpenHands",
    description="`task_tracker` with the command `plan`: title, status, notes",
    tools=("task_tracker",),
    holds=Holds(statuses=WITHOUT_CANCELLED, extras=("notes",)),
    list_key="task_list",
    content="title",
    words={"pending": "todo", "in_progress": "in_progress", "completed": "done"},
    extras={"notes": "notes"},
    always={"command": "plan"},
)
