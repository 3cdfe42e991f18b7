"""`todowright prune`: what is old goes, what is kept stays readable, and the file becomes smaller."""

from __future__ import annotations

import json
import sqlite3
import stat
import threading
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.stores.test_changes import long_plan
from tests.stores.test_sqlite import integrity, one, tool
from todowright import Plan, Todo, revisions
from todowright.cli import main
from todowright.stores import sqlite_prune
from todowright.stores.sqlite import SQLiteStore
from todowright.stores.sqlite_file import LARGEST_LOG

NOW = datetime.now(UTC)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TODOWRIGHT_STORE", f"sqlite:///{tmp_path}/plans.db")
    return tmp_path / "plans.db"


def filled(path: Path, count: int, *, agent: str = "a", days: float = 1.0) -> list[Plan]:
    """Save so many revisions of fifty items, the last one now and each the given days after the one before."""
    store = SQLiteStore(path)
    plans = [
        replace(
            long_plan(revision, revision % 45),
            agent=agent,
            updated_at=NOW - timedelta(days=days) * (count - revision),
        )
        for revision in range(1, count + 1)
    ]
    for plan in plans:
        store.save(plan)
    store.close()
    return plans


def kept(path: Path, agent: str = "a") -> list[Plan]:
    store = SQLiteStore(path)
    found = list(revisions(store, "s", agent))
    store.close()
    return found


