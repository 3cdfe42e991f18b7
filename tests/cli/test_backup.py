"""`todowright backup`, `restore` and `check`: safe while others write, and nothing is lost by them."""

from __future__ import annotations

import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from tests.stores.test_replaced import contents, killed_writer
from tests.stores.test_sqlite import damaged, foreign, integrity, newer, no_database, one, tool
from todowright.cli import main
from todowright.stores.sqlite import SQLiteStore


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the store that the commands use."""
    file = tmp_path / "store" / "plans.db"
    monkeypatch.setenv("TODOWRIGHT_STORE", f"sqlite:///{file}")
    return file


def write(path: Path, *texts: str) -> None:
    todo = tool(path)
    for text in texts:
        assert not todo(one(text)).is_error
    todo.store.close()


def test_a_backup_has_all_that_was_acknowledged_also_what_only_a_crash_left(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path.parent.mkdir()
    killed_writer(path, 40)
    copy = tmp_path / "copy.db"
    assert main(["backup", str(copy)]) == 0
    assert "40 revisions" in capsys.readouterr().out
    assert contents(copy) == [str(step) for step in range(40)]
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir() if "copy" in file.name] == ["copy.db"]


def test_a_backup_never_writes_over_a_file_or_through_a_link(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(path, "a")
    (tmp_path / "there").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("there", "link"):
        assert main(["backup", str(tmp_path / name)]) == 1
        told = capsys.readouterr().err
        assert told.count("\n") == 1
        assert "name another file" in told
    assert (tmp_path / "there").read_text() == "mine"
    assert not (tmp_path / "nowhere").exists()


def test_there_is_nothing_to_back_up_or_check_where_there_is_no_file(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["backup", str(tmp_path / "copy.db")]) == 1
    assert "no plan was saved there yet" in capsys.readouterr().err
    assert main(["check"]) == 0
    assert main(["backup", "copy.db", "--store", "memory:"]) == 1
    assert "in memory" in capsys.readouterr().err
    assert not path.parent.exists()


def test_a_backup_while_others_write_is_a_moment_of_the_store(path: Path, tmp_path: Path) -> None:
    todo, stop = tool(path), threading.Event()
    todo(one("0"))
    acknowledged = [0]

    def work() -> None:
        while not stop.is_set():
            assert not todo(one(str(acknowledged[0] + 1))).is_error
            acknowledged[0] += 1

    writer = threading.Thread(target=work)
    writer.start()
    try:
        for number in range(5):
            before = acknowledged[0]
            assert main(["backup", str(tmp_path / f"{number}.db")]) == 0
            found = contents(tmp_path / f"{number}.db")
            assert found == [str(step) for step in range(len(found))]
            assert len(found) > before
    finally:
        stop.set()
        writer.join()


def test_a_restore_brings_the_copy_back_and_keeps_what_stood(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(path, "a", "b")
    assert main(["backup", str(tmp_path / "copy.db")]) == 0
    write(path, "c")
    capsys.readouterr()
    assert main(["restore", str(tmp_path / "copy.db")]) == 0
    told = capsys.readouterr().out
    assert contents(path) == ["a", "b"]
    (kept,) = path.parent.glob("plans.db.before-*[0-9]")
    assert kept.name in told
    assert contents(kept) == ["a", "b", "c"]
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert integrity(path) == "ok"


def test_an_open_tool_goes_on_with_what_was_restored(path: Path, tmp_path: Path) -> None:
    todo = tool(path)
    for text in ("a", "b"):
        todo(one(text))
    assert main(["backup", str(tmp_path / "copy.db")]) == 0
    for text in ("c", "d"):
        todo(one(text))
    assert main(["restore", str(tmp_path / "copy.db")]) == 0
    assert todo.plan.todos[0].content == "b"
    assert not todo(one("e")).is_error
    assert contents(path) == ["a", "b", "e"]
    assert integrity(path) == "ok"


WRITER = """
import sys
from todowright import TodoWrite
todo = TodoWrite("twostate", store="sqlite:///" + sys.argv[1])
for step in range(10**9):
    assert not todo({"todos": [{"content": f"{sys.argv[2]}-{step}"}]}).is_error
    print(f"{sys.argv[2]}-{step}", flush=True)
