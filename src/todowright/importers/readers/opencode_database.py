"""The database of newer opencode and Kilo: `opencode.db`. It is only read."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from todowright.importers.found import Damage, Found, moment
from todowright.importers.readers.opencode_export import call
from todowright.importers.tools import OPENCODE

HOST = "opencode"
_SQL = """
SELECT part.id, part.session_id, part.time_created, part.data, message.data, session.title, session.parent_id
FROM part LEFT JOIN message ON message.id = part.message_id LEFT JOIN session ON session.id = part.session_id
WHERE part.time_updated >= ? AND length(part.data) < 12000000 AND ({marks}) ORDER BY part.time_created, part.id
"""


def sees(path: str, head: bytes) -> bool:
    """Whether it is such a database."""
    known = Path(path).name.startswith(("opencode", "kilo"))
    return known and path.endswith(".db") and head.startswith(b"SQLite format 3\0")


def document(path: str, file: Any) -> Iterator[Found | Damage]:
    """All calls of the database."""
    return changed_since(path, 0)


def changed_since(path: str, since: int) -> Iterator[Found | Damage]:
    """The calls that were written since a time, in milliseconds since 1970."""
    sql = _SQL.format(marks=" OR ".join(["instr(part.data, ?)"] * len(OPENCODE.marks)))
    address = f"{Path(path).absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True)) as rows:
            for row in rows.execute(sql, (since, *(mark.decode() for mark in OPENCODE.marks))):
                found = _found(*row)
                if found is not None:
                    yield found
    except sqlite3.Error as error:
        yield Damage(1, f"the database cannot be read ({error})")


def _found(part_id: str, session: str, created: int, data: str, about: str, title: str, parent: str) -> Found | Damage | None:  # fmt: skip
    try:
        part, message = json.loads(data), json.loads(about or "{}")
    except (ValueError, RecursionError):
        return Damage(1, f"part {part_id} is no JSON")
    if isinstance(part, dict):
        part.setdefault("id", part_id)
    if isinstance(message, dict) and moment(created):
        message.setdefault("time", {"created": created})
    return call(part, message, {"id": session, "title": title, "parentID": parent})
