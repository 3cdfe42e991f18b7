"""The one edit engine: todos added, started, finished, reworded, moved, dropped; by number, label or words."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeGuard

from todowright.errors import Issue, Refused, UnknownName
from todowright.plan.deeds import DEEDS, STATUS_OF, Deed
from todowright.plan.finding import Finder
from todowright.plan.model import LONGEST_TEXT, Extras, Plan, Status, Todo
from todowright.text import a_kind, encodable, kind, likely, shown

MOST_EDITS = 200
Reference = int | str
"""A step's number, its label, or its words."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One thing that a person or a program does to a plan."""

    do: Deed
    step: Reference | None = None
    text: str = ""
    after: Reference | None = None
    """The step behind which a new or moved one stands: 0 for the first place, None for the last."""
    extras: Extras = ()
    """What a new step has of the extras that its dialect keeps."""

    def __post_init__(self) -> None:
        if not _is_deed(self.do):
            meant = likely(self.do, DEEDS)
            raise UnknownName(
                f"no edit is called '{shown(self.do)}': {meant}use {', '.join(DEEDS)}"
            )
        if not isinstance(self.text, str):
            raise TypeError(
                f"text must be a str, not {a_kind(self.text)}: give the words of one step"
            )
        for step in (self.step, self.after):
            if isinstance(step, bool) or not isinstance(step, (int, str, float, type(None))):
                raise TypeError(f"a step is {a_kind(step)}: name it by its number, id or words")


def read_edits(given: object) -> list[Edit]:
    """The edits in plain values that came over a wire; raises `Refused` where one cannot be read."""
    if not isinstance(given, list) or not 0 < len(given) <= MOST_EDITS:
        raise Refused(Issue("edit", value=f"send a list of 1 to {MOST_EDITS} edits"))
    return [_read_edit(each) for each in given]


def _read_edit(given: object) -> Edit:
    if not isinstance(given, Mapping) or not _is_deed(do := given.get("do")):
        raise Refused(Issue("edit", value=f"each edit says what to do: {', '.join(DEEDS)}"))
    unknown = [key for key in given if key not in ("do", "step", "text", "after", "extras")]
    if unknown:
        raise Refused(Issue("edit", value=f"an edit has no '{shown(unknown[0])}'"))
    step, after, text = given.get("step"), given.get("after"), given.get("text", "")
    if not isinstance(text, str):
        raise Refused(Issue("type", field="text", kind=kind(text), expected="string"))
    extras = given.get("extras", {})
    if not isinstance(extras, dict) or (extras and do != "add"):
        raise Refused(Issue("edit", value="extras is an object, and goes with add"))
    return Edit(
        do, _reference(step, "step"), text, _reference(after, "after"), tuple(extras.items())
    )


def _is_deed(value: object) -> TypeGuard[Deed]:
    return value in DEEDS if isinstance(value, str) else False


def _reference(given: object, key: str) -> Reference | None:
    if given is None or isinstance(given, str) or type(given) is int:
        return given
    raise Refused(Issue("type", field=key, kind=kind(given), expected="a number or a text"))


