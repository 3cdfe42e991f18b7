"""write_todos of Gemini CLI."""

from todowright.formats.format import Holds
from todowright.formats.list_format import FOUR, ListFormat

FORMAT = ListFormat(
    name="gemini",
    agent="Gemini CLI",
    description="`write_todos`, the whole list: description, status",
    tools=("write_todos",),
    holds=Holds(states=("blocked",)),
    content="description",
    words=FOUR,
)
