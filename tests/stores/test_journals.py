"""A rollback journal beside a store: one that came with a repository is not obeyed, one that a crash left is."""

from __future__ import annotations

import shutil
import sqlite3
import struct
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.stores.test_replaced import contents, killed_writer
from tests.stores.test_sqlite import integrity, one, tool
from todowright import StoreError
from todowright.cli import main
from todowright.importers.ledger import Ledger
from todowright.importers.readers import opencode_database

MAGIC = bytes.fromhex("d9d505f920a163d7")
PAGE = 4096
CRASHED = """
import os, signal, sqlite3, sys
rows = sqlite3.connect(sys.argv[1], isolation_level=None)
rows.execute("PRAGMA journal_mode = DELETE")
rows.execute("PRAGMA cache_size = 1")
rows.execute("BEGIN IMMEDIATE")
rows.execute("UPDATE revision SET todos = '[]', summary = 'lost'")
rows.execute("CREATE TABLE large AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
             " SELECT i, hex(randomblob(200)) AS noise FROM n")
os.kill(os.getpid(), signal.SIGKILL)
"""


def plant(database: Path, victim: Path, start: bytes = MAGIC) -> Path:
    """A journal that changes nothing in the database, and names another file to be deleted."""
    name = bytes(victim)
    pages = database.stat().st_size // PAGE if database.exists() else 1
    head = (start + struct.pack(">5I", 0, 0, pages, 512, PAGE)).ljust(512, b"\0")
    end = struct.pack(">II", len(name), sum(name)) + MAGIC
    journal = Path(f"{database}-journal")
    journal.write_bytes(head + struct.pack(">I", 2**30 // PAGE + 1) + name + end)
    return journal


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a store that is closed, and a file of its user beside the project."""
    file = tmp_path / "project" / ".todowright" / "plans.db"
    todo = tool(file)
    assert not todo(one("mine")).is_error
    todo.store.close()
    (tmp_path / "victim").write_text("mine, too")
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.delenv("TODOWRIGHT_STORE", raising=False)
    return file


def state(folder: Path) -> dict[str, bytes]:
    return {str(each): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


@pytest.mark.parametrize("start", [MAGIC, b"anything"], ids=["whole", "with another head"])
@pytest.mark.parametrize(
    "command",
    ["show", "sessions", "check", "backup copy.db", "prune --keep-last 1", "restore good.db"],
)
def test_a_journal_that_names_another_file_is_refused_and_deletes_nothing(
    store: Path, tmp_path: Path, command: str, start: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["backup", "good.db"]) == 0
    journal = plant(store, tmp_path / "victim", start)
    before = state(tmp_path)
    capsys.readouterr()
    assert main(command.split()) == 1
    told = capsys.readouterr()
    assert f"{journal} names another file, which SQLite would delete: move it away" in told.err
    assert told.err.count("\n") == 1
    assert state(tmp_path) == before
    journal.unlink()
    assert contents(store) == ["mine"]


def test_a_journal_beside_a_store_that_is_not_there_or_empty_is_refused_too(
    store: Path, tmp_path: Path
) -> None:
    plant(store, tmp_path / "victim")
    store.unlink()
    assert "move it away" in tool(store)(one("a")).text
    assert not store.exists()
    store.touch()
    assert "move it away" in tool(store)(one("a")).text
    assert store.read_bytes() == b""
    assert (tmp_path / "victim").exists()


def test_a_backup_that_is_brought_back_has_no_journal_that_names_another_file(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["backup", "good.db"]) == 0
    plant(Path("good.db"), tmp_path / "victim")
    Path("link.db").symlink_to("good.db")
    before = state(tmp_path)
    for name in ("good.db", "link.db"):
        assert main(["restore", name]) == 1
        assert "move it away" in capsys.readouterr().err
    assert state(tmp_path) == before


def test_a_store_is_set_aside_with_a_journal_that_is_not_ours(store: Path, tmp_path: Path) -> None:
    plant(store, tmp_path / "victim")
    assert main(["restore", "--empty"]) == 0
    assert not tool(store)(one("anew")).is_error
    assert (tmp_path / "victim").exists()


def test_a_journal_that_a_crash_left_is_rolled_back(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [sys.executable, "-c", CRASHED, str(store)]
    assert subprocess.run(command, timeout=60, check=False).returncode == -9
    journal = Path(f"{store}-journal")
    assert journal.stat().st_size > PAGE
    assert store.stat().st_size > 100_000
    before = state(tmp_path)
    assert main(["check"]) == 0
    assert "is sound" in capsys.readouterr().out
    assert state(tmp_path) == before
    assert contents(store) == ["mine"]
    assert integrity(store) == "ok"
    assert not journal.exists()


def test_a_journal_that_would_undo_a_log_is_refused(store: Path, tmp_path: Path) -> None:
    shutil.rmtree(store.parent)
    store.parent.mkdir()
    killed_writer(store, 3)
    journal = Path(f"{store}-journal")
    head = (MAGIC + struct.pack(">5I", 0, 0, 0, 512, PAGE)).ljust(512, b"\0")
    journal.write_bytes(head)  # it would empty the database
    before = state(tmp_path)
    with pytest.raises(StoreError, match=r"is not todowright's, .*: move it away"):
        tool(store).store.load("default", "main")
    assert state(tmp_path) == before
    journal.unlink()
    assert contents(store) == ["0", "1", "2"]


def test_what_is_no_journal_at_all_is_said_in_one_line(store: Path, tmp_path: Path) -> None:
    journal = Path(f"{store}-journal")
    journal.mkdir()
    with pytest.raises(StoreError, match="-journal is no plain file: move it away"):
        tool(store).store.load("default", "main")
    journal.rmdir()
    journal.symlink_to(tmp_path / "victim")
    with pytest.raises(StoreError, match="-journal is a symbolic link"):
        tool(store).store.load("default", "main")
    journal.unlink()
    for nothing in (b"", bytes(600)):
        journal.write_bytes(nothing)
        assert contents(store) == ["mine"]


def test_a_ledger_of_imports_leads_to_no_other_file(tmp_path: Path) -> None:
    ledger, victim = tmp_path / "plans.db.imports", tmp_path / "victim"
    Ledger(str(ledger)).close()
    victim.write_text("mine")
    journal = plant(ledger, victim)
    with pytest.raises(StoreError, match="move it away"):
        Ledger(str(ledger))
    journal.unlink()
    log = Path(f"{ledger}-wal")
    log.symlink_to(victim)
    with pytest.raises(StoreError, match="is a symbolic link"):
        Ledger(str(ledger))
    log.unlink()
    ledger.unlink()
    with closing(sqlite3.connect(tmp_path / "theirs.db")) as theirs:
        theirs.execute("CREATE TABLE theirs (a)")
    before = (tmp_path / "theirs.db").read_bytes()
    ledger.symlink_to(tmp_path / "theirs.db")
    with pytest.raises(StoreError, match="is a symbolic link"):
        Ledger(str(ledger))
    assert (tmp_path / "theirs.db").read_bytes() == before
    assert victim.read_text() == "mine"


def test_a_database_of_opencode_with_such_a_journal_is_only_read(tmp_path: Path) -> None:
    database, victim = tmp_path / "opencode.db", tmp_path / "victim"
    with closing(sqlite3.connect(database)) as rows:
        rows.execute("CREATE TABLE part (id)")
    victim.write_text("mine")
    plant(database, victim)
    before = state(tmp_path)
    (damage,) = opencode_database.changed_since(str(database), 0)
    assert "cannot be read" in str(damage)
    assert state(tmp_path) == before
