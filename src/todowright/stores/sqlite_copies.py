"""Copies of a database file: made, checked and brought back, also while others write.

Files are copied by SQLite's own interface, which knows what is still in the -wal file. What a restore puts another content in the
place of is kept beside it, whole.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import NamedTuple

from todowright.errors import StoreError
from todowright.private_files import create_file, is_link, make_folder, place, sync_folder
from todowright.stores.sqlite_check import faults, size
from todowright.stores.sqlite_file import (
    APPLICATION,
    DAMAGED,
    connected,
    explained,
    is_busy,
    patiently,
    ready,
)
from todowright.stores.sqlite_hold import check_log_alone
from todowright.stores.sqlite_open import looked_at, opened

_PARTS = ("", "-wal", "-shm", "-journal")
"""What belongs to a database file, by the ends of the names."""


class Restored(NamedTuple):
    """What a restore did."""

    revisions: int
    """How many revisions there are now."""
    kept: str
    """The file that has what was there before; empty where there was nothing."""


class Checked(NamedTuple):
    """What a check found."""

    faults: list[str]
    plans: int = 0
    revisions: int = 0
    bytes: int = 0


def checked(path: str) -> Checked | None:
    """Read the file whole; None where there is none. Nothing is changed."""
    if not _is_there(path):
        return None
    try:
        with closing(ready(looked_at(path), path)) as connection:
            if found := faults(connection):
                return Checked(found)
            return Checked([], *size(connection), _bytes(path))
    except sqlite3.Error as error:
        if str(error.sqlite_errorname).startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
            return Checked([str(error)])
        raise StoreError(explained(error, path)) from error


def backup(path: str, target: str) -> tuple[int, int]:
    """Copy the file's content, as it is at one moment, into a new file; how many plans and revisions it has."""
    _check_free(target)
    if not _is_there(path):
        raise StoreError(f"{path} is not there: no plan was saved there yet")
    with explaining(path), closing(patiently(opened, path, writes=False)) as source:
        return _copied(source, target)


def restore(path: str, backup_file: str) -> Restored:
    """Put the content of a backup in the place of the file's; what was there is kept beside it."""
    if not os.path.isfile(backup_file):
        raise StoreError(f"there is no file {backup_file}: name one that `todowright backup` made")
    if os.path.exists(path) and os.path.samefile(path, backup_file):
        raise StoreError(f"{backup_file} is the store itself: name a backup")
    make_folder(os.path.dirname(path))
    draft = f"{path}.restoring-{os.urandom(4).hex()}"
    try:
        with explaining(backup_file), closing(_sound(backup_file)) as source:
            _copied(source, draft)
        revisions = _brought_up(draft)
        kept = _put(draft, path)
    finally:
        for part in _PARTS:
            with suppress(FileNotFoundError):
                os.unlink(draft + part)
    return Restored(revisions, kept)


def set_aside(path: str) -> str:
    """Move the file away with all that belongs to it, so that plans start anew; its new name, or nothing."""
    there = [part for part in _PARTS if os.path.lexists(path + part)]
    if not there:
        return ""
    kept = _free_name(path)
    for part in there:  # the database first: without it, nobody touches the rest
        os.rename(path + part, kept + part)
    sync_folder(os.path.dirname(path))
    return kept


def _copied(source: sqlite3.Connection, target: str) -> tuple[int, int]:
    """Copy a database whole into a new file; what it has. The file is there in full, or not at all."""
    draft = os.path.join(
        os.path.dirname(target), f".{os.path.basename(target)[:100]}.{os.urandom(4).hex()}"
    )
    handle = create_file(draft)
    try:
        with closing(connected(draft)) as copy:
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, whoever copies it further
            found = size(copy)
        os.fsync(handle)
        place(draft, target)
    except FileExistsError:
        _check_free(target)
        raise
    finally:
        os.close(handle)
        for part in _PARTS:
            with suppress(FileNotFoundError):
                os.unlink(draft + part)
    return found


