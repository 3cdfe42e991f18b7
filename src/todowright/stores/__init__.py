"""Where plans live."""

from __future__ import annotations

from todowright.stores.opening import open_store
from todowright.stores.protocol import Store, revisions

__all__ = ["Store", "open_store", "revisions"]
