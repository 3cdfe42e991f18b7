"""Where plans live."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from todowright.errors import UnknownName
from todowright.plan.model import Plan
from todowright.text import shown


class Store(Protocol):
    """Keeps the plans of many sessions and agents, each revision on top of the one before."""

    def load(self, session: str, agent: str) -> Plan:
        """The current plan; an empty one at revision 0 where there is none."""

    def save(self, plan: Plan) -> None:
        """Keep the plan if the store is at the revision before it; raise `Conflict` otherwise."""

    def history(self, session: str, agent: str) -> Sequence[Plan]:
        """The revisions that are kept, oldest first."""

    def plans(self, session: str) -> Sequence[Plan]:
        """The current plan of every agent of a session, in the order in which they came."""

    def sessions(self) -> Sequence[str]:
        """The names of the sessions, in the order in which they came."""

    def forget(self, session: str, agent: str) -> None:
        """Delete an agent's plan and its history."""

    def newest(self) -> int:
        """The number of the last revision that was saved of any plan; 0 if none was."""

    def since(
        self, number: int, *, session: str | None = None, limit: int = 1_000
    ) -> Sequence[tuple[int, Plan]]:
        """The revisions behind a number, in the order they were saved, each with its own number.

        They are all there, whichever process saved them: who asks again from the last number it
        got misses none.
        """

    def wait(self, number: int, timeout: float) -> bool:
        """Wait, at most so many seconds, until there is a revision behind this number."""

    def close(self) -> None:
        """Let go of files and connections."""


def open_store(url: str) -> Store:
    """The store that a URL names: `memory:` or `sqlite:///path/to/plans.db`."""
    if url == "memory:":
        from todowright.stores.memory import MemoryStore

        return MemoryStore()
    if url.startswith("sqlite:///") and len(url) > len("sqlite:///"):
        from todowright.stores.sqlite import SQLiteStore

        return SQLiteStore(url.removeprefix("sqlite:///"))
    raise UnknownName(
        f"no store is known for '{shown(url, 60)}': use memory: or sqlite:///path/to/plans.db"
    )
