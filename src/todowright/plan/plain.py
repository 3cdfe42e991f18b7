"""Plain values that are to become a plan, a todo or a reply again: what is wrong is told in one line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TypeVar, cast

from todowright.text import a_kind, likely, shown

T = TypeVar("T")
_KINDS = {str: "a str", int: "an int", bool: "True or False", list: "a list", dict: "a dict"}


class Given:
    """The keys and values of a dict. Whatever is wrong with them is a `ValueError`."""

    def __init__(self, what: str, data: object, keys: Iterable[str]) -> None:
        if not isinstance(data, Mapping):
            told = f"{what} is made from a dict, not {a_kind(data)}: use what to_dict() gave"
            raise ValueError(told)  # noqa: TRY004
        self._what = what
        self._data = data
        known = list(keys)
        for key in data:
            if key not in known:
                has = f"{likely(key, known)}it has {', '.join(known)}"
                raise ValueError(f"{what} has no '{shown(key)}': {has}")

    def get(self, key: str, kind: type[T], default: T | None = None) -> T:
        """The value of a key; it must be there, where it has no default."""
        value = self._data.get(key, default)
        if value is None and key not in self._data:
            raise ValueError(f"{self._what} needs '{key}': use what to_dict() gave")
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.wrong(key, f"must be {_KINDS[kind]}, not {a_kind(value)}")
        return value

    def count(self, key: str, default: int = 0) -> int:
        """A number that is not below 0."""
        number = self.get(key, int, default)
        if number < 0:
            raise self.wrong(key, f"must be 0 or more, not {shown(number)}")
        return number

    def optional(self, key: str, kind: type[T]) -> T | None:
        """The value of a key that may be None."""
        return None if self._data.get(key) is None else self.get(key, kind)

    def choice(self, key: str, choices: tuple[T, ...], default: T | None = None) -> T:
        """One of a few texts."""
        text = self.get(key, str, None if default is None else str(default))
        if text not in choices:
            names = [str(choice) for choice in choices]
            told = f"is '{shown(text)}': {likely(text, names)}use {', '.join(names[:12])}"
            raise self.wrong(key, told)
        return cast("T", text)

    def texts(self, key: str) -> tuple[tuple[str, str], ...]:
        """Texts by their names, in the order of the names; none where the key is not there."""
        given = self.get(key, dict, {})
        for name, text in given.items():
            if not isinstance(name, str) or not isinstance(text, str):
                raise self.wrong(key, f"must have texts, not {a_kind(text)}")
        return tuple(sorted(given.items()))

    def moment(self, key: str) -> datetime | None:
        """A moment in a time zone, as ISO 8601 writes it; None for none."""
        text = self.optional(key, str)
        if text is None:
            return None
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            moment = None
        if moment is None or moment.tzinfo is None:
            raise self.wrong(key, f"is '{shown(text)}': use a time like 2025-01-31T12:00:00+00:00")
        return moment

    def wrong(self, key: str, why: str) -> ValueError:
        """What is wrong with the value of a key."""
        return ValueError(f"'{key}' of {self._what} {why}")
