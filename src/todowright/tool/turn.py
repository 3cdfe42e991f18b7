"""One turn of a model: the calls that it wrote before it read any of their answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from todowright.dialects.call import Reply
from todowright.dialects.dialect import Dialect
from todowright.dialects.list_dialect import ListDialect
from todowright.tool.replies import annotated

Answer = Callable[[object, str | None, str | None, list[str]], Reply]
"""Answers arguments, a tool's name and a call's id; the list is what others did in the course of the turn."""


class Turn:
    """The plan calls of one turn, run in call order: `with todo.turn() as turn: turn(name, arguments)`.

    Each call gets its own reply at once. After the block, `replies` has them all, and where several sent
    the whole list, the one that stands says so.
    """

    def __init__(
        self, dialect: Dialect, answer: Answer, set_turn: Callable[[Turn | None], None]
    ) -> None:
        self._dialect = dialect
        self._answer = answer
        self._set_turn = set_turn
        self.replies: list[Reply] = []
        self.unread: list[str] = []
        """What others did in the course of this turn: the model had not read it when it wrote."""
        self._lists: list[int] = []
        """Which of the replies are to calls that sent the whole list."""
        self._is_open: bool | None = None
        """None before its block."""

    def __enter__(self) -> Self:
        if self._is_open is False:
            raise RuntimeError("this turn has ended: begin another one with todo.turn()")
        self._set_turn(self)
        self._is_open = True
        return self

    def __exit__(self, *_: object) -> None:
        self._set_turn(None)
        self._is_open = False
        accepted = [index for index in self._lists if not self.replies[index].is_error]
        if len(self._lists) > 1 and accepted:
            dialect, stands = self._dialect, accepted[-1]
            note = dialect.note("last_stands", str(len(self._lists)))
            self.replies[stands] = annotated(dialect, self.replies[stands], [note])

    def __call__(
        self, name: str | None, arguments: object = None, *, call_id: str | None = None
    ) -> Reply:
        """Make one of the turn's plan calls."""
        if not self._is_open:
            when = "has ended" if self._is_open is False else "has not begun"
            raise RuntimeError(f"this turn {when}: call it inside `with todo.turn() as turn:`")
        dialect = self._dialect
        if isinstance(dialect, ListDialect) and name in (None, dialect.tool_name):
            self._lists.append(len(self.replies))
        reply = self._answer(arguments, name, call_id, self.unread)
        self.replies.append(reply)
        return reply
