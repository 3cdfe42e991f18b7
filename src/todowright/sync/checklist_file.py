"""A Markdown file with a checklist: its items are read and changed, all its other text stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from todowright.formats.code_blocks import depth_of, lines_of_code
from todowright.plan.model import Plan, Status, Todo
from todowright.text import harmless

MARKS: dict[str, Status] = {
    **dict.fromkeys(" ", "pending"),
    **dict.fromkeys("xX✓✔", "completed"),
    **dict.fromkeys("/~>", "in_progress"),
    **dict.fromkeys("-", "cancelled"),
}
"""What stands between the brackets, and what it means; anything else is a mark of the person's own, and open."""
WRITTEN: dict[Status, str] = {
    "pending": " ",
    "completed": "x",
    "in_progress": "/",
    "cancelled": "-",
}
CONFLICT = "<!-- todowright: conflict -->"
_ITEM = re.compile(r"(?P<lead>\s*(?:[-*+]|\d{1,6}[.)])\s+)\[(?P<mark>[^\]])\](?P<gap>\s+)(?P<words>\S.*)")  # fmt: skip
"""A line without the spaces at its end: to look for those here would take time by their square."""
_FOOTER = re.compile(r"<!-- todowright: (\{.*\}) -->")
_BREAKS = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_NOTE = "> you had written: "
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Item:
    """One item of the file."""

    line: int
    """Where it stands, from 0."""
    words: str
    status: Status

    @property
    def todo(self) -> Todo:
        """The item as a todo without a number."""
        return Todo(self.words, self.status)


@dataclass(frozen=True, slots=True)
class Footer:
    """What the last line of a file says: with which plan it was in step, and when."""

    session: str
    agent: str
    revision: int

    @classmethod
    def of(cls, plan: Plan) -> Footer:
        """The footer of a file that is in step with this plan."""
        return cls(plan.session, plan.agent, plan.revision)

    def __str__(self) -> str:
        values = {"session": self.session, "agent": self.agent, "revision": self.revision}
        text = json.dumps(values, ensure_ascii=False).replace(">", "\\u003e")
        return f"<!-- todowright: {text} -->"


def words_of(todo: Todo) -> str:
    """The words of a todo as they stand in a file: on one line."""
    parts = [part.strip() for part in _BREAKS.split(todo.content)]
    return harmless(" ".join(filter(None, parts))).strip()


class ChecklistFile:
    """The text of a file, and the items in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.ending = "\r\n" if "\r\n" in text else "\n"
        self._start = _BOM if text.startswith(_BOM) else ""
        self._lines = text.removeprefix(_BOM).replace("\r\n", "\n").split("\n")
        self._code = lines_of_code(self._lines)
        self.items: list[Item] = []
        self.conflicts: list[int] = []
        """The lines, from 1, that tell of a conflict which the person has not solved."""
        self.footer: Footer | None = None
        self._footer_at: int | None = None
        self._read()
        self._starts = {item.line for item in self.items}

    def _read(self) -> None:
        for number, line in enumerate(map(str.rstrip, self._lines)):
            if number in self._code:
                continue
            if line.endswith(CONFLICT) and line.lstrip().startswith(_NOTE):
                self.conflicts.append(number + 1)
            elif (item := _ITEM.fullmatch(line)) is not None:
                status = MARKS.get(item["mark"], "pending")
                self.items.append(Item(number, item["words"], status))
            elif (footer := _FOOTER.fullmatch(line)) is not None:
                self.footer, self._footer_at = _footer(footer[1]), number

    def changed(
        self,
        changes: Mapping[int, Todo | None],
        notes: Mapping[int, str],
        placed: Sequence[tuple[int | None, Todo | int]],
        footer: Footer,
    ) -> str:
        """The text with some items changed, or gone, and others put elsewhere.

        `changes` and `notes` are by the line of an item; what the person had written is noted below it. What is placed is a new item, or the
        line of one that moves: it comes behind the item of a line, or before the first where that is None.
        """
        behind: dict[int | None, list[Todo | int]] = {}
        for place, what in placed:
            behind.setdefault(place, []).append(what)
        moving = {what for _, what in placed if isinstance(what, int)}
        first = min(self._starts, default=None)
        lines: list[str] = []

        def put(place: int | None) -> None:
            for what in behind.get(place, ()):
                if isinstance(what, int):
                    lines.extend(self._block(what, changes, notes))
                else:
                    lines.append(self._new_line(what, first if place is None else place))

        number = 0
        while number < len(self._lines):
            if number == first:
                put(None)
            if number in self._starts:
                if number not in moving:
                    lines += self._block(number, changes, notes)
                put(number)
                number = self._end(number)
                continue
            if number != self._footer_at:
                lines.append(self._lines[number])
            number += 1
        if first is None:
            new = [self._new_line(what, None) for what in behind.get(None, ()) if not isinstance(what, int)]  # fmt: skip
            lines = _with_list(lines, new)
        while lines and not lines[-1].strip():
            lines.pop()
        return self._start + self.ending.join([*lines, "", str(footer), ""])

    def _end(self, number: int) -> int:
        """Where the text ends that belongs to an item: lines below it that stand deeper, and are no items."""
        depth = depth_of(self._lines[number])
        end = number + 1
        while end < len(self._lines) and end not in self._starts:
            inside = self._code.get(end, end) != end
            if not inside and (not self._lines[end].strip() or depth_of(self._lines[end]) <= depth):
                break
            end += 1
        return end

    def _block(
        self, number: int, changes: Mapping[int, Todo | None], notes: Mapping[int, str]
    ) -> list[str]:
        """An item as it is now, with the text that belongs to it."""
        lines = self._lines[number : self._end(number)]
        if number in changes:
            kept = changes[number]
            lines[:1] = [] if kept is None else [self._changed_line(kept, number)]
        if number in notes:
            indent = " " * (depth_of(self._lines[number]) + 2)
            lines.insert(1, f"{indent}{_NOTE}{notes[number]} {CONFLICT}")
        return lines

    def _changed_line(self, todo: Todo, number: int) -> str:
        """The line of an item with its todo as it is now; a mark of the person's own stays while it fits."""
        old = _ITEM.fullmatch(self._lines[number].rstrip())
        assert old is not None
        same = MARKS.get(old["mark"], "pending") == todo.status
        mark = old["mark"] if same else WRITTEN[todo.status]
        return f"{old['lead']}[{mark}]{old['gap']}{words_of(todo)}"

    def _new_line(self, todo: Todo, like: int | None) -> str:
        """The line of a new item, in the manner of the line of another."""
        old = None if like is None else _ITEM.fullmatch(self._lines[like].rstrip())
        lead = "- " if old is None else old["lead"]
        return f"{lead}[{WRITTEN[todo.status]}] {words_of(todo)}"


def _with_list(lines: list[str], items: list[str]) -> list[str]:
    """The lines of a file that had no list, with one at their end."""
    kept = list(lines)
    while kept and not kept[-1].strip():
        kept.pop()
    return [*kept, "", *items] if kept else items


def _footer(text: str) -> Footer | None:
    try:
        values = json.loads(text)
        session, agent, revision = values["session"], values["agent"], values["revision"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    sound = isinstance(session, str) and isinstance(agent, str) and type(revision) is int
    return Footer(session, agent, revision) if sound else None
