"""Items of a list, read as they were meant, whichever agent wrote them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from todowright.dialects.repair import parsed
from todowright.errors import Unreadable
from todowright.formats.applying import BLOCKED_BY, METADATA, ids_text, merged_metadata
from todowright.formats.words import STATE, status_of
from todowright.plan.model import LONGEST_TEXT, MOST_ITEMS, Todo
from todowright.text import a_few, kind, shown, sound

LISTS = (
    "todos",
    "plan",
    "todoList",
    "items",
    "entries",
    "task_list",
    "steps",
    "tasks",
    "todo_list",
)
"""The keys under which agents send their lists."""
CONTENTS = (
    *("content", "step", "title", "text", "task", "subject", "description", "name", "objective"),
)
ACTIVE_FORMS = ("activeForm", "active_form")
STATUSES = ("status", "state", "completed", "done", "checked")
IDS = ("id", "taskId", "task_id")
KEPT = {
    **{key: key for key in ("priority", "description", "notes", "owner", "type", "reason", "log")},
    **dict.fromkeys(("parent", "parentId", "parent_task_id", "parent_id"), "parent"),
    **dict.fromkeys(("plan",), "plan"),
}
"""Keys of an item that are kept with it as they are, and our names of them."""
BLOCKERS = ("blockedBy", "dependencies", "depends_on", "blocked_by", "dependsOn")
_IGNORED = ("number", "extras", "_meta")
LONGEST_ID = 500
MOST_NOTES = 5


class Notes:
    """What was left out or mended while something was read: a few lines, however much it was."""

    def __init__(self) -> None:
        self._lines: dict[str, None] = {}
        self._more = 0

    def add(self, line: str) -> None:
        if line in self._lines:
            return
        if len(self._lines) < MOST_NOTES:
            self._lines[line] = None
        else:
            self._more += 1

    @property
    def lines(self) -> tuple[str, ...]:
        return (*self._lines, *([f"and {self._more} more of this kind"] if self._more else ()))


def listed(value: object, notes: Notes) -> Sequence[object]:
    """The items that a value is: a list, its JSON or Python text, numbered items, or one item alone."""
    if isinstance(value, str):
        value = from_text(value)
    if isinstance(value, Mapping):
        inner = [value[key] for key in LISTS if isinstance(value.get(key), list)]
        if len(value) == len(inner) == 1:
            notes.add("the list stood in another object")
            value = inner[0]
        elif value and all(isinstance(key, str) and key.isdecimal() for key in value):
            notes.add("the items were numbered by keys")
            value = [value[key] for key in sorted(value, key=lambda key: (len(key), key))]
        else:
            notes.add("one item came without a list")
            value = [value]
    if not isinstance(value, (list, tuple)):
        raise Unreadable(f"the list of items is {kind(value)}: it must be an array")
    if len(value) > MOST_ITEMS:
        raise Unreadable(f"the list has {len(value)} items: at most {MOST_ITEMS} can be read")
    return value


def from_text(text: str) -> object:
    """The value that a text spells in JSON or Python; the text itself where it spells none."""
    if text.lstrip()[:1] not in ("[", "{", "`"):
        return text
    if len(text) <= 200_000:
        return parsed(text, {})
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return found if isinstance(found, (dict, list)) else text


def read_items(
    values: Iterable[object], notes: Notes, content: str = "content"
) -> tuple[Todo, ...]:
    """The items of a list; what cannot be an item is left out, and noted."""
    todos = []
    for number, value in enumerate(values, 1):
        try:
            todos.append(read_item(value, notes, content))
        except Unreadable as error:
            notes.add(f"item {number} was left out: {error}")
    return tuple(todos)


def read_item(value: object, notes: Notes, content: str = "content") -> Todo:
    """One item; `content` is the key under which its words are looked for first."""
    if isinstance(value, str):
        return Todo(words(value))
    if not isinstance(value, Mapping):
        raise Unreadable(f"it is {kind(value)}, not an object")
    keys = [key for key in (content, *CONTENTS) if isinstance(value.get(key), (str, int))]
    keys = [key for key in keys if not isinstance(value[key], bool)]
    if not keys:
        raise Unreadable("it has no words" if value else "it is empty")
    mine = keys[0]
    status, state = "pending", ""
    where = next((key for key in STATUSES if key in value and key != mine), None)
    if where is not None:
        status, state = status_of(value[where])
    form = next((value[key] for key in ACTIVE_FORMS if isinstance(value.get(key), str)), "")
    label = next((label_of(value[key]) for key in IDS if key in value and key != mine), "")
    extras = read_extras(value, mine, notes)
    if state:
        extras[STATE] = state
    _note_others(value, notes)
    return Todo(words(value[mine]), status, bounded(form), label, 0, tuple(sorted(extras.items())))  # type: ignore[arg-type]


def words(value: object) -> str:
    """The words of an item, as they were sent; raises `Unreadable` where there are none."""
    text = bounded(value if isinstance(value, str) else shown(value))
    if not text.strip():
        raise Unreadable("it has no words")
    return text


def bounded(text: str) -> str:
    """A text that can be kept; raises `Unreadable` where it is too long."""
    if len(text) > LONGEST_TEXT:
        raise Unreadable(f"a text has {len(text)} characters: at most {LONGEST_TEXT} can be read")
    return sound(text)


def label_of(value: object) -> str:
    """An id as a text; none where it cannot be one."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    text = sound(value) if isinstance(value, str) else shown(value)
    return text if len(text) <= LONGEST_ID else ""


def labels_of(value: object) -> list[str]:
    """The ids in a list, or the one that is there."""
    values = value if isinstance(value, (list, tuple)) else [value]
    return [label for each in values[:MOST_ITEMS] if (label := label_of(each))]


def read_extras(value: Mapping[Any, Any], mine: str, notes: Notes) -> dict[str, str]:
    """What an item has beside its words, its status and its id, under our names."""
    found: dict[str, str] = {}
    for key, name in KEPT.items():
        given = value.get(key)
        if key == mine or given is None or isinstance(given, (bool, dict, list)):
            continue
        text = bounded(given if isinstance(given, str) else shown(given))
        if text:
            found[name] = text
    waits = next((labels_of(value[key]) for key in BLOCKERS if value.get(key)), [])
    if waits:
        found[BLOCKED_BY] = ids_text(waits)
    if isinstance(value.get("metadata"), dict) and (text := merged_metadata("", value["metadata"])):
        found[METADATA] = text
    own = value.get("extras")
    if isinstance(own, dict):  # of a plan of ours
        pairs = [
            pair for pair in own.items() if isinstance(pair[0], str) and isinstance(pair[1], str)
        ]
        found |= {sound(key): bounded(text) for key, text in pairs if text and len(key) <= 40}
    return found


_KNOWN = frozenset(
    (*CONTENTS, *ACTIVE_FORMS, *STATUSES, *IDS, *KEPT, *BLOCKERS, METADATA, *_IGNORED)
)


def _note_others(value: Mapping[Any, Any], notes: Notes) -> None:
    others = [shown(key, 20) for key in value if key not in _KNOWN]
    if others:
        notes.add(f"not kept of an item: {a_few(others)}")
