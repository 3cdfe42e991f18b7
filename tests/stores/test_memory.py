"""The store for one process."""

from __future__ import annotations

import pytest

from todowright import MemoryStore, Plan, Store, StoreError, follow
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


def test_who_asks_for_revisions_that_are_gone_is_told_so() -> None:
    store = MemoryStore(keep=10)
    for revision in range(1, 31):
        store.save(Plan("s", "a", revision))
    assert len(store.since(20)) == 10
    with pytest.raises(StoreError, match="up to 20 are not kept any more"):
        list(follow(store, after=0, until=lambda: True))
