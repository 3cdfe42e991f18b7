"""Stores of many projects as one."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from todowright import StoreError, TodoWrite, UnknownName
from todowright.stores import feed_order, open_store
from todowright.stores.gathered import GatheredStores
from todowright.stores.gathering import Place
from todowright.stores.protocol import Store
from todowright.stores.usage import ModelRequest
from todowright.stores.watching import Watcher


class Several:
    """Projects in folders, and all of them as one store."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.marks: list[str] = []
        self.all = self.again()

    def again(self) -> GatheredStores:
        """A store of all of them, as another run of a program has it."""
        return GatheredStores(self._find, "a")

    def _find(self) -> list[Place]:
        return [Place(each, str(self.folder), self._path(each)) for each in self.marks]

    def _path(self, mark: str) -> str:
        return str(self.folder / f"{mark}.db")

    def write(self, mark: str, session: str = "s", times: int = 1) -> None:
        """Save two revisions, so many times."""
        store = open_store(f"sqlite:///{self._path(mark)}")
        plan = store.load(session, "main")
        for _ in range(2 * times):
            plan = replace(plan, revision=plan.revision + 1, updated_at=datetime.now(UTC))
            store.save(plan)
        if mark not in self.marks:
            self.marks.append(mark)


@pytest.fixture
def several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Several:
    monkeypatch.setattr("todowright.stores.gathering._ASK", 0.0)
    return Several(tmp_path)


def followed(store: Store, number: int = 0, limit: int = 3) -> list[tuple[str, int]]:
    """All revisions behind a number, read as one who follows does."""
    found: list[tuple[str, int]] = []
    while rows := store.since(number, limit=limit):
        assert [at for at, _ in rows] == sorted({at for at, _ in rows})
        assert rows[0][0] > number
        number = rows[-1][0]
        found += [(plan.session, plan.revision) for _, plan in rows]
    return found


def test_every_revision_of_every_store_is_given_once_and_in_its_stores_order(
    several: Several,
) -> None:
    several.write("a", times=3)
    several.write("b", times=2)
    several.all.newest()
    for mark in "abbaab":
        several.write(mark)
        several.all.newest()

    found = followed(several.all)

    for mark in "ab":
        kept = [revision for session, revision in found if session == f"{mark}~s"]
        assert kept == list(range(1, len(kept) + 1))
    whole = sum(several.all.load(f"{mark}~s", "main").revision for mark in "ab")
    assert len(found) == len(set(found)) == whole


def test_a_number_of_this_run_leads_to_what_came_behind_it_and_one_of_another_run_is_known(
    several: Several,
) -> None:
    several.write("a", times=30)
    number = several.all.newest()
    several.write("b")
    several.write("a")
    found = followed(several.all, number)
    assert [session for session, _ in found] in (
        ["b~s", "b~s", "a~s", "a~s"],
        ["a~s", "a~s", "b~s", "b~s"],
    )
    assert not several.all.is_foreign(number)
    assert not several.all.is_foreign(several.all.newest())
    time.sleep(0.2)  # more milliseconds than there were revisions
    again = several.again()
    assert again.is_foreign(number)
    assert len(again.since(again.newest() - 5)) == 5  # counted back from where it began
    watcher = Watcher(again)
    watcher.look()
    assert not again.wait(watcher.number, 0.01)


def test_after_very_many_turns_nothing_is_left_out(
    several: Several, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_order, "_MOST", 4)
    several.write("a")
    several.write("b")
    first = last = several.all.newest()
    for mark in "abababab":
        several.write(mark)
        last = several.all.newest()
    several.write("a")

    found = followed(several.all)

    assert len(found) == len(set(found)) == 22
    assert several.all.is_foreign(first)
    assert not several.all.is_foreign(last)
    assert [session for session, _ in followed(several.all, last)] == ["a~s", "a~s"]


def test_a_store_that_comes_later_brings_all_its_sessions(several: Several) -> None:
    several.write("a")
    watcher = Watcher(several.all)
    watcher.look()
    before = watcher.number
    several.write("late", "long-ago")
    several.write("late", "busy", times=120)

    watcher.look()

    there = {view.session for view in watcher.sessions()}
    assert there == {"a~s", "late~busy", "late~long-ago"}
    assert {view.session for view in watcher.sessions(after=before)} == there - {"a~s"}
    several.marks.remove("late")
    watcher.look()
    assert {view.session for view in watcher.sessions()} == {"a~s"}
    assert [each.trouble for each in several.all.places() if each.trouble] == [
        f"{several.folder}/late.db is gone"
    ]


def test_a_store_that_was_replaced_counts_anew_and_takes_nothing_from_the_others(
    several: Several,
) -> None:
    several.write("a", times=3)
    several.write("b")
    number = several.all.newest()
    several.all.close()
    for file in several.folder.glob("a.db*"):
        file.unlink()
    several.write("a")
    assert followed(several.all, number) == [("a~s", 1), ("a~s", 2)]
    assert sorted(several.all.sessions()) == ["a~s", "b~s"]


def test_a_store_that_was_replaced_by_a_longer_one_is_another_one(several: Several) -> None:
    several.write("a")
    number = several.all.newest()
    several.write("new", "other", times=2)
    several.marks.remove("new")
    several.all.close()
    for file in several.folder.glob("a.db-*"):
        file.unlink()
    for file in several.folder.glob("new.db*"):
        file.replace(file.with_name(file.name.replace("new", "a")))
    assert followed(several.all, number) == [("a~other", each) for each in (1, 2, 3, 4)]
    assert several.all.sessions() == ["a~other"]


def test_what_is_saved_and_asked_goes_to_the_right_store(several: Several) -> None:
    several.write("a")
    several.write("b", "other")
    tool = TodoWrite("lean", store=several.all, session="b~other")
    for _ in range(2):
        tool({"steps": ["Go on"]}, tool="plan", call_id="c1")
    kept = open_store(f"sqlite:///{several.folder}/b.db").load("other", "main")
    assert (kept.revision, kept.todos[0].content) == (3, "Go on")
    receipt = several.all.receipt("b~other", "main", "c1")
    assert receipt is not None
    assert receipt.session == "b~other"
    assert several.all.whole("other") == "b~other"
    several.all.mark_seen("b~other", "main", 3)
    assert several.all.seen("other", "main") == 3
    assert several.all.leases("b~other", "main") == {}
    several.all.forget("b~other", "main")
    assert several.all.sessions() == ["a~s"]
    with pytest.raises(UnknownName, match="no project has a session nobody"):
        several.all.load("nobody", "main")


def test_what_requests_took_is_counted_in_the_right_store(several: Several) -> None:
    several.write("a")
    several.write("b")
    for mark, tokens in (("a", 100), ("b", 7)):
        told = ModelRequest(session=f"{mark}~s", agent="main", input=tokens, id="1")
        several.all.count_requests([told, told])
    assert [each.input for each in several.all.usage("a~s")] == [100]
    assert [each.input for each in several.all.usage("b~s")] == [7]


def test_a_store_that_fails_is_left_out_until_its_file_changes(several: Several) -> None:
    several.write("a")
    several.marks.append("b")
    (several.folder / "b.db").write_bytes(b"no database at all" * 100)
    assert several.all.sessions() == ["a~s"]
    assert several.all.plans("b~s") == ()
    with pytest.raises(StoreError, match=r"b\.db is no SQLite database"):
        several.all.load("b~s", "main")
    (several.folder / "b.db").unlink()
    several.write("b")
    assert sorted(several.all.sessions()) == ["a~s", "b~s"]
    assert [each.trouble for each in several.all.places()] == ["", ""]