def test_what_is_older_and_not_among_the_last_goes_and_the_rest_is_as_it_was(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plans = filled(path, 300)
    others = filled(path, 20, agent="b", days=100)
    assert main(["prune", "--older-than", "30d", "--keep-last", "100"]) == 0
    assert "200 revisions" in capsys.readouterr().out
    assert kept(path) == plans[200:]
    assert kept(path, "b") == others
    assert main(["prune", "--older-than", "30d", "--keep-last", "5"]) == 0
    assert kept(path) == plans[270:]
    assert kept(path, "b") == others[15:]
    assert main(["prune", "--older-than", "30d"]) == 0
    assert kept(path, "b") == others[19:]
    assert main(["prune", "--keep-last", "1"]) == 0
    assert kept(path) == plans[299:]
    store = SQLiteStore(path)
    assert store.newest() == 320
    assert [number for number, _ in store.since(0)] == [300, 320]
    store.save(replace(long_plan(301), agent="a"))
    store.close()
    assert integrity(path) == "ok"
    assert main(["check"]) == 0


def test_a_dry_run_tells_and_changes_nothing(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plans = filled(path, 50)
    before = path.read_bytes()
    assert main(["prune", "--keep-last", "10", "--dry-run"]) == 0
    told = capsys.readouterr().out
    assert "40 revisions" in told
    assert "s/a" in told
    assert path.read_bytes() == before
    assert kept(path) == plans


def test_a_plan_that_was_forgotten_and_begun_anew_meanwhile_stays(path: Path) -> None:
    filled(path, 20)
    old = sqlite_prune.old_revisions(str(path), older_than=None, keep_last=1)
    store = SQLiteStore(path)
    store.forget("s", "a")
    store.close()
    plans = filled(path, 5)
    sqlite_prune.prune(str(path), old)
    assert kept(path) == plans[4:]


@pytest.mark.parametrize("name", ["old.json", "old.md"])
def test_what_goes_is_archived_first_if_that_is_wanted(
    path: Path, tmp_path: Path, name: str
) -> None:
    plans = filled(path, 30)
    assert main(["prune", "--keep-last", "10", "--archive", str(tmp_path / name)]) == 0
    assert kept(path) == plans[20:]
    archive = tmp_path / name
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600
    text = archive.read_text("utf-8")
    if name.endswith(".json"):
        assert [Plan.from_dict(each) for each in json.loads(text)] == plans[:20]
    else:
        assert text.count("Write the module for part 7") == 20
        assert "revision 20" in text


def test_where_the_archive_cannot_be_made_nothing_goes(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plans = filled(path, 30)
    (tmp_path / "there.json").write_text("mine")
    (tmp_path / "link.json").symlink_to(tmp_path / "target")
    for name in ("there.json", "link.json", "missing/old.json", "old.txt"):
        assert main(["prune", "--keep-last", "10", "--archive", str(tmp_path / name)]) != 0
        assert capsys.readouterr().err.strip().count("\n") == 0
    assert kept(path) == plans
    assert (tmp_path / "there.json").read_text() == "mine"
    assert not (tmp_path / "target").exists()


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--keep-last", "0"],
        ["--older-than", "30"],
        ["--older-than", "x"],
        ["--older-than", "-1d"],
    ],
)
def test_what_cannot_be_meant_is_told_and_changes_nothing(
    path: Path, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    plans = filled(path, 5)
    try:
        code = main(["prune", *options])
    except SystemExit as stop:
        code = int(str(stop.code))
    assert code == 2
    assert capsys.readouterr().err
    assert kept(path) == plans


def test_the_file_and_its_log_become_smaller(path: Path) -> None:
    filled(path, 400)
    before = path.stat().st_size
    assert main(["prune", "--keep-last", "20"]) == 0
    assert path.stat().st_size < before
    assert unused_pages(path) == 0
    assert not Path(f"{path}-wal").exists() or Path(f"{path}-wal").stat().st_size == 0


def unused_pages(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA freelist_count").fetchone()[0])


def test_a_file_of_an_earlier_release_becomes_smaller_too(path: Path) -> None:
    filled(path, 400)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA auto_vacuum = NONE")
        connection.execute("VACUUM")
    before = path.stat().st_size
    assert main(["prune", "--keep-last", "20"]) == 0
    assert path.stat().st_size < before
    assert unused_pages(path) == 0
    assert integrity(path) == "ok"


def test_a_plan_that_is_forgotten_leaves_neither_a_large_file_nor_a_large_log(path: Path) -> None:
    store = SQLiteStore(path)
    for revision in range(1, 40):
        big = tuple(
            Todo(f"{revision} {n} " * 40, "pending", "", f"t{n}", n) for n in range(1, 1001)
        )
        store.save(Plan("s", "a", revision, big, dialect="lean"))
    assert path.stat().st_size > 5_000_000
    store.forget("s", "a")
    assert path.stat().st_size < 300_000
    assert Path(f"{path}-wal").stat().st_size <= LARGEST_LOG
    store.close()


def test_others_write_while_it_is_pruned_and_lose_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_prune, "BATCH", 7)
    filled(path, 200)
    store, stop, saved = SQLiteStore(path), threading.Event(), list[Plan]()

    def write() -> None:
        while not stop.is_set():
            before = store.load("s", "a")
            plan = replace(long_plan(before.revision + 1, before.revision % 45), updated_at=NOW)
            store.save(plan)
            saved.append(plan)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        while not saved:
            pass
        for last in (150, 100, 30, 10):
            assert main(["prune", "--keep-last", str(last)]) == 0
            reader = SQLiteStore(path)
            assert len(list(revisions(reader, "s", "a"))) >= last
            reader.close()
    finally:
        stop.set()
        writer.join()
        store.close()
    found = kept(path)
    assert found[-10:] == saved[-10:] or len(saved) < 10
    assert [plan.revision for plan in found] == list(
        range(found[0].revision, found[-1].revision + 1)
    )
    assert main(["check"]) == 0


def test_a_prune_that_is_broken_off_anywhere_leaves_plans_that_can_be_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_prune, "BATCH", 10)
    plans = filled(path, 60)

    class Stopped(Exception):
        pass

    done = sqlite_prune.deleted_batch
    for steps in range(4):
        left = [steps]

        def batch(*given: object, left: list[int] = left) -> int:
            if not left[0]:
                raise Stopped
            left[0] -= 1
            return done(*given)  # type: ignore[arg-type]

        monkeypatch.setattr(sqlite_prune, "deleted_batch", batch)
        with pytest.raises(Stopped):
            main(["prune", "--keep-last", "5"])
        found = kept(path)
        assert found[-5:] == plans[-5:]
        assert all(plan == plans[plan.revision - 1] for plan in found)


def test_an_open_tool_goes_on_after_a_prune(path: Path) -> None:
    todo = tool(path)
    for step in range(20):
        todo(one(f"{step} {'long ' * 100}"))
    assert main(["prune", "--keep-last", "2"]) == 0
    assert not todo(one("after")).is_error
    assert [plan.revision for plan in revisions(todo.store, "default", "main")] == [19, 20, 21]
    assert main(["check"]) == 0
