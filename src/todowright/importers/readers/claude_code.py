"""Transcripts of Claude Code: `~/.claude/projects/**/*.jsonl`, sub-agents' too, and streams of its SDK."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from todowright.importers.found import (
    LONGEST_PROMPT,
    MOST_WAITING,
    Found,
    Spent,
    Waiting,
    cost_of,
    count_of,
    dicts,
    member,
    moment,
    parsed,
    text_of,
)
from todowright.importers.tools import CLAUDE, shares_list

HOST = "Claude Code"
_EARLY, _LONGEST_LINE = 40, 20_000
"""Lines at the beginning in which the first prompt is looked for, and their length."""
_WITHIN = 4_000
"""Bytes of a line in which the id of its message stands."""


def sees(path: str, head: bytes) -> bool:
    """Whether it is such a transcript."""
    return b'"sessionId"' in head or (b'"session_id"' in head and b'"parent_tool_use_id"' in head)


class Lines:
    """Reads one transcript."""

    def __init__(self, path: str) -> None:
        self._waiting = Waiting()
        self._message = b"\0"
        self._round = 0
        self._title = ""
        self._speaking: dict[str, Spent] = {}
        """What the last request of each agent took: its message may stand in several lines."""
        self._prompt = ""
        self._early = _EARLY

    def wants(self, line: bytes) -> bool:
        """Whether it can hold a call, the result of one or a title; counts how often the model speaks."""
        at = line.find(b'"msg_', 0, _WITHIN)
        if at > 0 and not line.startswith(self._message, at):
            self._message = line[at : at + 40]
            self._round += 1
        if self._early:
            self._early -= 1
            self._prompt = self._prompt or _asked(line)
        if at > 0 and b'"usage"' in line:
            return True
        if b"TodoWrite" in line or b'"Task' in line:
            return True
        for mark in self._waiting.marks:
            if mark in line:
                return True
        return line.startswith(b'{"type"') and (b'"summary"' in line[:40] or b"-title" in line[:40])

    def read(self, record: Any) -> Iterator[Found | Spent]:
        """The calls that are complete with this line."""
        if not isinstance(record, dict):
            return
        kind = record.get("type")
        if kind in ("summary", "custom-title", "ai-title"):
            names = (record.get("customTitle"), record.get("aiTitle"), record.get("summary"))
            self._title = next((text for text in names if isinstance(text, str)), self._title)
            return
        inner: Any = record
        if kind == "progress":  # what a sub-agent said, told to its parent
            inner = member(record, "data", "message")
        yield from self._spent(record, inner)
        for block in dicts(member(inner, "message", "content")):
            if block.get("type") == "tool_use" and block.get("name") in CLAUDE:
                self._waiting.add(self._call(record, inner, block))
            elif block.get("type") == "tool_result":
                told = record.get("toolUseResult") or record.get("tool_use_result")
                self._waiting.answer(
                    text_of(block.get("tool_use_id")),
                    [block.get("content"), told],
                    is_error=block.get("is_error") is True,
                )
        yield from self._waiting.ready()

    def rest(self) -> Iterator[Found | Spent]:
        """The calls that got no result."""
        yield from self._waiting.rest()
        yield from self._speaking.values()
        self._speaking.clear()

    def _spent(self, record: Any, inner: Any) -> Iterator[Spent]:
        """The request before, once another message begins; and this one, where its message is whole."""
        message = member(inner, "message")
        told, name = member(message, "usage"), text_of(member(message, "id"))
        if not isinstance(told, dict) or not name:
            return
        worker = _worker(record)
        before = self._speaking.get(worker)
        if before is not None and before.id != name:
            yield before
        cached = count_of(told.get("cache_read_input_tokens"))
        written = count_of(told.get("output_tokens"))
        if before is not None and before.id == name:  # the later lines know more
            written = max(written, before.output)
        fresh = count_of(told.get("input_tokens")) + count_of(
            told.get("cache_creation_input_tokens")
        )
        spent = Spent(
            name,
            text_of(record.get("sessionId") or record.get("session_id")),
            f"main/{worker}" if worker else "main",
            text_of(member(message, "model")),
            fresh + cached,
            written,
            cached,
            cost_of(record.get("costUSD")),
            moment(inner.get("timestamp") or record.get("timestamp")),
        )
        self._speaking.pop(worker, None)
        if member(message, "stop_reason"):
            yield spent
            return
        self._speaking[worker] = spent
        if len(self._speaking) > MOST_WAITING:
            yield self._speaking.pop(next(iter(self._speaking)))

    def _call(self, record: Any, inner: Any, block: dict[str, object]) -> Found:
        worker = _worker(record)
        tool = text_of(block.get("name"))
        alone = worker and not shares_list(tool)
        return Found(
            tool,
            block.get("input"),
            text_of(record.get("sessionId") or record.get("session_id")),
            f"main/{worker}" if alone else "main",
            text_of(block.get("id")),
            moment(inner.get("timestamp") or record.get("timestamp")),
            text_of(member(inner, "message", "model")),
            self._title,
            round=self._round,
            folder=text_of(record.get("cwd")),
            prompt=self._prompt,
        )


def _worker(record: Any) -> str:
    """The sub-agent that a line is of; empty for the main one."""
    worker = text_of(record.get("agentId") or member(record, "data", "agentId"))
    return worker or text_of(record.get("parent_tool_use_id"))


def _asked(line: bytes) -> str:
    """What the user asks in this line; nothing where it is none of theirs, or what the host says in their name."""
    if b'"user"' not in line or len(line) > _LONGEST_LINE:
        return ""
    record = parsed(line)
    if member(record, "type") != "user" or member(record, "isMeta"):
        return ""
    content = member(record, "message", "content")
    texts = [content, *(part.get("text") for part in dicts(content))]
    asked = next((each for each in texts if isinstance(each, str) and each.strip()), "").strip()
    return "" if asked.startswith(("<", "Caveat:")) else asked[:LONGEST_PROMPT]
