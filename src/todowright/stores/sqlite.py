"""Plans in a SQLite file: for many processes of one machine, and the default of the commands.

Each save is one statement that adds a row if the row before it is the newest, so writers cannot
lose each other's work, and is on disk when it returns (WAL, synchronous=FULL).
"""

from __future__ import annotations

import os
import sqlite3
import sys
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from todowright.errors import Conflict, StoreError, UnknownName
from todowright.plan.model import Plan
from todowright.processes import PerProcess, process
from todowright.stores.protocol import KEPT_LEASES, KEPT_RECEIPTS, PAGE
from todowright.stores.sqlite_file import DAMAGED, GATE, SCHEMA, explained, patiently
from todowright.stores.sqlite_hold import Connections, Held, SchemaMovedOn
from todowright.stores.sqlite_rows import (
    ADD,
    SAVE,
    SAVE_ONCE,
    SELECT,
    Known,
    Values,
    read_current,
    reader,
    values_of,
)
from todowright.stores.urls import unknown_url
from todowright.text import shown

if TYPE_CHECKING:
    from todowright.stores.receipt import Receipt
    from todowright.stores.usage import ModelRequest, Usage

T = TypeVar("T")

_NO_LIMIT = 2**63 - 1
_BY_NAME = (3, 12, 0) <= sys.version_info[:3] < (3, 12, 4)
Bound = Mapping[str, object] | Sequence[object]
_KEEP = (
    "INSERT OR REPLACE INTO receipt (session, agent, call, digest, reply) VALUES (?, ?, ?, ?, ?)"
)
_TRIM = """
    DELETE FROM receipt WHERE session = :session AND agent = :agent AND number <= (
        SELECT number FROM receipt WHERE session = :session AND agent = :agent
        ORDER BY number DESC LIMIT 1 OFFSET :kept)"""
_MARK_SEEN = """
    INSERT INTO seen (session, agent, revision) VALUES (?, ?, ?)
    ON CONFLICT (session, agent) DO UPDATE SET revision = max(revision, excluded.revision)"""
_SET_LEASE = """
    INSERT INTO lease (session, agent, token, until) VALUES (?, ?, ?, ?)
    ON CONFLICT (session, agent, token) DO UPDATE SET until = excluded.until"""
