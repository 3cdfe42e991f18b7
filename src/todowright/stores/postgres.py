"""Plans in a Postgres database: for agents on many machines.

Each save is one statement that adds a row if the row before it is the newest, so writers cannot lose each other's work.
What is acknowledged is as durable as the server's `synchronous_commit` says. The feed is the table itself, in the
order of transactions; a notice only says that there is something to read.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar, cast

from todowright.errors import Conflict, StoreError
from todowright.plan.model import Plan
from todowright.processes import PerProcess, process
from todowright.stores.postgres_feed import Bell, bound, newest
from todowright.stores.postgres_link import Address, Link, Rollback, ServerError
from todowright.stores.postgres_rows import kept_text, key_of, plan_of_values, read_text, values_of
from todowright.stores.postgres_sql import (
    BEGIN_LEASE,
    DROP_LEASES,
    END_LEASE,
    FORGET,
    HISTORY,
    KEEP,
    LAST,
    LEASES,
    LOAD,
    MARK_SEEN,
    NOW,
    PLANS,
    RECEIPT,
    RENEW_LEASE,
    SAVE,
    SAVE_ONCE,
    SEEN,
    SESSIONS,
    SINCE,
)
from todowright.stores.postgres_usage import COUNT, FORGET_USAGE, USAGE, read_usage
from todowright.stores.postgres_usage import values_of as usage_values
from todowright.stores.protocol import KEPT_LEASES, KEPT_RECEIPTS, PAGE
from todowright.stores.usage import ModelRequest, Usage, in_order

if TYPE_CHECKING:
    from psycopg import Connection

    from todowright.stores.receipt import Receipt

T = TypeVar("T")
Values = Mapping[str, object]

_NO_LIMIT = 2**31 - 1


class _Hold:
    """What one process holds of the database."""

    def __init__(self, address: Address) -> None:
        self.link = Link(address)
        self.bell = Bell(self.link, address.tenant)

    def close(self) -> None:
        self.bell.close()
        self.link.drop_idle()


class PostgresStore:
    """A store in the schema `todowright` of a database, which is made when it is first used."""

    def __init__(self, url: str) -> None:
        self.address = Address(url)
        self._hold = PerProcess(partial(_Hold, self.address))
        weakref.finalize(self, _close, self._hold)

    def __repr__(self) -> str:
        return f"<PostgresStore {self.address}>"

    def load(self, session: str, agent: str) -> Plan:
        found = self._all(LOAD, self._names(session, agent), plan_of_values)
        return found[0] if found else Plan(session, agent)

    def save(self, plan: Plan, receipt: Receipt | None = None) -> None:
        values = self._row(plan)
        if receipt is None:
            saved = self._written(plan, lambda connection: _count(connection, SAVE, values))
        else:
            kept = values | self._receipt(receipt)
            saved = self._written(plan, lambda connection: _count(connection, SAVE_ONCE, kept))
        self._saved(plan, saved)

    def end(self, plan: Plan) -> None:
        values = self._row(plan)

        def last(connection: Connection) -> int:
            with connection.transaction():
                saved = _count(connection, SAVE, values)
                for statement in LAST if saved else ():
                    connection.execute(statement, values)
                return saved

        self._saved(plan, self._written(plan, last))

    def history(
        self, session: str, agent: str, *, before: int | None = None, limit: int = PAGE
    ) -> Sequence[Plan]:
        last = _NO_LIMIT if before is None else before
        values = self._names(session, agent) | {"before": last, "limit": limit}
        return self._all(HISTORY, values, plan_of_values)[::-1]

    def plans(self, session: str) -> Sequence[Plan]:
        return self._all(PLANS, self._names(session, ""), plan_of_values)

    def sessions(self) -> Sequence[str]:
        return self._all(SESSIONS, self._tenant, lambda row: read_text(str(row[0])))

    def forget(self, session: str, agent: str) -> None:
        values = self._names(session, agent)

        def delete(connection: Connection) -> None:
            with connection.transaction():
                for statement in (*FORGET, *FORGET_USAGE):
                    connection.execute(_literal(statement), values)

        self._run(delete)

    def receipt(self, session: str, agent: str, call: str) -> Receipt | None:
        from todowright.stores.receipt import Receipt

        values = self._names(session, agent) | {"call_key": key_of(call)}
        found = self._all(RECEIPT, values, lambda row: Receipt(*(read_text(text) for text in row)))
        return found[0] if found else None

    def keep(self, receipt: Receipt) -> None:
        values = self._names(receipt.session, receipt.agent) | self._receipt(receipt)
        self._run(lambda connection: connection.execute(KEEP, values))

    def seen(self, session: str, agent: str) -> int:
        found = self._all(SEEN, self._names(session, agent), lambda row: int(row[0]))
        return found[0] if found else 0

    def mark_seen(self, session: str, agent: str, revision: int) -> None:
        values = self._names(session, agent) | {"revision": revision}
        self._run(lambda connection: connection.execute(MARK_SEEN, values))

    def count_requests(self, requests: Iterable[ModelRequest]) -> None:
        rows = [usage_values(each, self.address.tenant) for each in requests]

        def count(connection: Connection) -> None:
            with connection.transaction(), connection.cursor() as cursor:
                cursor.executemany(COUNT, rows)

        self._run(count)

    def usage(self, session: str) -> Sequence[Usage]:
        return in_order(self._all(USAGE, self._names(session, ""), read_usage))

    def now(self) -> float:
        """The server's clock: the same for all machines."""
        return self._all(f"SELECT {NOW}", {}, lambda row: float(row[0]))[0]

    def renew_lease(
        self, session: str, agent: str, token: str, until: float, seconds: float
    ) -> float | None:
        values = self._lease(session, agent, token, until) | {"seconds": seconds}
        return self._run(lambda connection: _judged(connection, RENEW_LEASE, values))

    def end_lease(self, session: str, agent: str, token: str, until: float) -> bool:
        values = self._lease(session, agent, token, until)
        return self._run(lambda connection: _judged(connection, END_LEASE, values)) is not None

    def leases(self, session: str, agent: str) -> Mapping[str, float]:
        names = self._names(session, agent)
        return dict(self._all(LEASES, names, lambda row: (read_text(row[0]), float(row[1]))))

    def newest(self) -> int:
        return self._run(lambda connection: newest(connection, self.address.tenant))[0]

    def since(
        self, number: int, *, session: str | None = None, limit: int = PAGE
    ) -> Sequence[tuple[int, Plan]]:
        where = "" if session is None else "AND session_key = %(session_key)s"
        values = self._names(session or "", "") | {"number": number, "limit": limit}

        def read(connection: Connection, limit: int | None) -> Sequence[Sequence[object]]:
            query = SINCE.replace("{where}", where)
            return connection.execute(query, values | {"bound": limit}).fetchall()

        def settled(connection: Connection) -> list[tuple[int, Plan]]:
            rows = read(connection, None)
            if not all(
                row[0] for row in rows
            ):  # newer rows wait: perhaps for somebody else's work only
                rows = read(connection, bound(connection, self.address.tenant))
            return [(cast("int", row[1]), plan_of_values(row[2:])) for row in rows if row[0]]

        return self._run(settled)

    def wait(self, number: int, timeout: float) -> bool:
        return self._mine.bell.wait(number, timeout)

    def rows(
        self, query: str, session: str, agent: str, values: Values
    ) -> list[tuple[object, ...]]:
        """The rows of a statement on the plan of an agent, for what stands beside the store."""
        return self._all(query, {**self._names(session, agent), **values}, tuple)

    def close(self) -> None:
        """Let go of the connections; the next use opens new ones."""
        _close(self._hold)

    @property
    def _mine(self) -> _Hold:
        return self._hold[process.number]

    @property
    def _tenant(self) -> dict[str, object]:
        return {"tenant": self.address.tenant}

    def _names(self, session: str, agent: str) -> dict[str, object]:
        keys = {"session_key": key_of(session), "agent_key": key_of(agent)}
        return self._tenant | {"session": kept_text(session), "agent": kept_text(agent)} | keys

    def _row(self, plan: Plan) -> dict[str, object]:
        names = self._names(plan.session, plan.agent)
        return values_of(plan) | names | {"before": plan.revision - 1}

    def _receipt(self, receipt: Receipt) -> dict[str, object]:
        texts = {"call": receipt.call, "digest": receipt.digest, "reply": receipt.reply}
        kept: dict[str, object] = {name: kept_text(text) for name, text in texts.items()}
        return kept | {"call_key": key_of(receipt.call), "kept": KEPT_RECEIPTS}

    def _lease(self, session: str, agent: str, token: str, until: float) -> dict[str, object]:
        lease = {"token_key": key_of(token), "token": kept_text(token), "until": until}
        return self._names(session, agent) | lease | {"kept": KEPT_LEASES}

    def _written(self, plan: Plan, write: Callable[[Connection], int]) -> bool:
        """Write a revision and tell who listens; whether it is there. One that was cut off may be there already, as a second try finds."""
        tries = 0

        def tried(connection: Connection) -> bool:
            nonlocal tries
            tries += 1
            saved = write(connection) == 1 or (tries > 1 and self._is_kept(connection, plan))
            if saved:
                with suppress(ServerError):  # a hint: it is kept, whoever hears of it, and when
                    self._mine.bell.ring(connection)
            return saved

        return self._run(tried)

    def _is_kept(self, connection: Connection, plan: Plan) -> bool:
        values = self._names(plan.session, plan.agent) | {"before": plan.revision + 1, "limit": 1}
        row = connection.execute(HISTORY, values).fetchone()
        return row is not None and plan_of_values(row) == plan

    def _saved(self, plan: Plan, saved: bool) -> None:
        """Raise, where another revision stands."""
        if not saved:
            current = self.load(plan.session, plan.agent).revision
            raise Conflict(plan.session, plan.agent, plan.revision, current)

    def _all(self, query: str, values: Values, read: Callable[..., T]) -> list[T]:
        def rows(connection: Connection) -> list[T]:
            return [read(row) for row in connection.execute(_literal(query), values)]

        return self._run(rows)

    def _run(self, work: Callable[[Connection], T]) -> T:
        try:
            return self._mine.link.run(work)
        except (ValueError, TypeError) as error:  # a row that is no plan
            raise StoreError(f"{self.address} holds a row that is no plan") from error


def open_url(url: str) -> tuple[str, PostgresStore]:
    """The store of a URL, and what tells it from others."""
    store = PostgresStore(url)
    return f"{store.address.conninfo} {store.address.tenant}", store


def _close(holds: PerProcess[_Hold]) -> None:
    """Close what this process has open; what another opened, before a fork, is not ours to close."""
    hold = holds.get(process.number)
    if hold is not None:
        hold.close()


def _judged(connection: Connection, statement: str, values: Values) -> float | None:
    """When a lease ends after a statement that judges it by the server's clock; None where it does not take effect."""
    with connection.transaction() as transaction:
        is_new = connection.execute(BEGIN_LEASE, values).rowcount
        row = connection.execute(_literal(statement), values).fetchone()
        if row is None:
            raise Rollback(transaction)
        if is_new:
            connection.execute(DROP_LEASES, values)
        return float(row[0])
    return None


def _literal(statement: str) -> bytes:
    """A statement of ours, as psycopg takes one that is put together: what others wrote is only ever a parameter of it."""
    return statement.encode()


def _count(connection: Connection, statement: str, values: Values) -> int:
    return connection.execute(_literal(statement), values).rowcount
