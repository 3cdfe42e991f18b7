"""What requests took, in a database file. Its tables are made when they are first needed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from todowright.stores.sqlite_file import statements
from todowright.stores.usage import ModelRequest, Usage, in_order

_IS_THERE = (
    "SELECT count(*) FROM sqlite_master WHERE name IN ('usage', 'usage_request') AND type = 'table'"
)
_MARK = "INSERT OR IGNORE INTO usage_request (session, mark, agent) VALUES (?, ?, ?)"
_ADD = """
    INSERT INTO usage (session, agent, model, requests, input, output, cached, cost, priced, updated_at)
    VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (session, agent, model) DO UPDATE SET requests = requests + 1, input = input + excluded.input,
        output = output + excluded.output, cached = cached + excluded.cached, cost = cost + excluded.cost,
        priced = priced + excluded.priced, updated_at = max(updated_at, excluded.updated_at)"""
_OF = (
    "SELECT agent, model, requests, input, output, cached, cost, priced, updated_at "
    "FROM usage WHERE session = ?"
)
_FORGET = """
    DELETE FROM {table} WHERE session = :session
    AND (agent = :agent OR NOT EXISTS (SELECT 1 FROM revision WHERE session = :session))"""


def count(connection: sqlite3.Connection, requests: Iterable[ModelRequest]) -> None:
    """Add them up, in a transaction that is open."""
    if not _is_there(connection):
        for statement in statements("sqlite-usage.sql"):
            connection.execute(statement)
    for each in requests:
        if each.id:
            marked = connection.execute(_MARK, (each.session, each.mark, each.agent))
            if not marked.rowcount:
                continue
        tokens = (each.input, each.output, each.cached)
        cost = (float(each.cost or 0.0), int(each.cost is not None))
        names = (each.session, each.agent, each.model)
        connection.execute(_ADD, (*names, *tokens, *cost, each.microseconds))


def usage_of(connection: sqlite3.Connection, session: str) -> list[Usage]:
    """By agent and model."""
    if not _is_there(connection):
        return []
    return in_order(Usage(*row) for row in connection.execute(_OF, (session,)))


def forget(connection: sqlite3.Connection, session: str, agent: str) -> None:
    """Delete an agent's; all of the session where its last plan is gone."""
    if _is_there(connection):
        for table in ("usage", "usage_request"):
            statement = _FORGET.format(table=table)
            connection.execute(statement, {"session": session, "agent": agent})


def _is_there(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute(_IS_THERE).fetchone() == (2,))
