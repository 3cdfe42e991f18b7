"""Items of a list, read as they were meant, whichever agent wrote them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

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
    mine = content
    if not _is_said(value.get(content)):
        mine = next((key for key in CONTENTS if _is_said(value.get(key))), "")
    if not mine:
        raise Unreadable("it has no words" if value else "it is empty")
    form = label = ""
    extras: dict[str, str] = {}
    others: list[object] = []
    word: object = None
    for key, given in value.items():
        match _ROLES.get(key) if key != mine else "words":
            case "status":
                word = given if word is None else word
            case "form":
                form = given if isinstance(given, str) else form
            case "id":
                label = label_of(given) or label
            case "extra":
                _keep(extras, key, given)
            case None:
                others.append(key)
    status, state = status_of(value.get("status", word))
    if state:
        extras[STATE] = state
    if others:
        notes.add(f"not kept of an item: {a_few([shown(key, 20) for key in others])}")
    return Todo(words(value[mine]), status, bounded(form), label, 0, tuple(sorted(extras.items())))


def _is_said(value: object) -> bool:
    """Whether a value can be the words of an item."""
    if isinstance(value, str):
        return bool(value.strip())
    return isinstance(value, int) and not isinstance(value, bool)


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


def _keep(extras: dict[str, str], key: str, given: object) -> None:
    """Keep what an item has beside its words, its status and its id, under our name."""
    if key in BLOCKERS:
        if waits := labels_of(given) if given else []:
            extras[BLOCKED_BY] = ids_text(waits)
    elif key == METADATA:
        if isinstance(given, dict) and (text := merged_metadata("", given)):
            extras[METADATA] = text
    elif key == "extras":  # of a plan of ours
        pairs = given.items() if isinstance(given, dict) else ()
        texts = [
            (key, text) for key, text in pairs if isinstance(key, str) and isinstance(text, str)
        ]
        extras |= {sound(key): bounded(text) for key, text in texts if text and len(key) <= 40}
    elif given is not None and not isinstance(given, (bool, dict, list)):
        text = bounded(given if isinstance(given, str) else shown(given))
        if text:
            extras[KEPT[key]] = text


_ROLES = {
    **dict.fromkeys((*KEPT, *BLOCKERS, METADATA, "extras"), "extra"),
    **dict.fromkeys(STATUSES, "status"),
    **dict.fromkeys(ACTIVE_FORMS, "form"),
    **dict.fromkeys(IDS, "id"),
    **dict.fromkeys(("number", "_meta"), "ours"),
}
"""What the keys of an item are for."""
