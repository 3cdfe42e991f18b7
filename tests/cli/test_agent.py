"""`todowright agent`, as a person and as a program run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.agent.provider import Provider, calls, says
from tests.cli.terminal import BIN, Terminal
from todowright.cli import main

COMMAND = [sys.executable, "-m", "todowright", "agent"]


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Writes a script and gives the name of its model; the work folder is this one."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.delenv("TODOWRIGHT_MODEL", raising=False)
    for key in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "TODOWRIGHT_STORE"):
        monkeypatch.delenv(key, raising=False)

    def write(*lines: dict[str, Any]) -> str:
        path = tmp_path / "script.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return f"scripted:{path}"

    return write


PLAN = {"text": "A plan.", "calls": [["plan", {"steps": ["Write it", "Check it"]}]]}
WRITE = {"calls": [["write_file", {"path": "new.txt", "content": "hello"}], ["done", {"step": 1}]]}
CHECK = {"calls": [["bash", {"command": "cat new.txt; exit 2"}], ["done", {"step": 2}]]}
DONE = {"text": "All done."}


def test_a_pipe_gets_every_step_the_box_and_how_to_go_on(
    script: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    model = script(PLAN, WRITE, CHECK, DONE)

    assert (
        main(["agent", "Make a file", "--model", model, "--session", "s1", "--price", "3,15"]) == 0
    )

    out = capsys.readouterr().out
    for text in (
        "session s1 begins",
        "Make a file",
        '→ plan {"steps": ["Write it", "Check it"]}',
        "→ write_file new.txt  content 'hello'",
        "→ bash cat new.txt; exit 2",
        "[exit code 2]",
        "│ ● Check it...",
        "│ ✓ Check it",
        "All done.",
        " written · $0.0",
        "todowright agent --resume s1 goes on with it",
    ):
        assert text in out
    assert "\x1b" not in out
    assert Path("new.txt").read_text() == "hello"
    assert Path(".todowright/.gitignore").read_text() == "*\n"
    assert Path(".todowright/agent/s1.jsonl").exists()


def test_events_come_as_lines_of_json(script: Any) -> None:
    model = script(PLAN, WRITE, CHECK, DONE)

    done = subprocess.run(
        [*COMMAND, "Make a file", "--model", model, "--json"],
        capture_output=True,
        text=True,
        check=True,
    )

    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["event"] for event in events[:5]] == [
        "start", "thought", "action", "observation", "todo_update",
    ]  # fmt: skip
    assert events[4]["plan"]["todos"][0] == {
        "content": "Write it", "status": "in_progress", "active_form": "", "id": "t1",
    }  # fmt: skip
    assert events[-1]["event"] == "end"
    assert events[-1]["reason"] == "answer"
    assert done.stderr == ""


def test_a_session_goes_on_where_it_was(script: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agent", "Make it", "--model", script(PLAN, WRITE), "--session", "s2"]) == 1
    assert "■ the script has ended, and the run has not" in capsys.readouterr().out

    assert main(["agent", "--resume", "s2", "--model", script(CHECK, DONE)]) == 0

    out = capsys.readouterr().out
    assert "session s2 goes on" in out
    assert "│ ✓ Check it" in out


def test_ctrl_c_says_how_to_go_on(script: Any) -> None:
    model = script(PLAN, {"calls": [["bash", {"command": "sleep 60"}]]})
    terminal = Terminal(
        str(BIN / "todowright"),
        "agent",
        "Wait",
        "--model",
        model,
        "--session",
        "s3",
        "--mode",
        "auto",
    )
    terminal.wait_for(lambda lines: any("sleep 60" in line for line in lines))

    terminal.interrupt()

    assert terminal.ended() == 130
    assert any("todowright agent --resume s3" in line for line in terminal.lines)


def test_a_terminal_keeps_the_plan_at_the_bottom_and_asks_before_a_change(script: Any) -> None:
    model = script(PLAN, WRITE, CHECK, DONE)
    terminal = Terminal(str(BIN / "todowright"), "agent", "Make a file", "--model", model)
    terminal.wait_for(lambda lines: any("run it? [y/N]" in line for line in lines))
    assert not Path("new.txt").exists()
    assert any("write_file wants to run (it changes something)" in line for line in terminal.lines)

    terminal.type("y\n")
    terminal.wait_for(
        lambda lines: any("cat new.txt" in line and "wants" not in line for line in lines)
    )
    assert Path("new.txt").read_text() == "hello"
    terminal.type("n\n")

    assert terminal.ended() == 0
    shown = terminal.written.decode()
    assert "the user said no" in shown
    assert any("✓ Check it" in line for line in terminal.lines)


def test_plan_mode_changes_nothing(script: Any, capsys: pytest.CaptureFixture[str]) -> None:
    model = script(WRITE, {"text": "I would write a file."})

    assert main(["agent", "Make a file", "--model", model, "--mode", "plan"]) == 0

    assert "not in plan mode" in capsys.readouterr().out
    assert not Path("new.txt").exists()


@pytest.mark.parametrize("dialect", ["smart", "shell", "envelope", "checklist", "twostate"])
def test_every_dialect_can_be_the_plan(
    script: Any, dialect: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.support import call
    from todowright import load_dialect

    value = load_dialect(dialect)
    given = call(dialect, ("Only step", "completed"))
    plan = [value.tool_name, given]
    if dialect == "shell":
        plan = ["bash", {"command": f"TodoWrite '{json.dumps(given)}'"}]

    assert (
        main(["agent", "Go", "--model", script({"calls": [plan]}, DONE), "--dialect", dialect]) == 0
    )

    out = capsys.readouterr().out
    assert "│ ✓ Only step" in out
    assert ("completion log: memory/todos/" in out) == (dialect == "envelope")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["Go"], "todowright: no model: set ANTHROPIC_API_KEY or OPENAI_API_KEY"),
        (["Go", "--model", "anthropic:x"], "todowright: ANTHROPIC_API_KEY is not set"),
        (["Go", "--model", "gpt"], "todowright: no model is called 'gpt': use anthropic:NAME"),
        (
            ["Go", "--folder", "nowhere", "--model", "scripted:/dev/null"],
            "todowright: there is no folder",
        ),
        (
            ["--resume", "gone", "--model", "scripted:/dev/null"],
            "todowright: there is no session gone",
        ),
        (
            ["Go", "--price", "cheap", "--model", "scripted:/dev/null"],
            "todowright: --price cheap: give two",
        ),
        ([], "todowright agent: say what to do, or --resume a session"),
    ],
)
def test_what_is_missing_is_said_in_one_line(
    script: Any, arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["agent", *arguments]) != 0

    captured = capsys.readouterr()
    assert captured.err.startswith(told)
    assert captured.err.count("\n") == 1
    assert captured.out == ""
    assert not Path(".todowright").exists()


def test_a_real_client_and_a_real_command_line(script: Any) -> None:
    provider = Provider(says(calls(("bash", {"command": "echo from the shell"})), "Finished."))
    try:
        done = subprocess.run(
            [*COMMAND, "-", "--model", "openai:m"],
            input="Say something",
            env=os.environ | provider.environ("openai"),
            capture_output=True,
            text=True,
            check=True,
        )
    finally:
        provider.close()
    assert provider.refused == []
    assert "from the shell" in done.stdout
    assert "Finished." in done.stdout
