"""Mending what models get wrong about the shape of a call, where only one thing can be meant."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from todowright.dialects.dialect import Dialect
from todowright.dialects.list_dialect import ListDialect
from todowright.errors import Issue, Refused
from todowright.values import value as frozen

if TYPE_CHECKING:
    from todowright.dialects.verb_dialect import VerbDialect

_LISTS = ("todos", "items", "steps", "plan", "tasks", "todoList", "todo_list", "list")
_CONTENTS = ("content", "task", "title", "text", "step", "description", "subject", "name")
_FLAGS = ("done", "completed", "checked")
_BULLET = re.compile(r"(?:[-*•]|\d{1,3}[.)])\s+(\S.*)")
_ACTIVE_FORMS = ("activeForm", "active_form", "activeform")
_STATUSES = {
    "completed": ("completed", "complete", "done", "finished", "closed", "x"),
    "in_progress": ("in_progress", "inprogress", "doing", "active", "started", "current", "wip"),
    "pending": ("pending", "todo", "to_do", "open", "not_started", "notstarted", "waiting", "new"),
    "cancelled": ("cancelled", "canceled", "skipped", "aborted", "abandoned"),
}
MEANT = {spelling: status for status, spellings in _STATUSES.items() for spelling in spellings}
_FENCE = re.compile(r"\A\s*```[a-z]*\n(.*?)\n?```\s*\Z", re.DOTALL)
_LONGEST = 200_000


@frozen
class Mended:
    """A call as it was meant."""

    arguments: dict[str, Any]
    notes: tuple[str, ...]
    """What was mended."""


def mended(
    dialect: Dialect, arguments: object, tool: str | None = None, *, begins: bool = True
) -> Mended | None:
    """The arguments as they were meant, and what was mended; None where nothing can be done.

    Raises `Refused` where they are a list after all, and too long: that, not its clothes, is the fault.
    Only for a call that was refused: one that is sound is never touched. `begins` says that no plan is
    open: only then can a lone object be one of a single step.
    """
    from todowright.dialects.verb_dialect import VerbDialect  # for who only reads lists, too much

    notes: dict[str, None] = {}
    value = parsed(arguments, notes)
    if isinstance(dialect, ListDialect):
        items, others = dialect, set[str]()
    elif isinstance(dialect, VerbDialect):
        verb = dialect.verb(tool)
        if verb is None or not verb.whole:
            return Mended(value, tuple(notes)) if isinstance(value, dict) and notes else None
        items, others = dialect.items, _needed_by_others(dialect, verb.tool.name)
    else:
        return None
    if isinstance(value, list):
        notes["took the list itself"] = None
        value = {items.list_key: value}
    if not isinstance(value, dict):
        return None
    found = _with_list(items, value, notes, begins=begins, others=others)
    if found is None:
        return None
    listed = _listed(parsed(found[items.list_key], notes), notes)
    if not isinstance(listed, list):
        return None
    if len(listed) > items.most_items:
        if not notes:
            return None
        fault = Issue(
            "too_many", field=items.list_key, value=str(len(listed)), limit=items.most_items
        )
        raise Refused(fault)
    keys: dict[str, str] = {part.role: part.key for part in items.fields}
    own = {extra.key for extra in items.extras}
    names = tuple(name for name in _CONTENTS if name not in own)
    found[items.list_key] = [_item(items, keys, names, item, notes) for item in listed]
    return Mended(found, tuple(notes)) if notes else None


def _literal(text: str) -> object:
    """What a text says that is written as Python writes it."""
    import ast  # not light, and rarely needed

    return ast.literal_eval(text)


def _needed_by_others(dialect: VerbDialect, tool: str) -> set[str]:
    """The keys that the other tools of a dialect must be given."""
    schemas = [verb.tool.input_schema for verb in dialect.verbs if verb.tool.name != tool]
    return {key for schema in schemas for key in schema.get("required", ())}


def parsed(value: object, notes: dict[str, None]) -> object:
    """Text as the value it spells: JSON or Python, perhaps in a fence."""
    if not isinstance(value, str) or len(value) > _LONGEST:
        return value
    text = fenced[1] if (fenced := _FENCE.match(value)) else value
    for read in (json.loads, _literal):
        try:
            found = read(text.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        if isinstance(found, (dict, list)):
            notes["read the list from text"] = None
            return found
    return value


def _listed(value: object, notes: dict[str, None]) -> object:
    """The list that a value is in other clothes: wrapped again, numbered, in lines, or a lone object."""
    if isinstance(value, dict):
        inner = [value[key] for key in _LISTS if isinstance(value.get(key), list)]
        if len(value) == len(inner) == 1:
            notes["took the list within"] = None
            return inner[0]
        if value and all(isinstance(key, str) and key.isdecimal() for key in value):
            notes["took the numbered steps as a list"] = None
            return [value[key] for key in sorted(value, key=int)]
        notes["took the one object as a list"] = None
        return [value]
    if isinstance(value, str):
        lines = [stripped for line in value.splitlines() if (stripped := line.strip())]
        found = [_BULLET.fullmatch(line) for line in lines]
        if lines and all(found):
            notes["took the lines as a list"] = None
            return [each[1] for each in found if each]
    return value


def _with_list(
    dialect: ListDialect,
    value: dict[str, Any],
    notes: dict[str, None],
    *,
    begins: bool,
    others: set[str],
) -> dict[str, Any] | None:
    """The arguments with their list under the dialect's key."""
    if dialect.list_key in value:
        return dict(value)
    lists = [key for key in _LISTS if key in value]
    if len(lists) == 1:
        notes[f"took {lists[0]} as {dialect.list_key}"] = None
        rest = {key: member for key, member in value.items() if key != lists[0]}
        return rest | {dialect.list_key: value[lists[0]]}
    if others.intersection(value):
        return None  # meant for another tool
    if begins and sum(key in value for key in _CONTENTS) == 1:
        notes["took the one object as a list"] = None
        return {dialect.list_key: [value]}
    return None


