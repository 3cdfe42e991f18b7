"""todo_write of Cursor: it replaces the list, or merges into it by the ids of the items."""

from todowright.formats.format import Holds
from todowright.formats.list_format import FOUR
from todowright.formats.merging import MergingFormat

FORMAT = MergingFormat(
    name="cursor",
    agent="Cursor",
    description="`todo_write` with `merge`: id, content, status, dependencies",
    tools=("todo_write",),
    holds=Holds(id=True, extras=("blockedBy",), fills=("id",)),
    id="id",
    words=FOUR,
    extras={"blockedBy": "dependencies"},
    always={"merge": False},
)
