"""The one checker: it reads what a model sent by a dialect's rules and names what is wrong.

Faults come from generators, in the order the dialect declares. A dialect that reports only the
first fault takes one and looks no further; one that reports all takes them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, cast

from todowright.dialects import extras
from todowright.dialects.dialect import Dialect
from todowright.dialects.field import Field
from todowright.dialects.list_dialect import ListDialect
from todowright.errors import Issue, Refused
from todowright.plan.matching import Item
from todowright.plan.model import LARGEST_PLAN, LONGEST_TEXT, Status, Todo
from todowright.text import clip, encodable, kind, shown

_MISSING: Final = object()


class Checked:
    """A list that passed: its items, and the summary beside it."""

    __slots__ = ("extras", "items", "summary")

    def __init__(
        self, items: list[Item], summary: str = "", extras: list[extras.Sent] | None = None
    ) -> None:
        self.items = items
        self.summary = summary
        self.extras = extras
        """For each item what it was sent with, where the dialect has extras."""


def check(dialect: ListDialect, arguments: object, with_ids: bool = False) -> Checked:
    """The list in the arguments; raises `Refused` with what is wrong with it.

    `with_ids` is for programs: their items may carry the ids of todos.
    """
    if not with_ids and (items := _at_a_glance(dialect, arguments)) is not None:
        return Checked(items)
    checked = Checked([], "", [] if dialect.extras else None)
    refuse(dialect, _faults(dialect, arguments, checked, with_ids))
    return checked


def _at_a_glance(dialect: ListDialect, arguments: object) -> list[Item] | None:
    """The items of a call that is plainly sound, as most are; None if it needs a closer look.

    Only a short cut: `_faults` decides, and would find nothing wrong with it.
    """
    plain = dialect.plain
    if plain is None or type(arguments) is not dict or len(arguments) != 1:
        return None
    items = arguments.get(dialect.list_key)
    if type(items) is not list or len(items) > plain.most_items:
        return None
    content_key, status_key, active_key = plain.content_key, plain.status_key, plain.active_key
    size, statuses, trims, strip = len(dialect.fields), dialect.statuses, plain.trims, str.strip
    found: list[Item] = []
    texts: list[str] = []
    started = 0
    try:
        for item in items:
            content, status = item[content_key], item[status_key]
            if type(item) is not dict or len(item) != size or status not in statuses:
                return None
            if not (bare := strip(content)):
                return None
            if status == "in_progress":
                started += 1
            active_form = ""
            if active_key:
                active_form = item[active_key]
                if not (bare_active := strip(active_form)):
                    return None
                if trims:
                    active_form = bare_active
            if trims:
                content = bare
            texts.append(content + active_form)
            found.append((content, status, active_form, ""))
    except (KeyError, TypeError, IndexError):  # a key that is missing, something that is no text
        return None
    whole = "".join(texts)
    if not (whole.isascii() or whole.isprintable()):
        return None
    if len(whole) > plain.longest and max(map(len, texts)) > plain.longest:
        return None
    limit = dialect.max_in_progress
    return found if limit is None or started <= limit else None


def refuse(dialect: Dialect, faults: Iterator[Issue]) -> None:
    """Raise `Refused` if there are faults: with the first of them, or all, as the dialect has it."""
    for first in faults:
        raise Refused(first, *(faults if dialect.report == "all" else ()))


def edit_faults(dialect: Dialect, before: Sequence[Todo], after: Sequence[Todo]) -> Iterator[Issue]:
    """What an edit of single todos makes wrong, by the same rules; what was wrong before may stay so."""
    key, most = dialect.list_key, dialect.most_items
    if len(after) > max(most, len(before)):
        yield Issue("too_many", field=key, value=str(len(after)), limit=most)
    grows, stood = False, len(before)
    known: dict[int, Todo] = {}
    for index, todo in enumerate(after):
        old = before[index] if index < stood else None
        if old is todo:  # as most are
            continue
        if old is None or old.number != todo.number:
            known = known or {each.number: each for each in before}
            old = known.get(todo.number)
        if old is None or (
            old is not todo
            and (old.content, old.active_form, old.extras)
            != (todo.content, todo.active_form, todo.extras)
        ):
            grows = grows or old is None or _size(old) < _size(todo)
            if old is None or old.content != todo.content:
                fault = _text_fault(todo.content, dialect.longest, index, "content")
                if fault is not None:
                    yield fault
        is_other = old is None or old.status != todo.status
        if is_other and dialect.wire_status(todo.status) is None:
            yield Issue("status", index, "status", value=todo.status, kind="string")
    if grows and (size := sum(map(_size, after))) > max(LARGEST_PLAN, sum(map(_size, before))):
        yield Issue("too_long", field=key, value=str(size), limit=LARGEST_PLAN)
    limit = dialect.max_in_progress
    if limit is not None and (found := _started(after)) > limit and found > _started(before):
        yield Issue("focus", field=key, value=str(found), limit=limit)


def _started(todos: Sequence[Todo]) -> int:
    return [todo.status for todo in todos].count("in_progress")


def _size(todo: Todo) -> int:
    """The characters of its texts."""
    size = len(todo.content) + len(todo.active_form)
    return size + sum(len(text) for _, text in todo.extras) if todo.extras else size


def _faults(
    dialect: ListDialect, arguments: object, checked: Checked, with_ids: bool
) -> Iterator[Issue]:
    if not isinstance(arguments, dict):
        yield Issue("type", kind=kind(arguments), expected="object")
        return
    if dialect.extra_arguments == "refuse" and len(arguments) > 1:
        known = {dialect.list_key} | ({dialect.summary.key} if dialect.summary else set())
        if unknown := [key for key in arguments if key not in known]:
            yield Issue("unknown", value=_names(unknown))
    if dialect.summary is not None:
        value = arguments.get(dialect.summary.key, _MISSING)
        summary = _text(dialect, value, dialect.summary, LONGEST_TEXT, None)
        if isinstance(summary, Issue):
            yield summary
        else:
            checked.summary = summary
    items = arguments.get(dialect.list_key, _MISSING)
    if items is _MISSING or (items is None and dialect.lenient):
        yield _missing_list(dialect.list_key, arguments)
    elif isinstance(items, (list, tuple)):
        yield from _list_faults(dialect, items, checked, with_ids)
    else:
        yield Issue("type", field=dialect.list_key, kind=kind(items), expected="array")


def _missing_list(key: str, arguments: dict[str, object]) -> Issue:
    """That there is no list; under which key it came, if it came under another."""
    lists = [name for name, value in arguments.items() if isinstance(value, (list, tuple))]
    if len(lists) == 1:
        return Issue("other_key", field=key, value=shown(lists[0], 20))
    return Issue("missing", field=key)


def _list_faults(
    dialect: ListDialect, items: Sequence[object], checked: Checked, with_ids: bool
) -> Iterator[Issue]:
    most = dialect.most_items
    for stage in dialect.order:
        if stage == "count":
            if len(items) > most:
                yield Issue("too_many", field=dialect.list_key, value=str(len(items)), limit=most)
                items = items[:most]  # what is beyond the limit is not worth a line each
        elif stage == "focus":
            limit = dialect.max_in_progress
            if limit is not None and (count := _in_progress(dialect, items)) > limit:
                yield Issue("focus", field=dialect.list_key, value=str(count), limit=limit)
        else:
            yield from _item_faults(dialect, items, checked, with_ids)


def _in_progress(dialect: ListDialect, items: Sequence[object]) -> int:
    spellings, key = dialect.spellings("in_progress"), dialect.status_key
    given = [item.get(key) for item in items if isinstance(item, dict)]
    if dialect.lenient:
        given = [status.lower() if isinstance(status, str) else status for status in given]
    return sum(given.count(spelling) for spelling in spellings)


def _item_faults(
    dialect: ListDialect, items: Sequence[object], checked: Checked, with_ids: bool
) -> Iterator[Issue]:
    known = dialect.known_keys.union([extra.key for extra in dialect.extras], ["id"] * with_ids)
    picky = dialect.extra_fields == "refuse" or with_ids
    parts = [(part, part.key, part.role) for part in dialect.fields if part.role != "id"]
    longest = dialect.longest
    for index, item in enumerate(items):
        if not isinstance(item, dict):
            yield Issue("type", index, kind=kind(item), expected="object")
            continue
        if picky and not item.keys() <= known:
            yield Issue("unknown", index, value=_names([key for key in item if key not in known]))
        content = active_form = label = ""
        status: str | Issue = ""
        for part, key, role in parts:
            if role == "status":
                status = _status(dialect, item.get(key, _MISSING), part, index)
                if isinstance(status, Issue):
                    yield status
                continue
            text = _text(dialect, item.get(key, _MISSING), part, longest, index)
            if isinstance(text, Issue):
                yield text
            elif role == "content":
                content = text
            else:
                active_form = text
        if with_ids and (given := item.get("id")) is not None:
            if isinstance(given, str) and encodable(given):
                label = given
            else:
                yield Issue("type", index, "id", kind=kind(given), expected="string")
        checked.items.append((content, cast("Status", status), active_form, label))
        if checked.extras is not None:
            sent: extras.Sent = {}
            checked.extras.append(sent)
            given = _extras_as_text(dialect, item) if dialect.lenient else item
            yield from dialect.extra_faults(given, sent, index)


def _extras_as_text(dialect: ListDialect, item: dict[object, object]) -> dict[object, object]:
    """An item of a lenient dialect, its extras made text; null counts as missing."""
    keys = [extra.key for extra in dialect.extras if item.get(extra.key) is not None]
    return {key: item[key] if isinstance(item[key], str) else _as_text(item[key]) for key in keys}


def _status(dialect: ListDialect, value: object, part: Field, index: int) -> str | Issue:
    """What the status means, or what is wrong with it."""
    if value is _MISSING or (value is None and dialect.lenient):
        if part.required and not dialect.lenient:
            return Issue("missing", index, part.key)
        value = dialect.default_status or dialect.statuses[0]
    if dialect.lenient and isinstance(value, str):
        value = value.lower()
    if isinstance(value, str) and value in dialect.statuses:
        return dialect.meanings.get(value, value) if dialect.meanings else value
    if value == "" and part.required and not dialect.lenient:
        return Issue("missing", index, part.key)
    if dialect.lenient and not isinstance(value, str):
        value = shown(value).lower()
    return Issue("status", index, part.key, value=shown(value), kind=kind(value))


def _text(
    dialect: ListDialect, value: object, part: Field, limit: int, index: int | None
) -> str | Issue:
    """The text as it is kept, or what is wrong with it."""
    if not isinstance(value, str):
        if value is _MISSING and not part.required:
            return ""
        if value is _MISSING or (value is None and dialect.lenient):
            return Issue("missing", index, part.key)
        if not dialect.lenient:
            return Issue("type", index, part.key, kind=kind(value), expected="string")
        text_of = _as_text(value)
        if text_of is None:
            return Issue("type", index, part.key, kind=kind(value), expected="string")
        value = text_of
    text = value.strip() if dialect.trims else value
    return _text_fault(text, limit, index, part.key, sent=value) or text


def _text_fault(text: str, limit: int, index: int | None, key: str, sent: str = "") -> Issue | None:
    """What is wrong with a text that is to be kept; `sent` is what it was before it was trimmed."""
    if text and len(text) <= limit and text.isascii() and not text.isspace():
        return None
    if not text:
        return Issue("blank" if sent else "missing", index, key)
    if text.isspace():
        return Issue("blank", index, key)
    if len(text) > limit:
        return Issue("too_long", index, key, value=str(len(text)), limit=limit)
    return None if encodable(text) else Issue("unicode", index, key)


def _as_text(value: object) -> str | None:
    """The value as text; None if it is nested too deep, has too many digits, or cannot say."""
    try:
        return str(value)
    except Exception:
        return None


def _names(keys: list[object]) -> str:
    """The first few of the keys, quoted."""
    named = ", ".join(f"'{shown(key, 20)}'" for key in keys[:5])
    return clip(named, 120) + (f" and {len(keys) - 5} more" if len(keys) > 5 else "")
