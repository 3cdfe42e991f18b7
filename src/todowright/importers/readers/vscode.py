"""Chats of VS Code: `chatSessions/*.json` and `*.jsonl`, and exported ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from todowright.importers.damaged import whole_objects
from todowright.importers.documents import pieces
from todowright.importers.found import Damage, Found, dicts, member, moment, text_of
from todowright.importers.tools import Tools

HOST = "VS Code"
TOOLS = Tools("manage_todo_list")
_CALLED, _SHOWN = (re.compile(rf'"{key}"\s*:\s*"manage_todo_list"') for key in ("name", "toolId"))


def sees(path: str, head: bytes) -> bool:
    """Whether it is such a chat."""
    if "chatSessions" in Path(path).parts:
        return True
    return b'"requesterUsername"' in head or (b'"responderUsername"' in head and b'"requests"' in head)  # fmt: skip


class Lines:
    """Reads a chat that is kept as lines: first the whole of it, then what was changed."""

    def __init__(self, path: str) -> None:
        self._chat = _Chat(path)
        self._shown: dict[str, list[Found]] = {}
        """What was shown of a request, until its rounds tell the same calls."""

    def wants(self, line: bytes) -> bool:
        """Whether it can matter."""
        return any(
            mark in line for mark in (*TOOLS.marks, b'"sessionId"', b'"customTitle"', b'"modelId"')
        )

    def read(self, record: Any) -> Iterator[Found]:
        """The calls that this line brings."""
        value, keys = member(record, "v"), member(record, "k")
        if keys is None and isinstance(value, dict):
            self._chat.about(value)
            for request in dicts(value.get("requests")):
                yield from self._chat.read(request)
        elif isinstance(keys, list) and keys:
            if keys[-1] == "customTitle":
                self._chat.about({"customTitle": value})
            which = str(keys[1:2])
            for request in _requests(keys, value):
                calls = list(self._chat.read(request))
                if keys[-1] == "response":
                    self._shown.setdefault(which, []).extend(calls)
                else:
                    if calls:
                        self._shown.pop(which, None)
                    yield from calls

    def rest(self) -> Iterator[Found]:
        """What was only shown."""
        shown, self._shown = self._shown, {}
        for calls in shown.values():
            yield from calls


def _requests(keys: list[Any], value: object) -> list[dict[str, Any]]:
    """What a change brings, in the form of a request."""
    if keys == ["requests"]:
        return dicts(value)
    if keys[-1] == "response":
        return [{"response": value}]
    return [{"result": value}] if keys[-1] == "result" else []


def document(path: str, file: Any) -> Iterator[Found | Damage]:
    """The calls of one chat."""
    chat = _Chat(path)
    for piece in pieces(file, ("requests",)):
        if isinstance(piece, Damage):
            yield piece
            if piece.text:  # of the rest, what is whole in itself
                yield from chat.saved(piece.text)
                return
        elif piece[0] == "requests":
            yield from chat.read(piece[1])
        else:
            chat.about({piece[0]: piece[1]})


class _Chat:
    def __init__(self, path: str) -> None:
        self._session = Path(path).name.partition(".")[0]
        self._title = ""
        self._round = 0
        self._when: Any = None
        self._model = ""

    def about(self, values: dict[str, Any]) -> None:
        """Take what is told of the chat as a whole."""
        self._session = text_of(values.get("sessionId")) or self._session
        self._title = text_of(values.get("customTitle")) or self._title

    def read(self, request: Any) -> Iterator[Found]:
        """The calls of one request: of its rounds, or, where they are not kept, of what was shown."""
        before, told = self._round, False
        self._when = moment(member(request, "timestamp")) or self._when
        self._model = text_of(member(request, "modelId")) or self._model
        for rounds in dicts(member(request, "result", "metadata", "toolCallRounds")):
            self._round += 1
            for call in dicts(rounds.get("toolCalls")):
                if call.get("name") in TOOLS:
                    told = True
                    yield self._found(text_of(call["name"]), call.get("arguments"), call)
        if told:
            return
        self._round = before
        for shown in dicts(member(request, "response")):
            tool, listed = shown.get("toolId"), member(shown, "toolSpecificData", "todoList")
            if tool in TOOLS and isinstance(listed, list):
                self._round += 1
                yield self._found(text_of(tool), {"todoList": listed}, shown)

    def saved(self, text: str) -> Iterator[Found]:
        """The calls that are whole in a request which is not."""
        calls = [(each, each.get("arguments")) for each in whole_objects(text, _CALLED)]
        lists = [(each, member(each, "toolSpecificData", "todoList")) for each in whole_objects(text, _SHOWN)]  # fmt: skip
        shown = [(each, {"todoList": found}) for each, found in lists if isinstance(found, list)]
        for call, given in calls if len(calls) >= len(shown) else shown:
            self._round += 1
            yield self._found("manage_todo_list", given, call)

    def _found(self, tool: str, given: object, call: dict[str, Any]) -> Found:
        call_id = text_of(call.get("id")) or text_of(call.get("toolCallId"))
        return Found(
            tool,
            given,
            self._session,
            "main",
            call_id,
            self._when,
            self._model,
            self._title,
            round=self._round,
        )
