"""A lease: how long a worker may keep a task without a word, by the store's clock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from todowright.dialects.tasks.model import LEASE, of
from todowright.plan.model import Todo
from todowright.stores.protocol import Store


@dataclass(frozen=True, slots=True)
class Lease:
    """A lease as it stands in a task: `2026-01-02T17:42:33.123+00:00 60 5f3a91c2`.

    It is written once, with the claim. What renews it is kept by the store, outside the history.
    """

    since: float
    """When the task was claimed."""
    seconds: float
    """How long it lasts, if it is not renewed."""
    token: str
    """What tells this claim from any other."""

    @classmethod
    def of(cls, task: Todo) -> Lease | None:
        """The lease of a task, if it has one; a text that is none is one that is over."""
        text = of(task, LEASE)
        if not text:
            return None
        try:
            since, seconds, token = text.split()
            return cls(datetime.fromisoformat(since).timestamp(), float(seconds), token)
        except ValueError:
            return cls(0.0, 0.0, text)

    @property
    def end(self) -> float:
        """When it ends, if it is not renewed."""
        return self.since + self.seconds

    def __str__(self) -> str:
        since = datetime.fromtimestamp(self.since, UTC).isoformat(timespec="milliseconds")
        return f"{since} {self.seconds:g} {self.token}"


class Leases:
    """The leases of one list of tasks at one moment."""

    def __init__(self, store: Store, session: str, agent: str, now: float | None = None) -> None:
        self._store = store
        self._names = session, agent
        self.now = store.now() if now is None else now
        """The moment, by the store's clock."""
        self._renewed: dict[str, float] | None = None

    def end(self, lease: Lease, *, exact: bool = False) -> float:
        """When a lease ends. Unless it is wanted exactly, the store is asked only for one that would be over."""
        if lease.end >= self.now and not exact:
            return lease.end
        return self.renewed.get(lease.token, lease.end)

    @property
    def renewed(self) -> dict[str, float]:
        """When those end that were renewed, by their tokens."""
        if self._renewed is None:
            self._renewed = dict(self._store.leases(*self._names))
        return self._renewed

    def last(self, task: Todo) -> bool:
        """Whether a task has a lease that is not over."""
        lease = Lease.of(task)
        return lease is not None and self.end(lease) >= self.now

    def take_away(self, task: Todo) -> bool:
        """Whether the lease of a task is over; then its owner cannot renew it any more."""
        lease = Lease.of(task)
        if lease is None or self.end(lease) >= self.now:
            return False
        return self._store.end_lease(*self._names, lease.token, lease.end)
