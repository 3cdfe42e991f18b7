"""Tools that are closed, stores that are shared, and who hears of what in one process."""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.requirements import requirement
from tests.support import edit, texts
from todowright import (
    Author,
    Change,
    MemoryStore,
    Plan,
    Refused,
    StoreError,
    TodoWrite,
    follow,
    open_store,
)


def url(folder: Path) -> str:
    return f"sqlite:///{folder}/plans.db"


def handles(path: Path) -> int:
    """How many handles this process has on a file and those beside it."""
    count = 0
    for handle in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            count += handle.readlink().is_relative_to(path)
    return count


def planned(**given: Any) -> TodoWrite:
    todo = TodoWrite("lean", **given)
    todo({"steps": ["A", "B"]}, tool="plan")
    return todo


# One store for a file


@pytest.mark.skipif(sys.platform != "linux", reason="open files are listed in /proc")
def test_three_hundred_tools_on_one_file_have_one_connection(tmp_path: Path) -> None:
    tools = [planned(store=url(tmp_path), session=f"s{n}") for n in range(300)]
    assert {tool.plan.revision for tool in tools} == {1}
    assert 0 < handles(tmp_path) <= 4
    for tool in tools[1:]:
        tool.close()
    assert not tools[0]({"step": 1}, tool="done").is_error
    assert handles(tmp_path) > 0
    tools[0].close()
    assert handles(tmp_path) == 0


def test_the_same_file_is_the_same_store_while_somebody_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = open_store(url(tmp_path))
    assert open_store("sqlite:///plans.db") is store
    assert open_store(f"sqlite:///{tmp_path}/./x/../plans.db") is store
    assert TodoWrite(store=url(tmp_path)).store is store
    assert open_store(f"sqlite:///{tmp_path}/others.db") is not store
    assert open_store("memory:") is not open_store("memory:")
    assert repr(store) == f"<SQLiteStore {tmp_path}/plans.db>"


def test_closing_one_tool_breaks_no_other_one_nor_a_store_that_was_opened_beside(
    tmp_path: Path,
) -> None:
    store = open_store(url(tmp_path))
    one, other = planned(store=url(tmp_path)), TodoWrite(store=url(tmp_path), session="other")
    one.close()
    assert not other({"steps": ["C"]}, tool="plan").is_error
    other.close()
    assert texts(store.load("other", "main")) == ["C"]
    store.close()
    assert texts(store.load("default", "main")) == ["A", "B"]  # the next use opens it again


def test_a_store_of_ones_own_is_not_closed_with_the_tool() -> None:
    class Mine(MemoryStore):
        closed = False

        def close(self) -> None:
            self.closed = True

    store = Mine()
    planned(store=store).close()
    assert not store.closed


