"""Which step of a plan is named: by its number, its label or its words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from todowright.errors import Issue, Refused
from todowright.plan.matching import LONGEST, UNSPACED, core, plain, words_of
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
        self._known_cores: list[tuple[int, str]] | None = None

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
            raise self._unknown(given)
        raise self._ambiguous(given, found)

    def _unknown(self, given: str | int) -> Refused:
        """No step has that name: these are the nearest, or the numbers there are."""
        if isinstance(given, int):
            known = ranges(todo.number for todo in self._todos if todo.number)
            return Refused(Issue("no_step", field=shown(given), value=known or "none"))
        near = self._nearest(given) or range(min(2, len(self._todos)))
        several = [f"{self._todos[n].number} {brief(self._todos[n].content, 40)}" for n in near]
        name = f"'{shown(given)}'"
        return Refused(Issue("no_step_like", field=name, value=", ".join(several) or "none"))

    def _nearest(self, given: str) -> list[int]:
        """The two steps that share most words with a text, open ones first."""
        wanted = words_of(given[:LONGEST])
        scored = [
            (len(wanted & words_of(todo.content[:LONGEST])), not todo.closed, -at)
            for at, todo in enumerate(self._todos)
        ]
        return [-at for shared, _, at in sorted(scored, reverse=True)[:2] if shared]

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
        """A label, the very words, a number, words that differ in case and marks, or a part; the open one of several."""
        text = given.strip()
        number = _NUMBER.fullmatch(text)
        found = self._with(_label_of, given) if self._labels else []
        found = found or self._with(_content_of, text)
        found = found or (self._by_number(int(number[1])) if number else [])
        found = found or self._by_number_and_words(text) or self._meant(text)
        if not found and not number:
            return self._by_part(text)  # a part that an open and a closed step share names neither
        still_open = [n for n in found if not self._todos[n].closed]
        return still_open if len(found) > len(still_open) == 1 else found

    def _by_part(self, text: str) -> list[int]:
        """The steps whose words begin with a text, or else hold it, or else are held by it."""
        part = core(text.rstrip(" .…"))
        if not _is_telling(part):
            return []
        known = self._cores()
        return (
            [at for at, words in known if words.startswith(part)]
            or [at for at, words in known if part in words]
            or [at for at, words in known if _is_telling(words) and words in part]
        )

    def _cores(self) -> list[tuple[int, str]]:
        if self._known_cores is None:
            self._known_cores = [(at, core(todo.content)) for at, todo in enumerate(self._todos)]
        return self._known_cores

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


def _is_telling(text: str) -> bool:
    """Whether a part of a step's words is long enough to name it."""
    return len(text) >= (2 if max(text, default="") >= UNSPACED else 4)


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
