"""Whose folders are used, and who may read what is made: only the user's own, and only the user."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from todowright import StoreError, TodoWrite
from todowright.cli import main
from todowright.cli.todowrite import main as todowrite

PLAN = '{"todos":[{"content":"Run tests","activeForm":"Running tests","status":"in_progress"}]}'
Give = Callable[[Path], None]


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("TODOWRIGHT_STORE", "TODOWRIGHT_SESSION", "TODOWRIGHT_TRUST", "SUDO_UID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def give_away(monkeypatch: pytest.MonkeyPatch) -> Give:
    """Make something another user's; who is not root becomes another user to it instead."""

    def give(path: Path) -> None:
        if os.geteuid() == 0:
            os.chown(path, 65534, 65534)
        else:
            monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)

    return give


def stand_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(folder)


def written(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("sys.argv", ["TodoWrite", *arguments])
    return todowrite()


def test_a_folder_that_another_user_planted_above_gets_no_plan(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    give_away: Give,
    capsys: pytest.CaptureFixture[str],
) -> None:
    planted = tmp_path / "shared" / ".todowright"
    planted.mkdir(parents=True)
    stand_in(tmp_path / "shared" / "mine" / "deep", monkeypatch)
    give_away(planted)
    assert written([PLAN], monkeypatch) == 1
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert f"{planted} belongs to another user" in told
    assert f"TODOWRIGHT_TRUST={planted.parent}" in told
    for command in (["show"], ["sessions"], ["agent", "task", "--model", "scripted:none"]):
        assert main(command) == 1
        assert "belongs to another user" in capsys.readouterr().err
    assert list(planted.iterdir()) == []


def test_an_explicit_setting_allows_a_folder_of_another_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, give_away: Give
) -> None:
    planted = tmp_path / "shared" / ".todowright"
    planted.mkdir(parents=True)
    stand_in(tmp_path / "shared" / "mine", monkeypatch)
    give_away(planted)
    monkeypatch.setenv("TODOWRIGHT_TRUST", f"/elsewhere{os.pathsep}{tmp_path}/shared/")
    assert written([PLAN], monkeypatch) == 0
    assert (planted / "plans.db").exists()
    monkeypatch.setenv("TODOWRIGHT_TRUST", "/elsewhere")
    assert written([PLAN], monkeypatch) == 1
    monkeypatch.setenv("TODOWRIGHT_TRUST", "*")
    assert written([PLAN], monkeypatch) == 0


def test_a_project_of_another_user_is_refused_as_git_refuses_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    give_away: Give,
    capsys: pytest.CaptureFixture[str],
) -> None:
    theirs = tmp_path / "theirs"
    (theirs / ".git").mkdir(parents=True)
    stand_in(theirs, monkeypatch)
    give_away(theirs)
    assert written([PLAN], monkeypatch) == 1
    assert f"{theirs} belongs to another user" in capsys.readouterr().err
    assert not (theirs / ".todowright").exists()


