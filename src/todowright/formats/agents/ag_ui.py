"""AG-UI: a plan as an activity, or as the state of an agent; snapshots, and changes to them as JSON Patch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from todowright.errors import Unreadable
from todowright.formats.applying import Op
from todowright.formats.format import Holds, Payload
from todowright.formats.items import CONTENTS, LISTS, STATUSES, Notes, listed, read_item
from todowright.formats.list_format import FOUR, ListFormat
from todowright.formats.ops import op_of
from todowright.formats.reading import NOTHING, Reading, ToolCall
from todowright.plan.model import MOST_ITEMS, Plan, Todo
from todowright.text import kind, shown


@dataclass(frozen=True, kw_only=True, eq=False)
class _Events(ListFormat):
    """A list in the content of an event, or a patch of it."""

    snapshot: str
    """The type of the event with the whole list, and the key of its content."""
    body: str
    delta: str
    patch: str

    def read(self, call: ToolCall) -> Reading:
        given = call.arguments
        if not isinstance(given, Mapping):
            raise Unreadable(f"an event is an object, not {kind(given)}")
        activity = given.get("activityType")
        if isinstance(activity, str) and activity.upper() != "PLAN":
            raise Unreadable(f"the activity '{shown(activity)}' is no plan")
        if call.tool == self.delta:
            return _patched(given.get(self.patch), self.content)
        if given.get("replace") is False:
            return NOTHING
        body = given.get(self.body)
        if isinstance(body, Mapping) and isinstance(body.get("plan"), Mapping):
            body = body["plan"]
        if isinstance(body, Mapping) and not any(key in body for key in LISTS):
            raise Unreadable("there is no list of steps in it")
        return super().read(ToolCall("", body))

    def write(self, plan: Plan) -> Payload:
        arguments, kept = self.arguments(plan)
        event: dict[str, Any] = {"type": self.snapshot}
        if self.body == "content":
            event |= {"messageId": _message_id(plan.agent), "activityType": "PLAN"}
        return {**event, self.body: arguments}, kept


def _message_id(agent: str) -> str:
    """One message for each plan: a front end replaces the one of the same id."""
    return f"plan:{agent}" if "/" in agent else "plan"


def _patched(patch: object, content: str) -> Reading:
    """What a JSON Patch does to the items of a list."""
    notes, edits = Notes(), list[Op]()
    for each in listed(patch, notes):
        if not isinstance(each, Mapping) or not isinstance(path := each.get("path"), str):
            raise Unreadable("a patch is a list of objects with 'op' and 'path'")
        parts = path.strip("/").split("/")
        if parts[0] == "plan" and len(parts) > 1 and parts[1] in LISTS:
            parts = parts[1:]
        if parts[0] not in LISTS or len(parts) > 3:
            notes.add(f"a change of '{shown(path)}' was left out: it is no item of the list")
        elif len(parts) == 1:
            if each.get("op") not in ("add", "replace"):
                return Reading("", "all", notes=notes.lines)
            todos = [read_item(item, notes, content) for item in listed(each.get("value"), notes)]
            return Reading("", "all", tuple(todos), tuple(edits), None, notes.lines)
        else:
            edits += _edits(str(each.get("op")), parts[1:], each.get("value"), content, notes)
    return Reading(edits=tuple(edits), notes=notes.lines)


def _edits(do: str, parts: Sequence[str], value: object, content: str, notes: Notes) -> list[Op]:
    """The edit of one item, or of one field of it."""
    where = parts[0]
    at = int(where) if where.isascii() and where.isdecimal() and len(where) < 6 else None
    if (at is None and where != "-") or do not in ("add", "replace", "remove"):
        notes.add(f"a change '{shown(do)}' of item '{shown(where)}' was left out")
        return []
    if len(parts) == 1 and do == "remove":
        return [Op("remove", "", at)]
    if len(parts) == 1:
        todo = read_item(value, notes, content)
        return [_whole("add" if do == "add" else "change", todo, at)]
    field = parts[1]
    if field not in (*CONTENTS, *STATUSES) or do == "remove":
        notes.add(f"a change of '{shown(field)}' was left out")
        return []
    key = "content" if field in CONTENTS else "status"
    return [replace(op_of("change", {key: value}, "content", (), ""), at=at)]


def _whole(do: Any, todo: Todo, at: int | None) -> Op:
    state = (
        todo.extras
        if any(key == "state" for key, _ in todo.extras)
        else (*todo.extras, ("state", ""))
    )
    return Op(do, "", at, todo.content, todo.status, todo.active_form, state)


_HOLDS = Holds(states=None)
assert MOST_ITEMS < 100_000, "the place of an item has five digits"

FORMATS = (
    _Events(
        name="ag-ui",
        agent="AG-UI",
        description="`ACTIVITY_SNAPSHOT` of the activity `PLAN`: steps with description and status; `ACTIVITY_DELTA` is read, too",
        tools=("ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA"),
        holds=_HOLDS,
        list_key="steps",
        content="description",
        words=FOUR,
        snapshot="ACTIVITY_SNAPSHOT",
        body="content",
        delta="ACTIVITY_DELTA",
        patch="patch",
    ),
    _Events(
        name="ag-ui-state",
        agent="AG-UI, the state of an agent",
        description="`STATE_SNAPSHOT`: steps with description and status; `STATE_DELTA` is read, too",
        tools=("STATE_SNAPSHOT", "STATE_DELTA"),
        holds=_HOLDS,
        list_key="steps",
        content="description",
        words=FOUR,
        snapshot="STATE_SNAPSHOT",
        body="snapshot",
        delta="STATE_DELTA",
        patch="delta",
    ),
)
