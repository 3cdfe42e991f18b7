"""Plans in a SQLite file: for many processes of one machine, and the default of the commands.

Each save is one statement that adds a row if the row before it is the newest, so writers cannot
lose each other's work, and is on disk when it returns (WAL, synchronous=FULL).
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from todowright.errors import Conflict, StoreError
from todowright.model import Plan
from todowright.stores.encoding import COLUMNS, plan_of, row_of

T = TypeVar("T")

SCHEMA = 1
"""The version of the schema that this code reads and writes."""
APPLICATION = 0x746F646F
"""Marks the file as ours: "todo"."""
PATIENCE = 30.0
"""Seconds to wait for other writers before giving up."""

_SAVE = (
    f"INSERT INTO revision ({COLUMNS}) SELECT ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE ? = coalesce("  # noqa: S608
    "(SELECT max(revision) FROM revision WHERE session = ? AND agent = ?), 0)"
)
_LOAD = (
    f"SELECT {COLUMNS} FROM revision WHERE session = ? AND agent = ? "  # noqa: S608
    "ORDER BY revision DESC LIMIT 1"
)
# Names are found by leaps from one to the next in the index, not by reading every revision.
_AGENTS = """
    WITH RECURSIVE name(agent) AS (
        SELECT min(agent) FROM revision WHERE session = ?1
        UNION ALL
        SELECT (SELECT min(agent) FROM revision WHERE session = ?1 AND agent > name.agent)
        FROM name WHERE name.agent IS NOT NULL)
    SELECT agent, (SELECT number FROM revision WHERE session = ?1 AND agent = name.agent
                   ORDER BY revision LIMIT 1)
    FROM name WHERE agent IS NOT NULL ORDER BY 2"""
_SESSIONS = """
    WITH RECURSIVE name(session) AS (
        SELECT min(session) FROM revision
        UNION ALL
        SELECT (SELECT min(session) FROM revision WHERE session > name.session)
        FROM name WHERE name.session IS NOT NULL)
    SELECT session, (SELECT min(number) FROM revision WHERE session = name.session)
    FROM name WHERE session IS NOT NULL ORDER BY 2"""


class SQLiteStore:
    """A store in one file, which is made when the first plan is saved."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._lock = threading.Lock()
        self._watching = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._watcher: sqlite3.Connection | None = None
        self._process = os.getpid()

    def load(self, session: str, agent: str) -> Plan:
        row = self._one(_LOAD, (session, agent))
        return Plan(session, agent) if row is None else plan_of(row)

    def save(self, plan: Plan) -> None:
        values = (*row_of(plan), plan.revision - 1, plan.session, plan.agent)

        def insert(connection: sqlite3.Connection) -> int:
            return connection.execute(_SAVE, values).rowcount

        if self._run(insert, create=True) != 1:
            current = self.load(plan.session, plan.agent).revision
            raise Conflict(plan.session, plan.agent, plan.revision, current)

    def history(self, session: str, agent: str) -> Sequence[Plan]:
        query = f"SELECT {COLUMNS} FROM revision WHERE session = ? AND agent = ? ORDER BY revision"  # noqa: S608
        return [plan_of(row) for row in self._all(query, (session, agent))]

    def plans(self, session: str) -> Sequence[Plan]:
        return [self.load(session, agent) for agent, _ in self._all(_AGENTS, (session,))]

    def sessions(self) -> Sequence[str]:
        return [session for session, _ in self._all(_SESSIONS, ())]

    def forget(self, session: str, agent: str) -> None:
        def delete(connection: sqlite3.Connection) -> None:
            connection.execute(
                "DELETE FROM revision WHERE session = ? AND agent = ?", (session, agent)
            )

        self._run(delete)

    def newest(self) -> int:
        row = self._one("SELECT max(number) FROM revision", ())
        return 0 if row is None else row[0] or 0

    def since(
        self, number: int, *, session: str | None = None, limit: int = 1_000
    ) -> Sequence[tuple[int, Plan]]:
        where, names = ("", ()) if session is None else (" AND session = ?", (session,))
        query = f"SELECT number, {COLUMNS} FROM revision WHERE number > ?{where} ORDER BY number LIMIT ?"  # noqa: S608
        rows = self._all(query, (number, *names, limit))
        return [(row[0], plan_of(row[1:])) for row in rows]

    def wait(self, number: int, timeout: float) -> bool:
        deadline = time.monotonic() + timeout
        pause, seen = 0.002, -1
        while True:
            version = self._data_version()
            if version != seen and self.newest() > number:
                return True
            seen = version
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(pause, left))
            pause = min(pause * 1.5, 0.05)

    def close(self) -> None:
        """Let go of the file; the next use opens it again."""
        with self._lock, self._watching:
            for connection in (self._connection, self._watcher):
                if connection is not None and self._process == os.getpid():
                    connection.close()
            self._connection = self._watcher = None

    def _one(self, query: str, values: tuple[Any, ...]) -> Any:
        return self._run(lambda connection: connection.execute(query, values).fetchone())

    def _all(self, query: str, values: tuple[Any, ...]) -> list[Any]:
        return self._run(lambda connection: connection.execute(query, values).fetchall()) or []

    def _run(self, work: Callable[[sqlite3.Connection], T], *, create: bool = False) -> T | None:
        """Do work on the file; None where there is no file and none is to be made."""
        with self._lock:
            try:
                if self._connection is None or self._process != os.getpid():
                    if not create and not os.path.exists(self.path):
                        return None
                    self._process, self._watcher = os.getpid(), None
                    self._connection = _opened(self.path)
                return work(self._connection)
            except (sqlite3.Error, OSError) as error:
                raise StoreError(_explained(error, self.path)) from error

    def _data_version(self) -> int:
        """A number that changes whenever somebody commits; -1 while there is no file."""
        if self._run(lambda _: True) is None:
            return -1
        with self._watching:
            try:
                if self._watcher is None:
                    self._watcher = _opened(self.path)
                return int(self._watcher.execute("PRAGMA data_version").fetchone()[0])
            except sqlite3.Error as error:
                raise StoreError(_explained(error, self.path)) from error


