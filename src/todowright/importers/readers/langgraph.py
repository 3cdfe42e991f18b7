"""Threads of LangGraph: a list of them, or lines with a thread or a message each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from todowright.importers.documents import pieces
from todowright.importers.found import Damage, Found, Waiting, dicts, member, moment, text_of
from todowright.importers.tools import Tools

HOST = "LangGraph"
TOOLS = Tools("write_todos")


def sees(path: str, head: bytes) -> bool:
    """Whether it holds threads, or messages of one."""
    return b'"thread_id"' in head or (b'"tool_calls"' in head and b'"response_metadata"' in head)


class Lines:
    """Reads a file of threads or messages."""

    def __init__(self, path: str) -> None:
        self._file = Path(path).name.partition(".")[0]
        self._waiting = Waiting()
        self._round = 0

    def wants(self, line: bytes) -> bool:
        """Whether it can hold a call or its result; counts how often the model speaks."""
        if b'"type":"ai"' in line[-4000:] or b'"type": "ai"' in line:
            self._round += 1
        return any(mark in line for mark in (*TOOLS.marks, *self._waiting.marks))

    def read(self, record: Any) -> Iterator[Found]:
        """The calls of a thread, or of one message."""
        messages = member(record, "values", "messages") or member(record, "messages")
        if isinstance(messages, list):
            yield from self._waiting.rest()
            session = text_of(member(record, "thread_id")) or self._file
            title = text_of(member(record, "values", "title"))
            rounds = 0
            for message in dicts(messages):
                rounds += message.get("type") == "ai"
                when = message.get("created_at") or member(record, "updated_at")
                self._message(message, session, title, moment(when), rounds)
            yield from self._waiting.ready()
            yield from self._waiting.rest()
        else:
            when = moment(member(record, "created_at"))
            self._message(record, self._file, "", when, self._round)
            yield from self._waiting.ready()

    def rest(self) -> Iterator[Found]:
        """The calls that got no result."""
        yield from self._waiting.rest()

    def _message(self, message: Any, session: str, title: str, when: Any, rounds: int) -> None:
        model = member(message, "response_metadata", "model_name")
        for call in dicts(member(message, "tool_calls")):
            if call.get("name") in TOOLS:
                self._waiting.add(
                    Found(
                        text_of(call["name"]),
                        call.get("args"),
                        session,
                        "main",
                        text_of(call.get("id")),
                        when,
                        text_of(model),
                        title,
                        round=rounds,
                    )
                )
        call_id = text_of(member(message, "tool_call_id"))
        if call_id:
            failed = member(message, "status") == "error"
            self._waiting.answer(call_id, member(message, "content"), is_error=failed)


def document(path: str, file: Any) -> Iterator[Found | Damage]:
    """The calls of a list of threads, or of one thread."""
    lines = Lines(path)
    whole: dict[str, Any] = {}
    for piece in pieces(file, ()):
        if isinstance(piece, Damage):
            yield piece
        elif piece[0]:
            whole[piece[0]] = piece[1]
        else:
            yield from lines.read(piece[1])
    yield from lines.read(whole)
    yield from lines.rest()
