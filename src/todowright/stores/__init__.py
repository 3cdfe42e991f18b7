"""Where plans live."""

from __future__ import annotations

from todowright.errors import UnknownName
from todowright.stores.protocol import Store, revisions
from todowright.text import shown

__all__ = ["Store", "open_store", "revisions"]


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
