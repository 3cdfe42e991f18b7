"""The file of a SQLite store: opened, brought to its schema, and explained when it cannot be used."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from typing import ParamSpec, TypeVar

from todowright.errors import StoreError
from todowright.processes import Gate

P = ParamSpec("P")
T = TypeVar("T")

_SCHEMAS = os.path.join(os.path.dirname(__file__), "schema")
SCHEMA = 5
"""The version of the schema that this code reads and writes."""
APPLICATION = 0x746F646F
"""Marks the file as ours: "todo"."""
PATIENCE = 30.0
"""Seconds to wait for other writers before giving up."""
_BRIEFLY = 0.1
"""Seconds that SQLite itself waits for others: longer waits are ours, where a fork need not wait for them."""
GATE = Gate()
"""Every use of SQLite goes through it."""
DAMAGED = "is damaged: restore a copy, or move it away to start anew"


def patiently(work: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
    """Do the work; again, while other writers are in the way."""
    deadline = None
    while True:
        try:
            return work(*args, **named)
        except sqlite3.OperationalError as error:
            if not _is_busy(error):
                raise
            now = time.monotonic()
            deadline = deadline or now + PATIENCE
            if now > deadline:
                raise
        time.sleep(0.001)  # for a fork that waits to happen


def _is_busy(error: sqlite3.OperationalError) -> bool:
    return str(getattr(error, "sqlite_errorname", "")).startswith("SQLITE_BUSY")


def opened(path: str, *, create: bool) -> sqlite3.Connection:
    """A connection to the file, at this schema; one that may only be read is opened for that."""
    if create:
        _make_folder(os.path.dirname(path))
    try:
        return _ready(_connected(path), path)
    except sqlite3.OperationalError as error:
        if create or not error.sqlite_errorname.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN")):
            raise
        return _ready(_opened_read_only(path), path)


class ReadOnly(sqlite3.Connection):
    """A look at a file that may not be written, as it is at this moment."""


def _opened_read_only(path: str) -> sqlite3.Connection:
    """The file as it is, or, where it is of an older schema, a copy in memory that can be brought to ours."""
    frozen = _connected(path, "?mode=ro&immutable=1")
    try:
        (version,) = frozen.execute("PRAGMA user_version").fetchone()
        if version >= SCHEMA:
            return frozen
        copy = sqlite3.connect(
            ":memory:", isolation_level=None, check_same_thread=False, factory=ReadOnly
        )
        frozen.backup(copy)
    except BaseException:
        frozen.close()
        raise
    frozen.close()
    return copy


def _connected(path: str, mode: str = "") -> sqlite3.Connection:
    name = path
    if mode:
        from urllib.parse import quote

        name = f"file:{quote(path)}{mode}"
    return sqlite3.connect(
        name,
        timeout=_BRIEFLY,
        isolation_level=None,
        check_same_thread=False,
        uri=bool(mode),
        factory=ReadOnly if mode else sqlite3.Connection,
    )


def _ready(connection: sqlite3.Connection, path: str) -> sqlite3.Connection:
    try:
        connection.execute("PRAGMA synchronous = FULL")
        # In this order: who makes the tables sets the mark and the version in the same commit.
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if tables and application != APPLICATION:
            raise StoreError(f"{path} is a database of another program: choose another file")
        if version < SCHEMA:
            _migrate(connection)
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


def _migrate(connection: sqlite3.Connection) -> None:
    """Bring the file to this schema, once, however many processes try it."""
    with suppress(sqlite3.OperationalError):  # another process may be at it: it will have done it
        connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        for step in range(version + 1, SCHEMA + 1):
            with open(os.path.join(_SCHEMAS, f"sqlite-{step}.sql"), encoding="utf-8") as file:
                script = file.read()
            for statement in script.split(";\n"):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {SCHEMA}")
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def explained(error: Exception, path: str) -> str:
    """What is wrong with the file and what to do, in one line."""
    if os.path.isdir(path):
        return f"{path} is a folder: name a file in it"
    if "no such column" in str(error):
        return f"{path} was made by an unfinished version of todowright: move it away"
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
