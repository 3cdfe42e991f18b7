"""A format whose every call sends the whole list: its keys and its words say all of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from todowright.errors import Unreadable
from todowright.formats.applying import BLOCKED_BY, METADATA, ids_of
from todowright.formats.format import WITHOUT_CANCELLED, Format, Payload
from todowright.formats.items import CONTENTS, LISTS, Notes, bounded, from_text, listed, read_items
from todowright.formats.ops import wire_metadata
from todowright.formats.reading import NOTHING, Reading, ToolCall
from todowright.formats.words import STATE, status_of
from todowright.plan.model import Plan, Status, Todo
from todowright.text import kind
from todowright.values import settings

THREE: dict[Status, str] = {status: status for status in WITHOUT_CANCELLED}
FOUR: dict[Status, str] = {**THREE, "cancelled": "cancelled"}
PRIORITIES = ("high", "medium", "low")
_LOOKED_AT = 20
"""How many items tell the format."""
_SUMMARIES = ("explanation", "summary")
_LOOKS = {"action": ("read", "list", "get"), "command": ("view",), "operation": ("read",)}
"""Arguments that say of a call that it only looks at the list."""


@settings
class ListFormat(Format):
    """A format whose every call sends the whole list."""

    list_key: str = "todos"
    content: str = "content"
    status: str = "status"
    words: Mapping[Status, str | bool] = field(default_factory=lambda: THREE)
    """How each status is spelled. What is cancelled is left out where it has no word; anything else is pending then."""
    state_word: str = "{}"
    """How another word for a status is spelled."""
    active_form: str = ""
    id: str = ""
    extras: Mapping[str, str] = field(default_factory=dict)
    """Our keys of what is kept with an item, and the format's."""
    defaults: Mapping[str, str] = field(default_factory=dict)
    """What an extra is where the plan has none."""
    summary: str = ""
    """The key of a text about the whole plan."""
    always: Mapping[str, Any] = field(default_factory=dict)
    """What else every call has."""

    def read(self, call: ToolCall) -> Reading:
        """The list of a call, whatever clothes it came in."""
        value = from_text(call.arguments) if isinstance(call.arguments, str) else call.arguments
        notes, summary = Notes(), None
        if isinstance(value, Mapping):
            if looks(value):
                return NOTHING
            texts = [value.get(key) for key in (self.summary, *_SUMMARIES) if key]
            summary = next((bounded(text) for text in texts if isinstance(text, str)), None)
            value = self._list_of(value)
            if value is None:
                return NOTHING
        todos = self._todos(value, notes)
        return Reading("", "all", todos, (), summary, notes.lines)

    def _list_of(self, value: Mapping[Any, Any]) -> object:
        """What stands where the list should be; None if nothing does, in a call that only looks."""
        if isinstance(value.get(self.list_key), (list, dict, str)):
            return value[self.list_key]
        for key in LISTS:
            if isinstance(value.get(key), (list, dict)):
                return value[key]
        if any(isinstance(value.get(key), str) for key in (self.content, *CONTENTS)):
            return value
        wrong = value.get(self.list_key)
        if wrong is None and not value.keys() - {self.list_key, *self.always, *_SUMMARIES}:
            return None
        told = f"it is {kind(wrong)}" if self.list_key in value else "it is missing"
        raise Unreadable(f"'{self.list_key}' must be a list of items: {told}")

    def _todos(self, value: object, notes: Notes) -> tuple[Todo, ...]:
        if isinstance(value, str) and isinstance(from_text(value), str):
            from todowright.formats.markdown import looks_like_a_checklist, read_checklist

            if not looks_like_a_checklist(value):
                raise Unreadable(
                    f"'{self.list_key}' is a text that is neither JSON nor a checklist"
                )
            notes.add("the list came as a checklist in a text")
            return read_checklist(value, notes)[0]
        if isinstance(value, str):
            notes.add("the list came as a text")
        values = listed(value, notes)
        todos = read_items(values, notes, self.content)
        if values and not todos:
            raise Unreadable(notes.lines[-1])
        return todos

    def write(self, plan: Plan) -> Payload:
        """The call that sends the plan."""
        arguments, kept = self.arguments(plan)
        return {"name": self.tools[0], "input": arguments}, kept

    def arguments(self, plan: Plan) -> tuple[dict[str, Any], list[int]]:
        """The arguments of that call, and which items are in it."""
        spelled = [self._word(todo) for todo in plan.todos]
        kept = [index for index, word in enumerate(spelled) if word is not None]
        labels = self._labels([plan.todos[index] for index in kept])
        names = wire_ids([plan.todos[index] for index in kept], labels)
        rows = []
        for label, index in zip(labels, kept, strict=True):
            row: dict[str, Any] = {self.id: label} if self.id else {}
            rows.append(row | self._row(plan.todos[index], spelled[index], names))
        found = {**self.always, self.list_key: rows}
        if self.summary and plan.summary:
            found[self.summary] = plan.summary
        return found, kept

    def _word(self, todo: Todo) -> str | bool | None:
        state, known = dict(todo.extras).get(STATE, ""), self.holds.states
        if state and todo.status == "pending" and (known is None or state in known):
            return self.state_word.format(state)
        if todo.status not in self.words and todo.status == "cancelled":
            return None
        return self.words.get(todo.status, self.words["pending"])

    def _labels(self, todos: Sequence[Todo]) -> list[str | int]:
        """The id of each item: its own, or the first number that no other has."""
        number = self.holds.id == "number"
        own = [todo.id if not number or _is_number(todo.id) else "" for todo in todos]
        taken, next_one, found = set(own), 1, list[str | int]()
        for label in own:
            while not label:
                label = str(next_one) if str(next_one) not in taken else ""
                next_one += 1
            found.append(int(label) if number else label)
        return found

    def _row(self, todo: Todo, word: str | bool | None, names: Mapping[str, Any]) -> dict[str, Any]:
        row: dict[str, Any] = {self.content: todo.content, self.status: word}
        if self.active_form:
            row[self.active_form] = todo.active_form or todo.content
        kept = dict(todo.extras)
        for ours, theirs in self.extras.items():
            text, choices = kept.get(ours, ""), self.holds.choices.get(ours)
            if choices and text not in choices:
                text = ""
            if text and ours == BLOCKED_BY:
                row[theirs] = [names.get(each, each) for each in ids_of(text)]
            elif text and ours == METADATA:
                row[theirs] = wire_metadata(text)
            elif text or ours in self.defaults:
                row[theirs] = text or self.defaults[ours]
        return row

    def likeness(self, call: ToolCall) -> int:
        """By its keys: each that it knows speaks for it, each that it lacks or does not know against."""
        value = from_text(call.arguments) if isinstance(call.arguments, str) else call.arguments
        if isinstance(value, (list, tuple)):
            return self._row_likeness(value[:_LOOKED_AT])
        if not isinstance(value, Mapping) or self.list_key not in value:
            return 0
        rows = value[self.list_key]
        rows = from_text(rows) if isinstance(rows, str) else rows
        found = (
            4 + 4 * len(self.always.keys() & value.keys()) - len(self.always.keys() - value.keys())
        )
        if isinstance(rows, (list, tuple)):
            found += self._row_likeness(rows[:_LOOKED_AT]) if rows else 1
        return max(found, 1)

    def _row_likeness(self, rows: Sequence[object]) -> int:
        if not rows or not isinstance(row := rows[0], Mapping) or self.content not in row:
            return 0
        needed = {self.content, self.status, self.active_form, self.id} - {""}
        needed |= {self.extras[ours] for ours in self.defaults}
        known = needed | {*self.extras.values()}
        told = len(known & row.keys()) - len(needed - row.keys()) - len(row.keys() - known)
        words = [each.get(self.status) for each in rows if isinstance(each, Mapping)]
        return 6 + told + 2 * all(self._knows(word) for word in words)

    def _knows(self, word: object) -> bool:
        if not isinstance(word, (str, bool)):
            return False
        return word in self.words.values() or status_of(word)[1] in (self.holds.states or ())


def looks(value: Mapping[Any, Any]) -> bool:
    """Whether the arguments say that a call only looks at the list."""
    for key, words in _LOOKS.items():
        word = value.get(key)
        if isinstance(word, str) and word in words:
            return True
    return not value


def _is_number(label: str) -> bool:
    return label.isascii() and label.isdecimal() and len(label) < 13 and str(int(label)) == label


def wire_ids(todos: Sequence[Todo], labels: Sequence[str | int]) -> dict[str, str | int]:
    """The ids as they are written, by the numbers and the labels of the todos: either may name one."""
    found: dict[str, str | int] = {}
    for todo, label in zip(todos, labels, strict=True):
        if todo.number:
            found[str(todo.number)] = label
    return found | {todo.id: label for todo, label in zip(todos, labels, strict=True) if todo.id}
