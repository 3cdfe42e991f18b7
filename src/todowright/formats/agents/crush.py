"""todos of Crush."""

from todowright.formats.format import WITHOUT_CANCELLED, Holds
from todowright.formats.list_format import ListFormat

FORMAT = ListFormat(
    name="crush",
    agent="Crush",
    description="`todos`, the whole list: content, status, active_form",
    tools=("todos",),
    holds=Holds(statuses=WITHOUT_CANCELLED, active_form=True, fills=("active_form",)),
    active_form="active_form",
)
