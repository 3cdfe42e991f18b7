"""Exports of opencode and Kilo: what `opencode export` prints, one session with its messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from todowright.importers.documents import pieces
from todowright.importers.found import (
    Damage,
    Found,
    Spent,
    cost_of,
    count_of,
    dicts,
    member,
    moment,
    text_of,
)
from todowright.importers.tools import OPENCODE

HOST = "opencode"


def sees(path: str, head: bytes) -> bool:
    """Whether it is such an export."""
    start = head[:4000].lstrip()
    return start.startswith(b"{") and b'"info"' in start[:40] and b'"ses_' in start


def document(path: str, file: Any) -> Iterator[Found | Spent | Damage]:
    """The calls of one session."""
    info: dict[str, Any] = {}
    rounds = 0
    for piece in pieces(file, ("messages",)):
        if isinstance(piece, Damage):
            yield piece
        elif piece[0] == "info" and isinstance(piece[1], dict):
            info = piece[1]
        elif piece[0] == "messages":
            about = member(piece[1], "info")
            rounds += member(about, "role") == "assistant"
            for part in dicts(member(piece[1], "parts")):
                found = call(part, about, info, rounds)
                if found is not None:
                    yield found
            used = spent(about, info)
            if used is not None:
                yield used


def spent(message: object, session: object) -> Spent | None:
    """What the request of an answer took, once that is whole."""
    tokens = member(message, "tokens")
    if not isinstance(tokens, dict) or not member(message, "time", "completed"):
        return None
    name, agent = _names(session, message)
    cached = count_of(member(tokens, "cache", "read"))
    return Spent(
        text_of(member(message, "id")),
        name,
        agent,
        text_of(member(message, "modelID")),
        count_of(tokens.get("input")) + count_of(member(tokens, "cache", "write")) + cached,
        count_of(tokens.get("output")) + count_of(tokens.get("reasoning")),
        cached,
        cost_of(member(message, "cost")),
        moment(member(message, "time", "created")),
    )


def _names(session: object, message: object, part: object = None) -> tuple[str, str]:
    """The session and the agent: a session that has a parent is a sub-agent's."""
    name = text_of(
        member(session, "id") or member(part, "sessionID") or member(message, "sessionID")
    )
    parent = text_of(member(session, "parentID"))
    return (parent, f"main/{name}") if parent else (name, "main")


def call(part: Any, message: object, session: object, rounds: int = 0) -> Found | None:
    """The call that a part of a message holds, if it is one that plans."""
    if not isinstance(part, dict) or part.get("type") != "tool" or part.get("tool") not in OPENCODE:
        return None
    state = part.get("state")
    if member(state, "status") in ("pending", "running"):  # it will be told again, when it is done
        return None
    name, agent = _names(session, message, part)
    failed = member(state, "status") == "error"
    return Found(
        text_of(part.get("tool")),
        member(state, "input"),
        name,
        agent,
        text_of(part.get("callID")) or text_of(part.get("id")),
        moment(member(state, "time", "start")) or moment(member(message, "time", "created")),
        text_of(member(message, "modelID")),
        text_of(member(session, "title")),
        member(state, "error" if failed else "output"),
        failed,
        rounds,
    )
