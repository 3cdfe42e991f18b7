"""Chats of Gemini CLI: `~/.gemini/tmp/*/chats/session-*.json`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from todowright.importers.documents import pieces
from todowright.importers.found import Damage, Found, dicts, member, moment, text_of
from todowright.importers.tools import Tools

HOST = "Gemini CLI"
TOOLS = Tools(
    "write_todos",
    "tracker_create_task",
    "tracker_update_task",
    "tracker_add_dependency",
    "tracker_get_task",
    "tracker_list_tasks",
)


def sees(path: str, head: bytes) -> bool:
    """Whether it is such a chat."""
    named = Path(path)
    chat = named.parent.name == "chats" and named.name.endswith(".json")
    return (chat or b'"projectHash"' in head) and b'"sessionId"' in head[:1000]


def document(path: str, file: Any) -> Iterator[Found | Damage]:
    """The calls of one chat."""
    session, rounds = Path(path).name.partition(".")[0], 0
    for piece in pieces(file, ("messages",)):
        if isinstance(piece, Damage):
            yield piece
        elif piece[0] == "sessionId":
            session = text_of(piece[1]) or session
        elif piece[0] == "messages":
            message = piece[1]
            rounds += member(message, "type") == "gemini"
            for call in dicts(member(message, "toolCalls")):
                if call.get("name") in TOOLS:
                    yield Found(
                        text_of(call["name"]),
                        call.get("args"),
                        session,
                        "main",
                        text_of(call.get("id")),
                        moment(call.get("timestamp")) or moment(member(message, "timestamp")),
                        text_of(member(message, "model")),
                        "",
                        call.get("resultDisplay") or call.get("result"),
                        call.get("status") == "error",
                        rounds,
                    )
