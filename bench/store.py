"""What a durable update costs, beside plain sqlite3 doing the same transactions in the same run.

    python -m bench.store [--updates N]

Every update is on disk before the next begins (WAL, synchronous=FULL). Writers are processes on one
plan of ten items. Then: how long the current plan takes to read, whatever its history, and how much
room a revision of a plan of fifty takes.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from todowright import Plan, Todo, TodoWrite
from todowright.stores.encoding import COLUMNS, row_of
from todowright.stores.sqlite import SQLiteStore
from todowright.stores.sqlite_rows import is_whole, saved_base, values_of

ITEMS = 10
VALUES = ", ".join("?" * len(COLUMNS.split(", ")))
HISTORIES = (10, 1_000, 100_000)
SPAWN = multiprocessing.get_context("spawn")


def calls() -> list[dict[str, Any]]:
    """A session: each step taken up and finished in turn."""
    found = []
    for current in range(ITEMS):
        rows = [
            {
                "content": f"Write the module for part {index}",
                "status": "completed" if index < current else "pending",
                "activeForm": f"Writing the module for part {index}",
            }
            for index in range(ITEMS)
        ]
        rows[current]["status"] = "in_progress"
        found.append({"items": rows})
    return found


def with_todowright(path: str, updates: int, start: Any) -> None:
    todo, session = TodoWrite("checklist", store=f"sqlite:///{path}"), calls()
    assert todo.plan.revision > 0  # the file is open
    start.wait()
    for number in range(updates):
        reply = todo(session[number % ITEMS])
        assert not reply.is_error, reply.text


def with_sqlite3(path: str, updates: int, start: Any) -> None:
    """The same rows in the same table: read the newest, add the next, in one transaction."""
    connection = sqlite3.connect(path, timeout=30, isolation_level=None)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("SELECT count(*) FROM revision")
    rows = [json.dumps([list(item.values()) for item in call["items"]]) for call in calls()]
    newest = "SELECT revision, todos FROM revision WHERE session = ? AND agent = ? ORDER BY revision DESC LIMIT 1"
    names = COLUMNS.split(", ")
    row = dict(zip(names, row_of(Plan(issued=10, dialect="checklist")), strict=True))
    places = ", ".join(f":{name}" for name in names)
    add = f"INSERT INTO revision ({COLUMNS}, base) VALUES ({places}, 0)"
    start.wait()
    for number in range(updates):
        connection.execute("BEGIN IMMEDIATE")
        revision, todos = connection.execute(newest, ("default", "main")).fetchone()
        json.loads(todos)
        values = {**row, "revision": revision + 1, "todos": rows[number % ITEMS]}
        values["updated_at"] = time.time_ns() // 1000
        connection.execute(add, values)
        connection.execute("COMMIT")
    connection.close()


def rate(work: Any, writers: int, updates: int) -> float:
    """Updates per second of so many writers together."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/plans.db"
        TodoWrite("checklist", store=f"sqlite:///{path}")(calls()[0])
        start = SPAWN.Barrier(writers + 1)
        each = updates // writers
        processes = [SPAWN.Process(target=work, args=(path, each, start)) for _ in range(writers)]
        for process in processes:
            process.start()
        start.wait()
        started = time.perf_counter()
        for process in processes:
            process.join()
            assert process.exitcode == 0
        spent = time.perf_counter() - started
        with closing(sqlite3.connect(path)) as file:
            (kept,) = file.execute("SELECT max(revision) FROM revision").fetchone()
        assert kept == 1 + each * writers, "an update was lost"
        return each * writers / spent


def reading(revisions: int) -> float:
    """The least time to read the current plan of a history of so many revisions, in µs.

    Somebody else commits before each read: where nobody has, the plan that was read last is known to stand.
    """
    with tempfile.TemporaryDirectory() as folder:
        store, other = SQLiteStore(f"{folder}/plans.db"), SQLiteStore(f"{folder}/plans.db")
        store.save(plan_of(1, ITEMS))
        fill(store.path, revisions, ITEMS)
        best, plan = float("inf"), Plan()
        for number in range(300):
            other.mark_seen("default", "main", number)
            started = time.perf_counter()
            plan = store.load("default", "main")
            best = min(best, time.perf_counter() - started)
        assert plan.revision == revisions
        store.close()
        other.close()
        return best * 1e6


def room(items: int, revisions: int) -> float:
    """The bytes that a revision of so many items takes on disk."""
    with tempfile.TemporaryDirectory() as folder:
        store = SQLiteStore(f"{folder}/plans.db")
        store.save(plan_of(1, items))
        store.close()
        fill(store.path, revisions, items)
        return Path(store.path).stat().st_size / revisions


def plan_of(revision: int, items: int) -> Plan:
    """A revision of a session in which the steps are done one after the other, again and again."""
    done = revision % (items + 1)
    todos = [
        Todo(f"Write part {n}", "completed" if n < done else "pending", f"Writing part {n}", f"t{n}", n + 1)
        for n in range(items)
    ]  # fmt: skip
    return Plan("default", "main", revision, tuple(todos), dialect="lean")


def fill(path: str, revisions: int, items: int) -> None:
    """Add revisions as the store keeps them, without waiting for the disk."""
    filler, base = sqlite3.connect(path), None
    add = f"INSERT INTO revision ({COLUMNS}, base) VALUES ({VALUES}, ?)"
    for revision in range(2, revisions + 1):
        plan = plan_of(revision, items)
        values = values_of(plan, base)
        base = saved_base(plan, values) if is_whole(values) else base
        filler.execute(add, values[:17])
    filler.commit()
    filler.close()


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.store", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument(
        "--updates", type=int, default=4_000, help="per measurement (default: 4,000)"
    )
    options = parser.parse_args()
    print(f"{'durable updates per second':<30}{'plain sqlite3':>15}{'todowright':>12}{'share':>8}")
    for writers in (1, 8):
        # alternately, the best of each: whatever else the machine does, it does to both
        plain = ours = 0.0
        for _ in range(3):
            plain = max(plain, rate(with_sqlite3, writers, options.updates))
            ours = max(ours, rate(with_todowright, writers, options.updates))
        print(f"{f'{writers} writer(s)':<30}{plain:>15,.0f}{ours:>12,.0f}{ours / plain:>8.0%}")
    print(f"\n{'reading the current plan':<30}{'revisions':>15}{'time':>12}{'ratio':>8}")
    first = 0.0
    for revisions in HISTORIES:
        spent = reading(revisions)
        first = first or spent
        print(f"{'':<30}{revisions:>15,}{spent:>9.1f} µs{spent / first:>6.2f} x")
    print(f"\n{'a revision on disk':<30}{'items':>15}{'bytes':>12}")
    for items in (10, 50):
        print(f"{'':<30}{items:>15}{room(items, 10_000):>12,.0f}")


if __name__ == "__main__":
    main()
