"""Old revisions deleted from a database on Postgres while others use it.

Rows go in small batches: readers of the feed wait for a transaction that deletes, as for any other one on the table.
Every row is whole, so the oldest go first, and the newest of a plan never goes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from todowright.plan.model import Plan
from todowright.stores.postgres_rows import read_text
from todowright.stores.postgres_sql import DELETE_OLD, OLD
from todowright.stores.protocol import revisions
from todowright.stores.sqlite_prune import BATCH, Old

if TYPE_CHECKING:
    from todowright.stores.postgres import PostgresStore


def old_revisions(store: PostgresStore, *, older_than: int | None, keep_last: int) -> list[Old]:
    """What goes if of each plan the last few stay, and those since a moment (microseconds since 1970)."""
    found: list[Old] = []
    for session in store.sessions():
        values = {"older_than": older_than, "keep_last": keep_last}
        for row in store.rows(OLD, session, "", values):
            agent, before, count = cast("tuple[str, int, int]", row)
            found.append(Old(session, read_text(agent), before, count))
    return found


def plans_of(store: PostgresStore, old: list[Old]) -> Iterator[Plan]:
    """The plans that are to go, oldest first."""
    for each in old:
        for plan in revisions(store, each.session, each.agent):
            if plan.revision >= each.before:
                break
            yield plan


def prune(store: PostgresStore, old: list[Old]) -> None:
    """Delete them; the server gives their room to new rows."""
    for each in old:
        values = {"before": each.before, "batch": BATCH}
        while store.rows(DELETE_OLD, each.session, each.agent, values):
            pass