def _sound(path: str) -> sqlite3.Connection:
    """A connection to a file that is ours, whole, and not too new; it is only read."""
    connection: sqlite3.Connection = looked_at(path)
    try:
        if connection.execute("PRAGMA application_id").fetchone() != (APPLICATION,):
            raise StoreError(f"{path} is no database of todowright: name a backup")
        connection = ready(connection, path)
        if faults(connection):
            raise StoreError(f"{path} is damaged: name another backup")
    except BaseException:
        connection.close()
        raise
    return connection


def _brought_up(path: str) -> int:
    """Bring a copy to the schema of this release; how many revisions it has."""
    with closing(ready(connected(path), path)) as connection:
        connection.execute("UPDATE revision SET base = 0 WHERE base = -1")
        return size(connection)[1]


def _put(draft: str, path: str) -> str:
    """Put a sound file in the place of the store's; the file that has what was there."""
    if _is_whole(path):
        return _replaced_content(draft, path)
    kept = set_aside(path)
    try:
        place(draft, path)
    except FileExistsError:
        raise StoreError(f"somebody saved a plan in {path} meanwhile: try again") from None
    return kept


def _is_whole(path: str) -> bool:
    """Whether there is a sound store; raises where the file is not for us to touch."""
    if not os.path.exists(path) or not os.path.getsize(path):
        return False
    try:
        with closing(patiently(opened, path, writes=True)) as connection:
            return not faults(connection)
    except sqlite3.Error as error:
        if is_busy(error):
            raise StoreError(explained(error, path)) from error
        return False
    except (ValueError, TypeError):
        return False


def _replaced_content(draft: str, path: str) -> str:
    """Replace the rows of a store in one commit, which all who have it open see as one more.

    Nobody else writes from before what stands is copied until the commit: so what was acknowledged is in the copy.
    """
    kept = _free_name(path)
    with explaining(path), closing(patiently(opened, path, writes=True)) as store:
        store.execute("ATTACH ? AS backup", (draft,))
        patiently(store.execute, "BEGIN IMMEDIATE")
        try:
            with closing(opened(path, writes=False)) as reader:
                _copied(reader, kept)
            for table in _tables(store):
                store.execute(f'DELETE FROM main."{table}"')  # noqa: S608  a name of our schema
                columns = ", ".join(
                    row[1] for row in store.execute(f'PRAGMA main.table_info("{table}")')
                )
                store.execute(
                    f'INSERT INTO main."{table}" ({columns}) SELECT {columns} FROM backup."{table}"'  # noqa: S608
                )
            store.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                store.execute("ROLLBACK")
            raise
    return kept


def _tables(store: sqlite3.Connection) -> list[str]:
    """The tables of a store; last the one that counts the rows of others as they are added."""
    found = store.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'").fetchall()
    return sorted([name for (name,) in found], key=lambda name: name == "sqlite_sequence")


def _is_there(path: str) -> bool:
    if os.path.exists(path) and os.path.getsize(path):
        return True
    check_log_alone(path)
    return False


def _bytes(path: str) -> int:
    return sum(os.path.getsize(path + part) for part in _PARTS if os.path.exists(path + part))


def _free_name(path: str) -> str:
    """A name beside the file for what was there before."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    names = [f"{path}.before-{stamp}", *(f"{path}.before-{stamp}-{n}" for n in range(2, 1000))]
    return next(name for name in names if not any(os.path.lexists(name + part) for part in _PARTS))


def _check_free(target: str) -> None:
    if os.path.lexists(target):
        what = "a symbolic link" if is_link(target) else "there already"
        raise StoreError(f"{target} is {what}: name another file")


@contextmanager
def explaining(path: str) -> Iterator[None]:
    """Tell what goes wrong with the file in one line."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise StoreError(explained(error, path)) from error
    except (ValueError, TypeError) as error:
        raise StoreError(f"{path} {DAMAGED}") from error