def _item(
    dialect: ListDialect,
    keys: dict[str, str],
    names: tuple[str, ...],
    item: object,
    notes: dict[str, None],
) -> object:
    """An item with the keys that the dialect gives its parts; its words may stand under any of the names."""
    if isinstance(item, str) and dialect.default_status is not None and "active_form" not in keys:
        return {keys["content"]: item}
    if not isinstance(item, dict):
        return item
    found = dict(item)
    if "step" in found and not isinstance(found["step"], str) and len(found) > 1:
        del found["step"]  # its number, beside its words
        notes["left out the numbers"] = None
    _renamed(found, keys["content"], names, notes)
    _told_otherwise(dialect, found, keys["status"], notes)
    if "active_form" in keys:
        _renamed(found, keys["active_form"], _ACTIVE_FORMS, notes)
    status = found.get(keys["status"])
    if isinstance(status, str) and status not in dialect.statuses:
        plain = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", status).strip().lower()
        plain = re.sub(r"[\s-]+", "_", plain)
        spelling = dialect.wire_status(MEANT.get(plain, ""))
        if spelling is not None:
            notes[f"read '{status[:20]}' as {spelling}"] = None
            found[keys["status"]] = spelling
    return found


def _told_otherwise(
    dialect: ListDialect, item: dict[Any, Any], key: str, notes: dict[str, None]
) -> None:
    """Take `state`, or a flag such as `done`, for the status that it tells."""
    _renamed(item, key, ("state",), notes)
    flags = [flag for flag in _FLAGS if isinstance(item.get(flag), bool)]
    if key in item or len(flags) != 1:
        return
    status = dialect.wire_status("completed" if item.pop(flags[0]) else "pending")
    if status is not None:
        notes[f"took {flags[0]} as {key}"] = None
        item[key] = status


def _renamed(
    item: dict[Any, Any], key: str, aliases: tuple[str, ...], notes: dict[str, None]
) -> None:
    """Give a member its right key, if just one stands for it."""
    others = [alias for alias in aliases if alias != key and alias in item]
    if key not in item and len(others) == 1:
        notes[f"took {others[0]} as {key}"] = None
        item[key] = item.pop(others[0])
