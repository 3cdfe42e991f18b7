"""A repository brings links: what is written by the name of one does not get out of the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stores.test_sqlite import one, tool
from todowright.cli import main

COMMANDS = [
    "sync {}",
    "sync --dry-run {}",
    "export --output {}",
    "export --format json --output {}",
    "stats --html {}",
    "timeline --svg {}",
    "prune --keep-last 1 --archive {}",
]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a plan of somebody else, in a home that has files of its user's."""
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    (tmp_path / "home" / ".git").mkdir(parents=True)
    (tmp_path / "home" / "profile").write_text("- [ ] mine\n")
    todo = tool(folder / ".todowright" / "plans.db")
    for text in ("old", "$(command)"):
        assert not todo(one(text)).is_error
    todo.store.close()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("TODOWRIGHT_STORE", raising=False)
    return folder


def refused(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(command.split()) == 1
    told = capsys.readouterr().err
    assert told.count("\n") == 1, told
    return told


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("absolute", [False, True])
def test_nothing_is_written_by_a_link_that_leads_out_of_the_project(
    project: Path, command: str, absolute: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    home = project.parent / "home"
    (project / "docs").symlink_to("../home")
    (project / "near").mkdir()
    (project / "near" / "TODO.md").symlink_to(home / "profile")
    (project / "new.md").symlink_to(home / "new.md")
    before = {each.name for each in home.iterdir()}
    start = f"{project}/" if absolute else ""
    for name in ("near/TODO.md", "new.md", "docs/profile.md", "docs/profile"):
        if "archive" in command and not name.startswith("docs/profile.md"):
            continue
        told = refused(command.format(start + name), capsys)
        assert "leads out of its project by a link" in told
    assert {each.name for each in home.iterdir()} == before
    assert (home / "profile").read_text() == "- [ ] mine\n"


@pytest.mark.parametrize("folder", [".git", ".todowright", "lib/.git/hooks", "lib/.GIT"])
def test_no_link_leads_into_what_is_ours_or_gits(
    project: Path, folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / folder).mkdir(parents=True, exist_ok=True)
    (project / "TODO.md").symlink_to(f"{folder}/config")
    refused("sync TODO.md", capsys)
    refused("export --output TODO.md", capsys)
    assert not (project / folder / "config").exists()


def test_a_link_within_the_project_and_a_project_behind_a_link_go_on_working(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "docs").mkdir()
    (project / "TODO.md").symlink_to("docs/plan.md")
    assert main(["sync", "TODO.md"]) == 0
    assert "$(command)" in (project / "docs" / "plan.md").read_text()
    (project.parent / "short").symlink_to(project)
    assert main(["export", "--output", str(project.parent / "short" / "report.md")]) == 0
    assert (project / "report.md").exists()
    home = project.parent / "home"
    assert main(["export", "--output", str(home / "mine.md")]) == 0
    assert (home / "mine.md").exists()
    assert capsys.readouterr().err == ""
