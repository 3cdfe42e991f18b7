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
from todowright.forks import minds_forks
from todowright.plan.model import Plan
from todowright.stores.encoding import COLUMNS, plan_of, row_of
from todowright.stores.sqlite_file import DAMAGED, Frozen, explained, opened

T = TypeVar("T")

_VALUES = ", ".join("?" * len(COLUMNS.split(", ")))
_SAVE = (
    f"INSERT INTO revision ({COLUMNS}) SELECT {_VALUES} WHERE ? = coalesce("  # noqa: S608
    "(SELECT max(revision) FROM revision WHERE session = ? AND agent = ?), 0)"
)
_LOAD = (
    f"SELECT {COLUMNS} FROM revision WHERE session = ? AND agent = ? "  # noqa: S608
    "ORDER BY revision DESC LIMIT 1"
)
# Names are found by leaps from one to the next in the index, not by reading every revision.
_AGENTS = """
    WITH RECURSIVE name(agent) AS (
        SELECT min(agent) FROM revision WHERE session = :session
        UNION ALL
        SELECT (SELECT min(agent) FROM revision WHERE session = :session AND agent > name.agent)
        FROM name WHERE name.agent IS NOT NULL)
    SELECT agent, (SELECT number FROM revision WHERE session = :session AND agent = name.agent
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
        self.path = os.path.abspath(path)
        self._lock = threading.Lock()
        self._watching = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._watcher: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        minds_forks(self)

    def load(self, session: str, agent: str) -> Plan:
        def read(connection: sqlite3.Connection) -> Plan | None:
            row = connection.execute(_LOAD, (session, agent)).fetchone()
            return None if row is None else plan_of(row)

        return self._run(read) or Plan(session, agent)

    def save(self, plan: Plan) -> None:
        values = (*row_of(plan), plan.revision - 1, plan.session, plan.agent)

        def insert(connection: sqlite3.Connection) -> int:
            return connection.execute(_SAVE, values).rowcount

        if self._run(insert, create=True) != 1:
            current = self.load(plan.session, plan.agent).revision
            raise Conflict(plan.session, plan.agent, plan.revision, current)

    def history(self, session: str, agent: str) -> Sequence[Plan]:
        query = f"SELECT {COLUMNS} FROM revision WHERE session = ? AND agent = ? ORDER BY revision"  # noqa: S608
        return self._all(query, (session, agent), plan_of)

    def plans(self, session: str) -> Sequence[Plan]:
        agents = self._all(_AGENTS, {"session": session}, lambda row: str(row[0]))
        return [self.load(session, agent) for agent in agents]

    def sessions(self) -> Sequence[str]:
        return self._all(_SESSIONS, (), lambda row: str(row[0]))

    def forget(self, session: str, agent: str) -> None:
        def delete(connection: sqlite3.Connection) -> None:
            connection.execute(
                "DELETE FROM revision WHERE session = ? AND agent = ?", (session, agent)
            )

        self._run(delete)

    def newest(self) -> int:
        row = self._one("SELECT seq FROM sqlite_sequence WHERE name = 'revision'", ())
        return 0 if row is None else int(row[0])

    def since(
        self, number: int, *, session: str | None = None, limit: int = 1_000
    ) -> Sequence[tuple[int, Plan]]:
        where, names = ("", ()) if session is None else (" AND session = ?", (session,))
        query = f"SELECT number, {COLUMNS} FROM revision WHERE number > ?{where} ORDER BY number LIMIT ?"  # noqa: S608
        return self._all(query, (number, *names, limit), lambda row: (row[0], plan_of(row[1:])))

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
            self._let_go()

    def _let_go(self) -> None:
        for connection in (self._connection, self._watcher):
            if connection is not None:
                connection.close()
        self._connection = self._watcher = None

    def before_fork(self) -> None:
        """Close the file: SQLite's connections and locks must not be shared with a child."""
        self._lock.acquire()
        self._watching.acquire()
        self._let_go()

    def after_fork(self, *, in_child: bool) -> None:  # noqa: ARG002  the same for both
        """Go on; the next use opens the file again."""
        self._watching.release()
        self._lock.release()

    def __del__(self) -> None:
        with suppress(Exception):
            self.close()

    def _one(self, query: str, values: tuple[Any, ...]) -> Any:
        return self._run(lambda connection: connection.execute(query, values).fetchone())

    def _all(self, query: str, values: Any, read: Callable[[Any], T]) -> list[T]:
        def rows(connection: sqlite3.Connection) -> list[T]:
            return [read(row) for row in connection.execute(query, values)]

        return self._run(rows) or []

    def _run(self, work: Callable[[sqlite3.Connection], T], *, create: bool = False) -> T | None:
        """Do work on the file; None where there is no file and none is to be made."""
        with self._lock:
            try:
                found = self._identity()
                if self._connection is not None and found != self._file:
                    self._let_go()  # somebody deleted or replaced the file
                if self._connection is None:
                    if found is None and not create:
                        return None
                    self._connection = opened(self.path, create=create)
                    self._file = self._identity()
                answer = work(self._connection)
                if isinstance(self._connection, Frozen):  # it would not see what others write
                    self._let_go()
                return answer
            except (sqlite3.Error, OSError) as error:
                raise StoreError(explained(error, self.path)) from error
            except (ValueError, TypeError) as error:  # a row that is no plan
                raise StoreError(f"{self.path} {DAMAGED}") from error

    def _identity(self) -> tuple[int, int] | None:
        """Which file the path names now; None for none, or for one that is still empty."""
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            return None
        return (found.st_dev, found.st_ino) if found.st_size else None

    def _data_version(self) -> int:
        """A number that changes whenever somebody commits; -1 while there is no file."""
        if self._run(lambda _: True) is None:
            return -1
        with self._watching:
            try:
                if self._watcher is None:
                    self._watcher = opened(self.path, create=False)
                return int(self._watcher.execute("PRAGMA data_version").fetchone()[0])
            except sqlite3.Error as error:
                raise StoreError(explained(error, self.path)) from error
