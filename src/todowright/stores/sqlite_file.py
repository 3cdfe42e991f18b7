"""The file of a SQLite store: opened, brought to its schema, and explained when it cannot be used."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from typing import ParamSpec, TypeVar

from todowright.errors import StoreError
from todowright.private_files import create_file, make_folder
from todowright.processes import Gate

P = ParamSpec("P")
T = TypeVar("T")

_SCHEMAS = os.path.join(os.path.dirname(__file__), "schema")
SCHEMA = 6
"""The version of the schema that this code reads and writes."""
APPLICATION = 0x746F646F
"""Marks the file as ours: "todo"."""
PATIENCE = 30.0
"""Seconds to wait for other writers before giving up."""
_BRIEFLY = 0.1
"""Seconds that SQLite itself waits for others: longer waits are ours, where a fork need not wait for them."""
LARGEST_LOG = 8_000_000
"""Bytes that the -wal file keeps once all of it is in the database."""
_TRIGGER = b"""CREATE TRIGGER revision_of_an_older_release BEFORE INSERT ON revision WHEN NEW.base = -1 BEGIN
    SELECT RAISE(ABORT, 'a newer todowright upgraded this database: restart this program with that one'); END"""
"""The one trigger that a file of ours has."""
_CONTENTS = "SELECT CAST(sql AS BLOB) FROM sqlite_master"
"""What a file has: by the text of each, for that is what SQLite goes by, whatever its type is said to be."""
_HARMLESS = (b"CREATE TABLE ", b"CREATE INDEX ", b"CREATE UNIQUE INDEX ")
"""How the texts begin of what runs nothing by itself; SQLite has them begin like that, however they were written."""
GATE = Gate()
"""Every use of SQLite goes through it."""
DAMAGED = "is damaged: see `todowright check`, or bring back a backup: `todowright restore FILE`"


def patiently(work: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
    """Do the work; again, while other writers are in the way."""
    deadline = None
    while True:
        try:
            return work(*args, **named)
        except sqlite3.OperationalError as error:
            if not is_busy(error):
                raise
            now = time.monotonic()
            deadline = deadline or now + PATIENCE
            if now > deadline:
                raise
        time.sleep(0.001)  # for a fork that waits to happen


def is_busy(error: sqlite3.Error) -> bool:
    return str(getattr(error, "sqlite_errorname", "")).startswith("SQLITE_BUSY")


def make_file(path: str) -> None:
    """Make the file, empty, if it is not there, and its folder."""
    _look_at_journal(path)
    make_folder(os.path.dirname(path))
    with suppress(FileExistsError):
        os.close(create_file(path))


def connected(
    path: str, mode: str = "rw", kind: type[sqlite3.Connection] = sqlite3.Connection
) -> sqlite3.Connection:
    """A connection to a file that is there; one with a journal that is not ours is refused."""
    _look_at_journal(path)
    name = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    if os.name == "nt":
        name = "/" + name.replace("\\", "/")
    return sqlite3.connect(
        f"file://{name}?mode={mode}",
        timeout=_BRIEFLY,
        isolation_level=None,
        check_same_thread=False,
        uri=True,
        factory=kind,
    )


def _look_at_journal(path: str) -> None:
    """Where there is no journal, which is nearly always, this is one look at a name."""
    if os.path.lexists(f"{path}-journal"):
        from todowright.stores.sqlite_journal import check_journal

        check_journal(path)


def ready(connection: sqlite3.Connection, path: str) -> sqlite3.Connection:
    """The connection, to a file that is ours and at this schema; it is closed if that cannot be."""
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA journal_size_limit = {LARGEST_LOG}")
        if checked_version(connection, path) < SCHEMA:
            _migrate(connection)
        elif not os.path.exists(f"{path}-wal"):  # a copy: where there is a log, it is in use by now
            with suppress(sqlite3.OperationalError):
                connection.execute("PRAGMA journal_mode = WAL")
    except BaseException:
        connection.close()
        raise
    return connection


def checked_version(connection: sqlite3.Connection, path: str) -> int:
    """The version of the schema of a file that is ours and not too new; raises what is wrong otherwise."""
    # In this order: who makes the tables sets the mark and the version in the same commit.
    contents = connection.execute(_CONTENTS).fetchall()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if contents and application != APPLICATION:
        raise StoreError(f"{path} is a database of another program: choose another file")
    if version > SCHEMA:
        raise StoreError(
            f"{path} was made by a newer todowright (schema {version}, this one knows "
            f"{SCHEMA}): upgrade todowright"
        )
    if not all(map(_is_harmless, contents)):
        told = "`todowright restore --empty` sets it aside"
        raise StoreError(f"{path} has views or triggers that are not todowright's: {told}")
    return int(version)


def _is_harmless(row: tuple[bytes | None]) -> bool:
    """Whether it runs nothing that somebody else wrote, as views and triggers do. An index of a key has no text."""
    (text,) = row
    return text is None or text.startswith(_HARMLESS) or text.strip(b"\n") == _TRIGGER


def _migrate(connection: sqlite3.Connection) -> None:
    """Bring the file to this schema, once, however many processes try it."""
    with suppress(sqlite3.OperationalError):  # another process may be at it: it will have done it
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # of a new file only
        connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        for step in range(version + 1, SCHEMA + 1) if version else ("new",):
            for statement in statements(f"sqlite-{step}.sql"):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {SCHEMA}")
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def statements(name: str) -> list[str]:
    """The statements of a file of the folder `schema`."""
    with open(os.path.join(_SCHEMAS, name), encoding="utf-8") as file:
        return file.read().split(";\n")


def explained(error: Exception, path: str) -> str:
    """What is wrong with the file and what to do, in one line."""
    if os.path.isdir(path):
        return f"{path} is a folder: name a file in it"
    if "no such column" in str(error):
        told = "`todowright restore --empty` sets it aside"
        return f"{path} was made by an unfinished version of todowright: {told}"
    name = getattr(error, "sqlite_errorname", "")
    for start, words in (
        ("SQLITE_NOTADB", "is no SQLite database: choose another file"),
        ("SQLITE_CORRUPT", DAMAGED),
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
