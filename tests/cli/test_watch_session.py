"""Which session `todowright watch` shows when none is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from todowright import TodoWrite
from todowright.cli import main


def test_watch_shows_the_session_that_moved_last_unless_one_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path}/plans.db"
    for session in ("default", "auth", "parser-main-claude-Fix-it-12ab34cd"):
        with TodoWrite("lean", store=url, session=session) as todo:
            todo({"steps": [f"Work of {session}"]}, tool="plan")
            todo({"finished": [1]}, tool="done")
    with TodoWrite("lean", store=url, session="auth") as todo:
        todo({"step": "More of auth", "where": "end"}, tool="add")
        todo({"finished": ["More of auth"]}, tool="done")
    command = ["watch", "--until-finished", "--store", url]
    assert main(command) == 0
    assert "More of auth" in capsys.readouterr().out
    assert main([*command, "--session", "default"]) == 0
    assert "Work of default" in capsys.readouterr().out
    monkeypatch.setenv("TODOWRIGHT_SESSION", "parser-main-claude-Fix-it-12ab34cd")
    assert main(command) == 0
    assert "Work of parser" in capsys.readouterr().out
