"""A process that saves and looks at one plan, and writes down each call before it is made and after.

python -m tests.stores.recorder DATABASE LOG NAME SEED
"""

from __future__ import annotations

import os
import random
import sys
import time

from todowright import Conflict, Plan, Todo
from todowright.stores.sqlite import SQLiteStore


def plan(revision: int, value: str) -> Plan:
    """A plan that holds a value, long enough that most revisions are kept as changes."""
    items = [Todo(f"Step {n} of the work", "pending", "", f"t{n}", n) for n in range(2, 30)]
    return Plan("s", "a", revision, (Todo(value, "pending", "", "t1", 1), *items), dialect="lean")


def value_of(found: Plan) -> str:
    return found.todos[0].content if found.todos else ""


def main() -> None:
    path, log, name, seed = sys.argv[1:5]
    choose, store = random.Random(int(seed)), SQLiteStore(path)
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def note(*words: object) -> None:
        os.write(handle, (" ".join(map(str, words)) + "\n").encode())

    known = 0
    for number in range(10**9):
        if choose.random() < 0.5:
            start = time.monotonic_ns()
            found = store.load("s", "a")
            note("load", start, time.monotonic_ns(), found.revision, value_of(found) or "-")
            known = found.revision
            continue
        if choose.random() < 0.1:
            known = max(0, known - 1)  # on what is not the newest: it must be refused
        value = f"{name}.{number}"
        note("begin", time.monotonic_ns(), known + 1, value)
        try:
            store.save(plan(known + 1, value))
            note("done", time.monotonic_ns())
            known += 1
        except Conflict as conflict:
            note("conflict", time.monotonic_ns())
            known = conflict.current


if __name__ == "__main__":
    main()
