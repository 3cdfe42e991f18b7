"""Tasks of Kilo, Roo and Cline: `tasks/ID/api_conversation_history.json`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from todowright.importers.documents import pieces
from todowright.importers.found import Damage, Found, Waiting, dicts, moment, text_of
from todowright.importers.tools import Tools
from todowright.text import clip

HOST = "Kilo, Roo"
TOOLS = Tools("update_todo_list", "todowrite")
_WRITTEN = re.compile(r"<update_todo_list>\s*<todos>(.*?)</todos>", re.DOTALL)
_END = "</todos>"
_MODEL = re.compile(r"<model>([^<]{1,100})</model>")


def sees(path: str, head: bytes) -> bool:
    """Whether it is the conversation of such a task."""
    if Path(path).name.startswith("api_conversation_history.json"):
        return True
    start = head[:2000].lstrip()
    return start.startswith(b"[") and b'"role"' in start and b"<task>" in head[:4000]


def document(path: str, file: Any) -> Iterator[Found | Damage]:
    """The calls of one task."""
    task = _Task(path)
    for piece in pieces(file, ()):
        if isinstance(piece, Damage):
            yield piece
        elif isinstance(piece[1], dict):
            yield from task.read(piece[1])
    yield from task.waiting.rest()


class _Task:
    def __init__(self, path: str) -> None:
        named = Path(path)
        alone = named.name.startswith("api_conversation_history") and named.parent.name
        self._session = alone or named.name.partition(".")[0]
        self._title = self._model = ""
        self._round = self._texts = 0
        self.waiting = Waiting()

    def read(self, message: dict[str, Any]) -> Iterator[Found]:
        self._round += message.get("role") == "assistant"
        content = message.get("content")
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else dicts(content):  # fmt: skip
            kind = block.get("type")
            if kind == "tool_use" and block.get("name") in TOOLS:
                given, call_id = block.get("input"), text_of(block.get("id"))
                self._add(text_of(block.get("name")), given, call_id, message)
            elif kind == "tool_result":
                failed = block.get("is_error") is True
                self.waiting.answer(text_of(block.get("tool_use_id")), block.get("content"), is_error=failed)  # fmt: skip
            elif kind == "text":
                self._text(text_of(block.get("text")), message)
        yield from self.waiting.ready()

    def _text(self, text: str, message: dict[str, Any]) -> None:
        """What a text tells: the task and the model, or a call in the form of older releases."""
        if message.get("role") == "user":
            model = _MODEL.search(text)
            self._title = self._title or clip(_between(text, "task") or _between(text, "user_message"), 200)  # fmt: skip
            self._model = model[1] if model else self._model
            return
        ended = text[: text.rfind(_END) + len(_END)] if _END in text else ""
        for written in _WRITTEN.finditer(ended):  # every beginning has an end: it is read once
            self._texts += 1
            call_id = f"{self._session}:{self._texts}"
            self._add("update_todo_list", {"todos": written[1].strip()}, call_id, message)
            self.waiting.answer(call_id, None)

    def _add(self, tool: str, given: object, call_id: str, message: dict[str, Any]) -> None:
        when = moment(message.get("ts"))
        self.waiting.add(
            Found(tool, given, self._session, "main", call_id, when, self._model, self._title, round=self._round)
        )  # fmt: skip


def _between(text: str, tag: str) -> str:
    """What stands in the first element of this name."""
    _, _, after = text.partition(f"<{tag}>")
    inside, end, _ = after.partition(f"</{tag}>")
    return inside.strip() if end else ""
