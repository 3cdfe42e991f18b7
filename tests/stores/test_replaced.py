"""A database that is moved, deleted or replaced under those who have it open: nothing acknowledged is lost in silence."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.stores.test_sqlite import integrity, one, tool
from todowright import StoreError, revisions
from todowright.stores.sqlite import SQLiteStore

KILLED = """
import os, signal, sys
from todowright import TodoWrite
todo = TodoWrite("twostate", store="sqlite:///" + sys.argv[1])
for step in range(int(sys.argv[2])):
    assert not todo({"todos": [{"content": str(step)}]}).is_error
os.kill(os.getpid(), signal.SIGKILL)
"""


def killed_writer(path: Path, revisions: int) -> None:
    """Write so many revisions in a process that is killed: they are in the -wal file only."""
    command = [sys.executable, "-c", KILLED, str(path), str(revisions)]
    assert subprocess.run(command, timeout=60, check=False).returncode == -9
    assert Path(f"{path}-wal").stat().st_size > 0


def contents(path: Path) -> list[str]:
    store = SQLiteStore(path)
    found = [plan.todos[0].content for plan in revisions(store, "default", "main")]
    store.close()
    return found


def test_a_file_that_is_moved_away_after_a_crash_can_be_moved_back_whole(tmp_path: Path) -> None:
    path = tmp_path / "plans.db"
    killed_writer(path, 40)
    path.rename(tmp_path / "away.db")
    reply = tool(path)(one("anew"))
    assert reply.is_error
    assert "-wal" in reply.text
    assert "todowright restore" in reply.text
    with pytest.raises(StoreError, match="-wal"):
        tool(path).store.load("default", "main")
    (tmp_path / "away.db").rename(path)
    assert contents(path) == [str(step) for step in range(40)]
    assert integrity(path) == "ok"


def test_a_file_that_is_moved_away_under_an_open_tool_is_noticed_and_can_be_moved_back(
    tmp_path: Path,
) -> None:
    path = tmp_path / "plans.db"
    todo = tool(path)
    for step in range(5):
        todo(one(str(step)))
    path.rename(tmp_path / "away.db")
    reply = todo(one("lost?"))
    assert reply.is_error
    assert "-wal" in reply.text
    (tmp_path / "away.db").rename(path)
    assert not todo(one("5")).is_error
    assert contents(path) == [str(step) for step in range(6)]
    assert integrity(path) == "ok"


def test_a_file_that_is_replaced_under_an_open_tool_never_gets_the_log_of_the_one_before(
    tmp_path: Path,
) -> None:
    path, other = tmp_path / "plans.db", tmp_path / "other.db"
    second = tool(other)
    second(one("other"))
    second.store.close()
    todo = tool(path)
    for step in range(5):
        todo(one(str(step)))
    kept = tmp_path / "kept.db"
    path.rename(kept)
    shutil.copy(other, path)
    reply = todo(one("mixed?"))
    assert reply.is_error
    assert "was replaced" in reply.text
    assert "todowright restore" in reply.text
    path.unlink()
    kept.rename(path)
    assert contents(path) == [str(step) for step in range(5)]
    assert integrity(path) == "ok"


def unlinked(path: Path) -> None:
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()


def replaced(path: Path) -> None:
    unlinked(path)
    other = path.with_name("other.db")
    todo = tool(other)
    todo(one("other"))
    todo.store.close()
    other.rename(path)


@pytest.mark.parametrize("do", [unlinked, replaced])
def test_a_file_that_goes_while_a_save_is_under_way_is_noticed_before_the_save_is_acknowledged(
    tmp_path: Path, do: Callable[[Path], None]
) -> None:
    """It goes at every statement of the save, in turn: who is told of a success finds it on disk."""
    at, reached = 0, True
    while reached:
        at, reached = at + 1, False
        path = tmp_path / str(at) / "plans.db"
        todo = tool(path)
        todo(one("before"))
        store = todo.store
        assert isinstance(store, SQLiteStore)
        statements = 0

        def happens(statement: str, at: int = at, path: Path = path) -> None:
            nonlocal statements, reached
            statements += 1
            if statements == at and not reached:
                reached = True
                do(path)

        trace(store, happens)
        reply = todo(one("after"))
        trace(store, None)
        assert not reply.is_error, reply.text
        todo.store.close()
        assert contents(path)[-1] == "after"
        assert integrity(path) == "ok"
    assert at > 2


def trace(store: SQLiteStore, heard: Callable[[str], None] | None) -> None:
    """Hear of every statement that the store's open connections run."""
    for connection in open_connections(store):
        connection.set_trace_callback(heard)


def open_connections(store: SQLiteStore) -> list[sqlite3.Connection]:
    from todowright.processes import process

    hold = store._hold[process.number]
    return [held.connection for held in (hold.main, hold.reader) if held.connection is not None]


def test_a_file_that_is_deleted_with_all_that_belongs_to_it_is_made_anew(tmp_path: Path) -> None:
    todo = tool(tmp_path / "plans.db")
    todo(one("a"))
    for file in tmp_path.iterdir():
        file.unlink()
    assert not todo(one("b")).is_error
    assert contents(tmp_path / "plans.db") == ["b"]
    todo.store.close()
    assert [file.name for file in tmp_path.iterdir()] == ["plans.db"]