_DROP_LEASES = "DELETE FROM lease WHERE session = ? AND agent = ? AND until > 0 AND until < ?"
_LOAD = f"{SELECT} WHERE r.session = ? AND r.agent = ? ORDER BY r.revision DESC LIMIT 1"
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
        self._hold = PerProcess(Connections)
        # Not __del__: a store in a cycle may be collected after its connections, which warn then.
        weakref.finalize(self, _close, self._hold)

    def __repr__(self) -> str:
        return f"<SQLiteStore {self.path}>"

    def load(self, session: str, agent: str) -> Plan:
        key = (session, agent)

        def look(held: Held) -> Plan | None:
            if (plan := held.known.plan(key)) is not None:
                return plan
            assert held.connection is not None
            row = held.connection.execute(_LOAD, key).fetchone()
            return None if row is None else read_current(row, held.known)

        return self._told(lambda: self._hold[process.number].read(self.path, look)) or Plan(*key)

    def save(self, plan: Plan, receipt: Receipt | None = None) -> None:
        key, kept = (plan.session, plan.agent), None if receipt is None else _row_of(receipt)

        def insert(held: Held) -> bool:
            return _insert(held, values_of(plan, held.known.base(key)), plan, kept)

        def insert_whole(held: Held) -> bool:
            return _insert(held, values_of(plan, None), plan, kept)

        if self._write(insert):
            return
        # Somebody was faster; or its base is not what it was, after a restore or a prune, say: it is kept whole.
        current = self.load(*key).revision
        if current != plan.revision - 1 or not self._write(insert_whole):
            raise Conflict(*key, plan.revision, self.load(*key).revision)

    def end(self, plan: Plan) -> None:
        values = values_of(plan, None)

        def last(connection: sqlite3.Connection) -> int:
            with _transaction(connection):
                saved = connection.execute(SAVE, _bound(values)).rowcount
                if saved:
                    _delete(connection, plan.session, plan.agent, below=plan.revision)
                return saved

        if self._run(last, create=True) != 1:
            current = self.load(plan.session, plan.agent).revision
            raise Conflict(plan.session, plan.agent, plan.revision, current)

    def history(
        self, session: str, agent: str, *, before: int | None = None, limit: int = PAGE
    ) -> Sequence[Plan]:
        query = f"{SELECT} WHERE r.session = ? AND r.agent = ? AND r.revision < ? ORDER BY r.revision DESC LIMIT ?"
        last = _NO_LIMIT if before is None else before
        return self._all(query, (session, agent, last, limit), reader(Known()))[::-1]

    def plans(self, session: str) -> Sequence[Plan]:
        agents = self._all(_AGENTS, {"session": session}, lambda row: str(row[0]))
        return [self.load(session, agent) for agent in agents]

    def sessions(self) -> Sequence[str]:
        return self._all(_SESSIONS, (), lambda row: str(row[0]))

    def forget(self, session: str, agent: str) -> None:
        from todowright.stores import sqlite_usage

        def delete(connection: sqlite3.Connection) -> None:
            with _transaction(connection):
                _delete(connection, session, agent, below=_NO_LIMIT)
                sqlite_usage.forget(connection, session, agent)
            connection.executescript("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)")

        self._run(delete)

    def receipt(self, session: str, agent: str, call: str) -> Receipt | None:
        from todowright.stores.receipt import Receipt

        query = "SELECT session, agent, call, digest, reply FROM receipt WHERE session = ? AND agent = ? AND call = ?"
        found = self._all(query, (session, agent, call), lambda row: Receipt(*row))
        return found[0] if found else None

    def keep(self, receipt: Receipt) -> None:
        row = _row_of(receipt)

        def insert(connection: sqlite3.Connection) -> None:
            with _transaction(connection):
                _keep(connection, row)

        self._run(insert, create=True)

    def seen(self, session: str, agent: str) -> int:
        query = "SELECT revision FROM seen WHERE session = ? AND agent = ?"
        return next(iter(self._all(query, (session, agent), lambda row: int(row[0]))), 0)

    def mark_seen(self, session: str, agent: str, revision: int) -> None:
        def mark(connection: sqlite3.Connection) -> None:
            with _transaction(connection):
                connection.execute(_MARK_SEEN, (session, agent, revision))

        self._run(mark)

    def count_requests(self, requests: Iterable[ModelRequest]) -> None:
        from todowright.stores import sqlite_usage

        told = list(requests)

        def count(connection: sqlite3.Connection) -> None:
            with _transaction(connection):
                sqlite_usage.count(connection, told)

        self._run(count, create=True)

    def usage(self, session: str) -> Sequence[Usage]:
        from todowright.stores import sqlite_usage

        return self._read(lambda connection: sqlite_usage.usage_of(connection, session)) or []

    def now(self) -> float:
        """The clock by which leases are judged: of this machine, on which all who use the store are."""
        return time.time()

    def renew_lease(
        self, session: str, agent: str, token: str, until: float, seconds: float
    ) -> float | None:
        def renew(connection: sqlite3.Connection) -> float | None:
            with _transaction(connection):
                known, now = _lease(connection, session, agent, token), self.now()
                end = until if known is None else known
                if end < now:
                    return None
                if known is None:
                    connection.execute(_DROP_LEASES, (session, agent, now - KEPT_LEASES))
                end = max(end, now + seconds)
                connection.execute(_SET_LEASE, (session, agent, token, end))
                return end

        return self._run(renew)

    def end_lease(self, session: str, agent: str, token: str, until: float) -> bool:
        def end(connection: sqlite3.Connection) -> bool:
            with _transaction(connection):
                known = _lease(connection, session, agent, token)
                over = (until if known is None else known) < self.now()
                if over:
                    connection.execute(_SET_LEASE, (session, agent, token, 0))
                return over

        return bool(self._run(end))

    def leases(self, session: str, agent: str) -> Mapping[str, float]:
        query = "SELECT token, until FROM lease WHERE session = ? AND agent = ? AND until > 0"
        return dict(self._all(query, (session, agent), lambda row: (str(row[0]), float(row[1]))))

    def newest(self) -> int:
        query = "SELECT seq FROM sqlite_sequence WHERE name = 'revision'"
        return next(iter(self._all(query, (), lambda row: int(row[0]))), 0)

    def since(
        self, number: int, *, session: str | None = None, limit: int = PAGE
    ) -> Sequence[tuple[int, Plan]]:
        where, names = ("", ()) if session is None else (" AND r.session = ?", (session,))
        query, read = (
            f"{SELECT} WHERE r.number > ?{where} ORDER BY r.number LIMIT ?",
            reader(Known()),
        )
        return self._all(query, (number, *names, limit), lambda row: (row[0], read(row)))

    def wait(self, number: int, timeout: float) -> bool:
        deadline = time.monotonic() + timeout
        pause, seen = 0.002, -1
        while True:
            version = self._data_version()
            if version != seen and self.newest() > number:
                return True
            seen = version
            left = deadline - time.monotonic()
            if left <= 0:  # a fork may have come between, and closed what was watched
                return self.newest() > number
            time.sleep(min(pause, left))
            pause = min(pause * 1.5, 0.05)

    def close(self) -> None:
        """Let go of the file; the next use opens it again."""
        _close(self._hold)

    def _all(self, query: str, values: Bound, read: Callable[..., T]) -> list[T]:
        def rows(connection: sqlite3.Connection) -> list[T]:
            return [read(row) for row in connection.execute(query, values)]

        return self._read(rows) or []

    def _read(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """Do work that only reads; None where there is no file. It waits for nobody who writes."""
        hold = self._hold[process.number]
        return self._told(lambda: hold.read(self.path, lambda held: work(_open(held))))

    def _run(self, work: Callable[[sqlite3.Connection], T], *, create: bool = False) -> T | None:
        """Do work that may write; None where there is no file and none is to be made."""
        hold = self._hold[process.number]

        def doubted(held: Held) -> T:
            held.known.doubt()
            return work(_open(held))

        return self._told(lambda: hold.write(self.path, doubted, create=create))

    def _write(self, work: Callable[[Held], bool]) -> bool | None:
        """Save a plan; the file is made if it is not there."""
        return self._told(lambda: self._hold[process.number].write(self.path, work, create=True))

    def _told(self, work: Callable[[], T]) -> T:
        """Do work, again while others are in the way; what is wrong is told in one line."""
        try:
            return patiently(work)
        except (sqlite3.Error, OSError) as error:
            raise StoreError(explained(error, self.path)) from error
        except (ValueError, TypeError) as error:  # a row that is no plan
            raise StoreError(f"{self.path} {DAMAGED}") from error

    def _data_version(self) -> int:
        """A number that changes whenever somebody commits; -1 while there is no file."""

        def look(connection: sqlite3.Connection) -> int:
            return int(connection.execute("PRAGMA data_version").fetchone()[0])

        hold = self._hold[process.number]
        found = self._told(lambda: hold.watch(self.path, lambda held: look(_open(held))))
        return -1 if found is None else found


def open_url(url: str) -> tuple[str, SQLiteStore]:
    """The store of a URL, and the file that tells it from others."""
    path = url.removeprefix("sqlite:///")
    if path == url or not path or path.strip(":") == "memory":
        raise unknown_url(url)
    if path.startswith("~"):
        raise UnknownName(f"the ~ of '{shown(url, 60)}' would be a folder: write the whole path")
    store = SQLiteStore(path)
    return os.path.realpath(store.path), store


def _close(holds: PerProcess[Connections]) -> None:
    """Close what this process has open; what another opened, before a fork, is not ours to close."""
    hold = holds.get(process.number)
    if hold is None:
        return
    with hold.lock, hold.reading, GATE:
        hold.let_go()


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """What is done inside is kept whole, or not at all; nothing is, if the schema moved on."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version != SCHEMA:
            raise SchemaMovedOn
        yield
        connection.execute("COMMIT")
    except BaseException:
        _roll_back(connection)
        raise


def _roll_back(connection: sqlite3.Connection) -> None:
    with suppress(sqlite3.Error):
        connection.execute("ROLLBACK")


def _bound(values: tuple[object, ...]) -> tuple[object, ...] | dict[str, object]:
    """The values for `?1`, `?2`, …; Python 3.12 takes these for names before 3.12.4, and warns."""
    return {str(n): each for n, each in enumerate(values, 1)} if _BY_NAME else values


def _open(held: Held) -> sqlite3.Connection:
    assert held.connection is not None
    return held.connection


def _insert(held: Held, values: Values, plan: Plan, receipt: tuple[str, ...] | None) -> bool:
    """Add a row, with the receipt of its call if there is one; whether that was done."""
    follows = held.known.follows(values)
    held.known.is_written(values[:2])  # whatever comes of it, it is not known before it is seen
    if receipt is not None:
        saved = _insert_once(held, values, receipt)
    elif follows:
        saved = _insert_next(held, values)
    else:
        saved = _open(held).execute(SAVE, _bound(values)).rowcount == 1
    if saved:
        held.known.was_saved(values, plan)
    return saved


def _insert_next(held: Held, values: Values) -> bool:
    """Add a row of which it is known that it is the next one, if nobody else has committed anything."""
    connection = _open(held)
    connection.execute("BEGIN IMMEDIATE")
    try:
        if held.is_current():
            connection.execute(ADD, values[:17])
            saved = True
        else:
            saved = connection.execute(SAVE, _bound(values)).rowcount == 1
        connection.execute("COMMIT")
    except BaseException:
        _roll_back(connection)
        raise
    return saved


def _insert_once(held: Held, values: Values, receipt: tuple[str, ...]) -> bool:
    """Add a row and the receipt of its call, if there is none yet."""
    connection = _open(held)
    with _transaction(connection):
        saved = connection.execute(SAVE_ONCE, _bound((*values, *receipt[:4]))).rowcount == 1
        if saved:
            _keep(connection, receipt)
        return saved


def _row_of(receipt: Receipt) -> tuple[str, ...]:
    """The values of a receipt; its reply is written here, while nobody waits for the file."""
    return (receipt.session, receipt.agent, receipt.call, receipt.digest, receipt.reply)


def _keep(connection: sqlite3.Connection, row: tuple[str, ...]) -> None:
    connection.execute(_KEEP, row)
    connection.execute(_TRIM, {"session": row[0], "agent": row[1], "kept": KEPT_RECEIPTS})


def _lease(connection: sqlite3.Connection, session: str, agent: str, token: str) -> float | None:
    """When a lease ends that was renewed or ended."""
    query = "SELECT until FROM lease WHERE session = ? AND agent = ? AND token = ?"
    row = connection.execute(query, (session, agent, token)).fetchone()
    return None if row is None else float(row[0])


def _delete(connection: sqlite3.Connection, session: str, agent: str, *, below: int) -> None:
    where = "WHERE session = ? AND agent = ?"
    connection.execute(f"DELETE FROM revision {where} AND revision < ?", (session, agent, below))  # noqa: S608
    for table in ("receipt", "seen", "lease"):
        connection.execute(f"DELETE FROM {table} {where}", (session, agent))  # noqa: S608
