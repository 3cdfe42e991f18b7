"""Who reads: never waits for who writes, and is never shown what is old without being told."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.resources import files
from pathlib import Path

import pytest

from tests.stores.test_replaced import killed_writer
from tests.stores.test_sqlite import one, tool
from todowright import Plan, StoreError, open_store
from todowright.cli import main
from todowright.stores import sqlite_file
from todowright.stores.sqlite import SQLiteStore

AS_NOBODY = """
import os, sys, urllib.parse, shutil, tempfile
from todowright.stores.sqlite import SQLiteStore
store = SQLiteStore(sys.argv[1])
if os.geteuid() == 0: os.seteuid(65534)
def told():
    plan = store.load("default", "main")
    print(plan.revision, plan.todos[0].content, len(store.history("default", "main")), flush=True)
told()
for line in sys.stdin:
    told()
"""


@contextmanager
def looking(path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process of a user who may read the file, and write neither it nor its folder."""
    for file in path.parent.iterdir():
        file.chmod(0o444)
    path.parent.chmod(0o555)
    command = [sys.executable, "-c", AS_NOBODY, str(path)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        path.parent.chmod(0o755)
        process.communicate()


@pytest.fixture
def path() -> Iterator[Path]:
    """A file in a folder that other users may enter; pytest's own are closed to them."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        (Path(folder) / "plans").mkdir(mode=0o755)
        yield Path(folder) / "plans" / "plans.db"


def said(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    assert process.stderr is not None
    return process.stdout.readline().strip() or process.stderr.read()


def test_a_look_without_rights_shows_what_a_crash_left_in_the_log(path: Path) -> None:
    killed_writer(path, 40)
    Path(f"{path}-shm").unlink()
    with looking(path) as process:
        assert said(process) == "40 39 40"


def test_a_look_without_rights_shows_what_a_writer_acknowledges_meanwhile(path: Path) -> None:
    todo = tool(path)
    for step in range(3):
        todo(one(str(step)))
    with looking(path) as process:
        assert said(process) == "3 2 3"
        for step in range(3, 8):
            if os.geteuid() != 0:
                path.parent.chmod(0o755)
                for file in path.parent.iterdir():
                    file.chmod(0o644)
            assert not todo(one(str(step))).is_error
            assert process.stdin is not None
            process.stdin.write("again\n")
            process.stdin.flush()
            assert said(process) == f"{step + 1} {step} {step + 1}"


def test_a_look_at_a_file_that_was_closed_well_and_then_grew_shows_both(path: Path) -> None:
    todo = tool(path)
    todo(one("0"))
    todo.store.close()
    with looking(path) as process:
        assert said(process) == "1 0 1"
        path.parent.chmod(0o755)
        path.chmod(0o644)
        todo(one("1"))
        todo.store.close()
        path.parent.chmod(0o555)
        assert process.stdin is not None
        process.stdin.write("again\n")
        process.stdin.flush()
        assert said(process) == "2 1 2"


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another process that holds the write lock all the while."""
    code = (
        "import sqlite3, sys\n"
        "connection = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "connection.execute('BEGIN IMMEDIATE')\n"
        "print('held', flush=True)\n"
        "sys.stdin.read()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    try:
        yield
    finally:
        process.communicate()


def test_who_reads_does_not_wait_for_a_thread_that_waits_for_the_write_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writer does not give up while the lock is held: whoever waited for it would never come back."""
    monkeypatch.setattr(sqlite_file, "PATIENCE", 600.0)
    path = tmp_path / "plans.db"
    todo = tool(path)
    todo(one("kept"))
    replies = list[bool]()
    writers = [
        threading.Thread(target=lambda: replies.append(todo(one("late")).is_error))
        for _ in range(3)
    ]
    with locked(path):
        for writer in writers:
            writer.start()
        for _ in range(100):
            assert todo.store.load("default", "main").todos[0].content == "kept"
            assert todo.plan.revision == 1
            assert len(todo.store.history("default", "main")) == 1
            assert todo.store.newest() == 1
            assert len(todo.store.since(0)) == 1
            assert not todo.store.wait(1, 0)
        assert replies == []
    for writer in writers:
        writer.join()
    assert replies == [False] * 3


def test_show_does_not_wait_for_the_write_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sqlite_file, "PATIENCE", 600.0)
    path = tmp_path / "plans.db"
    todo = tool(path)
    todo(one("kept"))
    todo.store.close()
    with locked(path):
        assert main(["show", "--format", "checklist", "--store", f"sqlite:///{path}"]) == 0
    assert "kept" in capsys.readouterr().out


def test_a_file_of_an_earlier_schema_is_read_while_another_holds_the_write_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "PATIENCE", 600.0)
    path = tmp_path / "plans.db"
    of_the_first_schema(path)
    store = SQLiteStore(path)
    with locked(path):
        assert store.load("s", "main").todos[0].content == "Old"
        assert store.load("s", "main").todos[0].content == "Old"
    store.save(Plan("s", "main", 2))
    assert store.load("s", "main").revision == 2
    store.close()


def of_the_first_schema(path: Path) -> None:
    script = files("todowright.stores").joinpath("schema/sqlite-1.sql").read_text("utf-8")
    with closing(sqlite3.connect(path)) as old, old:
        old.executescript(script)
        old.execute("PRAGMA journal_mode = WAL")
        old.execute(
            "INSERT INTO revision VALUES (1, 's', 'main', 1, '[[\"Old\",\"pending\",\"\",\"t1\"]]', '', 0, 1, 0, '')"
        )
        old.execute(f"PRAGMA application_id = {sqlite_file.APPLICATION}")
        old.execute("PRAGMA user_version = 1")


def test_a_process_that_is_open_stops_when_the_schema_moves_on(tmp_path: Path) -> None:
    path = tmp_path / "plans.db"
    todo = tool(path)
    todo(one("kept"))
    with closing(sqlite3.connect(path)) as newer, newer:
        newer.execute("PRAGMA user_version = 99")
    reply = todo(one("late"))
    assert "was made by a newer todowright (schema 99" in reply.text
    with pytest.raises(StoreError, match="newer todowright"):
        todo.store.load("default", "main")
    with pytest.raises(StoreError, match="newer todowright"):
        todo.store.mark_seen("default", "main", 1)
    with closing(sqlite3.connect(path)) as newer:
        assert newer.execute("SELECT count(*) FROM revision").fetchone() == (1,)


def test_a_schema_that_moves_on_between_a_look_and_a_save_stops_the_save(tmp_path: Path) -> None:
    """The save asks for the schema in the same step in which it writes."""
    from tests.stores.test_replaced import trace

    path = tmp_path / "plans.db"
    todo = tool(path)
    todo(one("kept"))
    store = todo.store
    assert isinstance(store, SQLiteStore)

    moved: list[str] = []

    def moves_on(statement: str) -> None:
        if not moved and statement.startswith(("BEGIN", "INSERT INTO revision")):
            moved.append(statement)
            with closing(sqlite3.connect(path)) as newer, newer:
                newer.execute("PRAGMA user_version = 99")

    trace(store, moves_on)
    assert "was made by a newer todowright (schema 99" in todo(one("late")).text
    with closing(sqlite3.connect(path)) as newer:
        assert newer.execute("SELECT count(*) FROM revision").fetchone() == (1,)


def test_a_process_of_the_release_before_that_is_open_is_told_to_restart(tmp_path: Path) -> None:
    path = tmp_path / "plans.db"
    of_the_first_schema(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        assert open_store(f"sqlite:///{path}").load("s", "main").revision == 1
        with pytest.raises(sqlite3.IntegrityError, match="restart this program"):
            old.execute(
                "INSERT INTO revision (session, agent, revision, todos, summary, updated_at, issued, numbered_from, log) "
                "VALUES ('s', 'main', 2, '[]', '', 0, 1, 0, '')"
            )
