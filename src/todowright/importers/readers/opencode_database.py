"""The database of newer opencode and Kilo: `opencode.db`. It is only read, and may be anything: a file that others made."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from todowright.importers.found import Damage, Found, Spent, moment
from todowright.importers.readers.opencode_export import call, spent
from todowright.importers.tools import OPENCODE

HOST = "opencode"
PATIENCE = 30.0
"""Seconds that a database may take for its answers, all together."""
LONGEST = 16_000_000
"""Bytes of the longest row that is looked at."""
_TABLES = ("part", "message", "session")
_REAL = """
SELECT count(*) FROM sqlite_master
WHERE name IN ('part', 'message', 'session') AND type = 'table' AND sql LIKE 'CREATE TABLE %'
"""
_PARTS = "SELECT rowid FROM part WHERE time_updated >= ? ORDER BY time_created, id LIMIT 5000000"
_PART = """
SELECT part.id, part.session_id, part.time_created, part.data, message.data, session.title, session.parent_id
FROM part LEFT JOIN message ON message.id = part.message_id LEFT JOIN session ON session.id = part.session_id
WHERE part.rowid = ? AND length(part.data) < 12000000 AND ({marks}) LIMIT 1
"""
_MESSAGES = "SELECT DISTINCT message_id FROM part WHERE time_updated >= ? LIMIT 5000000"
_MESSAGE = """
SELECT message.id, message.session_id, message.data, session.parent_id
FROM message LEFT JOIN session ON session.id = message.session_id
WHERE message.id = ? AND length(message.data) < 1000000 AND instr(message.data, '"tokens"') LIMIT 1
"""


def sees(path: str, head: bytes) -> bool:
    """Whether it is such a database."""
    known = Path(path).name.startswith(("opencode", "kilo"))
    return known and path.endswith(".db") and head.startswith(b"SQLite format 3\0")


def document(path: str, file: Any) -> Iterator[Found | Spent | Damage]:
    """All calls of the database."""
    return changed_since(path, 0)


def changed_since(path: str, since: int) -> Iterator[Found | Spent | Damage]:
    """The calls that were written since a time, in milliseconds since 1970."""
    sql = _PART.format(marks=" OR ".join(["instr(part.data, ?)"] * len(OPENCODE.marks)))
    marks = [mark.decode() for mark in OPENCODE.marks]
    try:
        with closing(_Rows(path)) as rows:
            if rows.ask(_REAL) != [(len(_TABLES),)]:
                yield Damage(1, f"the database has no tables {', '.join(_TABLES)}")
                return
            for (number,) in rows.ask(_PARTS, since):
                for row in rows.ask_for_one(sql, number, *marks):
                    found = _found(*row)
                    if found is not None:
                        yield found
            for (name,) in rows.ask(_MESSAGES, since):
                for row in rows.ask_for_one(_MESSAGE, name):
                    used = _spent(*row)
                    if used is not None:
                        yield used
    except sqlite3.Error as error:
        yield Damage(1, f"the database cannot be read ({error})")


class _Rows:
    """A database that is asked within bounds of time and memory."""

    def __init__(self, path: str) -> None:
        address = f"{Path(path).absolute().as_uri()}?mode=ro"
        self._rows = sqlite3.connect(address, uri=True, isolation_level=None)
        self._rows.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
        self._rows.execute("BEGIN")  # many questions to one state of it are quick
        self._left, self._asked = PATIENCE, 0.0
        self._rows.set_progress_handler(self._is_late, 10_000)

    def ask(self, sql: str, *values: object) -> list[Any]:
        """All rows of an answer."""
        self._asked = time.monotonic()
        late = sqlite3.OperationalError(f"it takes longer than {PATIENCE:.0f} s")
        if self._is_late():
            raise late
        try:
            return self._rows.execute(sql, values).fetchall()
        except sqlite3.OperationalError as error:
            raise (late if self._is_late() else error) from None
        finally:
            self._left -= time.monotonic() - self._asked

    def ask_for_one(self, sql: str, *values: object) -> list[Any]:
        """A row; none where it is too long."""
        try:
            return self.ask(sql, *values)
        except sqlite3.DataError:
            return []

    def close(self) -> None:
        self._rows.close()

    def _is_late(self) -> bool:
        return time.monotonic() - self._asked > self._left


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


def _spent(name: str, session: str, data: str, parent: str) -> Spent | None:
    try:
        message = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if isinstance(message, dict):
        message.setdefault("id", name)
    return spent(message, {"id": session, "parentID": parent})
