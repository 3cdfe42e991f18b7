"""Runs under the shim: does one thing again and again, and lets each system call of it go wrong in turn.

    LD_PRELOAD=shim.so python -m tests.faults.driver FOLDER SCENARIO,... KIND,... [EVERY]

Whatever goes wrong, a plan that was acknowledged is there, one that was refused is there whole or not at all, and the store
works again afterwards. What is violated is printed, then how much was tried.
"""

from __future__ import annotations

import ctypes
import json
import logging
import os
import shutil
import signal
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from typing import Any

from todowright import TodoWrite, revisions
from todowright.errors import TodowrightError
from todowright.processes import process
from todowright.stores import sqlite_file, sqlite_prune
from todowright.stores.sqlite import SQLiteStore
from todowright.stores.sqlite_copies import backup, restore
from todowright.stores.sqlite_hold import Connections

KINDS = ("", "EIO", "ENOSPC", "EINTR", "short", "crash before", "crash after", "torn", "power cut")
DEADLY = ("crash before", "crash after", "torn", "power cut")
SHIM = ctypes.CDLL(None)
Act = Callable[[], bool]


def arm(folder: Path | None, at: int = 0, kind: str = "", *, lasting: bool = False) -> None:
    where = b"" if folder is None else os.fsencode(folder)
    SHIM.fault_arm(where, ctypes.c_long(at), KINDS.index(kind), int(lasting))


def one(text: str) -> dict[str, Any]:
    return {"todos": [{"content": f"{text} {n} {'words ' * 20}"} for n in range(4)]}


def tool(folder: Path) -> TodoWrite:
    return TodoWrite("twostate", store=SQLiteStore(folder / "plans.db"))


def accepted(todo: TodoWrite, text: str, **more: Any) -> bool:
    return not todo(one(text), **more).is_error


# Scenarios: each prepares a folder, and gives what is then done with faults. True means: it was acknowledged.


def closed_store(folder: Path) -> Act:
    todo = tool(folder)
    for step in range(3):
        assert accepted(todo, str(step))
    todo.store.close()
    return lambda: accepted(todo, "new")


def first_save(folder: Path) -> Act:
    todo = tool(folder / "sub")
    return lambda: accepted(todo, "new")


def open_store(folder: Path) -> Act:
    todo = tool(folder)
    for step in range(3):
        assert accepted(todo, str(step))
    return lambda: accepted(todo, "new")


def with_receipt(folder: Path) -> Act:
    todo = tool(folder)
    for step in range(3):
        assert accepted(todo, str(step), call_id=str(step))
    return lambda: accepted(todo, "new", call_id="new")


def with_checkpoint(folder: Path) -> Act:
    """The save after which the log is copied into the file."""
    todo = tool(folder)
    for step in range(3):
        assert accepted(todo, str(step))
    store = todo.store
    assert isinstance(store, SQLiteStore)
    connection = store._hold[process.number].main.connection
    assert connection is not None
    connection.execute("PRAGMA wal_autocheckpoint = 1")
    return lambda: accepted(todo, "new")


def careless(folder: Path) -> Act:
    """One that does not sync what it acknowledges: a power cut must be seen to take it back."""
    act = open_store(folder)
    for hold in [each for each in sqlite_file.GATE._open if isinstance(each, Connections)]:
        if hold.main.connection is not None:
            hold.main.connection.execute("PRAGMA synchronous = OFF")
    return act


def of_schema_1(folder: Path) -> Act:
    script = files("todowright.stores").joinpath("schema/sqlite-1.sql").read_text("utf-8")
    with closing(sqlite3.connect(folder / "plans.db", isolation_level=None)) as old:
        old.executescript(script)
        old.execute("PRAGMA journal_mode = WAL")
        old.execute(
            "INSERT INTO revision VALUES (1, 'default', 'main', 1, '[[\"Old\",\"pending\",\"\",\"t1\"]]', '', 0, 1, 0, '')"
        )
        old.execute(f"PRAGMA application_id = {sqlite_file.APPLICATION}")
        old.execute("PRAGMA user_version = 1")
    todo = tool(folder)
    return lambda: accepted(todo, "new")


def pruning(folder: Path) -> Act:
    todo, path = tool(folder), str(folder / "plans.db")
    for step in range(12):
        assert accepted(todo, str(step))
    assert accepted(todo, "new")
    todo.store.close()

    def act() -> bool:
        sqlite_prune.prune(path, sqlite_prune.old_revisions(path, older_than=None, keep_last=3))
        return True

    return act


