"""The one checker: it reads what a model sent by a dialect's rules and names what is wrong.

Faults come from generators, in the order the dialect declares. A dialect that reports only the
first fault takes one and looks no further; one that reports all takes them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, cast

from todowright.dialects.dialect import Dialect, Field
from todowright.plan.model import LONGEST_TEXT, Issue, Status
from todowright.text import clip, encodable, kind, shown

Entry = tuple[str, Status, str, str]
"""Content, status, active form and id of an item that passed."""

_MISSING: Final = object()


class Draft:
    """What a sound call asks for, before it is matched with the plan it replaces."""

    verdicts: dict[str, bool | str]
    """What the host has said of todos that are to be completed; only for who judges."""

    __slots__ = ("entries", "new_plan", "notes", "reads", "summary", "verdicts")

    def __init__(
        self,
        entries: list[Entry] | None = None,
        summary: str = "",
        *,
        notes: tuple[str, ...] = (),
        new_plan: bool = False,
        reads: bool = False,
    ) -> None:
        self.entries = [] if entries is None else entries
        self.summary = summary
        self.notes = notes
        """What the model cannot know."""
        self.new_plan = new_plan
        """Whether another plan begins, whose steps are numbered from 1."""
        self.reads = reads
        """Whether the plan is only asked for, and stays as it is."""


def check(
    dialect: Dialect, arguments: object, *, with_ids: bool = False
) -> Draft | tuple[Issue, ...]:
    """The draft that the arguments describe, or the reasons to refuse them.

    `with_ids` is for programs: their items may carry the ids of todos.
    """
    if not with_ids and (draft := _at_a_glance(dialect, arguments)) is not None:
        return draft
    draft = Draft()
    faults = _faults(dialect, arguments, draft, with_ids)
    issues = tuple(faults if dialect.report == "all" else islice(faults, 1))
    return issues or draft


def _at_a_glance(dialect: Dialect, arguments: object) -> Draft | None:
    """The draft of a call that is plainly sound, as most are; None if it needs a closer look.

    Only a short cut: `_faults` decides, and would find nothing wrong with it.
    """
    keys = dialect.text_keys
    items = arguments.get(dialect.list_key) if type(arguments) is dict else None
    if keys is None or type(items) is not list or len(arguments) != 1:  # type: ignore[arg-type]
        return None
    content_key, status_key, active_key = keys
    size, longest, trims = len(dialect.fields), dialect.longest, dialect.trims
    statuses = dialect.statuses
    entries: list[Entry] = []
    try:
        for item in items:
            if type(item) is not dict or len(item) != size:
                return None
            content, status = item[content_key], item[status_key]
            active_form = item[active_key] if active_key else "-"
            if type(content) is not str or type(active_form) is not str or status not in statuses:
                return None
            if len(content) > longest or len(active_form) > longest:
                return None
            if not (content.isascii() or content.isprintable()):
                return None
            if not (active_form.isascii() or active_form.isprintable()):
                return None
            bare, bare_active = content.strip(), active_form.strip()
            if not bare or not bare_active:
                return None
            if trims:
                content, active_form = bare, bare_active
            entries.append((content, status, active_form if active_key else "", ""))
    except KeyError:
        return None
    if len(entries) > dialect.most_items:
        return None
    limit = dialect.max_in_progress
    if limit is not None and [entry[1] for entry in entries].count("in_progress") > limit:
        return None
    return Draft(entries)


def _faults(dialect: Dialect, arguments: object, draft: Draft, with_ids: bool) -> Iterator[Issue]:
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
            draft.summary = summary
    items = arguments.get(dialect.list_key, _MISSING)
    if items is _MISSING or (items is None and dialect.lenient):
        yield Issue("missing", field=dialect.list_key)
    elif isinstance(items, (list, tuple)):
        yield from _list_faults(dialect, items, draft, with_ids)
    else:
        yield Issue("type", field=dialect.list_key, kind=kind(items), expected="array")


def _list_faults(
    dialect: Dialect, items: Sequence[object], draft: Draft, with_ids: bool
) -> Iterator[Issue]:
    most = dialect.most_items
    for stage in dialect.order:
        if stage == "count":
            if len(items) > most:
                yield Issue("too_many", field=dialect.list_key, value=str(len(items)), limit=most)
                items = items[:most]  # what is beyond the limit is not worth a line each
        elif stage == "focus":
            limit = dialect.max_in_progress
            if limit is not None and (found := _in_progress(dialect, items)) > limit:
                yield Issue("focus", field=dialect.list_key, value=str(found), limit=limit)
        else:
            yield from _item_faults(dialect, items, draft.entries, with_ids)


def _in_progress(dialect: Dialect, items: Sequence[object]) -> int:
    spellings, key = dialect.spellings("in_progress"), dialect.status_key
    given = [item.get(key) for item in items if isinstance(item, dict)]
    if dialect.lenient:
        given = [status.lower() if isinstance(status, str) else status for status in given]
    return sum(given.count(spelling) for spelling in spellings)


def _item_faults(
    dialect: Dialect, items: Sequence[object], entries: list[Entry], with_ids: bool
) -> Iterator[Issue]:
    known = dialect.known_keys | {"id"} if with_ids else dialect.known_keys
    picky = dialect.extra_fields == "refuse"
    for index, item in enumerate(items):
        if not isinstance(item, dict):
            yield Issue("type", index, kind=kind(item), expected="object")
            continue
        if picky and not item.keys() <= known:
            yield Issue("unknown", index, value=_names([key for key in item if key not in known]))
        content = active_form = given_id = ""
        status: str | Issue = ""
        for part in dialect.fields:
            if part.role == "status":
                status = _status(dialect, item.get(part.key, _MISSING), part, index)
                if isinstance(status, Issue):
                    yield status
            elif part.role != "id":
                text = _text(dialect, item.get(part.key, _MISSING), part, dialect.longest, index)
                if isinstance(text, Issue):
                    yield text
                elif part.role == "content":
                    content = text
                else:
                    active_form = text
        if with_ids and (found := item.get("id")) is not None:
            if isinstance(found, str) and encodable(found):
                given_id = found
            else:
                yield Issue("type", index, "id", kind=kind(found), expected="string")
        entries.append((content, cast("Status", status), active_form, given_id))


def _status(dialect: Dialect, value: object, part: Field, index: int) -> str | Issue:
    """What the status means, or what is wrong with it."""
    if value is _MISSING or (value is None and dialect.lenient):
        if part.required and not dialect.lenient:
            return Issue("missing", index, part.key)
        value = dialect.default_status or dialect.statuses[0]
    if dialect.lenient and isinstance(value, str):
        value = value.lower()
    if value in dialect.statuses:
        return dialect.meanings.get(value, value)
    if value == "" and part.required and not dialect.lenient:
        return Issue("missing", index, part.key)
    if dialect.lenient and not isinstance(value, str):
        value = (_as_text(value) or kind(value)).lower()
    return Issue("status", index, part.key, value=shown(value), kind=kind(value))


def _text(
    dialect: Dialect, value: object, part: Field, limit: int, index: int | None
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
    if not value:
        return Issue("missing", index, part.key)
    if not text or text.isspace():
        return Issue("blank", index, part.key)
    if len(text) > limit:
        return Issue("too_long", index, part.key, value=str(len(text)), limit=limit)
    if not text.isascii() and not encodable(text):
        return Issue("unicode", index, part.key)
    return text


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
