"""What was imported already: which files, as they were, and which calls."""

from __future__ import annotations

import os
import sqlite3
import weakref
from collections.abc import Iterable
from contextlib import suppress
from hashlib import blake2b
from typing import Any

from todowright.errors import StoreError
from todowright.private_files import is_link

_SCHEMA = """
CREATE TABLE IF NOT EXISTS file (path TEXT PRIMARY KEY, size INTEGER, changed INTEGER, sessions TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS call (mark BLOB PRIMARY KEY, session TEXT, agent TEXT) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS call_session ON call (session);
"""
_BETWEEN = "\n"


class Ledger:
    """A small database beside a store. Without it nothing is lost: what it knows is found out again."""

    def __init__(self, path: str = ":memory:") -> None:
        self._path = path
        try:
            self._rows = _opened(path)
        except sqlite3.DatabaseError:
            if path == ":memory:" or not os.path.isfile(path):
                raise
            os.unlink(path)  # it is no database any more
            self._rows = _opened(path)
        weakref.finalize(self, self._rows.close)

    def sessions_of(self, path: str, size: int, changed: int) -> list[str] | None:
        """The sessions that a file brought, if it is as it was then; None if it must be read."""
        sql = "SELECT sessions FROM file WHERE path = ? AND size = ? AND changed = ?"
        row = self._run(sql, _sound(path), size, changed)
        return None if row is None else [name for name in row[0].split(_BETWEEN) if name]

    def keep_file(self, path: str, size: int, changed: int, sessions: Iterable[str]) -> None:
        """Note that a file was read to its end."""
        sql = "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?)"
        self._run(sql, _sound(path), size, changed, _BETWEEN.join(sessions))

    def owner(self, call: str) -> tuple[str, str] | None:
        """The session and the agent that have a call; None if it is new."""
        found = self._run("SELECT session, agent FROM call WHERE mark = ?", _mark(call))
        return None if found is None else (found[0], found[1])

    def keep_call(self, call: str, session: str, agent: str) -> None:
        """Note that a session has a call."""
        self._run("INSERT OR REPLACE INTO call VALUES (?, ?, ?)", _mark(call), session, agent)

    def forget(self, session: str) -> None:
        """Forget the calls of a session that the store has no longer."""
        self._run("DELETE FROM call WHERE session = ?", session)

    def close(self) -> None:
        """Let go of the file."""
        self._rows.close()

    def _run(self, sql: str, *values: object) -> Any:
        try:
            return self._rows.execute(sql, values).fetchone()
        except sqlite3.Error as error:
            told = "delete it, and nothing is lost" if self._path != ":memory:" else "try again"
            raise StoreError(f"{self._path} cannot be used ({error}): {told}") from error


def _opened(path: str) -> sqlite3.Connection:
    if path != ":memory:":
        _check_names(path)
    rows = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
    try:
        strange = "SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'index')"
        if rows.execute(strange).fetchone() != (0,):  # a view may have no end
            raise sqlite3.DatabaseError("it is no ledger")
        rows.execute("PRAGMA journal_mode = WAL")
        rows.execute("PRAGMA synchronous = OFF")
        rows.executescript(_SCHEMA)
    except BaseException:
        rows.close()
        raise
    return rows


def _check_names(path: str) -> None:
    """Refuse a ledger that would lead SQLite to other files: a repository may have brought it."""
    from todowright.stores.sqlite_journal import check_journal

    for name in (path, f"{path}-wal"):
        if is_link(name):
            raise StoreError(f"{name} is a symbolic link: delete it, and nothing is lost")
    check_journal(path)


def _sound(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode()


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
        path = f"{folder}/imports-{_mark(repr(store)).hex()[:16]}.db"
    make_folder(os.path.dirname(path))
    with suppress(FileExistsError):
        os.close(create_file(path))
    return path