def backing_up(folder: Path) -> Act:
    todo, path = tool(folder), str(folder / "plans.db")
    for step in ("0", "1", "new"):
        assert accepted(todo, step)

    def act() -> bool:
        backup(path, str(folder / "copy.db"))
        with closing(sqlite3.connect(folder / "copy.db")) as copy:
            assert copy.execute("SELECT count(*) FROM revision").fetchone() == (3,)
        return True

    return act


def restoring(folder: Path) -> Act:
    todo, path = tool(folder), str(folder / "plans.db")
    assert accepted(todo, "new")
    backup(path, str(folder / "copy.db"))
    assert accepted(todo, "old")
    todo.store.close()

    def act() -> bool:
        restore(path, str(folder / "copy.db"))
        return True

    return act


SCENARIOS: dict[str, Callable[[Path], Act]] = {
    made.__name__: made
    for made in (
        closed_store,
        first_save,
        open_store,
        with_receipt,
        with_checkpoint,
        careless,
        of_schema_1,
        pruning,
        backing_up,
        restoring,
    )
}


def attempt(folder: Path, scenario: str, kind: str, at: int, *, lasting: bool) -> tuple[str, int]:
    """Do it once with a fault; how it ended, and how many calls there were."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if kind in DEADLY:
        return died(folder, scenario, kind, at), 0
    act = SCENARIOS[scenario](folder)
    arm(folder, at, kind, lasting=lasting)
    try:
        ended = "acknowledged" if act() else "refused"
    except (TodowrightError, OSError, sqlite3.Error):
        ended = "refused"
    finally:
        count = SHIM.fault_count()
        arm(None)
    return ended, count


def died(folder: Path, scenario: str, kind: str, at: int) -> str:
    """Do it in a child that ends at the fault."""
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(told)
        act = SCENARIOS[scenario](folder)
        arm(folder, at, kind)
        ended = act()
        os.write(tell, b"acknowledged" if ended else b"refused")
        if kind == "power cut":  # at the latest now
            SHIM.fault_cut()
        os._exit(0)
    os.close(tell)
    with os.fdopen(told, "rb") as file:
        said = file.read().decode()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code not in (0, -signal.SIGKILL):
        return f"ended with {code}"
    return said or "died"


def violation(folder: Path, scenario: str, ended: str) -> str:
    """What is wrong afterwards; nothing if all is well."""
    if ended not in ("acknowledged", "refused", "died"):
        return ended
    place = folder / "sub" if scenario == "first_save" else folder
    todo = tool(place)
    try:
        plan, history = todo.plan, list(revisions(todo.store, "default", "main"))
        newest = plan.todos[0].content.split()[0] if plan.todos else ""
        if ended == "acknowledged" and newest != "new":
            return f"acknowledged, and {newest!r} stands"
        allowed = {"", "new"} if scenario == "first_save" else {"2", "new", "Old", "old"}
        if newest not in allowed:
            return f"{newest!r} stands"
        numbers = [each.revision for each in history]
        if numbers != list(range(plan.revision - len(numbers) + 1, plan.revision + 1)):
            return f"the history is {numbers}"
        again = todo(one("after"))
        if again.is_error:
            return f"the next save: {again.text}"
    except TodowrightError as error:
        return str(error)
    finally:
        todo.store.close()
    with closing(sqlite3.connect(place / "plans.db")) as connection:
        (sound,) = connection.execute("PRAGMA integrity_check").fetchone()
    return "" if sound == "ok" else str(sound)


def main() -> int:
    logging.disable()
    folder, scenarios, kinds = Path(sys.argv[1]), sys.argv[2].split(","), sys.argv[3].split(",")
    every = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    ends: Counter[str] = Counter()
    bad = 0
    for scenario in scenarios:
        ended, calls = attempt(folder, scenario, "EIO", 0, lasting=False)
        assert ended == "acknowledged", (scenario, ended)
        for kind in kinds:
            for lasting in (False, True) if kind in ("EIO", "ENOSPC") else (False,):
                for at in range(1, calls + 2, every):  # the last one is behind all of them
                    ended, _ = attempt(folder, scenario, kind, at, lasting=lasting)
                    ends[f"{kind}: {ended}"] += 1
                    if wrong := violation(folder, scenario, ended):
                        bad += 1
                        print(f"VIOLATION {scenario}, {kind} at {at} of {calls}: {wrong}")
    print(json.dumps(dict(sorted(ends.items()))))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
