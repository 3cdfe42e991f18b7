"""The store in a SQLite file: the suite, many processes, crashes and broken files."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from todowright import Author, Plan, Store, StoreError, TodoWrite, open_store, revisions
from todowright.processes import process
from todowright.stores import sqlite_file, sqlite_open
from todowright.stores.sqlite import SQLiteStore
from todowright.testing import StoreSuite

SPAWN = multiprocessing.get_context("spawn")


class TestSQLite(StoreSuite):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Store:
        return open_store(f"sqlite:///{tmp_path}/plans.db")

    @pytest.fixture
    def reopen(self, tmp_path: Path) -> Callable[[], Store]:
        return lambda: SQLiteStore(tmp_path / "plans.db")


def tool(path: Path, **more: Any) -> TodoWrite:
    return TodoWrite("twostate", store=f"sqlite:///{path}", **more)


def one(text: str) -> dict[str, Any]:
    return {"todos": [{"content": text}]}


def integrity(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection, connection:
        (answer,) = connection.execute("PRAGMA integrity_check").fetchone()
    connection.close()
    return str(answer)


def write_often(path: Path, name: int, times: int) -> None:
    todo = tool(path)
    for step in range(times):
        reply = todo(one(f"{name}-{step}"))
        assert not reply.is_error, reply.text


@pytest.mark.slow
def test_eight_processes_of_250_updates_each_lose_none(tmp_path: Path) -> None:
    path = tmp_path / "plans.db"
    writers = [SPAWN.Process(target=write_often, args=(path, name, 250)) for name in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(120)
        assert writer.exitcode == 0
    history = list(revisions(tool(path).store, "default", "main"))
    assert [plan.revision for plan in history] == list(range(1, 2001))
    made = {plan.todos[0].content for plan in history}
    assert made == {f"{name}-{step}" for name in range(8) for step in range(250)}
    for name in range(8):  # nobody overtook itself
        mine = [
            plan.todos[0].content
            for plan in history
            if plan.todos[0].content.startswith(f"{name}-")
        ]
        assert mine == [f"{name}-{step}" for step in range(250)]


WRITER = """
import sys
import tempfile
from todowright import TodoWrite
todo = TodoWrite("envelope", store="sqlite:///" + sys.argv[1], root=sys.argv[2])
step = todo.plan.revision
while True:
    step += 1
    rows = [{"content": f"{step} {n}", "status": "completed"} for n in range(4)]
    reply = todo({"summary": f"step {step}", "todos": rows})
    assert reply.data["status"] == "success", reply.text
    sys.stdout.write(f"{step}\\n")
    sys.stdout.flush()
"""


@pytest.mark.slow
@pytest.mark.parametrize("times", [25, pytest.param(100, marks=pytest.mark.soak)])
def test_a_writer_killed_many_times_loses_no_acknowledged_revision(
    tmp_path: Path, times: int
) -> None:
    path, acknowledged, kept = tmp_path / "plans.db", 0, Plan()
    choose = random.Random(7)
    for _ in range(times):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(tmp_path)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert writer.stdout is not None
        acknowledged = int(writer.stdout.readline())  # it runs
        time.sleep(choose.random() * 0.03)
        writer.send_signal(signal.SIGKILL)
        rest = writer.stdout.read().splitlines(keepends=True)
        writer.wait()
        writer.stdout.close()
        acknowledged = max([acknowledged, *(int(line) for line in rest if line.endswith("\n"))])
        kept = tool(path).plan
        assert kept.revision in (acknowledged, acknowledged + 1)
        assert [todo.content for todo in kept.todos] == [f"{kept.revision} {n}" for n in range(4)]
    assert integrity(path) == "ok"
    history = revisions(tool(path).store, "default", "main")
    assert [plan.revision for plan in history] == list(range(1, kept.revision + 1))
    (log,) = (tmp_path / "memory" / "todos").glob("todoList-*.md")
    blocks = log.read_text("utf-8").split("# task")[1:]
    assert len(blocks) >= acknowledged - 100
    for block in blocks:
        step = block.split("总任务概述：step ")[1].split("\n")[0]
        lines = "".join(f"- {step} {n}\n" for n in range(4))
        assert block.rstrip("\n").endswith(f"[4/4] Completed: 完成的任务.\n{lines}".rstrip("\n"))


def follow_1000(path: Path, ready: Any, out: Any) -> None:
    from todowright.stores.follow import follow

    store = SQLiteStore(path)
    ready.set()
    got = []
    for number, plan in follow(store, after=0):
        got.append((number, plan.revision, time.time()))
        if plan.revision == 1000:
            break
    out.put(got)


def test_a_follower_in_another_process_misses_none_of_1000_quick_writes(tmp_path: Path) -> None:
    path = tmp_path / "plans.db"
    ready, out = SPAWN.Event(), SPAWN.Queue()
    reader = SPAWN.Process(target=follow_1000, args=(path, ready, out))
    reader.start()
    assert ready.wait(60)
    todo = tool(path)
    for step in range(1000):
        todo(one(f"{step}"))
    finished = time.time()
    got = out.get(timeout=60)
    reader.join()
    assert [revision for _, revision, _ in got] == list(range(1, 1001))
    assert got[-1][2] - finished < 30  # it is told, it does not wait for anything


def test_nothing_is_made_on_disk_until_a_plan_is_saved(tmp_path: Path) -> None:
    todo = tool(tmp_path / "deep" / "down" / "plans.db")
    assert todo.plan == Plan()
    assert todo.store.newest() == 0
    assert not todo.store.wait(0, 0.01)
    todo.store.forget("default", "main")
    assert list(tmp_path.iterdir()) == []
    todo(one("a"))
    assert (tmp_path / "deep" / "down" / "plans.db").exists()


CYCLES = """
import gc, sys
from todowright import TodoWrite
from todowright.stores.sqlite import SQLiteStore

