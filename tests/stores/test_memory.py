"""The store for one process."""

from __future__ import annotations

from dataclasses import replace

import pytest

from todowright import Conflict, MemoryStore, Plan, Todo, UnknownName, open_store
from todowright.stores.memory import KEPT_REVISIONS


def test_a_plan_that_nobody_saved_is_empty_at_revision_0() -> None:
    assert MemoryStore().load("s", "a") == Plan("s", "a")


def test_a_save_must_be_on_top_of_the_revision_that_stands() -> None:
    store = MemoryStore()
    first = Plan("s", "a", 1, (Todo("x"),))
    store.save(first)
    for revision in (0, 1, 3):
        with pytest.raises(Conflict) as caught:
            store.save(replace(first, revision=revision))
        assert (caught.value.tried, caught.value.current) == (revision, 1)
    assert store.load("s", "a") == first
    assert list(store.history("s", "a")) == [first]


def test_sessions_and_plans_are_listed_in_the_order_they_came_and_can_be_forgotten() -> None:
    store = MemoryStore()
    for session, agent in (("s1", "main"), ("s2", "main"), ("s1", "worker")):
        store.save(Plan(session, agent, 1))
    assert list(store.sessions()) == ["s1", "s2"]
    assert [plan.agent for plan in store.plans("s1")] == ["main", "worker"]
    store.forget("s1", "main")
    store.forget("s1", "nobody")
    assert [plan.agent for plan in store.plans("s1")] == ["worker"]
    assert store.load("s1", "main").revision == 0
    assert list(store.history("s1", "main")) == []


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


def test_a_store_is_opened_by_its_url() -> None:
    assert isinstance(open_store("memory:"), MemoryStore)
    with pytest.raises(UnknownName, match="no store is known for 'mongodb://x': use memory:"):
        open_store("mongodb://x")
