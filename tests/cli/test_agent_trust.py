"""A session that came with a repository: its files narrow what an agent may do, and widen nothing unasked."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.cli.terminal import BIN, Terminal
from todowright.agent.transcript import Transcript
from todowright.cli import main

WRITE = {"calls": [["write_file", {"path": "new.txt", "content": "hello"}]]}
DONE = {"text": "All done."}


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The user's own model, in a repository that somebody else has filled."""
    (tmp_path / "work" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work")
    for key in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "TODOWRIGHT_STORE", "TODOWRIGHT_MODEL"):
        monkeypatch.delenv(key, raising=False)
    return scripted(tmp_path / "script.jsonl", WRITE, *[DONE] * 9)


def scripted(path: Path, *lines: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return f"scripted:{path}"


def planted(**settings: str) -> None:
    """A session as a repository may bring it along."""
    home = Path(".todowright/agent")
    home.mkdir(parents=True, exist_ok=True)
    transcript = Transcript(home / "x.jsonl")
    transcript.ask("Go", [])
    transcript.close()
    here = Path.cwd()
    usual = {"folder": str(here), "model": "scripted:/none", "dialect": "lean", "mode": "ask",
             "store": f"sqlite:///{here}/.todowright/plans.db"}  # fmt: skip
    (home / "x.json").write_text(json.dumps(usual | settings))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mode", "auto"),
        ("folder", "/"),
        ("folder", "{here}/.."),
        ("folder", "{here}/.git"),
        ("folder", "{here}/sub/.git/hooks"),
        ("folder", "{here}/.todowright/agent"),
        ("store", "sqlite:////tmp/of-another.db"),
    ],
)
def test_settings_of_a_repository_that_widen_rights_are_not_taken_unasked(
    model: str, capsys: pytest.CaptureFixture[str], name: str, value: str
) -> None:
    value = value.format(here=Path.cwd())
    planted(**{name: value})
    assert main(["agent", "--resume", "x", "--model", model]) == 1
    told = capsys.readouterr().err
    assert "comes from the project's own files" in told
    assert f"{name} {value}" in told
    assert f"say --{name} yourself" in told
    assert not Path("new.txt").exists()
    given = (
        ["--mode", "auto"]
        if name == "mode"
        else [f"--{name}", "." if name == "folder" else "memory:"]
    )
    assert main(["agent", "--resume", "x", "--model", model, *given]) == 0


def test_a_model_that_a_repository_names_is_not_taken_unasked(
    model: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    planted(model=scripted(tmp_path / "work" / "evil.jsonl", WRITE, DONE))
    assert main(["agent", "--resume", "x", "--mode", "auto"]) == 1
    assert "say --model yourself" in capsys.readouterr().err
    assert not Path("new.txt").exists()


def test_settings_of_a_repository_that_narrow_rights_are_taken(model: str) -> None:
    planted(mode="plan")
    assert main(["agent", "--resume", "x", "--model", model]) == 0
    assert not Path("new.txt").exists()


def test_without_a_terminal_a_session_of_a_repository_needs_its_mode_said(
    model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    planted()
    Path(".todowright/agent/x.json").unlink()
    assert main(["agent", "--resume", "x", "--model", model]) == 1
    assert "say --mode and --dialect" in capsys.readouterr().err
    assert not Path("new.txt").exists()


def test_a_session_of_ones_own_goes_on_as_it_was_until_somebody_changes_its_settings(
    model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["agent", "Go", "--session", "own", "--mode", "plan", "--model", model]) == 0
    path = Path(".todowright/agent/own.json")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert main(["agent", "--resume", "own"]) == 0
    path.write_text(path.read_text().replace('"plan"', '"auto"'))
    capsys.readouterr()
    assert main(["agent", "--resume", "own", "--model", model]) == 1
    assert "mode auto" in capsys.readouterr().err
    assert not Path("new.txt").exists()


def test_a_copy_of_ones_own_session_elsewhere_is_not_ones_own(
    model: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main(["agent", "Go", "--session", "own", "--mode", "auto", "--model", model])
    (tmp_path / "other" / ".git").mkdir(parents=True)
    Path(".todowright").rename(tmp_path / "other" / ".todowright")
    monkeypatch.chdir(tmp_path / "other")
    capsys.readouterr()
    assert main(["agent", "--resume", "own"]) == 1
    assert "say --mode, --folder, --model, --store yourself" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "code"), [("n", 1), ("y", 0)])
def test_a_person_on_a_terminal_is_asked_and_what_they_say_counts(
    model: str, answer: str, code: int
) -> None:
    planted(mode="auto")
    terminal = Terminal(str(BIN / "todowright"), "agent", "--resume", "x", "--model", model)
    terminal.wait_for(lambda lines: any("go on with that? [y/N]" in line for line in lines))
    assert any("mode auto" in line for line in terminal.lines)
    terminal.type(f"{answer}\n")
    assert terminal.ended() == code
    assert Path("new.txt").exists() is (answer == "y")


def test_a_sandbox_that_a_session_had_it_keeps(
    model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["agent", "Go", "--session", "own", "--mode", "plan", "--model", model, "--sandbox"])
    path = Path(".todowright/agent/own.json")
    if path.exists():  # there is a wall here
        main(["agent", "--resume", "own"])
        assert json.loads(path.read_text())["sandbox"] is True
    else:
        assert "Use a container" in capsys.readouterr().err
