"""Which step of a plan is named: by its number, its label or its words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from todowright.errors import Issue, Refused
from todowright.plan.matching import core, plain
from todowright.plan.model import Todo
from todowright.text import a_few, brief, kind, ranges, shown

_NUMBER = re.compile(r"(?:step\s*)?#?(\d{1,12})[.)]?", re.IGNORECASE)
_NUMBER_AND_WORDS = re.compile(
    r"(?:step\s*)?#?(\d{1,12})\s*[.):-]\s*(\S.*)", re.IGNORECASE | re.DOTALL
)


class Finder:
    """Finds steps by their names, as long as the list of them is not changed.

    Each way to name a step is indexed when it is first needed, so that many names cost little more than one.
    """

    def __init__(self, todos: Sequence[Todo], *, labels: bool) -> None:
        self._todos = todos
        self._labels = labels
        self._indexes: dict[Callable[[Todo], object], dict[object, list[int]]] = {}

    def find(self, given: object) -> int:
        """Where a step stands that is named by its number (also `2.0`, `"#2"`, `"step 2"`), label or words."""
        if given is None or given in ("", []):
            raise Refused(Issue("missing", field="step"))
        if isinstance(given, float) and given.is_integer():
            given = int(given)
        if isinstance(given, bool) or not isinstance(given, (str, int)):
            expected = "a step's number or its words"
            raise Refused(Issue("type", field="step", kind=kind(given), expected=expected))
        found = self._by_words(given) if isinstance(given, str) else self._by_number(given)
        if len(found) == 1:
            return found[0]
        if not found:
            name = f"'{shown(given)}'" if isinstance(given, str) else shown(given)
            known = ranges(todo.number for todo in self._todos if todo.number)
            raise Refused(Issue("no_step", field=name, value=known or "none"))
        raise self._ambiguous(given, found)

    def _ambiguous(self, given: object, found: Sequence[int]) -> Refused:
        several = [f"{self._todos[n].number} {brief(self._todos[n].content, 40)}" for n in found]
        return Refused(Issue("ambiguous", field=f"'{shown(given)}'", value=a_few(several)))

    def _with(self, key: Callable[[Todo], object], value: object) -> list[int]:
        """Where the todos stand that have this value."""
        if key not in self._indexes:
            index = self._indexes[key] = {}
            for at, todo in enumerate(self._todos):
                index.setdefault(key(todo), []).append(at)
        return self._indexes[key].get(value, [])

    def _by_number(self, number: int) -> list[int]:
        return self._with(_number_of, number) if number > 0 else []

    def _by_words(self, given: str) -> list[int]:
        """A label, the very words, a number, or words that differ in case and marks; the open one of several."""
        text = given.strip()
        number = _NUMBER.fullmatch(text)
        numbered = self._by_number(int(number[1])) if number else []
        if numbered and not self._labels:
            return numbered  # what a model reads of a step is its number
        found = self._with(_label_of, given) if self._labels else []
        found = found or self._with(_content_of, text)
        found = found or numbered or self._by_number_and_words(text) or self._meant(text)
        still_open = [n for n in found if not self._todos[n].closed]
        return still_open if len(found) > len(still_open) == 1 else found

    def _by_number_and_words(self, text: str) -> list[int]:
        """A step named by both, as in `2. Run tests`; refused, where the two do not mean the same."""
        both = _NUMBER_AND_WORDS.fullmatch(text)
        if both is None:
            return []
        named, worded = self._by_number(int(both[1])), self._meant(both[2])
        if not worded or set(named) & set(worded):
            return named if worded else []
        raise self._ambiguous(text, sorted({*named, *worded}))

    def _meant(self, text: str) -> list[int]:
        """The todos that a text names: by their words as they are, or else without case, marks and punctuation."""
        return (
            self._with(_content_of, text)
            or self._with(_plain_of, plain(text))
            or self._with(_core_of, core(text))
        )


def _number_of(todo: Todo) -> int:
    return todo.number


def _label_of(todo: Todo) -> str:
    return todo.id


def _content_of(todo: Todo) -> str:
    return todo.content


def _plain_of(todo: Todo) -> str:
    return plain(todo.content)


def _core_of(todo: Todo) -> str:
    return core(todo.content)
