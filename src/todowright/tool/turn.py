"""One turn of a model: the calls that it wrote before it read any of their answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, Self

from todowright.dialects.call import Reply
from todowright.dialects.dialect import Dialect
from todowright.dialects.list_dialect import ListDialect
from todowright.dialects.verb_dialect import VerbDialect
from todowright.tool.replies import annotated


class Answers(Protocol):
    """Whose turn it is: a tool."""

    dialect: Dialect
    _answer: Callable[[object, str | None, str | None, list[str]], Reply]
    """Answers arguments, a tool's name and a call's id; the list is what others did in the course of the turn."""

    def _set_turn(self, turn: Turn | None) -> None:
        """Begin or end a turn; only one is open at a time."""


class Turn:
    """The plan calls of one turn, run in call order: `with todo.turn() as turn: turn(name, arguments)`.

    Each call gets its own reply at once. After the block, `replies` has them all, and where several sent
    the whole list, the one that stands says so; `stands` tells which it is, and `note` what it says.
    """

    def __init__(self, todo: Answers) -> None:
        self._todo = todo
        self._dialect = todo.dialect
        self.replies: list[Reply] = []
        self.unread: list[str] = []
        """What others did in the course of this turn: the model had not read it when it wrote."""
        self._lists: list[int] = []
        """Which of the replies are to calls that sent the whole list."""
        self._unreadable = 0
        self.stands: int | None = None
        self.note = ""
        self._is_open: bool | None = None
        """None before its block."""

    def __enter__(self) -> Self:
        if self._is_open is False:
            raise RuntimeError("this turn has ended: begin another one with todo.turn()")
        self._todo._set_turn(self)
        self._is_open = True
        return self

    def __exit__(self, *_: object) -> None:
        self._todo._set_turn(None)
        self._is_open = False
        if not self._lists:
            return
        accepted = [index for index in self._lists if not self.replies[index].is_error]
        count = len(self._lists) + self._unreadable
        if count > 1 and accepted:
            dialect, self.stands = self._dialect, accepted[-1]
            self.note = dialect.note("last_stands", str(count))
            reply = self.replies[self.stands]
            self.replies[self.stands] = annotated(dialect, reply, [self.note])

    def __call__(
        self, name: str | None, arguments: object = None, *, call_id: str | None = None
    ) -> Reply:
        """Make one of the turn's plan calls."""
        if not self._is_open:
            when = "has ended" if self._is_open is False else "has not begun"
            raise RuntimeError(f"this turn {when}: call it inside `with todo.turn() as turn:`")
        reply = self._todo._answer(arguments, name, call_id, self.unread)
        if self._takes_list(name) and not self._is_question(arguments):
            self._lists.append(len(self.replies))
        self.replies.append(reply)
        return reply

    def count_unreadable(self, name: str) -> None:
        """Count a call that its host has refused already, since its arguments could not be read."""
        self._unreadable += self._takes_list(name)

    def _takes_list(self, name: str | None) -> bool:
        dialect = self._dialect
        if isinstance(dialect, ListDialect):
            return name in (None, dialect.tool_name)
        verb = dialect.verb(name) if isinstance(dialect, VerbDialect) else None
        return verb is not None and verb.whole

    def _is_question(self, arguments: object) -> bool:
        """Whether a call only asks what the plan is: where there are verbs, it sends nothing."""
        if isinstance(self._dialect, ListDialect):
            return False
        return not (any(arguments.values()) if type(arguments) is dict else arguments)
