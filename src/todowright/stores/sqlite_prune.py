"""Old revisions deleted from a database file while others use it, and the room given back.

Rows go in small batches, so that nobody waits long, and the newest of them first: a base is older than what is kept as
changes to it, so that every row can be read at any moment. What is kept on a base that goes is kept anew first.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import NamedTuple

from todowright.plan.model import Plan
from todowright.stores.changes import MOST_ON_A_BASE, Base
from todowright.stores.sqlite_file import patiently
from todowright.stores.sqlite_open import opened
from todowright.stores.sqlite_rows import SELECT, Known, is_whole, reader, saved_base, values_of

BATCH = 500
"""Rows that are deleted in one commit."""
_PAGES = 1_000
"""Pages of the file that are given back in one commit."""
_NEWEST = "SELECT session, agent, max(revision) FROM revision GROUP BY session, agent"
_LAST = "SELECT max(revision) FROM revision WHERE session = ? AND agent = ?"
_FIRST_YOUNG = (
    "SELECT min(revision) FROM revision WHERE session = ? AND agent = ? AND updated_at >= ?"
)
_COUNT = "SELECT count(*) FROM revision WHERE session = ? AND agent = ? AND revision < ?"
_DELETE = """
    DELETE FROM revision WHERE number IN (
        SELECT number FROM revision WHERE session = ? AND agent = ? AND revision < ?
        ORDER BY revision DESC LIMIT ?)"""
_REWRITE = (
    "UPDATE revision SET todos = ?, summary = ?, extras = ?, base = ? "
    "WHERE session = ? AND agent = ? AND revision = ?"
)


class Old(NamedTuple):
    """The revisions of one plan that are to go: those before one of them."""

    session: str
    agent: str
    before: int
    revisions: int


def old_revisions(path: str, *, older_than: int | None, keep_last: int) -> list[Old]:
    """What goes if of each plan the last few stay, and those since a moment (microseconds since 1970)."""
    with closing(patiently(opened, path, writes=False)) as connection:
        found = []
        for session, agent, newest in connection.execute(_NEWEST).fetchall():
            before = newest - keep_last + 1
            if older_than is not None:
                (young,) = connection.execute(_FIRST_YOUNG, (session, agent, older_than)).fetchone()
                before = before if young is None else min(before, young)
            (count,) = connection.execute(_COUNT, (session, agent, before)).fetchone()
            if count:
                found.append(Old(session, agent, before, count))
        return found


def plans_of(path: str, old: list[Old]) -> Iterator[Plan]:
    """The plans that are to go, oldest first."""
    query = f"{SELECT} WHERE r.session = ? AND r.agent = ? AND r.revision < ? ORDER BY r.revision"
    with closing(patiently(opened, path, writes=False)) as connection:
        for each in old:
            yield from map(reader(Known()), connection.execute(query, each[:3]))


def prune(path: str, old: list[Old]) -> None:
    """Delete them, and give the room back."""
    with closing(patiently(opened, path, writes=True)) as connection:
        for each in old:
            while patiently(deleted_batch, connection, each):
                pass
        give_room_back(connection)


def deleted_batch(connection: sqlite3.Connection, old: Old) -> int:
    """Delete some of the revisions of a plan in one commit; how many."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        # It may have been forgotten and begun anew meanwhile, or another file restored: what stands stays.
        (newest,) = connection.execute(_LAST, old[:2]).fetchone()
        old = old._replace(before=min(old.before, newest or 0))
        _keep_anew(connection, old)
        count = connection.execute(_DELETE, (*old[:3], BATCH)).rowcount
        connection.execute("COMMIT")
        return count
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _keep_anew(connection: sqlite3.Connection, old: Old) -> None:
    """Let what stays lean on nothing that goes."""
    query = (
        f"{SELECT} WHERE r.session = ? AND r.agent = ? AND r.revision >= ? AND r.revision < ? "
        "AND r.base BETWEEN 1 AND ? ORDER BY r.revision"
    )
    session, agent, first, _ = old
    places = (session, agent, first, first + MOST_ON_A_BASE, first - 1)
    plans = [reader(Known())(row) for row in connection.execute(query, places)]
    base: Base | None = None
    for plan in plans:
        values = values_of(plan, base)
        if is_whole(values):
            base = saved_base(plan, values)
        kept = (values[3], values[4], values[15], values[16])
        connection.execute(_REWRITE, (*kept, session, agent, plan.revision))


def give_room_back(connection: sqlite3.Connection) -> None:
    """Make the file and its log as small as what they hold."""
    (kind,) = connection.execute("PRAGMA auto_vacuum").fetchone()
    if kind == 0:  # made by an earlier release: written anew, once
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        patiently(connection.execute, "VACUUM")
    while connection.execute("PRAGMA freelist_count").fetchone()[0]:
        patiently(_some_given_back, connection)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _some_given_back(connection: sqlite3.Connection) -> None:
    connection.executescript(f"PRAGMA incremental_vacuum({_PAGES})")  # execute() stops after a page
