"""A database file opened: to be written, or, where this user may not, to be looked at with all that was acknowledged in it.

What was written last is in the -wal file. SQLite reads that only through a third file, -shm, which somebody must be able to
make. Where nobody has, the files are copied and read from the copy, with a journal that a crash left, which only one who may
write can roll back. A look is good if none of them changed meanwhile.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import suppress

from todowright.errors import StoreError
from todowright.private_files import is_link
from todowright.stores.sqlite_file import SCHEMA, connected, ready

_LOOKS = 20
"""How often a look is tried that others disturb."""
_BESIDE = ("-wal", "-journal")
"""What is read together with the database."""
_Stamp = tuple[tuple[int, int, int] | None, ...]


class ReadOnly(sqlite3.Connection):
    """A connection that only reads, and sees what others write."""


class Look(ReadOnly):
    """A copy in memory of the file as it was at one moment."""

    stamp: _Stamp = ()

    def is_current(self, path: str) -> bool:
        """Whether it shows what is in the file now."""
        return self.stamp != () and _stamp(path) == self.stamp


def opened(path: str, *, writes: bool) -> sqlite3.Connection:
    """A connection to the file, which is there, at this schema; one that may only be read is opened for that."""
    for name in (path, f"{path}-wal"):  # the journal is looked at wherever a connection is made
        if is_link(name):
            raise StoreError(f"{name} is a symbolic link: name the file that it leads to")
    try:
        return ready(connected(path), path)
    except sqlite3.OperationalError as error:
        # One who only reads does not wait for others, who may hold what a new schema needs.
        reading = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_BUSY")
        if writes or not str(error.sqlite_errorname).startswith(reading):
            raise
    connection = ready(looked_at(path), path)
    connection.execute("PRAGMA query_only = 1")
    return connection


def looked_at(path: str) -> sqlite3.Connection:
    """A connection for reading: one that sees what others write, if it can be, else a look."""
    if is_link(path):  # SQLite looks for the log and the journal beside the file itself
        path = os.path.realpath(path)
    try:
        connection = connected(path, "ro", ReadOnly)
    except sqlite3.OperationalError:
        return _copied(path)
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        return _copied(path)
    except BaseException:
        connection.close()
        raise
    return connection if version >= SCHEMA else _in_memory(connection)


def _copied(path: str) -> Look:
    import shutil
    import tempfile

    for attempt in range(_LOOKS):
        before = _stamp(path)
        with tempfile.TemporaryDirectory(prefix="todowright-") as folder:
            copy = os.path.join(folder, "plans.db")
            shutil.copyfile(path, copy)
            for part, seen in zip(_BESIDE, before[1:], strict=True):
                if seen is not None:
                    with suppress(FileNotFoundError):  # it goes: then the stamp is another one
                        shutil.copyfile(path + part, copy + part)
            if _stamp(path) == before:
                look = _in_memory(connected(copy))
                if _is_old(before):
                    look.stamp = before
                return look
        time.sleep(0.01 * attempt)
    raise StoreError(f"{path} is being written, and may not be written by this user: try again")


def _is_old(stamp: _Stamp) -> bool:
    """Whether the next change is sure to have another time: clocks of files are coarse."""
    return all(each is None or time.time_ns() - each[2] > 2_000_000_000 for each in stamp)


def _in_memory(source: sqlite3.Connection) -> Look:
    """A copy in memory, which can be brought to our schema."""
    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False, factory=Look)
    try:
        source.backup(copy)
    except BaseException:
        copy.close()
        raise
    finally:
        source.close()
    return copy


def _stamp(path: str) -> _Stamp:
    """What changes when one of the files does."""
    found: list[tuple[int, int, int] | None] = []
    for part in ("", *_BESIDE):
        try:
            seen = os.stat(path + part)
            found.append((seen.st_ino, seen.st_size, seen.st_mtime_ns))
        except FileNotFoundError:
            found.append(None)
    return tuple(found)
