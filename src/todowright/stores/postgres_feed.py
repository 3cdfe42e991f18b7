"""The feed of a store on Postgres: up to which number it is complete, and who waits for more.

Of all threads of a process that wait, one listens at a time; the others wait for it.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from todowright.stores.postgres_link import Link, ServerError
from todowright.stores.postgres_sql import BOUND, NEWEST, RING

if TYPE_CHECKING:
    from psycopg import Connection

LOOK = 1.0
"""Seconds after which the log is looked at anyway: a notice may be lost with its sender, the log is not."""
_SOON = 0.01
"""Seconds until the next look, while a row waits for an older transaction to end."""
_IDLE = "SET idle_session_timeout = '60s'"
"""Who stops listening is cut off by the server, which would keep every notice for it."""


def newest(connection: Connection, tenant: str) -> tuple[int, bool]:
    """The newest number, and whether a newer row waits for transactions that began before it."""
    found = _newest(connection, tenant, None)
    return _newest(connection, tenant, bound(connection, tenant)) if found[1] else found


def _newest(connection: Connection, tenant: str, limit: int | None) -> tuple[int, bool]:
    row = connection.execute(NEWEST, {"tenant": tenant, "bound": limit}).fetchone()
    return (0, False) if row is None else (int(row[0]), bool(row[1]))


def bound(connection: Connection, tenant: str) -> int | None:
    """The number below which no row of this table can come any more; None where only a snapshot can tell."""
    row = connection.execute(BOUND, {"tenant": tenant}).fetchone()
    return None if row is None else row[0]


class Bell:
    """Rings when somebody saved; of all threads that wait, one listens at a time."""

    def __init__(self, link: Link, tenant: str) -> None:
        self._link = link
        self._tenant = tenant
        self._changed = threading.Condition()
        self._is_listening = False
        self._heard = 0
        self._connection: Connection | None = None
        self._is_closing = False
        self._ringing = threading.Lock()
        self._is_about_to_ring = False

    def ring(self, connection: Connection) -> None:
        """Tell who listens that there is something to read.

        Of many savers of a process one rings, another waits to ring next, and that is for the rest, too.
        """
        if self._is_about_to_ring:
            return
        self._is_about_to_ring = True
        try:
            self._ringing.acquire()
        finally:
            self._is_about_to_ring = False
        try:
            connection.execute(RING, {"tenant": self._tenant})
        finally:
            self._ringing.release()

    def wait(self, number: int, timeout: float) -> bool:
        """Wait, at most so many seconds, until there is a revision behind this number."""
        deadline = time.monotonic() + timeout
        while True:
            with self._changed:
                while self._heard <= number and self._is_listening:
                    left = deadline - time.monotonic()
                    if left <= 0 or not self._changed.wait(left):
                        return self._heard > number
                if self._heard > number:
                    return True
                self._is_listening, self._is_closing = True, False
            try:
                if self._listen(number, deadline):
                    return True
            finally:
                with self._changed:
                    self._is_listening = False
                    if self._is_closing:
                        self._drop()
                    self._changed.notify_all()
            if time.monotonic() >= deadline:
                return False

    def _listen(self, number: int, deadline: float) -> bool:
        """Listen for all, until there is news behind the number, or the time is over."""
        connection = self._connection
        if connection is None or connection.closed:
            connection = self._connection = self._link.run(self._listener)
        try:
            while True:
                found, waits = newest(connection, self._tenant)
                with self._changed:
                    self._heard = found  # less than before, if the store began anew
                    self._changed.notify_all()
                if found > number:
                    return True
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                self._hear(connection, min(left, _SOON if waits else LOOK))
        except (
            ServerError
        ):  # the server went, or cut an idle listener off: the next look connects anew
            self._drop()
            return False

    def _listener(self, _: Connection) -> Connection:
        """A connection of its own that listens; made when the server answers."""
        connection = self._link.connected()
        connection.execute(_IDLE)
        connection.execute("LISTEN todowright")
        return connection

    def _hear(self, connection: Connection, seconds: float) -> None:
        """Wait for a notice of this tenant, at most so long."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            for notice in connection.notifies(timeout=left, stop_after=1):
                if notice.payload == self._tenant:
                    return

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def close(self) -> None:
        """Stop listening, as soon as nobody waits."""
        with self._changed:
            self._is_closing = True
            if not self._is_listening:
                self._drop()
