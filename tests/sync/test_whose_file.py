"""The last line of a file counts where this user had the file in step; a file that somebody hands over drops nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from todowright import TodoWrite, open_store
from todowright.cli import main

FOOTER = '<!-- todowright: {"session": "default", "agent": "main", "revision": 1} -->\n'


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The store of a user who has one for all projects, with a plan."""
    url = f"sqlite:///{tmp_path}/plans.db"
    monkeypatch.setenv("TODOWRIGHT_STORE", url)
    TodoWrite("lean", store=url)({"steps": ["One", "Two", "Three"]}, tool="plan")
    return url


def steps(url: str) -> list[str]:
    store = open_store(url)
    try:
        return [todo.content for todo in store.load("default", "main").todos]
    finally:
        store.close()


@pytest.mark.parametrize("more", [[], ["--dry-run"], ["--watch"]])
def test_the_last_line_of_a_file_from_elsewhere_chooses_no_plan(
    tmp_path: Path, url: str, capsys: pytest.CaptureFixture[str], more: list[str]
) -> None:
    path = tmp_path / "TODO.md"
    path.write_text(text := f"- [ ] One\n\n{FOOTER}")
    assert main(["sync", str(path), *more]) == 1
    told = capsys.readouterr().err
    assert "say --session default if you mean that plan" in told
    assert told.count("\n") == 1
    assert steps(url) == ["One", "Two", "Three"]
    assert path.read_text() == text


def test_who_names_the_session_of_such_a_file_loses_nothing_and_has_it_in_step_from_then_on(
    tmp_path: Path, url: str
) -> None:
    path = tmp_path / "TODO.md"
    path.write_text(f"- [/] One\n- [ ] Four\n\n{FOOTER}")
    assert main(["sync", str(path), "--session", "default"]) == 0
    assert sorted(steps(url)) == ["Four", "One", "Three", "Two"]
    path.write_text(path.read_text().replace("- [ ] Two\n", ""))
    assert main(["sync", str(path)]) == 0
    assert sorted(steps(url)) == ["Four", "One", "Three"]
    moved = path.rename(tmp_path / "moved.md")
    assert main(["sync", str(moved)]) == 1


def test_a_file_from_elsewhere_begins_a_plan_where_there_is_none(tmp_path: Path, url: str) -> None:
    path = tmp_path / "TODO.md"
    path.write_text(f"- [ ] One\n\n{FOOTER.replace('default', 'fresh')}")
    assert main(["sync", str(path)]) == 0
    assert steps(url) == ["One", "Two", "Three"]
