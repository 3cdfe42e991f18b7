"""A list format whose calls may also merge: then they change the items that they name by their ids, and keep the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from todowright.errors import Unreadable
from todowright.formats.applying import BLOCKED_BY, Op, ids_text
from todowright.formats.items import (
    BLOCKERS,
    IDS,
    KEPT,
    Notes,
    from_text,
    label_of,
    labels_of,
    listed,
)
from todowright.formats.list_format import ListFormat
from todowright.formats.ops import op_of
from todowright.formats.reading import Reading, ToolCall
from todowright.text import kind


@dataclass(frozen=True, kw_only=True, eq=False)
class MergingFormat(ListFormat):
    """A format whose calls replace the list, or merge into it where they say `merge`."""

    def read(self, call: ToolCall) -> Reading:
        value = from_text(call.arguments) if isinstance(call.arguments, str) else call.arguments
        if not isinstance(value, Mapping) or value.get("merge") not in (True, "true", "True"):
            return super().read(call)
        notes, edits = Notes(), list[Op]()
        for number, item in enumerate(listed(value.get(self.list_key), notes), 1):
            try:
                edits.append(self._edit(item))
            except Unreadable as error:
                notes.add(f"item {number} was left out: {error}")
        return Reading(edits=tuple(edits), notes=notes.lines)

    def _edit(self, item: object) -> Op:
        if not isinstance(item, Mapping):
            raise Unreadable(f"it is {kind(item)}, not an object")
        label = next((label_of(item[key]) for key in IDS if key in item), "")
        op = op_of("put", item, self.content, [key for key in KEPT if key != self.content], label)
        waits = next((labels_of(item[key]) for key in BLOCKERS if key in item), None)
        if waits is None:
            return op
        extras = (*op.extras, (BLOCKED_BY, ids_text(waits)))
        return Op("put", label, None, op.content, op.status, op.active_form, extras)