@dataclass(slots=True)
class Editor:
    """The todos of a plan while they are edited; new ones have no number yet."""

    todos: list[Todo]
    most_in_progress: int | None = 1
    active_forms: bool = False
    """Whether each todo needs an active form: then a new text is its own."""
    labels: bool = True
    """Whether a step may be named by its label; not by a model, which never saw it."""
    notes: list[str] = field(default_factory=list)
    same_words: Container[str] = ()
    """Names of steps, among those looked for last, that are their words but for marks, case and punctuation."""
    inexact: list[tuple[str, str, Todo]] = field(default_factory=list)
    """Steps that were named by a part of their words: what was done, the name, the step."""

    @classmethod
    def of(cls, plan: Plan, most_in_progress: int | None = 1, *, labels: bool = True) -> Editor:
        """An editor on the todos of a plan."""
        return cls(list(plan.todos), most_in_progress, labels=labels)

    def find(self, given: object) -> int:
        """Where a step stands that is named by its number, label or words."""
        return Finder(self.todos, labels=self.labels).find(given)

    def find_all(self, given: Sequence[object]) -> list[int]:
        """Where several steps stand, in the order in which they are named."""
        self.same_words = ()
        if len(given) == 1 and (at := self._very_words(given[0])) is not None:
            return [at]
        finder = Finder(self.todos, labels=self.labels)
        self.same_words = finder.same
        return [finder.find(each) for each in given]

    def _very_words(self, given: object) -> int | None:
        """Where the one step stands that is named by its very words, as most are: the finder finds the same."""
        if self.labels or type(given) is not str or given != given.strip() or not given:
            return None
        contents = [todo.content for todo in self.todos]
        return contents.index(given) if contents.count(given) == 1 else None

    def set(self, at: int, status: Status) -> None:
        """Give a step a status; what was in progress waits, where only one may be."""
        if (
            status == "in_progress"
            and self.todos[at].status != status
            and self.most_in_progress == 1
        ):
            self.pause()
        self.todos[at] = self.todos[at].with_status(status)

    def pause(self) -> None:
        """Put back whatever is in progress."""
        for index, todo in enumerate(self.todos):
            if todo.status == "in_progress":
                self.todos[index] = todo.with_status("pending")

    def start(self, step: object) -> None:
        """Start the step that is named; whatever was on waits."""
        at = self.find(step)
        self.pause()
        self.set(at, "in_progress")

    def go_on(self) -> None:
        """Start the first step that waits, if nothing is in progress."""
        statuses = [todo.status for todo in self.todos]
        if "in_progress" not in statuses and "pending" in statuses:
            at = statuses.index("pending")
            self.todos[at] = self.todos[at].with_status("in_progress")

    def finish(self, steps: Sequence[object]) -> list[Todo]:
        """Complete steps, and tell which they were; where that changes something, the next one starts by itself."""
        found = self.find_all(steps)
        named = [self.todos[at] for at in found]
        if {todo.status for todo in named} - {"completed"}:
            for at in found:
                self.set(at, "completed")
            self.go_on()
        return named

    def drop(self, steps: Sequence[object]) -> list[Todo]:
        """Take steps off the plan, and tell which they were; if one of them was on, the next one starts."""
        found = self.find_all(steps)
        named = [self.todos[at] for at in found]
        for at in sorted(set(found), reverse=True):
            self.remove(at)
        if any(todo.status == "in_progress" for todo in named):
            self.go_on()
        return named

    def remove(self, at: int) -> None:
        """Take a step off the plan."""
        del self.todos[at]

    def reword(self, at: int, text: str) -> None:
        """Say a step differently."""
        if self.todos[at].content != text:
            form = text if self.active_forms or self.todos[at].active_form else ""
            self.todos[at] = replace(self.todos[at], content=text, active_form=form)

    def add(self, texts: Sequence[str], after: object = None, extras: Extras = ()) -> None:
        """Put in steps, at the end or behind one (0: first)."""
        at = self._place(after)
        self.todos[at:at] = [
            Todo(text, active_form=text if self.active_forms else "", extras=extras)
            for text in texts
        ]

    def move(self, at: int, after: object = None) -> None:
        """Put a step elsewhere: at the end or behind another (0: first)."""
        target = None if after is None or self._is_start(after) else self.todos[self.find(after)]
        todo = self.todos.pop(at)
        if target is todo:
            self.todos.insert(at, todo)
        elif target is None:
            self.todos.insert(0 if after is not None else len(self.todos), todo)
        else:
            self.todos.insert(self.todos.index(target) + 1, todo)

    def make(self, edits: Sequence[Edit]) -> None:
        """Make edits, one after the other; raises `Refused` at the first that cannot be made."""
        for edit in edits:
            if edit.do == "add":
                self.add([_text(edit)], edit.after, edit.extras)
                continue
            at = self.find(edit.step)
            match edit.do:
                case "reword":
                    self.reword(at, _text(edit))
                case "move":
                    self.move(at, edit.after)
                case "remove":
                    self.remove(at)
                case _:
                    self.set(at, STATUS_OF[edit.do])

    def _place(self, after: object) -> int:
        if after is None:
            return len(self.todos)
        return 0 if self._is_start(after) else self.find(after) + 1

    def _is_start(self, after: object) -> bool:
        return after in (0, "", "0")


def _text(edit: Edit) -> str:
    text = edit.text.strip()
    if not text:
        raise Refused(Issue("blank" if edit.text else "missing", field="text"))
    if len(text) > LONGEST_TEXT:
        raise Refused(Issue("too_long", field="text", value=str(len(text)), limit=LONGEST_TEXT))
    if not encodable(text):
        raise Refused(Issue("unicode", field="text"))
    return text
