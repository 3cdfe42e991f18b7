"""What a process holds of a database file, and how it notices that the file is another one now.

While a connection is open, the system gives the number of its file to no other file. So the number of the file that
stands under the path tells whether the connection still leads to it.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable
from typing import TypeVar

from todowright.errors import StoreError
from todowright.stores.sqlite_file import GATE, SCHEMA, make_file
from todowright.stores.sqlite_open import Look, ReadOnly, opened
from todowright.stores.sqlite_rows import Known

T = TypeVar("T")
FileNumber = tuple[int, int]
_MOST_TRIES = 20
"""How often work is done again on a file that is being replaced."""


class SchemaMovedOn(Exception):
    """Work found another schema than the one that this code knows: the file is opened again, which tells more."""


class Held:
    """One connection to the file under a path."""

    def __init__(self) -> None:
        self.connection: sqlite3.Connection | None = None
        self.known = Known()
        self._file: FileNumber | None = None
        self._log: FileNumber | None = None

    def close(self) -> None:
        """Close it; the next use opens it again."""
        if self.connection is not None:
            self.connection.close()
        self.connection = None
        self.known.doubt()

    def use(self, path: str, work: Callable[[Held], T], *, create: bool, writes: bool) -> T | None:
        """Do work on the file; None where there is no file and none is to be made.

        What was written into a file that was deleted or replaced meanwhile is not told as written: it is
        done again, on the file that is there now. So who writes need not look before, where a connection is open.
        """
        with GATE:
            if writes and self._can_write():
                try:
                    answer = work(self)
                    if _number(path) == self._file:
                        return answer
                except SchemaMovedOn:
                    self.close()
                except sqlite3.Error:
                    if _number(path) == self._file:
                        raise
            return self._use_looked_up(path, work, create=create, writes=writes)

    def _use_looked_up(
        self, path: str, work: Callable[[Held], T], *, create: bool, writes: bool
    ) -> T | None:
        """Do work on the file, after a look which one that is."""
        for _ in range(_MOST_TRIES):
            if not self._open(path, create=create, writes=writes):
                return None
            try:
                answer = work(self)
            except SchemaMovedOn:
                self.close()
                continue
            if not writes or _number(path) == self._file:
                return answer
        raise StoreError(f"{path} is replaced again and again: try again when that has ended")

    def _open(self, path: str, *, create: bool, writes: bool) -> bool:
        """Have a connection to the file that is there now; whether there is one."""
        if self.connection is not None:
            found = _number(path)
            if found == self._file and self._is_good(path, writes=writes):
                return True
            if found != self._file:
                self._check_log(path, found)
            self.close()
        for _ in range(_MOST_TRIES):
            self._file = _number(path)
            if self._file is None:
                self._check_log(path, None)
                if not create:
                    return False
                make_file(path)
                self._file = _number(path, empty=True)
            self.connection = opened(path, writes=writes)
            if _number(path, empty=True) == self._file:
                self._log = _number(f"{path}-wal", empty=True)
                return True
            self.close()
        raise StoreError(f"{path} is replaced again and again: try again when that has ended")

    def _can_write(self) -> bool:
        return self.connection is not None and not isinstance(self.connection, ReadOnly)

    def _is_good(self, path: str, *, writes: bool) -> bool:
        """Whether the connection can be used: the schema did not move on, and it may do what it is for."""
        connection = self.connection
        if isinstance(connection, ReadOnly) and writes:
            return False
        if isinstance(connection, Look):
            return connection.is_current(path)
        if writes:  # what writes asks for the schema itself, in the same step
            return True
        version = self._data_version()
        if version == self.known.version:
            return True
        assert connection is not None
        good = int(connection.execute("PRAGMA user_version").fetchone()[0]) == SCHEMA
        self.known.doubt(version if good else -1)
        return good

    def is_current(self) -> bool:
        """Whether nobody else has committed anything since the file was last looked at: the schema is the same, too."""
        return self._data_version() == self.known.version

    def _data_version(self) -> int:
        """A number that changes when another connection commits."""
        assert self.connection is not None
        return int(self.connection.execute("PRAGMA data_version").fetchone()[0])

    def _check_log(self, path: str, found: FileNumber | None) -> None:
        """Refuse to go on where the -wal file is one of a database that is not there any more.

        SQLite would delete it, or mix it into the other database.
        """
        number = _number(f"{path}-wal")
        if found is None:
            check_log_alone(path)
        elif number is not None and number == self._log:
            told = "was replaced but not its -wal file: put the old one back"
            raise StoreError(f"{path} {told}, then `todowright restore FILE`")


class Connections:
    """What one process holds of the file: who only reads never waits for who writes."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.main = Held()
        self.reading = threading.Lock()
        self.reader = Held()
        """For who reads while the other one is in use, and for who waits for others' commits."""
        GATE.register(self)

    def let_go(self) -> None:
        """Close what is open; the next use opens it again."""
        self.main.close()
        self.reader.close()

    def write(self, path: str, work: Callable[[Held], T], *, create: bool) -> T | None:
        """Do work that may write."""
        with self.lock:
            return self.main.use(path, work, create=create, writes=True)

    def read(self, path: str, work: Callable[[Held], T]) -> T | None:
        """Do work that only reads."""
        if self.lock.acquire(blocking=False):  # it has seen the file last, and knows it best
            try:
                return self.main.use(path, work, create=False, writes=False)
            finally:
                self.lock.release()
        return self.watch(path, work)

    def watch(self, path: str, work: Callable[[Held], T]) -> T | None:
        """Do work on the connection that nobody writes with: it tells when others have committed."""
        with self.reading:
            return self.reader.use(path, work, create=False, writes=False)


def check_log_alone(path: str) -> None:
    """Refuse to go on where there is a -wal file, but not its database."""
    if _number(f"{path}-wal") is not None:
        told = "is gone but not its -wal file, with what was written last: put it back"
        raise StoreError(f"{path} {told}, or run `todowright restore`")


def _number(path: str, *, empty: bool = False) -> FileNumber | None:
    """Which file the path names now; None for none, or for one that is still empty."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return (found.st_dev, found.st_ino) if found.st_size or empty else None
