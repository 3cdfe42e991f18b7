"""Lists of Qwen Code: `~/.qwen/todos/SESSION.json`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from todowright.importers.documents import pieces
from todowright.importers.found import Damage, Found, text_of

HOST = "Qwen Code"


def sees(path: str, head: bytes) -> bool:
    """Whether it is such a list."""
    start = head.lstrip()[:1]
    return Path(path).parent.name == "todos" and start == b"{" and b'"todos"' in head


def document(path: str, file: Any) -> Iterator[Found | Damage]:
    """The list as it stands."""
    session, todos = Path(path).name.partition(".")[0], []
    for piece in pieces(file, ("todos",)):
        if isinstance(piece, Damage):
            yield piece
            return
        if piece[0] == "todos":
            todos.append(piece[1])
        elif piece[0] == "sessionId":
            session = text_of(piece[1]) or session
    if todos:
        yield Found("todo_write", {"todos": todos}, session, snapshot=True)
