"""Which step of a plan is named: by its number, its label or its words."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from operator import attrgetter

from todowright.errors import Issue, Refused
from todowright.plan.matching import LONGEST, UNSPACED, core, plain, words_of
from todowright.plan.model import Todo
from todowright.text import a_few, brief, kind, ranges, shown

MOST_PARTS, MOST_SCANNED = 200, 40_000_000
"""How many steps one call may name by a part of their words, and how many characters are looked through for that."""
MOST_MARKED = 5_000
"""How many steps one call may name with marks around their words: each is read with care."""
LONGEST_PART = 2_000
"""How many characters a part of a step's words has at most; a longer name is the step's very words, or nothing."""
MOST_NEAR, MOST_READ = 500, 200
"""How many steps are looked at for the nearest to a name that none has, and how many characters of each."""
MOST_BEGUN = 100
"""How many steps that have a number in their words are looked at for one name that begins with it."""
_BEFORE_NUMBERS = frozenset("#sS\u017f")
"""With what a name that begins with a number may begin, beside a digit: `#2`, `step 2`."""
_WORDS = re.compile(r"\w+")
_DIGITS = re.compile(r"\b\d{1,9}\b", re.ASCII)
_NUMBER = re.compile(r"(?:step\s*)?#?(\d{1,12})[.)]?", re.IGNORECASE)
_NUMBER_THEN_WORDS = re.compile(r"#?(\d{1,12})\s+(\S.*)", re.DOTALL)
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
        self._known_cores: list[str] | None = None
        self._known_lines: Lines | None = None
        self._known_words: Lines | None = None
        self._known_numbers: dict[int, list[int]] | None = None
        self._parts = self._marked = 0
        self.same: set[str] = set()
        """Names that are the words of a step, but for its number, marks, case and punctuation."""

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

    def has(self, name: str) -> bool:
        """Whether a name fits one of the steps, or several."""
        try:
            return bool(self._by_words(name))
        except Refused:  # it fits several, or there is too much to look through
            return True

    def _unknown(self, given: str | int) -> Refused:
        """No step has that name: these are the nearest, or the first that are open, or the numbers there are."""
        if isinstance(given, int):
            known = ranges(todo.number for todo in self._todos if todo.number)
            return Refused(Issue("no_step", field=shown(given), value=known or "none"))
        near = self._nearest(given)
        still_open = [at for at, todo in enumerate(self._todos) if not todo.closed]
        told = self._listed(near or still_open[:2])
        told = f"the nearest: {told}" if near else f"there are: {told or 'none'}"
        return Refused(Issue("no_step_like", field=f"'{shown(given)}'", value=told))

    def _listed(self, places: Sequence[int]) -> str:
        """Steps with their numbers, as a model may name them."""
        several = [f"{self._todos[n].number} {brief(self._todos[n].content, 60)}" for n in places]
        return a_few(several)

    def _nearest(self, given: str) -> list[int]:
        """The two steps that share most words with a text, open ones first."""
        wanted = words_of(given[:MOST_READ])
        open_first = sorted(range(len(self._todos)), key=lambda at: self._todos[at].closed)
        scored = [
            (len(wanted & words_of(self._todos[at].content[:MOST_READ])), -n, at)
            for n, at in enumerate(open_first[:MOST_NEAR])
        ]
        return [at for shared, _, at in sorted(scored, reverse=True)[:2] if shared]

    def _ambiguous(self, given: object, found: Sequence[int]) -> Refused:
        return Refused(Issue("ambiguous", field=f"'{shown(given)}'", value=self._listed(found)))

    def _with(self, key: Callable[[Todo], object], value: object) -> list[int]:
        """Where the todos stand that have this value."""
        if key not in self._indexes:
            index = self._indexes[key] = {}
            values = self._cores() if key is _core_of else map(key, self._todos)
            for at, each in enumerate(values):
                if each in index:
                    index[each].append(at)
                else:
                    index[each] = [at]
        return self._indexes[key].get(value, [])

    def _by_number(self, number: int) -> list[int]:
        return self._with(_number_of, number) if number > 0 else []

    def _by_words(self, given: str) -> list[int]:
        """A label, the very words, a number, words that differ in case and marks, or a part; the open one of several."""
        text = given.strip()
        found = self._with(_label_of, given) if self._labels else []
        found = found or self._with(_content_of, text)
        if not found and (text[:1] in _BEFORE_NUMBERS or text[:1].isdecimal()):
            if number := _NUMBER.fullmatch(text):
                return self._by_written_number(int(number[1]))
            found = self._by_number_and_words(text)
        found = found or self._meant(text)
        if not found:
            return self._by_part(text)  # a part that an open and a closed step share names neither
        still_open = [n for n in found if not self._todos[n].closed]
        return still_open if len(found) > len(still_open) == 1 else found

    def _by_written_number(self, number: int) -> list[int]:
        """The step of a number that came as text; and those that have it in their words, since these may be meant."""
        named = self._by_number(number)
        worded = [] if self._labels else self._with_number(number)
        return named if set(worded) <= set(named) or not named else sorted({*named, *worded})

    def _with_number(self, number: int) -> list[int]:
        """The steps that have a number in their words."""
        if self._known_numbers is None:
            self._known_numbers = {}
            for at, todo in enumerate(self._todos):
                for each in set(_DIGITS.findall(todo.content[:LONGEST])):
                    self._known_numbers.setdefault(int(each), []).append(at)
        return self._known_numbers.get(number, [])

    def _by_part(self, text: str) -> list[int]:
        """The steps that hold a text, word by word; or else those whose words it begins with, and little more."""
        part = core(text[: LONGEST_PART + 1].rstrip(" .…"))
        if not _is_telling(part) or len(text) > LONGEST_PART:
            return []
        self._parts += 1
        most = min(MOST_PARTS, MOST_SCANNED // (1 + sum(map(len, self._cores()))))
        if self._parts > max(1, most):
            raise _too_many(most)
        spaced, cores = _spaced(part), self._cores()
        found = self._words().holding(spaced)
        if not found and text.endswith(("…", "...")):  # cut, as replies cut long steps
            found = self._lines().holding(f"\n{part}")
        if not found and max(part) >= UNSPACED:
            found = self._lines().holding(part)
        return found or [
            at
            for at in self._words().beginning(spaced)
            if _is_telling(cores[at])
            and 2 * len(cores[at]) >= len(part)
            and not _has_number_more(spaced, cores[at])
        ]

    def _lines(self) -> Lines:
        if self._known_lines is None:
            self._known_lines = Lines(self._cores())
        return self._known_lines

    def _words(self) -> Lines:
        """The words of every step with single spaces between them and around."""
        if self._known_words is None:
            self._known_words = Lines([_spaced(words[:LONGEST_PART]) for words in self._cores()])
        return self._known_words

    def _cores(self) -> list[str]:
        """The words of every step, without the marks around them."""
        if self._known_cores is None:
            self._known_cores = [core(todo.content) for todo in self._todos]
        return self._known_cores

    def _by_number_and_words(self, text: str) -> list[int]:
        """A step named by both, as in `2. Run tests`; refused, where the two do not mean the same."""
        both = _NUMBER_AND_WORDS.fullmatch(text)
        then = None if both else _NUMBER_THEN_WORDS.fullmatch(text)
        if numbered := both or then:
            self._refuse_if_begun(text, int(numbered[1]))
        if both:
            named, meant = self._by_number(int(both[1])), self._meant(both[2])
            worded = meant or (self._by_part(both[2]) if named else [])
            if not worded or any(_holds(worded, at) for at in named):
                self.same.update([text] if meant else ())
                return named if worded else []
            raise self._ambiguous(text, sorted({*named, *worded}))
        if then:  # as our own refusals name a step
            named = self._by_number(int(then[1]))
            begins = plain(then[2].rstrip(" …"))
            return [at for at in named if plain(self._todos[at].content).startswith(begins)]
        return []

    def _refuse_if_begun(self, text: str, number: int) -> None:
        """Refuse a name of a number and words where another step begins with the very same, as `1. Deploy to …` does."""
        begun = [
            at
            for at in self._with_number(number)[:MOST_BEGUN]
            if self._todos[at].number != number
            and self._todos[at].content[: len(text)].casefold() == text.casefold()
        ]
        if begun and (named := self._by_number(number)):
            raise self._ambiguous(text, sorted({*named, *begun}))

    def _meant(self, text: str) -> list[int]:
        """The todos that a text names: by their words as they are, or else without case, marks and punctuation."""
        found = self._with(_content_of, text) or self._with(_plain_of, plain(text))
        if found:
            return found
        self._marked += 1
        if self._marked > MOST_MARKED:
            raise _too_many(MOST_MARKED)
        if found := self._with(_core_of, core(text)):
            self.same.add(text)
        return found


def _too_many(most: int) -> Refused:
    """One call names so many steps in other words than their own that reading on would take too long."""
    return Refused(Issue("too_many", field="step", value=f"more than {most}", limit=most))


def _holds(places: Sequence[int], at: int) -> bool:
    """Whether a place is among others that stand in order, however many they are."""
    found = bisect_left(places, at)
    return found < len(places) and places[found] == at


class Lines:
    """Many texts, looked through as one: a look at each would take many times as long."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._text = "\n".join(["", *lines])
        self._starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
        self._places: dict[str, list[int]] | None = None
        self._lengths: set[int] = set()

    def holding(self, part: str) -> list[int]:
        """Where the lines stand that hold a part, with a line break before it for those that begin with it."""
        found, start = [], 0
        while (start := self._text.find(part, start)) >= 0:
            at = bisect_right(self._starts, start) - 1
            found.append(at)
            start = self._starts[at + 1]
        return found

    def beginning(self, text: str) -> list[int]:
        """Where the lines stand, each with a space at its end, with which a text begins."""
        if self._places is None:
            self._places = {}
            for at, line in enumerate(self._lines):
                self._places.setdefault(line, []).append(at)
            self._lengths = set(map(len, self._places))
        ends = [n for n, letter in enumerate(text, 1) if letter == " " and n in self._lengths]
        return sorted(at for end in ends for at in self._places.get(text[:end], ()))


def _has_number_more(spaced: str, core: str) -> bool:
    """Whether there is a number behind the words that both begin with: that is another thing."""
    return _DIGITS.search(spaced, len(_spaced(core))) is not None


def _spaced(text: str) -> str:
    """The words of a text with a space on either side, so that a part of them is found only as whole words."""
    return f" {' '.join(_WORDS.findall(text))} "


def _is_telling(text: str) -> bool:
    """Whether a part of a step's words is long enough to name it."""
    return len(text) >= (2 if max(text, default="") >= UNSPACED else 4)


_number_of: Callable[[Todo], object] = attrgetter("number")
_label_of: Callable[[Todo], object] = attrgetter("id")
_content_of: Callable[[Todo], object] = attrgetter("content")


def _plain_of(todo: Todo) -> str:
    return plain(todo.content)


def _core_of(todo: Todo) -> str:
    return core(todo.content)
