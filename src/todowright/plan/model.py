"""The values everything else is about. They are frozen: whoever has one may keep it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, Self, get_args

from todowright.errors import UnknownName
from todowright.names import MAIN as MAIN
from todowright.text import all_neutral, clip, likely, neutral, shown
from todowright.values import maker, value

if TYPE_CHECKING:
    from datetime import datetime

Status = Literal["pending", "in_progress", "completed", "cancelled"]
STATUSES: tuple[Status, ...] = get_args(Status)
Maker = Literal["agent", "person", "program"]
MAKERS: tuple[Maker, ...] = get_args(Maker)
CLOSED: frozenset[str] = frozenset({"completed", "cancelled"})

MOST_ITEMS = 10_000
"""The house's ceiling where a dialect names no limit: no plan is longer, but an accident may be."""
LONGEST_TEXT = 100_000
"""Likewise for the characters of one text."""
LARGEST_PLAN = 1_000_000
"""Likewise for the characters of all texts of a plan that grows step by step: every call has to look through them."""
UNTOLD = ("lease",)
"""Extras that programs keep for themselves: nobody reads them behind a step."""

_MOST_OPEN = 12
_LONGEST = 120


Extras = tuple[tuple[str, str], ...]
"""Keys and texts that a dialect keeps with a todo, in the order of the keys."""


