"""The store for one process."""

from __future__ import annotations

import pytest

from todowright import MemoryStore, Plan, Store
from todowright.stores.memory import KEPT_REVISIONS
from todowright.testing import StoreSuite


class TestMemory(StoreSuite):
    @pytest.fixture
    def store(self) -> Store:
        return MemoryStore()


def test_the_history_is_bounded_by_the_revisions_it_says_it_keeps() -> None:
    store = MemoryStore()
    for revision in range(1, KEPT_REVISIONS + 101):
        store.save(Plan("s", "a", revision))
    history = store.history("s", "a")
    assert [plan.revision for plan in history] == list(range(101, KEPT_REVISIONS + 101))
    short = MemoryStore(keep=1)
    for revision in (1, 2, 3):
        short.save(Plan("s", "a", revision))
    assert [plan.revision for plan in short.history("s", "a")] == [3]
