"""Logs that hooks of Claude Code write: a list, or lines, of what each hook was given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from todowright.importers.documents import pieces
from todowright.importers.found import Damage, Found, Waiting, digest, moment, text_of
from todowright.importers.tools import CLAUDE, shares_list

HOST = "Claude Code"


def sees(path: str, head: bytes) -> bool:
    """Whether it is such a log."""
    return b'"hook_event_name"' in head and b'"tool_input"' in head


class Lines:
    """Reads one log. Its calls may have no ids, and one may be told before and after it was made."""

    def __init__(self, path: str) -> None:
        self._waiting = Waiting()
        self._counted: Counter[str] = Counter()
        self._open: dict[str, str] = {}

    def wants(self, line: bytes) -> bool:
        """Whether it can hold a call."""
        return any(mark in line for mark in CLAUDE.marks)

    def read(self, record: Any) -> Iterator[Found]:
        """The calls that are complete with this entry."""
        if not isinstance(record, dict) or record.get("tool_name") not in CLAUDE:
            return
        session, tool = text_of(record.get("session_id")), text_of(record.get("tool_name"))
        key = text_of(record.get("tool_use_id")) or digest(session, tool, record.get("tool_input"))  # fmt: skip
        after = "tool_response" in record or record.get("hook_event_name") == "PostToolUse"
        if after and key in self._open:
            call_id = self._open.pop(key)
        else:
            call_id = self._begin(record, session, tool, key)
            if not after:
                self._open[key] = call_id
        if after:
            self._waiting.answer(call_id, record.get("tool_response"))
        yield from self._waiting.ready()

    def rest(self) -> Iterator[Found]:
        """The calls of a log that tells only what will be called."""
        self._open.clear()
        yield from self._waiting.rest()

    def _begin(self, record: dict[str, Any], session: str, tool: str, key: str) -> str:
        call_id = text_of(record.get("tool_use_id"))
        if not call_id:
            self._counted[key] += 1
            call_id = f"{key}.{self._counted[key]}"
        worker = text_of(record.get("agent_id"))
        agent = f"main/{worker}" if worker and not shares_list(tool) else "main"
        when = moment(record.get("timestamp"))
        folder = text_of(record.get("cwd"))
        self._waiting.add(
            Found(tool, record.get("tool_input"), session, agent, call_id, when, folder=folder)
        )
        return call_id


def document(path: str, file: Any) -> Iterator[Found | Damage]:
    """The calls of a log that is one list."""
    lines = Lines(path)
    for piece in pieces(file, ()):
        if isinstance(piece, Damage):
            yield piece
        else:
            yield from lines.read(piece[1])
    yield from lines.rest()
