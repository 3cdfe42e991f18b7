"""Lists of older Claude Code: `~/.claude/todos/SESSION-agent-AGENT.json`, and Kode's like them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from todowright.importers.documents import pieces
from todowright.importers.found import Damage, Found

HOST = "Claude Code"
_NAME = re.compile(r"(?P<session>.+)-agent-(?P<agent>.+)\.json(\.gz)?")


def sees(path: str, head: bytes) -> bool:
    """Whether it is such a list."""
    return _NAME.fullmatch(Path(path).name) is not None and head.lstrip()[:1] == b"["


def document(path: str, file: Any) -> Iterator[Found | Damage]:
    """The list as it stands."""
    name = _NAME.fullmatch(Path(path).name)
    if name is None:
        return
    todos = []
    for piece in pieces(file, ()):
        if isinstance(piece, Damage):
            yield piece
            return
        todos.append(piece[1])
    own = name["agent"] == name["session"]
    agent = "main" if own else f"main/{name['agent']}"
    if todos:
        yield Found("TodoWrite", {"todos": todos}, name["session"], agent, snapshot=True)
