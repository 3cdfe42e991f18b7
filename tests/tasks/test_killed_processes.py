"""Many processes on one store, killed and frozen at random, with the server restarted in between: nothing is lost."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from tests.postgres import Server, running
from tests.requirements import requirement
from tests.stores.linear import FOREVER, Op, violations
from todowright import Store, StoreError, TodoWrite, follow, open_store, revisions
from todowright.tasks import Claims, LostClaim

pytestmark = [requirement("003-10"), pytest.mark.slow]
SPAWN = multiprocessing.get_context("spawn")
LEASE = 2.0
SHARED = 3
"""Plans that all processes write to; each has one of its own, too."""


@dataclass(frozen=True)
class Size:
    """How much is done."""

    processes: int
    updates: int
    tasks: int
    kills: int
    watchers: int = 3


SMALL = Size(processes=3, updates=150, tasks=12, kills=3)
LARGE = {
    "sqlite": Size(processes=8, updates=10_000, tasks=300, kills=60),
    "postgres": Size(processes=32, updates=10_000, tasks=300, kills=100),
}


class Diary:
    """What a process was told, line by line: what is in it was acknowledged, even if the process is killed."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    def write(self, **said: Any) -> None:
        os.write(self._file, f"{json.dumps(said)}\n".encode())


def live(url: str, folder: str, name: str, seed: int) -> None:
    """The life of one process: updates, reads and tasks, until it is told to stop."""
    diary, dice = Diary(Path(folder, f"{name}.log")), random.Random(seed)
    store, stop = open_store(url), Path(folder, "stop")
    claims = Claims(store, "tasks", lease=LEASE)
    wait_for(store)
    step = 0
    while not stop.exists():
        step += 1
        choice = dice.random()
        if choice < 0.15:
            do_a_task(claims, diary, name, dice)
        else:
            agent = f"shared{dice.randrange(SHARED)}" if choice < 0.7 else name
            update_or_read(store, diary, agent, f"{name}-{step}", is_write=choice < 0.9)


def wait_for(store: Store) -> None:
    """Who is born while the server restarts tries again; who was connected once need not."""
    for _ in range(20):
        with suppress(StoreError):
            store.newest()
            return


def update_or_read(store: Store, diary: Diary, agent: str, text: str, *, is_write: bool) -> None:
    todo = TodoWrite("twostate", store=store, session="plans", agent=agent)
    began = time.monotonic()
    if is_write:
        reply = todo({"todos": [{"content": text}]})
        assert not reply.is_error, reply.text
    else:
        plan = todo.plan
        text = plan.todos[0].content if plan.todos else ""
    ended = time.monotonic()
    diary.write(agent=agent, text=text, write=is_write, began=began, ended=ended)


def do_a_task(claims: Claims, diary: Diary, name: str, dice: random.Random) -> None:
    claim = claims.claim(name)
    if claim is None:
        return
    try:
        for _ in range(dice.randrange(3)):
            time.sleep(0.01)
            claims.renew(claim)
        claims.finish(claim)
        diary.write(finished=claim.number, token=claim.token)
    except LostClaim:
        diary.write(lost=claim.number, token=claim.token)


class Watcher(threading.Thread):
    """Follows the whole store from the beginning."""

    def __init__(self, store: Store) -> None:
        super().__init__(daemon=True)
        self._store = store
        self.done = threading.Event()
        self.got: list[tuple[int, str, str, int]] = []

    def run(self) -> None:
        for number, plan in follow(self._store, after=0, pause=0.2, until=self.done.is_set):
            self.got.append((number, plan.session, plan.agent, plan.revision))


class Fleet:
    """The processes, and who kills them."""

    def __init__(self, url: str, folder: Path, size: Size, server: Server | None) -> None:
        self.url, self.folder, self.size, self.server = url, folder, size, server
        self.dice = random.Random(7)
        self.born = 0
        self.processes: list[BaseProcess] = []

    def start(self) -> None:
        self.born += 1
        arguments = (self.url, str(self.folder), f"p{self.born}", self.born)
        process = SPAWN.Process(target=live, args=arguments)
        process.start()
        self.processes.append(process)

    def said(self) -> list[dict[str, Any]]:
        lines = [
            line for path in self.folder.glob("p*.log") for line in path.read_text().splitlines()
        ]
        return [json.loads(line) for line in lines]

    def run(self) -> None:
        for _ in range(self.size.processes):
            self.start()
        kills, frozen = 0, list[BaseProcess]()
        restart_at = self.size.updates // 2
        while (made := self.count()) < self.size.updates or kills < self.size.kills:
            time.sleep(0.05)
            assert any(process.is_alive() for process in self.processes), "all have failed"
            while frozen:  # long past its lease, it comes back and goes on
                os.kill(frozen.pop().pid or 0, signal.SIGCONT)
            if kills < self.size.kills * (made + 1) / self.size.updates:
                kills += 1
                self.kill_one(frozen if kills % 5 == 0 else None)
            if self.server is not None and made > restart_at:
                self.server.stop("fast")
                self.server.start()
                restart_at = 2**63
        for process in frozen:
            os.kill(process.pid or 0, signal.SIGCONT)
        (self.folder / "stop").touch()
        for process in self.processes:
            process.join(120)
            assert process.exitcode == 0, f"a process ended with {process.exitcode}"

    def kill_one(self, frozen: list[BaseProcess] | None) -> None:
        victim = self.dice.choice(self.processes)
        if victim.pid is None or not victim.is_alive():
            return
        if frozen is not None:
            os.kill(victim.pid, signal.SIGSTOP)
            time.sleep(LEASE * 1.2)
            frozen.append(victim)
            return
        victim.kill()
        victim.join()
        self.processes.remove(victim)
        self.start()

    def count(self) -> int:
        return sum(path.read_bytes().count(b"\n") for path in self.folder.glob("p*.log"))


