"""A long history, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from starlette.testclient import TestClient

from todowright.plan.model import MAIN, Plan, Status, Todo
from todowright.stores.memory import MemoryStore
from todowright.web.app import build

START = datetime(2025, 1, 2, tzinfo=UTC)
COUNT = 5_000


class Counting(MemoryStore):
    """A store that notes how much of a history is asked for at once."""

    most = read = 0

    def history(self, session: str, agent: str, **page: Any) -> Any:
        return self._counted(super().history(session, agent, **page))

    def since(self, number: int, **page: Any) -> Any:
        return self._counted(super().since(number, **page))

    def _counted(self, found: Any) -> Any:
        self.most = max(self.most, len(found))
        self.read += len(found)
        return found


def filled(store: MemoryStore, count: int, steps: int = 40, text: str = "Look at the file") -> None:
    """Revisions that start one step after the other."""
    for revision in range(1, count + 1):
        todos = tuple(
            Todo(f"{text} {n}", _status(n, revision % steps), "", f"t{n}", n)
            for n in range(1, steps + 1)
        )
        at = START + timedelta(seconds=revision)
        store.save(Plan("long", MAIN, revision, todos, "", at, steps, dialect="lean"))


def _status(number: int, at: int) -> Status:
    return "in_progress" if number == at + 1 else "pending"


@contextmanager
def asked(store: MemoryStore) -> Iterator[TestClient]:
    with TestClient(build(store, keys=None), base_url="http://localhost") as http:
        yield http


@pytest.fixture(scope="module")
def long() -> Iterator[tuple[Counting, TestClient]]:
    store = Counting(keep=COUNT)
    filled(store, COUNT)
    with asked(store) as http:
        yield store, http


def test_all_of_it_is_there_page_by_page_and_no_page_is_large(
    long: tuple[Counting, TestClient],
) -> None:
    store, http = long
    seen: list[int] = []
    link: str | None = "/api/sessions/long/history/main"
    while link:
        answer = http.get(link)
        assert len(answer.content) < 2_000_000
        page = answer.json()
        assert all(each["changes"] for each in page["revisions"])
        seen = [each["revision"] for each in page["revisions"]] + seen
        link = page["earlier"]
    assert seen == list(range(1, COUNT + 1))
    assert store.most <= 50


def test_the_first_revision_of_a_page_is_compared_with_the_one_before_it(
    long: tuple[Counting, TestClient],
) -> None:
    page = long[1].get("/api/sessions/long/history/main?before=100&limit=3").json()
    assert [each["revision"] for each in page["revisions"]] == [97, 98, 99]
    assert [len(each["changes"]) for each in page["revisions"]] == [2, 2, 2]
    assert page["earlier"] == "/api/sessions/long/history/main?before=97&limit=3"


def test_what_is_new_since_a_revision_is_paged_too(long: tuple[Counting, TestClient]) -> None:
    http = long[1]
    page = http.get("/api/sessions/long/history/main?after=4990&limit=6").json()
    assert [each["revision"] for each in page["revisions"]] == list(range(4995, 5001))
    before = http.get(page["earlier"]).json()
    assert [each["revision"] for each in before["revisions"]] == [4991, 4992, 4993, 4994]
    assert before["earlier"] is None
    none = http.get("/api/sessions/long/history/main?after=5000").json()
    assert none == {"revisions": [], "earlier": None}


def test_the_last_revision_of_a_hundred_thousand_costs_no_more_than_of_ten() -> None:
    store = Counting(keep=100_000)
    filled(store, 100_000, steps=2)
    with asked(store) as http:
        store.read = 0
        page = http.get("/api/sessions/long/history/main?limit=1").json()
        assert [each["revision"] for each in page["revisions"]] == [100_000]
        assert http.get(page["earlier"]).json()["revisions"][0]["revision"] == 99_999
        assert store.read <= 4


def test_few_long_plans_are_read_at_once() -> None:
    """A page has room for two of them: two hundred would take a gigabyte before they are left out."""
    store = Counting()
    filled(store, 100, steps=100, text="写" * 2_500)
    with asked(store) as http:
        store.most = store.read = 0
        assert len(http.get("/api/sessions/long/history/main?limit=1000").json()["revisions"]) < 5
        assert len(http.get("/api/changes").json()["changes"]) < 5
    assert store.most <= 4
    assert store.read <= 20


def test_changes_come_in_pages_with_a_link_to_the_next() -> None:
    store = Counting(keep=2_500)
    filled(store, 2_500, steps=3)
    seen: list[int] = []
    with asked(store) as http:
        link: str | None = "/api/changes?session=long"
        while link:
            page = http.get(link).json()
            assert page["number"] == page["changes"][-1]["number"]
            seen += [each["revision"] for each in page["changes"]]
            link = page["next"]
    assert seen == list(range(1, 2_501))


def test_a_page_of_long_plans_has_fewer_revisions_but_at_least_one() -> None:
    store = MemoryStore()
    filled(store, 30, steps=100, text="写" * 2_000)
    with asked(store) as http:
        page = http.get("/api/sessions/long/history/main")
        assert 1 <= len(page.json()["revisions"]) < 30
        assert len(page.content) < 2_000_000
        assert http.get(page.json()["earlier"]).json()["revisions"]


def test_the_oldest_revision_that_is_kept_does_not_pass_for_the_first() -> None:
    store = MemoryStore(keep=3)
    filled(store, 10)
    with asked(store) as http:
        page = http.get("/api/sessions/long/history/main").json()
    assert [each["revision"] for each in page["revisions"]] == [8, 9, 10]
    assert [len(each["changes"]) for each in page["revisions"]] == [0, 2, 2]
    assert page["earlier"] is None


def test_a_link_to_an_earlier_page_is_good_for_odd_names() -> None:
    store = MemoryStore()
    for revision in (1, 2):
        store.save(Plan("a b?ü%", "main/x y#1", revision, (), "", START, 0, dialect="lean"))
    with asked(store) as http:
        page = http.get("/api/sessions/a%20b%3F%C3%BC%25/history/main/x%20y%231?limit=1").json()
        again = http.get(page["earlier"]).json()
    assert [each["revision"] for each in again["revisions"]] == [1]