def test_closing_while_other_threads_write_harms_nobody(tmp_path: Path) -> None:
    failures: list[str] = []

    def work(name: str) -> None:
        for count in range(15):
            with TodoWrite("twostate", store=url(tmp_path), session=name) as todo:
                reply = todo({"todos": [{"content": f"{name} {count}"}]})
                if reply.is_error:
                    failures.append(reply.text)

    threads = [threading.Thread(target=work, args=(f"w{n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    with TodoWrite("twostate", store=url(tmp_path), session="w0") as todo:
        assert {plan.revision for n in range(6) for plan in todo.store.plans(f"w{n}")} == {15}


def test_who_reads_does_not_wait_until_a_tool_beside_it_has_written(tmp_path: Path) -> None:
    reader, writer = (TodoWrite(store=url(tmp_path), session=name) for name in "rw")
    reader.add("A")
    other = sqlite3.connect(tmp_path / "plans.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")  # as another process that writes for long
    writing = threading.Thread(target=writer.add, args=("B",))
    writing.start()
    end = time.monotonic() + 0.4  # the writer has begun to wait long before
    while time.monotonic() < end:
        assert texts(reader.plan) == ["A"]
    assert writing.is_alive()
    other.execute("ROLLBACK")
    other.close()
    writing.join(60)
    assert texts(writer.plan) == ["B"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no forks")
def test_tools_that_share_a_store_work_on_both_sides_of_a_fork(tmp_path: Path) -> None:
    one, other = planned(store=url(tmp_path)), planned(store=url(tmp_path), session="other")
    child = os.fork()
    if not child:
        failed = 1
        try:
            one.close()
            reply = other({"steps": ["from the child"]}, tool="add")
            third = TodoWrite(store=url(tmp_path), session="other")
            failed = int(reply.is_error or len(third.plan.todos) != 3)
            other.close()
        finally:
            os._exit(failed)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert not one({"step": 1}, tool="done").is_error
    assert texts(other.plan) == ["A", "B", "from the child"]
    one.close()
    other.close()


def test_follow_opens_the_store_that_a_url_names(tmp_path: Path) -> None:
    feed = follow(url(tmp_path), until=lambda: True)
    with planned(store=url(tmp_path)) as todo:
        todo.complete(1)
    assert [plan.revision for _, plan in feed] == [1, 2]  # from the moment it was called


# Closed


def test_a_tool_that_is_closed_takes_no_call_and_says_so() -> None:
    with planned() as todo:
        assert todo({"step": 1}, tool="done").text == "1/2 done. Now: B"
    for use in (
        lambda: todo({"step": 2}, tool="done"),
        lambda: todo.plan,
        lambda: todo.complete(2),
        lambda: todo.turn(),
        lambda: todo.news(),
        lambda: todo.tail(),
        lambda: todo.on_change(print),
        lambda: todo.subagent(),
        lambda: todo.__enter__(),
    ):
        with pytest.raises(StoreError, match="this TodoWrite is closed: make another one"):
            use()
    todo.close()  # once more does no harm
    assert repr(todo) == "<TodoWrite lean: default/main, closed>"


def test_a_block_that_fails_closes_the_tool_too() -> None:
    with pytest.raises(ZeroDivisionError), TodoWrite() as todo:
        raise ZeroDivisionError
    with pytest.raises(StoreError):
        _ = todo.plan


def test_who_listens_through_a_tool_hears_nothing_after_it_is_closed() -> None:
    store, heard = MemoryStore(), []
    one, other = planned(store=store), TodoWrite(store=store)
    other.on_change(lambda change: heard.append(change.plan.revision))
    stop = other.on_change(lambda change: heard.append(-change.plan.revision))
    one.add("C")
    stop()
    one.add("D")
    other.close()
    one.add("E")
    assert heard == [2, -2, 3]


# Sub-agents without a block


def test_a_sub_agents_tool_works_without_a_block_and_ends_when_it_is_closed() -> None:
    todo = planned()
    child = todo.subagent("review")
    assert not child({"steps": ["Look"]}, tool="plan").is_error
    assert child.agent.startswith("main/review-")
    assert (child.plan.serves, texts(child.plan)) == (1, ["Look"])
    child.close()
    child.close()
    assert child({"steps": ["More"]}, tool="plan").is_error
    assert child.plan.ended == "unfinished, 0 of 1 done"
    assert repr(child) == f"<TodoWrite lean: default/{child.agent}, ended: unfinished, 0 of 1 done>"
    assert not todo({"step": 1}, tool="done").is_error  # its parent goes on


@pytest.mark.parametrize("how", ["unfinished", "failed"])
def test_a_sub_agents_block_ends_it_as_before(how: str) -> None:
    child = planned().subagent()
    with suppress(ZeroDivisionError), child as same:
        assert same is child
        child({"steps": ["Look"]}, tool="plan")
        if how == "failed":
            raise ZeroDivisionError
    assert child.plan.ended == f"{how}, 0 of 1 done"


def test_a_tool_that_was_made_for_a_sub_agents_name_ends_nothing_when_it_is_closed() -> None:
    todo = planned()
    child = todo.subagent()
    child({"steps": ["Look"]}, tool="plan")
    TodoWrite(store=todo.store, agent=child.agent).close()
    assert child.plan.ended == ""


# Shown


def test_a_tool_shows_its_dialect_its_names_and_how_far_it_is() -> None:
    todo = TodoWrite("checklist", session="auth", agent="main/tests")
    assert repr(todo) == "<TodoWrite checklist: auth/main/tests, 0 of 0 done>"
    lean = planned()
    lean.complete(1)
    assert repr(lean) == "<TodoWrite lean: default/main, 1 of 2 done>"
    assert repr(lean.store) == "<MemoryStore of 1 plan>"


@pytest.mark.parametrize("error", [StoreError("gone"), OSError("gone"), ZeroDivisionError()])
def test_a_tool_whose_store_fails_is_shown_all_the_same(error: Exception) -> None:
    class Broken(MemoryStore):
        def load(self, session: str, agent: str) -> Plan:
            raise error

    told = repr(TodoWrite(store=Broken()))
    assert (
        told == f"<TodoWrite lean: default/main, its plan cannot be read ({type(error).__name__})>"
    )


# Who hears, and who is asked


class Slotted:
    """A store of one's own that nobody can hold weakly, and that is no key."""

    __slots__ = ("_store",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self) -> None:
        self._store = MemoryStore()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Slotted)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


@pytest.fixture(params=["memory", "file", "file by its URL", "slots"])
def given(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    if request.param == "file":
        return open_store(url(tmp_path))
    if request.param == "file by its URL":
        return url(tmp_path)
    return MemoryStore() if request.param == "memory" else Slotted()


@requirement("A5")
def test_a_listener_hears_every_revision_of_its_plan_whoever_makes_it(given: Any) -> None:
    heard: list[Change] = []
    todo = TodoWrite("lean", store=given)
    todo.on_change(heard.append)
    other = TodoWrite("lean", store=given)
    todo({"steps": ["A", "B"]}, tool="plan")
    other({"step": 1}, tool="done")
    other.add("C", by=Author("program", "cron"))
    edit(todo.store, todo.plan, [{"do": "add", "text": "D"}])
    TodoWrite("lean", store=given).update([{"id": "t2", "content": "B2"}])
    with todo.turn() as turn:
        turn("done", {"step": 2})
    with todo.subagent() as child:  # a plan of its own
        child({"steps": ["Inner"]}, tool="plan")
    TodoWrite("lean", store=given, session="other").add("Elsewhere")
    assert [change.plan.revision for change in heard] == [1, 2, 3, 4, 5, 6]
    assert [change.plan.by.kind for change in heard] == [
        "agent", "agent", "program", "person", "program", "agent",
    ]  # fmt: skip
    assert [change.before.revision for change in heard] == [0, 1, 2, 3, 4, 5]


def test_the_verify_of_one_tool_holds_for_all_on_its_plan(given: Any) -> None:
    first = TodoWrite("lean", store=given, verify=lambda step: "the tests fail")
    other = TodoWrite("lean", store=given)
    other({"steps": ["A", "B"]}, tool="plan")
    assert other({"step": 1}, tool="done").text == "Error: step 1 is not finished: the tests fail"
    with pytest.raises(Refused, match="the tests fail"):
        other.complete(1)
    assert first.plan.progress == (0, 2)


def test_two_stores_that_are_equal_are_still_two() -> None:
    one: Any = Slotted()
    other = Slotted()
    heard: list[Change] = []
    TodoWrite(store=one).on_change(heard.append)
    planned(store=other)
    assert heard == []