"""


@pytest.mark.slow
def test_a_restore_while_others_write_loses_nothing_that_was_acknowledged(
    path: Path, tmp_path: Path
) -> None:
    """What was acknowledged is in the store, or in the copy that the restore made of it."""
    write(path, "a")
    assert main(["backup", str(tmp_path / "copy.db")]) == 0
    command = [sys.executable, "-c", WRITER, str(path)]
    writers = [
        subprocess.Popen([*command, name], stdout=subprocess.PIPE, text=True) for name in "xyz"
    ]
    for writer in writers:
        assert writer.stdout is not None
        writer.stdout.readline()
    for _ in range(3):
        assert main(["restore", str(tmp_path / "copy.db")]) == 0
    told: set[str] = set()
    for writer in writers:
        assert writer.stdout is not None
        writer.stdout.readline()
        writer.kill()
        told.update(line.strip() for line in writer.stdout.readlines() if line.endswith("\n"))
        writer.wait()
        writer.stdout.close()
    kept = set(contents(path))
    for file in path.parent.glob("plans.db.before-*"):
        kept.update(contents(file))
    assert told - kept == set()
    assert integrity(path) == "ok"


def test_a_damaged_file_is_set_aside_with_all_that_belongs_to_it(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(path, "a")
    assert main(["backup", str(tmp_path / "copy.db")]) == 0
    shutil.rmtree(path.parent)
    path.parent.mkdir()
    damaged(path)
    before = path.read_bytes()
    assert main(["check"]) == 1
    told = capsys.readouterr()
    assert "todowright restore" in told.err + told.out
    reply = tool(path)(one("b"))
    assert "todowright restore FILE" in reply.text
    assert main(["restore", str(tmp_path / "copy.db")]) == 0
    assert contents(path) == ["a"]
    (kept,) = path.parent.glob("plans.db.before-*[0-9]")
    assert kept.read_bytes() == before
    assert main(["check"]) == 0


def test_a_log_without_its_file_is_set_aside_too(path: Path, tmp_path: Path) -> None:
    path.parent.mkdir()
    killed_writer(path, 3)
    log = Path(f"{path}-wal").read_bytes()
    path.rename(tmp_path / "away.db")
    assert main(["restore", "--empty"]) == 0
    (kept,) = path.parent.glob("plans.db.before-*-wal")
    assert kept.read_bytes() == log
    assert not tool(path)(one("anew")).is_error
    shutil.move(kept, tmp_path / "away.db-wal")
    assert contents(tmp_path / "away.db") == ["0", "1", "2"]


@pytest.mark.parametrize("spoil", [damaged, no_database, newer, foreign])
def test_what_is_no_sound_backup_is_refused_and_nothing_changes(
    path: Path, tmp_path: Path, spoil: object, capsys: pytest.CaptureFixture[str]
) -> None:
    write(path, "a")
    assert callable(spoil)
    spoil(tmp_path / "bad.db")
    before = (tmp_path / "bad.db").read_bytes()
    assert main(["restore", str(tmp_path / "bad.db")]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    assert main(["restore", str(tmp_path / "missing.db")]) == 1
    assert "there is no file" in capsys.readouterr().err
    assert main(["restore", str(path)]) == 1
    assert contents(path) == ["a"]
    assert (tmp_path / "bad.db").read_bytes() == before
    assert not list(path.parent.glob("*before*"))


@pytest.mark.parametrize("spoil", [newer, foreign])
def test_a_store_that_is_not_for_this_todowright_is_not_restored_over(
    path: Path, tmp_path: Path, spoil: object
) -> None:
    write(tmp_path / "copy.db", "a")
    path.parent.mkdir()
    assert callable(spoil)
    spoil(path)
    before = path.read_bytes()
    assert main(["restore", str(tmp_path / "copy.db")]) == 1
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["plans.db"]


def test_a_check_says_what_there_is_and_finds_a_row_that_is_no_plan(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(path, "a", "b", "c")
    assert main(["check"]) == 0
    assert "1 plan with 3 revisions" in capsys.readouterr().out
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE revision SET todos = '[[1]]' WHERE revision = 2")
    assert main(["check"]) == 1
    told = capsys.readouterr()
    assert "revision 2 of default/main is no plan" in told.out + told.err
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM revision WHERE revision = 2")
    assert main(["check"]) == 1
    told = capsys.readouterr()
    assert "revision 2 of default/main is missing" in told.out + told.err


def test_every_message_about_a_damaged_file_names_the_commands(path: Path) -> None:
    path.parent.mkdir()
    damaged(path)
    reply = tool(path)(one("b"))
    for command in ("todowright check", "todowright restore FILE"):
        assert command in reply.text
    assert "move it away" not in reply.text
    assert isinstance(tool(path).store, SQLiteStore)