class Owner: pass

for number in range(50):
    store, owner = SQLiteStore(f"{sys.argv[1]}/{number}.db"), Owner()
    TodoWrite("twostate", store=store)({"todos": [{"content": "a"}]})
    store.wait(1, 0)
    owner.self, owner.store = owner, store
    del store, owner
gc.collect()
"""


def test_a_store_in_a_cycle_is_collected_with_its_connections_closed(tmp_path: Path) -> None:
    """Python 3.13 warns of a connection that is collected before its store could close it."""
    command = [sys.executable, "-W", "error", "-c", CYCLES, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert done.stderr == ""
    assert len(list(tmp_path.glob("*.db"))) == 50
    assert not list(tmp_path.glob("*-wal"))


def test_a_forked_child_uses_a_connection_of_its_own(tmp_path: Path) -> None:
    todo = tool(tmp_path / "plans.db")
    todo(one("parent"))
    child = os.fork()
    if child == 0:
        os._exit(0 if not todo(one("child")).is_error else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert not todo(one("parent again")).is_error
    assert todo.plan.revision == 3
    assert integrity(tmp_path / "plans.db") == "ok"


def test_what_a_forked_worker_writes_outlives_the_parent(tmp_path: Path) -> None:
    code = (
        "import os, sys, time\n"
        "from todowright import TodoWrite\n"
        "todo = TodoWrite('twostate', store='sqlite:///' + sys.argv[1])\n"
        "todo({'todos': [{'content': 'parent'}]})\n"
        "if os.fork() == 0:\n"
        "    for n in range(50):\n"
        "        assert not todo({'todos': [{'content': str(n)}]}).is_error\n"
        "        time.sleep(0.005)\n"
        "    open(sys.argv[1] + '.done', 'w').close()\n"
    )
    path = tmp_path / "plans.db"
    subprocess.run([sys.executable, "-c", code, str(path)], check=True, timeout=60)
    deadline = time.monotonic() + 30
    while not Path(f"{path}.done").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert tool(path).plan.revision == 51
    assert integrity(path) == "ok"


def test_a_fork_while_other_threads_write_leaves_a_child_that_works(tmp_path: Path) -> None:
    todo, stop = tool(tmp_path / "plans.db"), threading.Event()
    todo.on_change(lambda change: None)

    def write() -> None:
        while not stop.is_set():
            todo(one("thread"))

    threads = [threading.Thread(target=write) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(10):
            child = os.fork()
            if child == 0:
                signal.alarm(20)
                os._exit(0 if not todo(one("child")).is_error else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert integrity(tmp_path / "plans.db") == "ok"


def test_a_relative_path_stays_where_it_was_when_the_process_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    todo = TodoWrite("twostate", store="sqlite:///plans.db")
    todo(one("a"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    todo(one("b"))
    assert not todo.store.wait(2, 0.05)
    todo.store.close()
    assert todo.plan.revision == 2
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_file_that_was_deleted_is_made_anew_not_written_into_nowhere(tmp_path: Path) -> None:
    todo = tool(tmp_path / "plans.db")
    todo(one("a"))
    for file in tmp_path.iterdir():
        file.unlink()
    assert not todo(one("b")).is_error
    assert tool(tmp_path / "plans.db").plan.todos[0].content == "b"


def test_the_newest_number_does_not_fall_when_something_is_forgotten(tmp_path: Path) -> None:
    todo = tool(tmp_path / "plans.db")
    todo(one("a"))
    todo(one("b"))
    todo.store.forget("default", "main")
    assert todo.store.newest() == 2


@pytest.mark.parametrize("todos", ['[["a","pen', '[["a","blocked","",""]]', "5", "[[1]]"])
def test_a_damaged_row_is_told_as_such(tmp_path: Path, todos: str) -> None:
    path = tmp_path / "plans.db"
    tool(path)(one("a"))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE revision SET todos = ?", (todos,))
    connection.close()
    with pytest.raises(StoreError, match="is damaged: see `todowright check`"):
        tool(path).store.load("default", "main")
    with pytest.raises(StoreError, match="is damaged: see `todowright check`"):
        tool(path).store.since(0)


def test_an_empty_file_is_no_plan_and_is_left_alone_by_looking(tmp_path: Path) -> None:
    path = tmp_path / "plans.db"
    path.touch()
    assert tool(path).plan.revision == 0
    assert path.stat().st_size == 0
    assert not tool(path)(one("a")).is_error


def damaged(path: Path) -> None:
    todo = tool(path)
    for step in range(50):
        todo(one(f"{step}" * 100))
    todo.store.close()
    content = bytearray(path.read_bytes())
    content[4096:20000] = os.urandom(20000 - 4096)
    path.write_bytes(bytes(content))


def no_database(path: Path) -> None:
    path.write_text("These are not the plans you are looking for. " * 50)


def newer(path: Path) -> None:
    todo = tool(path)
    todo(one("a"))
    todo.store.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()


def foreign(path: Path, version: int = 0) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE customers (name)")
        connection.execute(f"PRAGMA user_version = {version}")
    connection.close()


def foreign_7(path: Path) -> None:
    foreign(path, 7)


def folder(path: Path) -> None:
    path.mkdir()


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"


def with_more(path: Path, script: str) -> None:
    todo = tool(path)
    todo(one("a"))
    todo.store.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def with_a_view(path: Path) -> None:
    columns = ", ".join(f"i AS {name}" for name in ("number", "session", "agent", "revision"))
    with_more(path, f"DROP TABLE revision; CREATE VIEW revision AS {ENDLESS} {columns} FROM n")


def with_a_trigger(path: Path) -> None:
    name = "revision_of_an_older_release"
    body = f"SELECT count(*) FROM ({ENDLESS} i FROM n)"
    with_more(
        path,
        f"DROP TRIGGER {name}; CREATE TRIGGER {name} BEFORE INSERT ON revision BEGIN {body}; END",
    )


STRANGE = (
    "has views or triggers that are not todowright's: `todowright restore --empty` sets it aside"
)


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (damaged, sqlite_file.DAMAGED),
        (no_database, "is no SQLite database: choose another file"),
        (newer, "was made by a newer todowright (schema 99, this one knows 6): upgrade todowright"),
        (foreign, "is a database of another program: choose another file"),
        (foreign_7, "is a database of another program: choose another file"),
        (folder, "is a folder: name a file in it"),
        (with_a_view, STRANGE),
        (with_a_trigger, STRANGE),
    ],
)
def test_a_file_that_cannot_be_used_is_told_in_one_line_and_left_as_it_is(
    tmp_path: Path, spoil: Callable[[Path], None], told: str
) -> None:
    path = tmp_path / "plans.db"
    spoil(path)
    before = path.read_bytes() if path.is_file() else b""
    todo = tool(path)
    reply = todo(one("a"))
    assert reply.is_error
    assert told in reply.text.replace(str(path), "")
    assert "\n" not in reply.text
    with pytest.raises(StoreError):
        todo.store.load("default", "main")
    if path.is_file() and spoil is not newer:
        assert path.read_bytes() == before


def test_a_disk_that_is_full_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    todo = tool(tmp_path / "plans.db")
    todo(one("kept"))
    store = todo.store
    assert isinstance(store, SQLiteStore)
    connection = store._hold[process.number].main.connection
    assert connection is not None
    connection.execute("PRAGMA max_page_count = 16")
    reply = todo(one("x" * 90_000))
    assert reply.is_error
    assert "cannot grow, the disk is full: free some space and try again" in reply.text
    assert todo.plan.todos[0].content == "kept"
    assert not todo(one("small")).is_error


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users may enter; pytest's own are closed to them."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def test_a_folder_that_cannot_be_written_is_told(open_folder: Path) -> None:
    path = open_folder / "plans.db"
    tool(path)(one("kept"))
    tool(path).store.close()
    code = (
        "import logging, os, shutil, sys, tempfile, urllib.parse\n"
        "from todowright import TodoWrite\n"
        "todo = TodoWrite('twostate', store='sqlite:///' + sys.argv[1])\n"
        "if os.geteuid() == 0: os.seteuid(65534)\n"
        "print(todo({'todos': [{'content': 'b'}]}).text)"
    )
    path.chmod(0o444)
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    assert "cannot be written: check the permissions" in done.stdout
    read = code.replace(
        "print(todo({'todos': [{'content': 'b'}]}).text)", "print(todo.plan.todos[0].content)"
    )
    path.parent.chmod(0o555)
    shown = subprocess.run([sys.executable, "-c", read, str(path)], capture_output=True, text=True)
    path.parent.chmod(0o755)
    assert shown.stdout == "kept\n", shown.stderr
    path.chmod(0o644)
    assert tool(path).plan.todos[0].content == "kept"


def test_a_file_that_another_process_keeps_locked_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "PATIENCE", 0.2)
    path = tmp_path / "plans.db"
    tool(path)(one("kept"))
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    reply = tool(path)(one("b"))
    assert "is locked by another process" in reply.text
    holder.execute("ROLLBACK")
    holder.close()
    assert not tool(path)(one("c")).is_error


def test_many_who_open_a_new_file_at_once_all_find_it_ready(tmp_path: Path) -> None:
    for attempt in range(10):
        path = tmp_path / f"{attempt}.db"
        barrier, failed = threading.Barrier(8), list[str]()

        def work(path: Path = path, barrier: Any = barrier, failed: list[str] = failed) -> None:
            barrier.wait()
            reply = tool(path)(one("a"))
            if reply.is_error:
                failed.append(reply.text)

        workers = [threading.Thread(target=work) for _ in range(8)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert failed == []
        assert tool(path).plan.revision == 8


def test_a_file_of_the_first_schema_is_brought_up_to_date(tmp_path: Path) -> None:
    from importlib.resources import files

    script = files("todowright.stores").joinpath("schema/sqlite-1.sql").read_text("utf-8")
    with closing(sqlite3.connect(tmp_path / "plans.db")) as old, old:
        old.executescript(script)
        old.execute(
            "INSERT INTO revision VALUES (1, 's', 'main', 1, '[[\"Old\",\"pending\",\"\",\"t1\"]]', '', 0, 1, 0, '')"
        )
        old.execute(f"PRAGMA application_id = {sqlite_file.APPLICATION}")
        old.execute("PRAGMA user_version = 1")
    old.close()
    (tmp_path / "plans.db").chmod(0o444)
    tmp_path.chmod(0o555)
    looked_at = sqlite_open.looked_at(str(tmp_path / "plans.db"))
    row = sqlite_file.ready(looked_at, "plans.db").execute("SELECT made_by FROM revision")
    assert row.fetchall() == [("",)]
    looked_at.close()
    tmp_path.chmod(0o755)
    (tmp_path / "plans.db").chmod(0o644)
    store = SQLiteStore(tmp_path / "plans.db")
    assert store.load("s", "main").todos[0].content == "Old"
    old_plan = store.load("s", "main")
    assert (old_plan.by, old_plan.dialect, old_plan.todos[0].number) == (Author("agent"), "", 1)
    todo = TodoWrite("lean", store=store, session="s")
    assert todo({"step": 1}, tool="done").text == "1/1 done."
    store.close()


def shape(connection: sqlite3.Connection) -> dict[str, object]:
    """The columns of every table and index, in full, and the text of what is neither."""
    found: dict[str, object] = {}
    for kind, name, text in connection.execute("SELECT type, name, sql FROM sqlite_master"):
        info = "table_xinfo" if kind == "table" else "index_xinfo"
        rows = connection.execute(f"PRAGMA {info}({name})").fetchall()
        listed = connection.execute(f"PRAGMA index_list({name})").fetchall()
        rule = text.split(")")[-1].strip() if kind == "table" else None
        found[name] = text.strip() if kind == "trigger" else (rows, listed, rule)
    return found


def test_a_new_file_has_the_very_schema_that_the_steps_make(tmp_path: Path) -> None:
    from importlib.resources import files

    tool(tmp_path / "new.db")(one("a"))
    scripts = files("todowright.stores").joinpath("schema")
    with (
        closing(sqlite3.connect(tmp_path / "new.db")) as new,
        closing(sqlite3.connect(tmp_path / "old.db")) as old,
    ):
        for step in range(1, sqlite_file.SCHEMA + 1):
            old.executescript(scripts.joinpath(f"sqlite-{step}.sql").read_text("utf-8"))
        assert shape(new) == shape(old)
        assert "AUTOINCREMENT" in str(new.execute("SELECT sql FROM sqlite_master").fetchone())
        for name in ("revision", "receipt", "seen", "lease"):
            assert name in shape(new)


def test_text_of_a_table_that_is_no_unicode_stops_nobody(tmp_path: Path) -> None:
    todo = tool(tmp_path / "plans.db")
    todo(one("a"))
    todo.store.close()
    with closing(sqlite3.connect(tmp_path / "plans.db")) as connection, connection:
        connection.execute("CREATE TABLE mine (a -- a note of mine\n)")
        connection.execute("PRAGMA writable_schema = 1")
        connection.execute(
            "UPDATE sqlite_master SET sql = CAST(replace(sql, 'note', x'ff') AS TEXT) WHERE name = 'mine'"
        )
    assert tool(tmp_path / "plans.db").plan.todos[0].content == "a"


def test_a_file_without_leases_gets_them(tmp_path: Path) -> None:
    """Schema 4 is that of plans without leases."""
    from importlib.resources import files

    path = tmp_path / "plans.db"
    old = sqlite3.connect(path, isolation_level=None)
    with closing(old):
        for step in (1, 2, 3, 4):
            name = f"schema/sqlite-{step}.sql"
            old.executescript(files("todowright.stores").joinpath(name).read_text("utf-8"))
        old.execute(f"PRAGMA application_id = {sqlite_file.APPLICATION}")
        old.execute("PRAGMA user_version = 4")
        old.execute(
            "INSERT INTO revision (session, agent, revision, todos, summary, updated_at, issued, numbered_from, "
            "log, dialect) VALUES ('s', 'main', 1, '[[\"Old\",\"pending\",\"\",\"t1\",1]]', '', 0, 1, 0, '', 'tasks')"
        )
        store = SQLiteStore(path)
        assert store.leases("s", "main") == {}
        assert store.renew_lease("s", "main", "one", store.now() + 60, 60) is not None
        assert store.load("s", "main").revision == 1
        assert list(store.leases("s", "main")) == ["one"]
        store.close()


@pytest.mark.parametrize("last", [7, 5_000, 2**62])
def test_revisions_with_holes_are_read_once_each_and_to_the_end(tmp_path: Path, last: int) -> None:
    """Pruned, or written by somebody else."""
    store = SQLiteStore(tmp_path / "plans.db")
    todo = TodoWrite("lean", store=store)
    todo({"steps": [f"Step {n}" for n in range(1, 7)]}, tool="plan")
    for step in range(1, 6):
        todo({"step": step}, tool="done")
    store.close()
    with closing(sqlite3.connect(tmp_path / "plans.db")) as file:
        file.execute("UPDATE revision SET revision = ? WHERE revision = 6", (last,))
        file.execute("DELETE FROM revision WHERE revision IN (2, 3)")
        file.commit()
    again = SQLiteStore(tmp_path / "plans.db")
    assert [plan.revision for plan in revisions(again, "default", "main")] == [1, 4, 5, last]
    again.close()
