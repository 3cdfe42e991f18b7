"""Chats of Qwen Code: `~/.qwen/projects/*/chats/*.jsonl`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from todowright.importers.found import Found, Waiting, dicts, member, moment, text_of
from todowright.importers.tools import Tools

HOST = "Qwen Code"
TOOLS = Tools("todo_write")


def sees(path: str, head: bytes) -> bool:
    """Whether it is such a chat: like one of Claude Code, with the messages of another API."""
    return b'"sessionId"' in head and b'"parts"' in head and b'"uuid"' in head


class Lines:
    """Reads one chat."""

    def __init__(self, path: str) -> None:
        self._waiting = Waiting()
        self._round = 0
        self._title = ""

    def wants(self, line: bytes) -> bool:
        """Whether it can matter; counts how often the model spoke."""
        if b'"type":"assistant"' in line:
            self._round += 1
        marks = (*TOOLS.marks, *self._waiting.marks, b'"custom_title"')
        return any(mark in line for mark in marks)

    def read(self, record: Any) -> Iterator[Found]:
        """The calls that are complete with this line."""
        if member(record, "subtype") == "custom_title":
            payload = member(record, "systemPayload")
            self._title = text_of(member(payload, "customTitle") or member(payload, "title"))
        for part in dicts(member(record, "message", "parts")):
            call, answer = part.get("functionCall"), part.get("functionResponse")
            if isinstance(call, dict) and call.get("name") in TOOLS:
                worker = text_of(record.get("agentId"))
                self._waiting.add(
                    Found(
                        text_of(call["name"]),
                        call.get("args"),
                        text_of(record.get("sessionId")),
                        f"main/{worker}" if worker else "main",
                        text_of(call.get("id")),
                        moment(record.get("timestamp")),
                        text_of(record.get("model")),
                        self._title,
                        round=self._round,
                        folder=text_of(record.get("cwd")),
                    )
                )
            elif isinstance(answer, dict):
                told = answer.get("response")
                failed = isinstance(told, dict) and "error" in told
                self._waiting.answer(text_of(answer.get("id")), told, is_error=failed)
        yield from self._waiting.ready()

    def rest(self) -> Iterator[Found]:
        """The calls that got no result."""
        yield from self._waiting.rest()