@contextmanager
def place(kind: str, folder: Path) -> Iterator[tuple[str, Server | None]]:
    if kind == "sqlite":
        yield f"sqlite:///{folder}/plans.db", None
        return
    with running("max_connections=400 shared_buffers=64MB") as server:
        yield server.database(), server


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
@pytest.mark.parametrize("large", [False, pytest.param(True, marks=pytest.mark.soak)])
def test_processes_that_are_killed_lose_nothing_and_hold_nothing(
    kind: str, large: bool, tmp_path: Path
) -> None:
    size = LARGE[kind] if large else SMALL
    with place(kind, tmp_path) as (url, server):
        store = open_store(url)
        tasks = TodoWrite("tasks", store=store, session="tasks")
        for number in range(1, size.tasks + 1):
            tasks({"subject": f"task {number}", "description": "do it"}, tool="TaskCreate")
        watchers = [Watcher(store) for _ in range(size.watchers)]
        for watcher in watchers:
            watcher.start()
        fleet = Fleet(url, tmp_path, size, server)
        fleet.run()
        finish_what_is_left(store)
        for watcher in watchers:
            watcher.done.set()
        for watcher in watchers:
            watcher.join(120)
        said = fleet.said()
        every_update_is_in_history(store, said)
        every_task_was_finished_by_one(store, said)
        all_heard_the_same(store, watchers)
        store.close()


def finish_what_is_left(store: Store) -> None:
    """No lease is stuck: what the dead held is free after its time, and done."""
    claims = Claims(store, "tasks", lease=LEASE)
    deadline = time.monotonic() + 60
    while claims.waits():
        assert time.monotonic() < deadline, "a lease is stuck"
        claim = claims.claim("the-last")
        if claim is None:
            time.sleep(0.05)
        else:
            claims.finish(claim)
    assert {task.status for task in claims.plan.todos} == {"completed"}


def every_update_is_in_history(store: Store, said: list[dict[str, Any]]) -> None:
    """And what was read and written can have happened in the order of the revisions."""
    calls = [call for call in said if "text" in call]
    for agent in {call["agent"] for call in calls}:
        mine = [call for call in calls if call["agent"] == agent]
        kept = {plan.todos[0].content: plan.revision for plan in revisions(store, "plans", agent)}
        assert len(kept) == store.load("plans", agent).revision
        numbers = {"": 0, **kept}
        assert [call for call in mine if call["text"] not in numbers] == []
        ops = [
            Op(
                "save" if call["write"] else "load",
                call["began"],
                call["ended"],
                numbers[text],
                text,
            )
            for call in mine
            for text in [call["text"]]
        ]
        told = {op.value for op in ops if op.kind == "save"}
        # Who was killed between its save and its diary had saved at some time.
        ops += [
            Op("save", -FOREVER, FOREVER, n, text) for text, n in kept.items() if text not in told
        ]
        assert violations(ops) == []


def every_task_was_finished_by_one(store: Store, said: list[dict[str, Any]]) -> None:
    finished = Counter(call["finished"] for call in said if "finished" in call)
    assert [number for number, times in finished.items() if times > 1] == []
    tokens = {call["token"] for call in said if "finished" in call}
    assert not tokens & {call["token"] for call in said if "lost" in call}


def all_heard_the_same(store: Store, watchers: list[Watcher]) -> None:
    """Each revision once, and in order, to each watcher."""
    first = watchers[0].got
    assert [entry[0] for entry in first] == sorted({entry[0] for entry in first})
    for watcher in watchers:
        assert watcher.got == first
    heard: dict[tuple[str, str], list[int]] = {}
    for _, session, agent, revision in first:
        heard.setdefault((session, agent), []).append(revision)
    for session in store.sessions():
        for plan in store.plans(session):
            assert heard[session, plan.agent] == list(range(1, plan.revision + 1))