@value
class Todo:
    """One line of work."""

    content: str
    status: Status = "pending"
    active_form: str = ""
    id: str = ""
    """A label: `t1`, `t2`, … or a program's own."""
    number: int = 0
    """What tells it from all other todos of its agent and session, now and ever; 0 before it is kept."""
    extras: Extras = ()
    """What its dialect keeps of it beside these: `(("priority", "high"),)`."""

    @property
    def closed(self) -> bool:
        """Completed or cancelled: nothing is left to do."""
        return self.status in CLOSED

    def to_dict(self) -> dict[str, object]:
        """The todo as plain values, for JSON."""
        return {
            "number": self.number,
            "id": self.id,
            "content": self.content,
            "status": self.status,
            "active_form": self.active_form,
            "extras": dict(self.extras),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> Self:
        """The todo of which `to_dict` made this; a `ValueError` says what is wrong where none did."""
        from todowright.plan.plain import Given

        given = Given(
            "a Todo", data, ("number", "id", "content", "status", "active_form", "extras")
        )
        return cls(
            given.get("content", str),
            given.choice("status", STATUSES, "pending"),
            given.get("active_form", str, ""),
            given.get("id", str, ""),
            given.count("number"),
            given.texts("extras"),
        )

    @property
    def aside(self) -> str:
        """Its extras in brackets, to stand behind its words; empty where it has none."""
        if not self.extras:
            return ""
        told = ", ".join([f"{key}: {text}" for key, text in self.extras if key not in UNTOLD])
        return f" ({told})" if told else ""

    def sent_again(self, content: str, status: Status, active_form: str, label: str) -> Todo:
        """The same todo in what a list says of it now: it keeps what a list does not say."""
        return new_todo(content, status, active_form, label, self.number, self.extras)

    def with_status(self, status: Status) -> Todo:
        """The todo in another status."""
        return new_todo(self.content, status, self.active_form, self.id, self.number, self.extras)


new_todo = maker(Todo)


def with_numbers(todos: Iterable[Todo], given: Iterable[tuple[str, int]]) -> tuple[Todo, ...]:
    """The todos, each with the label and the number that it is given; one that has both is the same."""
    return tuple(
        todo
        if todo.number == number and todo.id == label
        else new_todo(todo.content, todo.status, todo.active_form, label, number, todo.extras)
        for todo, (label, number) in zip(todos, given, strict=True)
    )


class Author(NamedTuple):
    """Who made a revision."""

    kind: Maker = "agent"
    name: str = ""


AGENT, PERSON, PROGRAM = Author("agent"), Author("person"), Author("program")


@value
class Plan:
    """The whole list of one agent in one session at one revision."""

    session: str = "default"
    agent: str = MAIN
    revision: int = 0
    todos: tuple[Todo, ...] = ()
    summary: str = ""
    updated_at: datetime | None = None
    """When this revision was made, in UTC; None before the first."""
    issued: int = 0
    """The highest number that a todo of this plan has had."""
    log: str = ""
    """The file name of the session's completion log, once there is one."""
    by: Author = AGENT
    """Who made this revision."""
    dialect: str = ""
    """The dialect whose rules it follows; empty for one that an earlier release wrote."""
    serves: int = 0
    """The number of the parent's step that this sub-agent works on; 0 for none."""
    ended: str = ""
    """How a sub-agent ended, once it has."""
    verified: bool = False
    """Whether its program verifies what is completed."""

    def count(self, status: str) -> int:
        """How many todos have this status."""
        found = [str(todo.status) for todo in self.todos].count(status)
        if not found and status not in STATUSES:
            meant = likely(status, STATUSES)
            raise UnknownName(
                f"no status is called '{shown(status)}': {meant}use {', '.join(STATUSES)}"
            )
        return found

    @property
    def progress(self) -> tuple[int, int]:
        """How many todos are completed, and of how many that were not cancelled."""
        statuses = [todo.status for todo in self.todos]
        return statuses.count("completed"), len(statuses) - statuses.count("cancelled")

    @property
    def finished(self) -> bool:
        """There was something to do, and nothing of it is left."""
        if not self.todos:
            return False
        for todo in self.todos:  # noqa: SIM110  a third of the time of `all`
            if todo.status not in CLOSED:
                return False
        return True

    @property
    def current(self) -> Todo | None:
        """The first todo that is in progress."""
        for todo in self.todos:
            if todo.status == "in_progress":
                return todo
        return None

    @property
    def open(self) -> tuple[Todo, ...]:
        """The todos that are not closed."""
        return tuple([todo for todo in self.todos if todo.status not in CLOSED])

    @property
    def parent(self) -> str:
        """The agent that this sub-agent works for; empty for one that works for nobody."""
        return self.agent.rpartition("/")[0]

    def to_dict(self) -> dict[str, object]:
        """The plan as plain values, for JSON."""
        return {
            "session": self.session,
            "agent": self.agent,
            "revision": self.revision,
            "updated_at": self.updated_at.isoformat() if self.updated_at else None,
            "by": {"kind": self.by.kind, "name": self.by.name},
            "dialect": self.dialect,
            "serves": self.serves,
            "ended": self.ended,
            "summary": self.summary,
            "todos": [todo.to_dict() for todo in self.todos],
            "issued": self.issued,
            "log": self.log,
            "verified": self.verified,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> Self:
        """The plan of which `to_dict` made this; a `ValueError` says what is wrong where none did."""
        from todowright.plan.plain import Given

        given = Given("a Plan", data, _EMPTY.to_dict())
        by = Given("the author of a Plan", given.get("by", dict, {}), ("kind", "name"))
        todos = tuple(Todo.from_dict(each) for each in given.get("todos", list))
        highest = max([0, *(todo.number for todo in todos)])
        return cls(
            given.get("session", str, "default"),
            given.get("agent", str, MAIN),
            given.count("revision"),
            todos,
            given.get("summary", str, ""),
            given.moment("updated_at"),
            max(highest, given.count("issued", highest)),
            given.get("log", str, ""),
            Author(by.choice("kind", MAKERS, "agent"), by.get("name", str, "")),
            given.get("dialect", str, ""),
            given.count("serves"),
            given.get("ended", str, ""),
            given.get("verified", bool, False),
        )

    def tail(self) -> str:
        """Where the plan stands, in words, for the end of a model's context; empty if nothing is open."""
        return self._tail(_MOST_OPEN, _LONGEST)

    def snapshot(self) -> str:
        """The plan for a compacted context: notes about where the work is, not new orders."""
        body = self._tail(len(self.todos), LONGEST_TEXT)
        if not body:
            return ""
        done = [neutral(todo.content) for todo in self.todos if todo.status == "completed"]
        finished = f"\nFinished, not to be done again: {clip('; '.join(done), 400)}" if done else ""
        return f"<plan>\n{body}{finished}\n</plan>"

    def _tail(self, most: int, longest: int) -> str:
        """State is told in words, since a weak model hardly reads marks; no text breaks out of its line."""
        left = self.open
        if not left:
            return ""
        done, total = self.progress
        lines = [f"Plan: {done} of {total} done."]
        shown = left[:most]
        texts = [todo.content + todo.aside if todo.extras else todo.content for todo in shown]
        is_next = True
        for todo, text in zip(shown, all_neutral(texts, longest), strict=True):
            state = " - NOW" if todo.status == "in_progress" else ""
            if is_next and not state:
                state, is_next = " - NEXT", False
            lines.append(f"{todo.number}. {text}{state}" if todo.number else f"- {text}{state}")
        if len(left) > most:
            lines.append(f"and {len(left) - most} more")
        if self.summary:
            lines.append(f"Note: {clip(neutral(self.summary), longest)}")
        return "\n".join(lines)


new_plan = maker(Plan)
_EMPTY = Plan()
