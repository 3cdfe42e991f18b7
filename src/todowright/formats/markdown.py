"""Checklists in Markdown: every mark that agents use, numbered, nested, with headings and fences around."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from todowright.errors import Unreadable
from todowright.formats.code_blocks import lines_of_code
from todowright.formats.items import Notes, bounded
from todowright.formats.words import STATE
from todowright.plan.model import MOST_ITEMS, Plan, Status, Todo
from todowright.text import harmless, sound

LEVEL = "level"
"""The extra of a nested item that says how deep it stands."""
DEEPEST = 20
MOST_LINES = 100_000
BLOCKED = "!"
_ON = (">", "/", "~")
"""Marks of what is in progress: beside them, `-` is for what is cancelled."""
MARKS: dict[str, Status] = {
    **dict.fromkeys(["", " ", "\u00a0", "_", ".", BLOCKED, "☐", "○"], "pending"),
    **dict.fromkeys([*"xX✓✔✅☑√●"], "completed"),
    **dict.fromkeys([*"~>/•→»◐-"], "in_progress"),
    **dict.fromkeys([*"✗✘—"], "cancelled"),
}
"""What stands in the brackets, and what it means; `-` is cancelled to some."""
_TICKS: dict[str, Status] = {
    **dict.fromkeys([*"☐○⏳⬜◻"], "pending"),
    **dict.fromkeys([*"✓✔✅☑●"], "completed"),
    **dict.fromkeys([*"◐🔄◼🚧"], "in_progress"),
    **dict.fromkeys([*"✗✘"], "cancelled"),
}
"""Marks that stand without brackets."""
_HEAD = r"(?P<indent>[ \t]*)(?P<bullet>(?:[-*+•]|\d{1,5}[.)、])[ \t]+)?"
_BOX = re.compile(_HEAD + r"\[(?P<mark>[^\[\]\n]?)\ufe0f?[ ]?\](?:[ \t]+(?P<words>.*))?")
_TICK = re.compile(_HEAD + rf"(?P<mark>[{''.join(_TICKS)}])\ufe0f?[ \t]+(?P<words>.*)")
_BULLET = re.compile(_HEAD.removesuffix("?") + r"(?P<words>\S.*)")
_HEADING = re.compile(r"#{1,6}[ \t]+(?P<words>\S.*)")
_IN_PROGRESS = re.compile(r"\*\*(?P<words>.+)\*\* \(in progress\)")
_STRUCK = re.compile(r"~~(?P<words>.+)~~")
_BREAKS = re.compile(r"[\n\r\v\f\x85\u2028\u2029]")
_SPECIAL = "\\`*_[]<>~#|"


@dataclass(slots=True)
class _Item:
    status: Status
    mark: str
    indent: int
    words: list[str]


@dataclass(slots=True)
class _Lines:
    """The lines of a text, sorted out."""

    boxes: list[_Item] = field(default_factory=list)
    bullets: list[_Item] = field(default_factory=list)
    heading: str = ""
    others: int = 0


def looks_like_a_checklist(text: str) -> bool:
    """Whether a text has a line with a box or a tick, or is a plain list."""
    lines = _sorted_out(text)
    return bool(lines.boxes) or (bool(lines.bullets) and not lines.others)


def is_heading(text: str) -> bool:
    """Whether a text is nothing but a heading: the checklist below it is empty."""
    return _HEADING.fullmatch(text.strip()) is not None


def read_checklist(
    text: str, notes: Notes, *, dash: Status | None = None, rich: bool = False
) -> tuple[tuple[Todo, ...], str]:
    """The items of a checklist, and its heading.

    `dash` is what `[-]` means; without it, the other marks tell. `rich` is for Markdown proper, where words may be
    escaped, bold or struck out.
    """
    lines = _sorted_out(text)
    items = lines.boxes or lines.bullets
    if lines.boxes and lines.bullets:
        notes.add("lines without a box were left out")
    if dash is None:
        dash = "cancelled" if any(item.mark in _ON for item in items) else "in_progress"
    todos: list[Todo] = []
    above: list[int] = []
    for number, item in enumerate(items, 1):
        if item.mark == "-":
            item.status = dash
        while above and above[-1] >= item.indent:
            above.pop()
        try:
            todos.append(_todo(item, min(len(above), DEEPEST), rich=rich))
        except Unreadable as error:
            notes.add(f"item {number} was left out: {error}")
            continue
        above.append(item.indent)
    return tuple(todos), bounded(_plain(lines.heading)) if rich else bounded(lines.heading)


def _todo(item: _Item, level: int, *, rich: bool) -> Todo:
    words, status = bounded(" ".join(item.words)).strip(), item.status
    if rich and (struck := _STRUCK.fullmatch(words)):
        words, status = struck["words"], "cancelled"
    elif rich and (now := _IN_PROGRESS.fullmatch(words)):
        words, status = now["words"], "in_progress"
    words = _plain(words) if rich else words
    if not words.strip():
        raise Unreadable("it has no words")
    extras = [(LEVEL, str(level))] if level else []
    extras += [(STATE, "blocked")] if item.mark == BLOCKED else []
    return Todo(words, status, extras=tuple(extras))


def _sorted_out(text: str) -> _Lines:
    """The lines of a text as boxes, bullets, the heading before them, and others."""
    found, last = _Lines(), None
    for line in _outside_fences(text):
        if (box := _BOX.fullmatch(line) or _TICK.fullmatch(line)) is not None:
            if len(found.boxes) >= MOST_ITEMS:
                raise Unreadable(f"the checklist has more than {MOST_ITEMS} items")
            found.boxes.append(last := _box(box))
        elif (bullet := _BULLET.fullmatch(line)) is not None:
            indent = len(bullet["indent"].expandtabs(4))
            last = None
            if len(found.bullets) < MOST_ITEMS:
                found.bullets.append(last := _Item("pending", "", indent, [bullet["words"]]))
        elif not line.strip():
            last = None
        elif (heading := _HEADING.fullmatch(line)) is not None:
            found.heading = found.heading or (heading["words"].strip() if not found.boxes else "")
            last = None
        elif last is not None and line[0] in " \t":
            last.words.append(line.strip())
        else:
            found.others += 1
            last = None
    return found


def _box(found: re.Match[str]) -> _Item:
    mark, indent = found["mark"], len(found["indent"].expandtabs(4))
    status = (MARKS if found.re is _BOX else _TICKS).get(mark, "pending")
    return _Item(status, mark, indent, [found["words"] or ""])


def _outside_fences(text: str) -> Iterator[str]:
    """The lines that are not in a fence; those of a text that is one fence."""
    lines = text.replace("\r\n", "\n").split("\n", MOST_LINES)
    if len(lines) > MOST_LINES:
        raise Unreadable(f"the text has more than {MOST_LINES} lines")
    code = lines_of_code(lines)
    filled = [number for number, line in enumerate(lines) if line.strip()]
    if len(filled) > 2 and all(code.get(number) == filled[0] for number in filled):
        lines = lines[filled[0] + 1 : filled[-1]]
        code = lines_of_code(lines)
    yield from (line for number, line in enumerate(lines) if number not in code)


def one_line(text: str) -> str:
    """The text on one line."""
    return " ".join(filter(None, map(str.strip, _BREAKS.split(text))))


def checklist_lines(plan: Plan, marks: Mapping[Status | str, str]) -> tuple[list[str], list[int]]:
    """A line for each item, nested where it was; and which items of the plan those are."""
    lines, kept = [], []
    for index, todo in enumerate(plan.todos):
        extras = dict(todo.extras)
        mark = marks.get(todo.status, marks["pending"] if todo.status == "in_progress" else None)
        if extras.get(STATE) == "blocked" and todo.status == "pending":
            mark = marks.get("blocked", mark)
        if mark is not None:
            kept.append(index)
            lines.append(f"{_indent(extras.get(LEVEL, ''))}- [{mark}] {one_line(todo.content)}")
    return lines, kept


def _indent(level: str) -> str:
    deep = int(level) if level.isascii() and level.isdecimal() and len(level) < 3 else 0
    return "  " * min(deep, DEEPEST)


def rich_lines(plan: Plan, *, asides: bool = False) -> list[str]:
    """A line for each item as GitHub and editors show a task list; with `asides`, what is kept with each behind it."""
    lines = []
    for todo in plan.todos:
        text, mark = escaped(one_line(todo.content)), "x" if todo.closed else " "
        if todo.status == "cancelled":
            text = f"~~{text}~~"
        elif todo.status == "in_progress":
            text = f"**{text}** (in progress)"
        aside = escaped(todo.aside) if asides else ""
        level = "" if asides else dict(todo.extras).get(LEVEL, "")
        lines.append(f"{_indent(level)}- [{mark}] {text}{aside}")
    return lines


def escaped(text: str) -> str:
    """Text that means nothing to Markdown or HTML."""
    text = harmless(text)
    for char in _SPECIAL:
        text = text.replace(char, f"\\{char}")
    return text


def _plain(text: str) -> str:
    """The text without the backslashes that escape its marks."""
    return sound(re.sub(rf"\\([{re.escape(_SPECIAL)}])", r"\1", text))
