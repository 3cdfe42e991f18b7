"""The way to a Postgres server: its address, a few connections for each process, and patience while it restarts."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from todowright.errors import StoreError, UnknownName
from todowright.stores.room import Room

if TYPE_CHECKING:
    from psycopg import Connection

try:
    import psycopg
    from psycopg import conninfo
except ImportError:
    raise StoreError(
        "a store on Postgres needs psycopg: pip install 'todowright[postgres]'"
    ) from None

_PASSING = ("57P01", "57P02", "57P03", "57P05", "25P03", "53300", "40P01", "40001")
"""Errors after which trying again may help: the server goes, is full, or cut an idle connection off."""
_NO_TABLES = ("42P01", "3F000")
T = TypeVar("T")
ServerError = psycopg.Error
Rollback = psycopg.Rollback

MOST = 8
"""Connections that one process has at most; who needs one more waits."""
PATIENCE = 30.0
"""Seconds to wait for a server that was there and is gone, or for a connection."""
FIRST_PATIENCE = 3.0
"""The same for a server that never answered this process: it may be about to start, or the address is wrong."""
SCHEMA = 2
"""The version of the tables that this code writes."""
_TENANT = re.compile(r"[A-Za-z0-9_.-]{1,63}", re.ASCII)
_SCHEMAS = Path(__file__).parent / "schema"
_REFUSED = ("authentication", "does not exist", "pg_hba.conf", "unrecognized", "invalid")
_NO_ADDRESS = "this is no address of Postgres: use postgresql://user@host:5432/database"
_ABOUT = """
    CREATE TABLE IF NOT EXISTS todowright.about (
        one     boolean PRIMARY KEY DEFAULT true CHECK (one),
        version integer NOT NULL, -- of the tables
        oldest  integer NOT NULL  -- the oldest version of this program, by its own schema, that may still write here
    )"""
_SESSION = """
    SELECT set_config('todowright.tenant', %(tenant)s, false), set_config('statement_timeout', '30s', false),
        set_config('idle_in_transaction_session_timeout', '10s', false),
        set_config('default_transaction_isolation', 'read committed', false)"""
"""Whose rows are seen; how long an answer, or a transaction that nobody goes on with, may hold up others."""
_TENANT_ROW = "INSERT INTO todowright.tenant (tenant) VALUES (%s) ON CONFLICT DO NOTHING"
_RAISE_BASE = """
    UPDATE todowright.tenant SET base = greatest(newest, forgotten) + 1
    FROM (SELECT coalesce(max(number), 0) AS newest FROM todowright.revision WHERE tenant = %(tenant)s) AS kept
    WHERE tenant = %(tenant)s
        AND base + pg_snapshot_xmax(pg_current_snapshot())::text::bigint <= greatest(newest, forgotten)"""


class Address:
    """Where a store is: what libpq needs to know, and whose rows are meant."""

    def __init__(self, url: str) -> None:
        place, _, query = url.partition("?")
        given = query.split("&") if query else []
        tenants = [part.partition("=")[2] for part in given if part.startswith("tenant=")]
        self.tenant = tenants[-1] if tenants else "main"
        if not _TENANT.fullmatch(self.tenant):
            raise UnknownName("tenant may have letters, digits and _.- only, at most 63 of them")
        rest = "&".join(part for part in given if not part.startswith("tenant="))
        try:
            known = conninfo.conninfo_to_dict(f"{place}?{rest}" if rest else place)
        except psycopg.ProgrammingError:  # its message may hold the password
            raise UnknownName(_NO_ADDRESS) from None
        if "@" in f"{known.get('host', '')}{known.get('port', '')}{known.get('dbname', '')}" or (
            not str(known.get("port", "0")).replace(",", "").isdecimal()
        ):
            raise UnknownName(f"{_NO_ADDRESS}; write / and @ in a password as %2F and %40")
        self.settings = {
            "application_name": "todowright",
            "connect_timeout": "10",
            "tcp_user_timeout": "30000",
            "keepalives_idle": "10",
            "keepalives_interval": "5",
            "keepalives_count": "3",
            "client_encoding": "UTF8",
        } | {name: str(value) for name, value in known.items()}
        self.conninfo = conninfo.make_conninfo("", **self.settings)

    def __str__(self) -> str:
        """The address as it may be shown: without a password."""
        at = self.settings.get("host", os.environ.get("PGHOST", ""))
        port = self.settings.get("port", os.environ.get("PGPORT", ""))
        name = self.settings.get("dbname", os.environ.get("PGDATABASE", ""))
        tenant = "" if self.tenant == "main" else f"?tenant={self.tenant}"
        return f"postgresql://{at}{':' if port else ''}{port}/{name}{tenant}"


class Link:
    """The connections of one process to the server."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._idle: list[Connection] = []
        self._room = Room(MOST)
        self._was_there = False
        """Whether the server ever answered this process: then it may come back."""
        self._is_ready = False

    def run(self, work: Callable[[Connection], T]) -> T:
        """Do the work on a connection; again, while the server restarts or has no room.

        Work that was cut off may have been done: it must be such that doing it twice does no harm.
        """
        began, pause, renewed = time.monotonic(), 0.01, False
        while True:
            try:
                with self.connection() as connection:
                    return work(connection)
            except psycopg.Error as error:
                patience = PATIENCE if self._was_there else FIRST_PATIENCE
                if error.sqlstate in _NO_TABLES and not renewed:
                    self._is_ready, renewed = (
                        False,
                        True,
                    )  # somebody dropped them: they are made anew
                elif not self.may_pass(error) or time.monotonic() > began + patience:
                    raise StoreError(explained(error, self._address)) from error
            self.drop_idle()
            time.sleep(pause)
            pause = min(pause * 2, 0.5)

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A connection for one piece of work."""
        if not self._room.enter(PATIENCE):
            raise StoreError(f"{self._address}: all {MOST} connections are in use: try again")
        try:
            connection = self._taken()
            try:
                yield connection
            except BaseException:
                with suppress(psycopg.Error):
                    connection.rollback()
                raise
            finally:
                if not connection.closed:
                    self._idle.append(connection)
        finally:
            self._room.leave()

    def _taken(self) -> Connection:
        with suppress(IndexError):
            return self._idle.pop()
        return self.connected()

    def connected(self) -> Connection:
        """A new connection; the first one brings the tables up to date."""
        connection = psycopg.connect(self._address.conninfo, autocommit=True)
        self._was_there = True
        try:
            connection.execute(_SESSION, {"tenant": self._address.tenant})
            if not self._is_ready:
                _migrate(connection, self._address)
                self._is_ready = True
        except BaseException:
            connection.close()
            raise
        return connection

    def explained(self, error: psycopg.Error) -> str:
        """What is wrong and what to do."""
        return explained(error, self._address)

    def drop_idle(self) -> None:
        """Close the connections that nobody uses: after one broke, the others are no better."""
        while self._idle:
            with suppress(IndexError):
                self._idle.pop().close()

    def may_pass(self, error: psycopg.Error) -> bool:
        """Whether trying again may help: the server restarts, or is full for a moment."""
        state = error.sqlstate or ""
        if "starting up" in str(error) or state in _PASSING:
            return True
        refused = any(words in str(error) for words in _REFUSED)
        return state.startswith("08") or (not state and _is_link(error) and not refused)


def _is_link(error: psycopg.Error) -> bool:
    return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)


def _migrate(connection: Connection, address: Address) -> None:
    """Bring the tables to this version, once, however many processes try it."""
    version, oldest = _versions(connection)
    if version < SCHEMA:
        # The lock is taken before the transaction begins, which then sees what others made meanwhile.
        connection.execute("SELECT pg_advisory_lock(hashtext('todowright'))")
        with connection.transaction():
            version, oldest = _versions(connection)
            for step in range(version + 1, SCHEMA + 1):
                _step(connection, step)
        connection.execute("SELECT pg_advisory_unlock(hashtext('todowright'))")
    elif oldest > SCHEMA:
        raise StoreError(
            f"{address} was made by a newer todowright (schema {version}, this one knows {SCHEMA}): "
            "upgrade todowright"
        )
    recovers = connection.execute("SELECT pg_is_in_recovery()").fetchone()
    if recovers == (False,):
        connection.execute(_TENANT_ROW, (address.tenant,))
        connection.execute(_RAISE_BASE, {"tenant": address.tenant})


def _versions(connection: Connection) -> tuple[int, int]:
    """The version of the tables, and the oldest program that may use them; 0 where there are none."""
    found = connection.execute("SELECT to_regclass('todowright.about')").fetchone()
    if found is None or found[0] is None:
        return 0, 0
    row = connection.execute("SELECT version, oldest FROM todowright.about").fetchone()
    return (0, 0) if row is None else (int(row[0]), int(row[1]))


def _step(connection: Connection, step: int) -> None:
    if step == 1:
        connection.execute("CREATE SCHEMA IF NOT EXISTS todowright")
        connection.execute(_ABOUT)
        connection.execute("INSERT INTO todowright.about VALUES (true, 0, 1)")
    connection.execute((_SCHEMAS / f"postgres-{step}.sql").read_bytes())
    connection.execute("UPDATE todowright.about SET version = %s", (step,))


_FULL = "has no room left on its disk: free some space and try again"
_WORDS = (
    ("28", "does not let this user in: check the user and the password (PGPASSWORD or ~/.pgpass)"),
    ("3D000", "has no such database: create it first"),
    ("42501", "may not be used so by this user: have its owner run CREATE SCHEMA todowright AUTHORIZATION the_user, or GRANT rights on its tables"),
    ("53100", _FULL),
    ("53300", "has no room for another connection: raise max_connections, or use fewer processes"),
    ("25006", "may only be read: name the primary, or add target_session_attrs=read-write"),
    ("57014", "took longer than 30 s to answer: try again when it has less to do"),
)  # fmt: skip


def explained(error: psycopg.Error, address: Address) -> str:
    """What is wrong and what to do, in one line, without a password."""
    state, text = error.sqlstate or "", " ".join(str(error).split())
    for start, words in _WORDS:
        if state.startswith(start) and (start != "42501" or "permission denied" in text):
            return f"{address} {words}"
    if "could not extend file" in text or "No space left" in text:
        return f"{address} {_FULL}"
    if "password" in text or "authentication" in text or 'role "' in text:
        return f"{address} {_WORDS[0][1]}"
    if "does not exist" in text and not state:
        return f"{address} {_WORDS[1][1]}"
    if not state and "FATAL:" in text:
        return f"{address} refuses: {text.rpartition('FATAL:')[2].strip()[:150]}"
    if not state and _is_link(error):
        return f"{address} cannot be reached: check that the server runs, its host and its port"
    return f"{address}: {text[:200]}"
