"""Claims: a task has one worker at a time, and none for ever."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.requirements import requirement
from todowright import MemoryStore, TodoWrite
from todowright.stores.opening import open_store
from todowright.stores.protocol import Store
from todowright.tasks import Claims, LostClaim

pytestmark = requirement("003-10")
SPAWN = multiprocessing.get_context("spawn")


class Watched(MemoryStore):
    """A store whose clock a test can turn."""

    moment = 1_000_000.0

    def now(self) -> float:
        return self.moment


@pytest.fixture
def store() -> Watched:
    return Watched()


def tasks(store: Store | str, *subjects: str, session: str = "default") -> TodoWrite:
    todo = TodoWrite("tasks", store=store, session=session)
    for subject in subjects:
        todo({"subject": subject, "description": f"{subject} it"}, tool="TaskCreate")
    return todo


def test_the_next_ready_task_is_given_to_one_worker(store: Watched) -> None:
    todo = tasks(store, "Read", "Fix", "Test")
    todo({"taskId": "3", "addBlockedBy": ["1"]}, tool="TaskUpdate")
    claims = Claims(store)
    first, second = claims.claim("ann"), claims.claim("bob")
    assert first is not None
    assert second is not None
    assert (first.number, first.subject, first.description, first.owner) == (
        1,
        "Read",
        "Read it",
        "ann",
    )
    assert second.number == 2
    assert claims.claim("cid") is None  # the third waits for the first
    claims.finish(first)
    third = claims.claim("cid")
    assert third is not None
    assert third.number == 3
    assert "#1 [completed] Read (ann)" in todo({}, tool="TaskList").text


def test_a_task_comes_back_when_its_worker_was_silent_for_too_long(store: Watched) -> None:
    tasks(store, "Read")
    claims = Claims(store, lease=30)
    mine = claims.claim("ann")
    assert mine is not None
    store.moment += 29
    mine = claims.renew(mine)
    store.moment += 29
    assert claims.claim("bob") is None
    store.moment += 2
    theirs = claims.claim("bob")
    assert theirs is not None
    assert theirs.number == 1
    with pytest.raises(LostClaim, match="task #1 belongs to bob now: leave it"):
        claims.finish(mine)
    with pytest.raises(LostClaim, match="belongs to bob"):
        claims.renew(mine)
    claims.finish(theirs)
    with pytest.raises(LostClaim, match="task #1 is completed: leave it"):
        claims.release(mine)


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_a_heartbeat_makes_no_revision_and_nobody_hears_of_it(kind: str, tmp_path: Path) -> None:
    store = open_store("memory:" if kind == "memory" else f"sqlite:///{tmp_path}/plans.db")
    todo = tasks(store, "Read")
    claims, heard = Claims(store, lease=30), list[object]()
    mine = claims.claim("ann")
    assert mine is not None
    todo.on_change(heard.append)
    newest, before = store.newest(), claims.plan
    for _ in range(3):
        later = claims.renew(mine)
        assert later.until > mine.until
        mine = later
    assert (store.newest(), claims.plan, heard) == (newest, before, [])
    assert not store.wait(newest, 0)
    claims.finish(mine)
    assert [plan.revision for plan in store.history("default", "main")] == [1, 2, 3]


def test_who_was_silent_for_too_long_cannot_renew_though_nobody_has_its_task_yet(
    store: Watched,
) -> None:
    tasks(store, "Read")
    claims = Claims(store, lease=30)
    mine = claims.claim("ann")
    assert mine is not None
    mine = claims.renew(mine)
    store.moment += 31
    with pytest.raises(LostClaim, match=r"the lease of task #1 ended 1\.0 s ago: claim it again"):
        claims.renew(mine)
    assert claims.claim("bob") is not None


def test_a_worker_that_renews_at_the_last_moment_keeps_its_task(store: Watched) -> None:
    """Another one that looked at the lease before finds out when it takes the task."""
    tasks(store, "Read")
    claims, looked = Claims(store, lease=30), store.leases
    mine = claims.claim("ann")
    assert mine is not None
    mine = claims.renew(mine)
    store.moment += 31

    def renewed_after_the_look(session: str, agent: str) -> Any:
        seen = looked(session, agent)
        store.moment -= 2
        claims.renew(mine)
        store.moment += 2
        return seen

    store.leases = renewed_after_the_look  # type: ignore[method-assign]
    assert claims.claim("bob") is None
    store.leases = looked  # type: ignore[method-assign]
    claims.finish(mine)


@pytest.mark.parametrize("how", ["done", "taken", "gone"])
def test_a_heartbeat_for_a_task_that_somebody_took_over_is_refused(
    store: Watched, how: str
) -> None:
    todo = tasks(store, "Read")
    claims = Claims(store, lease=30)
    mine = claims.claim("ann")
    assert mine is not None
    if how == "done":
        todo({"taskId": "1", "status": "completed"}, tool="TaskUpdate")
    elif how == "gone":
        todo({"taskId": "1", "status": "deleted"}, tool="TaskUpdate")
    else:
        todo({"taskId": "1", "owner": "a person"}, tool="TaskUpdate")
    with pytest.raises(LostClaim, match="leave it"):
        claims.renew(mine)


def test_a_late_worker_is_told_even_if_nobody_took_its_task(store: Watched) -> None:
    tasks(store, "Read")
    claims = Claims(store, lease=10)
    mine = claims.claim("ann")
    assert mine is not None
    store.moment += 11
    before = claims.plan
    with pytest.raises(LostClaim, match=r"the lease of task #1 ended 1\.0 s ago: claim it again"):
        claims.finish(mine)
    assert claims.plan == before
    again = claims.claim("ann")
    assert again is not None
    claims.finish(again)


def test_a_task_that_is_given_back_is_ready_for_another(store: Watched) -> None:
    todo = tasks(store, "Read")
    claims = Claims(store)
    mine = claims.claim("ann")
    assert mine is not None
    claims.release(mine)
    assert todo({}, tool="TaskList").text == "#1 [pending] Read"
    assert claims.claim("bob") is not None


def test_what_has_an_owner_without_a_lease_is_nobody_elses(store: Watched) -> None:
    todo = tasks(store, "Read")
    todo({"taskId": "1", "owner": "a person"}, tool="TaskUpdate")
    assert Claims(store).claim("ann") is None


def test_a_late_worker_is_told_though_another_has_its_name(store: Watched) -> None:
    tasks(store, "Read")
    claims = Claims(store, lease=10)
    late = claims.claim("w")
    assert late is not None
    store.moment += 11
    mine = claims.claim("w")
    assert mine is not None
    with pytest.raises(LostClaim, match="belongs to w now"):
        claims.finish(late)
    claims.finish(mine)


def test_a_task_that_somebody_takes_over_is_theirs(store: Watched) -> None:
    todo = tasks(store, "Read")
    claims = Claims(store, lease=10)
    mine = claims.claim("dead")
    assert mine is not None
    todo({"taskId": "1", "owner": "person", "status": "in_progress"}, tool="TaskUpdate")
    store.moment += 11
    assert claims.claim("w") is None
    with pytest.raises(LostClaim):
        claims.finish(mine)


@pytest.mark.parametrize("by", ["model", "person"])
def test_a_task_that_is_put_back_is_ready(store: Watched, by: str) -> None:
    todo = tasks(store, "Read")
    claims = Claims(store, lease=10)
    mine = claims.claim("w")
    assert mine is not None
    if by == "model":
        todo({"taskId": "1", "status": "pending"}, tool="TaskUpdate")
    else:
        todo.reopen(1)
    assert claims.claim("other") is not None
    with pytest.raises(LostClaim):
        claims.finish(mine)


def test_a_task_that_is_given_up_says_why_until_it_is_done(store: Watched) -> None:
    todo = tasks(store, "Read")
    claims = Claims(store)
    mine = claims.claim("w")
    assert mine is not None
    claims.fail(mine, "exit code 3")
    assert todo({}, tool="TaskList").text == "#1 [pending, failed] Read (w)"
    assert claims.claim("x") is None
    todo({"taskId": "1", "owner": ""}, tool="TaskUpdate")
    again = claims.claim("x")
    assert again is not None
    claims.finish(again)
    assert todo({}, tool="TaskList").text == "#1 [completed] Read (x)"


def test_a_task_whose_metadata_is_full_can_be_given_up(store: Watched) -> None:
    todo = tasks(store, "Read")
    todo({"taskId": "1", "metadata": {"a": "x" * 19_980}}, tool="TaskUpdate")
    claims = Claims(store)
    mine = claims.claim("w")
    assert mine is not None
    claims.fail(mine, "exit code 3")
    assert claims.plan.todos[0].status == "pending"


def test_the_history_tells_which_worker_made_each_revision(store: Watched) -> None:
    tasks(store, "Read")
    claims = Claims(store)
    mine = claims.claim("ann")
    assert mine is not None
    claims.finish(mine)
    made = [(plan.by.kind, plan.by.name) for plan in store.history("default", "main")]
    assert made == [("agent", ""), ("agent", "ann"), ("agent", "ann")]


@pytest.mark.parametrize("lease", [0, -1, float("inf")])
def test_a_lease_that_is_none_is_refused(store: Watched, lease: float) -> None:
    with pytest.raises(ValueError, match="give the seconds"):
        Claims(store, lease=lease)


def work(url: str, name: str, log: Path, crash_after: int, all_there: Any) -> None:
    claims = Claims(url, "fleet", lease=2.0)
    all_there.wait(60)
    finished = 0
    while (claim := claims.claim(name)) is not None or not claims.plan.finished:
        if claim is None:
            time.sleep(0.02)
            continue
        if finished == crash_after:
            os.kill(os.getpid(), signal.SIGKILL)  # it holds a task
        time.sleep(0.02)
        try:
            claims.finish(claim)
        except LostClaim:  # the machine is busy: another one has it
            continue
        with log.open("a") as file:  # closed before it may be killed
            file.write(f"{claim.number}\n")
        finished += 1


@pytest.mark.parametrize("workers", [4, pytest.param(8, marks=pytest.mark.soak)])
def test_each_task_is_finished_once_though_workers_are_killed(tmp_path: Path, workers: int) -> None:
    url = f"sqlite:///{tmp_path}/plans.db"
    count = 10 * workers
    tasks(url, *(f"Task {n}" for n in range(count)), session="fleet")
    log, all_there = tmp_path / "log", SPAWN.Barrier(workers)
    crew = [
        SPAWN.Process(target=work, args=(url, f"w{n}", log, 3 if n % 2 else 10_000, all_there))
        for n in range(workers)
    ]
    for each in crew:
        each.start()
    for each in crew:
        each.join(120)
    assert sum(each.exitcode == -signal.SIGKILL for each in crew) == workers // 2
    plan = open_store(url).load("fleet", "main")
    assert plan.finished
    told = Counter(log.read_text().split())
    assert set(told.values()) <= {1}
    assert len(told) == count
