"""What passes between the tool and a dialect: a call, the draft it asks for, and the reply."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Protocol, Self, get_args

from todowright.errors import Code, Issue
from todowright.logs import log_exception
from todowright.plan.model import Plan, Todo


class Parts(Protocol):
    """What a reply has beside its text, made when somebody asks: most replies are only read by a model."""

    def __call__(self) -> Mapping[str, Any]:
        """The data, for programs."""
        ...

    def display(self) -> str:
        """What the person sees who watches."""
        ...


class _Late:
    """Where a reply keeps what makes its `display`: beside its fields, so that it is no part of what it says."""

    __slots__ = ("_parts",)
    _parts: Parts

    def _make_late(self, parts: Parts) -> None:
        self._parts = parts
        del self.display  # type: ignore[attr-defined]  # `__getattr__` makes it


@dataclass(slots=True, eq=False)
class Reply(_Late):
    """What a call gives back."""

    text: str
    """For the model."""
    display: str = ""
    """For the person who watches."""
    structured: Mapping[str, Any] | Callable[[], Mapping[str, Any]] = dict
    """`data`, or what makes it when somebody asks: most replies are only read by a model."""
    is_error: bool = False
    issues: tuple[Issue, ...] = ()

    @classmethod
    def late(cls, text: str, parts: Parts) -> Self:
        """A reply whose `display` and `data` are made when somebody asks for them."""
        reply = cls(text, structured=parts)
        reply._make_late(parts)
        return reply

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            if name != "display":
                return object.__getattribute__(self, name)  # says what is wrong
            self.display = made = self._parts.display()
            return made

    @property
    def data(self) -> Mapping[str, Any]:
        """For programs, in the dialect's own shape."""
        return self.structured() if callable(self.structured) else self.structured

    def twin(self) -> Reply:
        """A copy that later changes to this reply do not reach."""
        if self.__class__ is not Reply:  # a dialect's own kind
            return Reply(self.text, self.display, self.structured, self.is_error, self.issues)
        twin = Reply(self.text, "", self.structured, self.is_error, self.issues)
        try:
            twin.display = object.__getattribute__(self, "display")
        except AttributeError:  # nobody has asked for it
            twin._make_late(self._parts)
        return twin

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return self.__reduce__()[1] == other.__reduce__()[1]

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type[Self], tuple[object, ...]]:
        parts = (self.text, self.display, dict(self.data), self.is_error, self.issues)
        return self.__class__, parts

    def to_dict(self) -> dict[str, object]:
        """The reply as plain values, for JSON; what JSON does not know in `data` is told as text."""
        return {
            "text": self.text,
            "display": self.display,
            "data": _plain(self.data),
            "is_error": self.is_error,
            "issues": [asdict(issue) for issue in self.issues],
        }

    def to_json(self) -> str:
        """The reply as one text, of which `from_dict` makes it again."""
        import json

        try:
            return json.dumps(self.to_dict())
        except Exception:  # a dialect's own words failed; the plan is kept all the same
            log_exception("a dialect could not word its reply")
            bare = Reply(self.text, self.text, {}, self.is_error, self.issues)
            return json.dumps(bare.to_dict())

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> Self:
        """The reply of which `to_dict` made this; a `ValueError` says what is wrong where none did."""
        from todowright.plan.plain import Given

        given = Given("a Reply", data, ("text", "display", "data", "is_error", "issues"))
        return cls(
            given.get("text", str),
            given.get("display", str, ""),
            given.get("data", dict, {}),
            given.get("is_error", bool, False),
            tuple(_issue(each) for each in given.get("issues", list, [])),
        )


Inexact = tuple[str, str, Todo]
"""What was done, the name that was given, and the todo that it was found to mean."""


class Draft:
    """The plan that a sound call asks for: todos with the number they had, or 0 where they are new."""

    __slots__ = ("checked", "confirm", "inexact", "is_edit", "is_read", "notes", "summary", "todos")

    def __init__(
        self,
        todos: Sequence[Todo],
        summary: str = "",
        notes: tuple[str, ...] = (),
        is_read: bool = False,
        checked: bool = False,
        is_edit: bool = False,
        confirm: tuple[Todo, ...] = (),
        inexact: tuple[Inexact, ...] = (),
    ) -> None:
        self.todos = todos
        """A tuple if all of them have a number and a label already."""
        self.summary = summary
        self.notes = notes
        """What the model cannot know."""
        self.is_read = is_read
        """Whether the plan is only asked for, and stays as it is."""
        self.checked = checked
        """Whether it is a whole list that the checker has read; else the writer looks at the outcome."""
        self.is_edit = is_edit
        """Whether single todos were edited: then nothing is kept where nothing changed."""
        self.confirm = confirm
        """Open todos that would go: it is refused once, and kept when it comes again."""
        self.inexact = inexact
        """Todos that were named by a part of their words: the writer looks whether another one was meant."""


class Call:
    """What a dialect knows of a call when it words the reply."""

    __slots__ = ("arguments", "before", "elapsed", "log_failure", "plan", "reads")

    def __init__(
        self,
        arguments: object,
        plan: Plan,
        elapsed: float = 0.0,
        log_failure: str = "",
        before: Plan | None = None,
        reads: bool = False,
    ) -> None:
        self.arguments = arguments
        self.plan = plan
        """The plan that stands now, after an accepted call or despite a refused one."""
        self.elapsed = elapsed
        """Seconds since the call came in."""
        self.log_failure = log_failure
        """Why the completion log could not be written, if it could not."""
        self.before = before
        """The plan that stood before an accepted call."""
        self.reads = reads
        """Whether it only asked for the plan."""


def _plain(value: object, depth: int = 200) -> object:
    """A value as JSON can say it."""
    if value.__class__ is str:  # most are
        return value
    if not depth:
        return "…"
    if isinstance(value, Mapping):
        return {str(key): _plain(each, depth - 1) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each, depth - 1) for each in value]
    return value if value is None or isinstance(value, (str, int, float)) else repr(value)


def _issue(data: object) -> Issue:
    from todowright.plan.plain import Given

    given = Given("an Issue", data, [part.name for part in fields(Issue)])
    return Issue(
        given.choice("code", get_args(Code)),
        given.optional("index", int),
        given.optional("field", str),
        given.get("value", str, ""),
        given.get("kind", str, ""),
        given.get("expected", str, ""),
        given.optional("limit", int),
    )
