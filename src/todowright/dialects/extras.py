"""Fields of a dialect's own, which are kept with each todo: a priority, an owner, notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from todowright.errors import Issue
from todowright.plan.model import Extras, Todo
from todowright.text import encodable, kind, shown

LONGEST_KEY = 40
_TAKEN = {"id", "self", "text", "after", "by"}
"""Names that a todo, or `todo.add`, has for something else."""
Sent = dict[str, str]
"""The extras that an item was sent with, by their keys; an empty text takes one away."""


class Extra:
    """One text that a dialect keeps with each todo. An item may leave it out, unless it is `required`."""

    __slots__ = ("choices", "description", "key", "max_length", "required")

    def __init__(
        self,
        key: str,
        description: str = "",
        *,
        choices: Sequence[str] = (),
        required: bool = False,
        max_length: int | None = None,
    ) -> None:
        self.key = key
        self.description = description
        self.choices = (choices,) if isinstance(choices, str) else tuple(choices)
        """The texts that it may have; any, where none are named."""
        self.required = required
        self.max_length = max_length
        """None: the dialect's own limit for a text."""

    def __repr__(self) -> str:
        return f"Extra({self.key!r})"

    @property
    def sound(self) -> bool:
        """Whether it can be kept and sent: a key in few letters, choices that are texts, a limit above 0."""
        texts: tuple[object, ...] = (self.key, *self.choices)
        if not all(isinstance(text, str) and text.strip() == text != "" for text in texts):
            return False
        short = self.key.isprintable() and len(self.key) <= LONGEST_KEY
        limited = self.max_length is None or (type(self.max_length) is int and self.max_length > 0)
        return short and self.key not in _TAKEN and limited

    @property
    def allowed(self) -> list[str]:
        """Its choices; an empty one takes it away, where it may be left out."""
        return [*self.choices] if self.required else [*self.choices, ""]

    def read(self, value: object, longest: int, index: int | None, *, trim: bool) -> str | Issue:
        """The text to keep, empty if there is to be none; or what is wrong with it."""
        if not isinstance(value, str):
            return Issue("type", index, self.key, kind=kind(value), expected="string")
        if self.choices:
            if value in self.allowed:
                return value
            told = ", ".join(self.choices)
            return Issue("choice", index, self.key, value=shown(value), expected=told)
        text, limit = value.strip() if trim else value, self.max_length or longest
        if len(text) > limit:
            return Issue("too_long", index, self.key, value=str(len(text)), limit=limit)
        if not text.strip():
            return Issue("blank" if value else "missing", index, self.key) if self.required else ""
        return text if encodable(text) else Issue("unicode", index, self.key)


def faults(
    extras: Sequence[Extra],
    item: Mapping[Any, object],
    sent: Sent,
    index: int | None,
    longest: int,
    *,
    trim: bool,
) -> Iterator[Issue]:
    """What is wrong with the extras of an item; those that are right are put into `sent`."""
    for extra in extras:
        if extra.key not in item:
            if extra.required:
                yield Issue("missing", index, extra.key)
            continue
        found = extra.read(item[extra.key], longest, index, trim=trim)
        if isinstance(found, Issue):
            yield found
        else:
            sent[extra.key] = found


def with_extras(todos: Sequence[Todo], sent: Sequence[Sent]) -> Sequence[Todo]:
    """The todos with the extras that each was sent with; those that it was not sent with stay."""
    found = [_with_extras(todo, each) for todo, each in zip(todos, sent, strict=True)]
    return tuple(found) if type(todos) is tuple else found


def _with_extras(todo: Todo, sent: Sent) -> Todo:
    extras = merged(todo.extras, sent)
    return todo if extras == todo.extras else replace(todo, extras=extras)


def merged(kept: Extras, sent: Sent) -> Extras:
    """The extras that stand after some were sent, in the order of their keys."""
    if not sent:
        return kept
    return tuple(sorted((key, text) for key, text in (dict(kept) | sent).items() if text))
