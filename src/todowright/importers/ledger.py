"""What was imported already: which files, as they were, and which calls."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from hashlib import blake2b

_SCHEMA = """
CREATE TABLE IF NOT EXISTS file (path TEXT PRIMARY KEY, size INTEGER, changed INTEGER, sessions TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS call (mark BLOB PRIMARY KEY, session TEXT, agent TEXT) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS call_session ON call (session);
"""
_BETWEEN = "\n"


class Ledger:
    """A small database beside a store. Without it nothing is lost: what it knows is found out again."""

    def __init__(self, path: str = ":memory:") -> None:
        self._rows = sqlite3.connect(path, timeout=30, check_same_thread=False)
        self._rows.execute("PRAGMA synchronous = OFF")
        self._rows.executescript(_SCHEMA)

    def sessions_of(self, path: str, size: int, changed: int) -> list[str] | None:
        """The sessions that a file brought, if it is as it was then; None if it must be read."""
        row = self._rows.execute(
            "SELECT sessions FROM file WHERE path = ? AND size = ? AND changed = ?",
            (path, size, changed),
        ).fetchone()
        return None if row is None else [name for name in row[0].split(_BETWEEN) if name]

    def keep_file(self, path: str, size: int, changed: int, sessions: Iterable[str]) -> None:
        """Note that a file was read to its end, and keep what was noted since the last one."""
        row = (path, size, changed, _BETWEEN.join(sessions))
        self._rows.execute("INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?)", row)
        self._rows.commit()

    def owner(self, call: str) -> tuple[str, str] | None:
        """The session and the agent that have a call; None if it is new."""
        found = self._rows.execute(
            "SELECT session, agent FROM call WHERE mark = ?", (_mark(call),)
        ).fetchone()
        return None if found is None else (found[0], found[1])

    def keep_call(self, call: str, session: str, agent: str) -> None:
        """Note that a session has a call."""
        self._rows.execute("INSERT OR REPLACE INTO call VALUES (?, ?, ?)", (_mark(call), session, agent))  # fmt: skip

    def forget(self, session: str) -> None:
        """Forget the calls of a session that the store has no longer."""
        self._rows.execute("DELETE FROM call WHERE session = ?", (session,))

    def close(self) -> None:
        """Keep everything, and let go of the file."""
        self._rows.commit()
        self._rows.close()


def _mark(call: str) -> bytes:
    return blake2b(call.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def ledger_path(store: object, folder: str) -> str:
    """Where the ledger of a store is: beside its file; in the user's folder for one that has none."""
    from todowright.private_files import create_file, make_folder

    if type(store).__name__ == "MemoryStore":
        return ":memory:"
    file = getattr(store, "path", None)
    if isinstance(file, str) and file:
        path = f"{file}.imports"
    else:
        address = repr(store)
        path = f"{folder}/imports-{_mark(address).hex()[:16]}.db"
        make_folder(folder)
    with suppress(FileExistsError):
        os.close(create_file(path))
    return path
