"""todo_list of hermes-agent: it replaces the list, or merges into it by the ids of the items."""

from todowright.formats.format import Holds
from todowright.formats.list_format import FOUR
from todowright.formats.merging import MergingFormat

FORMAT = MergingFormat(
    name="hermes",
    agent="hermes-agent",
    description="`todo_list` with `merge`: id, content, status, parent",
    tools=("todo_list", "todo"),
    holds=Holds(id=True, extras=("parent",), fills=("id",)),
    id="id",
    words=FOUR,
    extras={"parent": "parent"},
    always={"merge": False},
)