def _opened(path: str) -> sqlite3.Connection:
    _make_folder(os.path.dirname(path))
    connection = sqlite3.connect(
        path, timeout=PATIENCE, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA synchronous = FULL")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version < SCHEMA:
            _migrate(connection, path)
        elif version > SCHEMA:
            raise StoreError(
                f"{path} was made by a newer todowright (schema {version}, this one knows "
                f"{SCHEMA}): upgrade todowright"
            )
    except BaseException:
        connection.close()
        raise
    return connection


def _make_folder(folder: str) -> None:
    """Make the folder of the file; one that stands in a project hides itself from git."""
    if not folder or os.path.isdir(folder):
        return
    os.makedirs(folder, exist_ok=True)
    if os.path.basename(folder) == ".todowright":
        with open(os.path.join(folder, ".gitignore"), "w", encoding="ascii") as file:
            file.write("*\n")


def _migrate(connection: sqlite3.Connection, path: str) -> None:
    """Bring the file to this schema, once, however many processes try it."""
    from importlib.resources import files

    # In this order: who makes the tables sets the mark in the same commit.
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if tables and application != APPLICATION:
        raise StoreError(f"{path} is a database of another program: choose another file")
    with suppress(sqlite3.OperationalError):  # another process may be at it: it will have done it
        connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        for step in range(version + 1, SCHEMA + 1):
            name = f"schema/sqlite-{step}.sql"
            script = files("todowright.stores").joinpath(name).read_text("utf-8")
            for statement in script.split(";\n"):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {SCHEMA}")
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _explained(error: Exception, path: str) -> str:
    """What is wrong with the file and what to do, in one line."""
    if os.path.isdir(path):
        return f"{path} is a folder: name a file in it"
    name = getattr(error, "sqlite_errorname", "")
    for start, words in (
        ("SQLITE_NOTADB", "is no SQLite database: choose another file"),
        ("SQLITE_CORRUPT", "is damaged: restore a copy, or move it away to start anew"),
        ("SQLITE_READONLY", "cannot be written: check the permissions of the file and its folder"),
        ("SQLITE_FULL", "cannot grow, the disk is full: free some space and try again"),
        ("SQLITE_BUSY", f"is locked by another process for {PATIENCE:.0f} s: try again"),
        ("SQLITE_CANTOPEN", "cannot be opened: check the path and its permissions"),
        ("SQLITE_IOERR", "cannot be read or written, the disk reports an error"),
    ):
        if name.startswith(start):
            return f"{path} {words}"
    if isinstance(error, OSError):
        return f"{path} cannot be opened ({error.strerror}): check the path and its permissions"
    return f"{path}: {error}"