@pytest.mark.parametrize("name", ["folder", "file", "log"])
def test_no_link_decides_where_a_file_is_made(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ours, elsewhere = tmp_path / "project" / ".todowright", tmp_path / "elsewhere"
    elsewhere.mkdir()
    stand_in(tmp_path / "project", monkeypatch)
    if name == "folder":
        ours.symlink_to(elsewhere)
    else:
        ours.mkdir()
        end = {"file": "plans.db", "log": "plans.db-wal"}[name]
        (ours / end).symlink_to(elsewhere / "made")
    assert written([PLAN], monkeypatch) == 1
    told = capsys.readouterr().err
    assert "is a symbolic link" in told
    assert told.count("\n") == 1
    assert list(elsewhere.iterdir()) == []


def test_a_store_that_is_a_link_is_refused_by_its_name_too(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "plans.db")
    todo = TodoWrite("twostate", store=f"sqlite:///{tmp_path}/link.db")
    assert "is a symbolic link" in todo({"todos": [{"content": "a"}]}).text
    assert not (tmp_path / "plans.db").exists()
    (tmp_path / "plans.db").write_text("x")
    with pytest.raises(StoreError, match="is a symbolic link"):
        todo.store.load("default", "main")


def modes(folder: Path) -> dict[str, int]:
    """The rights of all that is below a folder."""
    return {
        str(each.relative_to(folder)): stat.S_IMODE(each.lstat().st_mode)
        for each in folder.rglob("*")
    }


def test_what_is_made_only_its_owner_may_read_whatever_the_mask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text('{"calls": [["bash", {"command": "seq 200000"}]]}\n{"text": "done"}\n')
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    stand_in(project, monkeypatch)
    before = os.umask(0)
    try:
        assert written([PLAN], monkeypatch) == 0
        model = ["--model", f"scripted:{script}", "--mode", "auto"]
        assert main(["agent", "count", "--session", "one", *model]) == 0
        assert main(["backup", "copy.db"]) == 0
    finally:
        os.umask(before)
    found = modes(project / ".todowright")
    assert {"plans.db", "agent/one.jsonl", "agent/one.json", ".gitignore"} <= set(found)
    assert any(name.startswith("output/") for name in found)
    for name, mode in {**found, "copy.db": modes(project)["copy.db"]}.items():
        if not (project / ".todowright" / name).is_dir():
            assert oct(mode) == oct(0o600), name
    assert modes(project)[".todowright"] == 0o700  # nobody else comes to the folders in it
    assert found["agent"] == 0o700


def test_a_transcript_is_not_written_through_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text('{"text": "done"}\n')
    project, target = tmp_path / "project", tmp_path / "target"
    (project / ".todowright" / "agent").mkdir(parents=True)
    stand_in(project, monkeypatch)
    (project / ".todowright" / "agent" / "one.jsonl").symlink_to(target)
    model = ["--model", f"scripted:{script}", "--mode", "auto"]
    assert main(["agent", "count", "--session", "one", *model]) == 1
    assert "is a symbolic link" in capsys.readouterr().err
    assert not target.exists()


def test_a_session_of_a_hundred_emoji_has_a_file_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text('{"text": "done"}\n')
    (tmp_path / "project" / ".git").mkdir(parents=True)
    stand_in(tmp_path / "project", monkeypatch)
    model = ["--model", f"scripted:{script}", "--mode", "auto"]
    for name in ("🚀" * 100, "🚀" * 99 + "🌍"):
        assert main(["agent", "go", "--session", name, *model]) == 0, capsys.readouterr().err
        assert main(["agent", "go", "--session", name, *model]) == 1
        assert "already: --resume" in capsys.readouterr().err
        assert main(["agent", "go on", "--resume", name, *model]) == 0
    kept = sorted((tmp_path / "project" / ".todowright" / "agent").glob("*.jsonl"))
    assert len(kept) == 2
    assert all("go on" in each.read_text("utf-8") for each in kept)


def test_a_folder_of_transcripts_that_leads_elsewhere_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text('{"text": "done"}\n')
    project, outside = tmp_path / "project", tmp_path / "outside"
    (project / ".todowright").mkdir(parents=True)
    outside.mkdir()
    stand_in(project, monkeypatch)
    (project / ".todowright" / "agent").symlink_to(outside)
    model = ["--model", f"scripted:{script}", "--mode", "auto"]
    for words in (["--session", "victim"], []):
        assert main(["agent", "x", *words, *model]) == 1
        told = capsys.readouterr().err
        assert "is a symbolic link" in told
        assert told.count("\n") == 1
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("end", ["", "-wal", "-journal"])
def test_what_was_imported_is_not_noted_through_a_link(tmp_path: Path, end: str) -> None:
    from todowright.importers.ledger import Ledger

    (tmp_path / f"plans.db.imports{end}").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="is a symbolic link"):
        Ledger(str(tmp_path / "plans.db.imports"))
    assert not (tmp_path / "elsewhere").exists()
