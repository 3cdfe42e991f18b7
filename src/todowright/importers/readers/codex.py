"""Rollouts of Codex, `~/.codex/sessions/**/rollout-*.jsonl`, and what `codex exec --json` prints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from todowright.importers.found import (
    LONGEST_PROMPT,
    Found,
    Spent,
    Waiting,
    count_of,
    dicts,
    member,
    moment,
    parsed,
    text_of,
)
from todowright.importers.tools import Tools

HOST = "Codex"
TOOLS = Tools("update_plan", "todo_list")
_ID = re.compile(r"([0-9a-f]{8}-[0-9a-f-]{27})\.jsonl")
_ALSO = (b'"session_meta"', b'"turn_context"', b'"thread.started"')


def sees(path: str, head: bytes) -> bool:
    """Whether it is such a file."""
    if b'"session_meta"' in head or b'"thread.started"' in head:
        return True
    return "rollout-" in path and b'"sessionId"' not in head and b'"type"' in head


class Lines:
    """Reads one rollout."""

    def __init__(self, path: str) -> None:
        named = _ID.search(path)
        self._session = named[1] if named else ""
        self._agent = "main"
        self._known = False
        self._model = ""
        self._round = 0
        self._items = 0
        self._folder = ""
        self._prompt = ""
        self._waiting = Waiting()

    def wants(self, line: bytes) -> bool:
        """Whether it can matter; counts how often the model spoke."""
        start = line[:200]
        if b'"token_count"' in start:
            self._round += 1
            return True
        if not self._prompt and b'"user_message"' in start:
            asked = member(parsed(line), "payload", "message")
            self._prompt = text_of(asked)[:LONGEST_PROMPT]
        for mark in (*TOOLS.marks, *self._waiting.marks):
            if mark in line:
                return True
        return any(mark in start for mark in _ALSO)

    def read(self, record: Any) -> Iterator[Found | Spent]:
        """The calls that are complete with this line."""
        if not isinstance(record, dict):
            return
        kind, payload = record.get("type"), record.get("payload", record)
        if not isinstance(payload, dict):
            return
        if kind == "session_meta":
            self._begin(payload)
        elif kind == "thread.started":
            self._session = text_of(record.get("thread_id")) or self._session
        elif kind == "turn_context":
            self._model = text_of(payload.get("model")) or self._model
        elif payload.get("type") == "token_count":
            yield from self._spent(record, payload.get("info"))
        elif payload.get("type") == "function_call" and payload.get("name") in TOOLS:
            when = moment(record.get("timestamp"))
            call_id = text_of(payload.get("call_id"))
            self._waiting.add(
                self._found(text_of(payload["name"]), payload.get("arguments"), call_id, when)
            )
        elif payload.get("type") == "function_call_output":
            output = payload.get("output")
            failed = member(output, "success") is False
            self._waiting.answer(text_of(payload.get("call_id")), output, is_error=failed)
        elif member(record, "item", "type") == "todo_list":
            self._items += 1
            call_id = f"{self._session}:{member(record, 'item', 'id')}:{self._items}"
            listed = {"items": dicts(member(record, "item", "items"))}
            self._waiting.add(self._found("todo_list", listed, call_id, None))
            self._waiting.answer(call_id, None)
        yield from self._waiting.ready()

    def rest(self) -> Iterator[Found | Spent]:
        """The calls that got no result."""
        yield from self._waiting.rest()

    def _spent(self, record: Any, info: object) -> Iterator[Spent]:
        """The last request; it may be told again, with the same sum of all."""
        so_far = count_of(member(info, "total_token_usage", "total_tokens"))
        last = member(info, "last_token_usage")
        if isinstance(last, dict) and so_far:
            yield Spent(
                f"{self._session}:{so_far}",
                self._session,
                self._agent,
                self._model,
                count_of(last.get("input_tokens")),
                count_of(last.get("output_tokens")),
                count_of(last.get("cached_input_tokens")),
                when=moment(record.get("timestamp")),
            )

    def _begin(self, meta: dict[str, Any]) -> None:
        """Take the names of the first head; a fork has a copy of its parent's behind its own."""
        if self._known:
            return
        self._known = True
        self._session = text_of(meta.get("id")) or self._session
        self._folder = text_of(meta.get("cwd"))
        parent = member(meta, "source", "subagent", "thread_spawn", "parent_thread_id")
        if isinstance(parent, str) and parent:
            self._agent, self._session = f"main/{self._session}", parent

    def _found(self, tool: str, given: object, call_id: str, when: Any) -> Found:
        return Found(
            tool,
            given,
            self._session,
            self._agent,
            call_id,
            when,
            self._model,
            round=self._round,
            folder=self._folder,
            prompt=self._prompt,
        )
