"""The commands as a person or a script runs them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cli.terminal import BIN, Terminal
from tests.requirements import requirement
from tests.support import Clock, step
from todowright import TodoWrite, load_dialect
from todowright.cli import COMMANDS, main, parser
from todowright.cli.ages import lasting
from todowright.cli.place import project_name, store_url
from todowright.dialects import Extra

HOSTILE = "evil \x1b]0;owned\x07\u202e\n<script>alert(1)</script> **bold** | x"
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project's folder, in which the test stands."""
    for name in ("TODOWRIGHT_STORE", "TODOWRIGHT_SESSION", "TODO_MAX_ITEMS"):
        monkeypatch.delenv(name, raising=False)
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    (root / "src" / "deep").mkdir(parents=True)
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def run(project: Path) -> Run:
    def run(*command: str, **more: Any) -> subprocess.CompletedProcess[str]:
        environ = {**os.environ, **more.pop("environ", {})}
        return subprocess.run(
            [str(BIN / command[0]), *command[1:]],
            capture_output=True,
            text=True,
            env=environ,
            stdin=None if "input" in more else subprocess.DEVNULL,
            **more,
        )

    return run


def todos(*items: dict[str, str]) -> str:
    return json.dumps({"todos": list(items)})


def written(run: Run, *items: dict[str, str], **more: Any) -> None:
    done = run("TodoWrite", todos(*items), **more)
    assert (done.returncode, done.stderr) == (0, "")


@requirement("001-3", "001-10")
def test_the_installed_command_keeps_the_plan_for_the_next_process(run: Run, project: Path) -> None:
    done = run("TodoWrite", todos(step("a", "completed"), step("b", "in_progress")))
    assert done.stdout == "Todo list updated: 1 completed, 1 in_progress, 0 pending\n"
    assert (done.stderr, done.returncode) == ("", 0)
    assert (project / ".todowright" / "plans.db").exists()
    assert (project / ".todowright" / ".gitignore").read_text() == "*\n"
    shown = run("todowright", "show", "--format", "checklist", cwd=project / "src" / "deep")
    assert shown.stdout == "[x] a\n[>] b <- Doing b\n\n(1/2 completed)\n"


@requirement("001-4", "001-5", "001-6")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "Error: Missing JSON parameter\nUsage: TodoWrite '{\"todos\":[...]}'\n"),
        (["{"], "Error: Invalid JSON format\n"),
        (['{"todos":[{}]}'], "Error: Validation failed\n- todos[0].content: Required\n"),
    ],
)
def test_the_installed_command_refuses_on_standard_error_with_exit_code_1(
    run: Run, project: Path, arguments: list[str], told: str
) -> None:
    done = run("TodoWrite", *arguments)
    assert (done.stdout, done.returncode) == ("", 1)
    assert done.stderr.startswith(told)
    assert not (project / ".todowright").exists()


@requirement("001-2")
def test_the_installed_command_takes_standard_input_and_pieces(run: Run) -> None:
    assert run("TodoWrite", input=todos(step("from a pipe"))).returncode == 0
    assert run("TodoWrite", '{"todos":', "[]}").returncode == 0


@requirement("001-9")
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_the_installed_command_explains_itself(run: Run, option: str) -> None:
    done = run("TodoWrite", option)
    assert (done.stdout, done.returncode) == (TodoWrite("shell").dialect.prompt + "\n", 0)


@requirement("001-8")
def test_the_installed_command_reads_its_limits_from_the_environment(run: Run) -> None:
    environ = {"TODO_MAX_ITEMS": "1"}
    assert "max 1" in run("TodoWrite", todos(step("a"), step("b")), environ=environ).stderr
    environ = {"TODO_MAX_ITEMS": "none"}
    assert "TODO_MAX_ITEMS must be" in run("TodoWrite", todos(), environ=environ).stderr


def test_which_store_is_meant(project: Path, tmp_path: Path) -> None:
    deep = str(project / "src" / "deep")
    assert store_url({}, deep) == f"sqlite:///{project}/.todowright/plans.db"
    assert store_url({"TODOWRIGHT_STORE": "memory:"}, deep) == "memory:"
    (project / "src" / ".todowright").mkdir()
    assert store_url({}, deep) == f"sqlite:///{project}/src/.todowright/plans.db"
    outside = store_url({"XDG_DATA_HOME": "/data"}, "/")
    assert sys.platform != "linux" or outside == "sqlite:////data/todowright/plans.db"


def test_the_project_of_a_store_is_the_folder_that_it_stands_in() -> None:
    assert project_name("sqlite:////home/a/shop/.todowright/plans.db") == "shop"
    for url in ("sqlite:////data/todowright/plans.db", "postgresql://host/plans", "memory:"):
        assert project_name(url) == ""


def test_which_session_is_meant(run: Run) -> None:
    written(run, step("of the default"))
    written(run, step("of the variable"), environ={"TODOWRIGHT_SESSION": "认证"})
    recap = ("todowright", "show", "--format", "recap")
    assert "of the default" in run(*recap).stdout
    assert "of the variable" in run(*recap, "--session", "认证").stdout
    assert "of the variable" in run(*recap, environ={"TODOWRIGHT_SESSION": "认证"}).stdout
    assert run(*recap, "--session", "other").stdout == "[0/0] In progress: None.\n"


@requirement("001-10")
def test_a_store_in_memory_leaves_nothing_on_disk(run: Run, project: Path) -> None:
    environ = {"TODOWRIGHT_STORE": "memory:"}
    written(run, step("a"), environ=environ)
    assert run("todowright", "show", "--store", "memory:").returncode == 0
    assert run("todowright", "sessions").stdout.startswith("No sessions yet.")
    assert not (project / ".todowright").exists()


@requirement("001-10")
def test_the_plan_of_a_shell_goes_with_it_and_leaves_nothing_on_disk(
    run: Run, project: Path
) -> None:
    done = run("todowright", "shell", input=f"TodoWrite '{todos(step('a'))}'\n")
    assert "0 completed, 0 in_progress, 1 pending" in done.stdout
    assert run("todowright", "sessions").stdout.startswith("No sessions yet.")
    assert not (project / ".todowright").exists()


@pytest.mark.parametrize("style", ["box", "checklist", "recap", "markdown", "json"])
def test_show_in_every_format_is_harmless(run: Run, style: str) -> None:
    written(run, step(HOSTILE, "in_progress", HOSTILE), step("写测试"))
    done = run("todowright", "show", "--format", style)
    assert (done.stderr, done.returncode) == ("", 0)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", done.stdout)
    assert "写测试" in done.stdout
    if style == "json":
        assert json.loads(done.stdout)["todos"][0]["content"] == HOSTILE
    if style == "markdown":
        assert "<script>" not in done.stdout
        assert "- [ ] 写测试" in done.stdout


@requirement("A8")
@pytest.mark.parametrize(
    "command",
    ["history", "history --json", "timeline", "sessions", "sessions --json", "export",
     "export --format json", "clear", "watch --until-finished"],
)  # fmt: skip
def test_what_every_command_shows_of_hostile_text_is_harmless(run: Run, command: str) -> None:
    written(run, step(HOSTILE, "in_progress", HOSTILE))
    written(run, step(HOSTILE + "2", "completed", HOSTILE))
    done = run("todowright", *command.split(), timeout=30)
    assert (done.stderr, done.returncode) == ("", 0)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", done.stdout)
    if command == "export":
        assert "<script>" not in done.stdout
        assert "**bold**" not in done.stdout


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--session", "../../x"], "'../../x' cannot be the name of a session: use 1 to 100"),
        (["--session", "😀" * 300], "cannot be the name of a session"),
        (["--session", "a\x1b[2J"], "'a␛[2J' cannot be the name of a session"),
        (["--agent", "../x"], "cannot be the name of an agent"),
        (["--store", "mongodb://x"], "no store is known for 'mongodb://x': use memory:, sqlite:"),
        (["--store", "sqlite:///."], "is a folder: name a file in it"),
        (["--store", "sqlite:///README"], "is no SQLite database: choose another file"),
        (["--store", "sqlite:////proc/no/such/plans.db"], ""),
    ],
)
def test_a_fault_is_one_line_with_exit_code_1(
    run: Run, project: Path, options: list[str], told: str
) -> None:
    (project / "README").write_text("no database " * 100)
    done = run("todowright", "show", *options)
    if not told:  # nothing to read is no fault; to write there is one
        done = run("TodoWrite", todos(step("a")), environ={"TODOWRIGHT_STORE": options[1]})
        told = "cannot be opened"
    assert done.returncode == 1
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < 300
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments", [[], ["nope"], ["show", "--format", "nope"], ["show", "extra"]]
)
def test_a_wrong_usage_has_exit_code_2(run: Run, arguments: list[str]) -> None:
    done = run("todowright", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: todowright")


def test_every_command_teaches_by_example(capsys: pytest.CaptureFixture[str]) -> None:
    for name in COMMANDS:
        with pytest.raises(SystemExit) as stopped:
            main([name, "--help"])
        assert stopped.value.code == 0
        text = capsys.readouterr().out
        assert f"examples:\n  todowright {name}" in text
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == "todowright 0.2.0\n"


def test_every_command_and_option_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "commands.md").read_text("utf-8")
    for name in COMMANDS:
        assert f"todowright {name}" in page
    actions = parser()._subparsers._group_actions[0].choices  # type: ignore[union-attr]
    for command in actions.values():  # type: ignore[union-attr]
        for action in command._actions:
            for option in action.option_strings:
                assert option in ("-h", "--help") or f"`{option}" in page, option


def session(project: Path) -> None:
    """A session of an hour: two agents, a rewording, something dropped, something reopened."""
    clock = Clock(step=timedelta(minutes=10))
    url = f"sqlite:///{project}/.todowright/plans.db"
    (project / ".todowright").mkdir()
    main_agent = TodoWrite("checklist", store=url, clock=clock)
    helper = TodoWrite("checklist", store=url, clock=clock, agent="helper")
    main_agent({"items": [step("Write code", "in_progress"), step("Run tests"), step("Old idea")]})
    helper({"items": [step("Read docs", "in_progress")]})
    main_agent({"items": [step("Write the code", "completed"), step("Run tests", "in_progress")]})
    helper({"items": [step("Read docs", "completed")]})
    main_agent({"items": [step("Write the code", "completed"), step("Run tests", "completed")]})


def test_history_tells_what_changed_when_and_by_whom(run: Run, project: Path) -> None:
    session(project)
    lines = run("todowright", "history").stdout.splitlines()
    assert len(lines) == 5
    assert re.match(
        r"2025-01-02 \d\d:52:33  r1    main  created and started Write code; ", lines[0]
    )
    assert "r1    helper  created and started Read docs" in lines[1]
    assert lines[2].endswith(
        "r2    main  reworded and completed Write code to Write the code; started Run tests; "
        "dropped Old idea"
    )
    assert run("todowright", "history", "--agent", "helper").stdout.count("\n") == 2
    (last,) = run("todowright", "history", "--json", "--last", "1").stdout.splitlines()
    assert json.loads(last) == {
        "revision": 3,
        "agent": "main",
        "by": {"kind": "agent", "name": ""},
        "ended": "",
        "at": "2025-01-02T18:32:33+00:00",
        "items": [
            {
                "content": "Run tests",
                "before": "Run tests",
                "kinds": ["completed"],
                "id": "t2",
                "number": 2,
            }
        ],
    }
    assert run("todowright", "history", "--session", "none").stdout.startswith("No history")
    assert "None of the 5 revisions" in run("todowright", "history", "--agent", "nobody").stdout


def test_what_a_dialect_keeps_beside_a_task_is_in_every_format(run: Run, project: Path) -> None:
    (project / ".todowright").mkdir()
    url = f"sqlite:///{project}/.todowright/plans.db"
    todo = TodoWrite(replace(load_dialect("lean"), extras=(Extra("owner"),)), store=url)
    todo.add("Paint", owner="*Ann*")
    todo.update([{"id": "t1", "owner": "Bob <b>"}])
    assert "Paint (owner: Bob <b>)" in run("todowright", "show").stdout
    assert "[ ] Paint (owner: Bob <b>)" in run("todowright", "show", "--format", "checklist").stdout
    shown = json.loads(run("todowright", "show", "--format", "json").stdout)
    assert shown["todos"][0]["extras"] == {"owner": "Bob <b>"}
    assert "- [ ] Paint (owner: Bob \\<b\\>)" in run("todowright", "export").stdout
    exported = json.loads(run("todowright", "export", "--format", "json").stdout)["agents"][0]
    assert [kept["todos"][0]["extras"]["owner"] for kept in exported["history"]] == [
        "*Ann*",
        "Bob <b>",
    ]
    history = run("todowright", "history").stdout.splitlines()
    assert history[1].endswith("changed Paint (owner: Bob <b>)")


def test_timeline_tells_who_worked_on_what_for_how_long(run: Run, project: Path) -> None:
    session(project)
    out = run("todowright", "timeline").stdout
    lines = {
        line.split()[0] + " " + line.split()[1]: line
        for line in out.splitlines()
        if "·" in line or "█" in line
    }
    assert lines["Write the"].endswith(" 20 min")
    assert lines["Run tests"].endswith(" 20 min")
    assert lines["Old idea"].endswith(" 0 s dropped")
    assert lines["Read docs"].endswith(" 20 min")
    assert re.search("█+━+", lines["Write the"])
    assert re.search("·+█+", lines["Run tests"])
    assert run("todowright", "timeline", "--session", "none").stdout.startswith("No timeline")


def test_the_timeline_is_a_picture_that_stands_alone(run: Run, project: Path) -> None:
    session(project)
    written(run, step(HOSTILE, "in_progress"))
    done = run("todowright", "timeline", "--svg", "out.svg")
    assert done.stdout == "Wrote out.svg.\n"
    text = (project / "out.svg").read_text("utf-8")
    tree = ET.fromstring(text)
    assert tree.tag == "{http://www.w3.org/2000/svg}svg"
    assert "<script" not in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    bars = [element.get("class") for element in tree.iter("{http://www.w3.org/2000/svg}rect")]
    assert bars.count("in_progress") == 4
    refused = run("todowright", "timeline", "--svg", "no/such/folder.svg")
    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1


def test_sessions_lists_what_moved_last_first(run: Run) -> None:
    written(run, step("a", "completed"), environ={"TODOWRIGHT_SESSION": "first"})
    written(run, step("b", "in_progress", "Doing b"), environ={"TODOWRIGHT_SESSION": "second"})
    lines = run("todowright", "sessions").stdout.splitlines()
    assert [line.split("\t")[:4] for line in lines] == [
        ["second", "main", "0/1", "Doing b"],
        ["first", "main", "1/1", "done"],
    ]
    assert [
        each["session"] for each in json.loads(run("todowright", "sessions", "--json").stdout)
    ] == [
        "second",
        "first",
    ]


def test_clear_empties_the_plan_and_the_history_stays(run: Run) -> None:
    written(run, step("a", "completed"), step("b"))
    assert run("todowright", "clear").stdout.startswith(
        "Cleared 2 tasks of default, 1 of them open."
    )
    assert run("todowright", "show", "--format", "checklist").stdout == "No todos.\n"
    assert "dropped b" in run("todowright", "history").stdout
    assert run("todowright", "clear").stdout.startswith("Nothing to clear")


def test_export_tells_the_whole_session(run: Run, project: Path) -> None:
    session(project)
    markdown = run("todowright", "export").stdout
    assert "- [x] Write the code\n" in markdown
    assert "| Old idea | dropped | 0 s |" in markdown
    assert "| Write the code | completed | 20 min |" in markdown
    assert "Agent: helper" in markdown
    done = run("todowright", "export", "--format", "json", "--output", "plan.json")
    assert done.stdout == "Wrote plan.json.\n"
    data = json.loads((project / "plan.json").read_text("utf-8"))
    assert [agent["plan"]["agent"] for agent in data["agents"]] == ["main", "helper"]
    assert [kept["revision"] for kept in data["agents"][0]["history"]] == [1, 2, 3]
    assert "Nothing yet" in run("todowright", "export", "--session", "none").stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion_scripts_are_written_and_bash_takes_its_own(run: Run, shell: str) -> None:
    done = run("todowright", "completion", shell)
    assert done.returncode == 0
    assert "timeline" in done.stdout
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=done.stdout, text=True, check=True)


@pytest.mark.parametrize("command", ["show", "history", "export"])
def test_a_reader_that_has_seen_enough_gets_no_traceback(run: Run, command: str) -> None:
    written(run, *[step(f"{n:02}" * 90) for n in range(50)])
    line = f"{BIN / 'todowright'} {command} | head -n 1"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1


def test_durations_are_told_in_their_largest_units() -> None:
    seconds = [0, 59, 60, 3599, 3600, 3660, 7500, 86399, 86400, 10**6]
    assert [lasting(timedelta(seconds=each)) for each in seconds] == [
        "0 s", "59 s", "1 min", "59 min", "1 h", "1 h 1 min", "2 h 5 min", "23 h 59 min", "1 d", "11 d"
    ]  # fmt: skip


@requirement("001-1", "001-2", "001-10", "001-11")
def test_the_shell_draws_the_box_on_every_change_and_keeps_nothing(project: Path) -> None:
    shell = Terminal(str(BIN / "todowright"), "shell", cwd=project)
    shell.wait_for(lambda lines: lines[-1:] == ["$"])
    shell.type("TodoWrite '" + todos(step("Don't stop", "in_progress", "Going on")) + "'\n")
    shell.wait_for(lambda lines: any("│ ● Going on..." in line for line in lines))
    shell.wait_for(lambda lines: lines[-1] == "$")
    shell.type('TodoWrite \'{"todos":[\n')
    shell.wait_for(lambda lines: lines[-1] == ">")
    shell.type("]}' && echo then\n")
    shell.wait_for(lambda lines: "then" in lines)
    assert any("No tasks." in line for line in shell.lines)
    shell.type("cd src\n")
    shell.type("basename $PWD\n")
    shell.wait_for(lambda lines: "src" in lines)
    shell.type("TodoWrite nonsense\n")
    shell.wait_for(lambda lines: "Error: Invalid JSON format" in lines)
    shell.type("export WHERE=here; sleep 0 && cd deep\n")
    shell.type("echo $WHERE-$(basename $PWD)\n")
    shell.wait_for(lambda lines: "here-deep" in lines)
    shell.type("true && TodoWrite '" + todos(step("later")) + "'\n")
    shell.wait_for(lambda lines: any("│ ○ later" in line for line in lines))
    shell.type("exit 3\n")
    assert shell.ended() == 3
    assert not (project / ".todowright").exists()


def test_the_shell_ends_with_the_last_code_of_a_script_and_survives_ctrl_c(project: Path) -> None:
    script = f"TodoWrite '{todos(step('a'))}'\nTodoWrite <<EOF\n{todos()}\nEOF\nfalse\n"
    done = subprocess.run(
        [str(BIN / "todowright"), "shell"],
        input=script,
        capture_output=True,
        text=True,
        cwd=project,
    )
    assert done.returncode == 1
    assert done.stdout.count("┌─ Tasks") == 2
    block = "for n in 1 2\ndo\n  echo n$n\ndone\ncd /\npwd\nexit 3\necho never\n"
    done = subprocess.run(
        [str(BIN / "todowright"), "shell"], input=block, capture_output=True, text=True, cwd=project
    )
    assert (done.stdout.split(), done.returncode) == (["n1", "n2", "/"], 3)
    shell = Terminal(str(BIN / "todowright"), "shell", cwd=project)
    shell.wait_for(lambda lines: lines[-1:] == ["$"])
    shell.type("half a comm")
    shell.wait_for(lambda lines: lines[-1].endswith("half a comm"))
    time.sleep(0.3)  # readline looks for signals only while it waits for a key
    shell.interrupt()
    shell.wait_for(lambda lines: lines[-1] == "$")
    shell.type("\x04")
    assert shell.ended() == 0


def shows(text: str) -> Callable[[list[str]], bool]:
    return lambda lines: any(text in line for line in lines)


@requirement("001-11")
@pytest.mark.slow
def test_watch_shows_what_another_process_writes_within_a_quarter_of_a_second(
    run: Run, project: Path
) -> None:
    watch = Terminal(str(BIN / "todowright"), "watch", cwd=project)
    watch.wait_for(lambda lines: any("No tasks." in line for line in lines))
    writer = TodoWrite("shell", store=f"sqlite:///{project}/.todowright/plans.db", environ={})
    writer({"todos": [step("warm up", "in_progress")]})
    watch.wait_for(lambda lines: any("warm up" in line for line in lines))
    delays = []
    for number in range(10):
        writer({"todos": [step(f"step {number}", "in_progress", f"Doing step {number}")]})
        delays.append(watch.wait_for(shows(f"Doing step {number}...")))
    assert min(delays) < 0.25  # other tests run beside this one
    for number in range(1000):
        writer({"todos": [step(f"quick {number}", "completed")]})
    watch.wait_for(lambda lines: any("✓ quick 999" in line for line in lines))
    watch.interrupt()
    assert watch.ended() == 0
    assert watch.written.endswith(b"\x1b[?25h")  # the cursor is back
    assert sum("┌─ Tasks" in line for line in watch.lines) == 1


def test_plans_of_sub_agents_stand_under_the_step_they_serve_while_they_last(
    run: Run, project: Path
) -> None:
    todo = TodoWrite("lean", store=f"sqlite:///{project}/.todowright/plans.db")
    todo({"steps": ["Whole", "Rest"]}, tool="plan")
    watch = Terminal(str(BIN / "todowright"), "watch", cwd=project)
    watch.wait_for(shows("Whole"))
    with ExitStack() as working:
        for name in ("look", "read", "try", "ask"):
            child = working.enter_context(todo.subagent(name))
            child({"steps": [f"Part of {name}"]}, tool="plan")
            grandchild = working.enter_context(child.subagent("deep"))
            grandchild({"steps": [f"Deep in {name}"]}, tool="plan")
        for name in ("look", "read", "try", "ask"):
            watch.wait_for(shows(f"Deep in {name}"))
        lines = [line.strip("│ ") for line in run("todowright", "show").stdout.splitlines()]
        at = lines.index("● Whole...")
        assert lines[at + 1].startswith("└ look-")
        assert lines[at + 2] == "● Part of look..."
        assert lines[at + 3].startswith("└ deep-")
        assert lines[at + 4] == "● Deep in look..."
        assert lines[at + 17] == "○ Rest"
    watch.wait_for(lambda lines: not any("Part" in line or "Deep" in line for line in lines))
    watch.interrupt()
    assert watch.ended() == 0


def test_watch_turns_a_spinner_on_what_is_in_progress(run: Run, project: Path) -> None:
    written(run, step("a", "in_progress"))
    watch = Terminal(str(BIN / "todowright"), "watch", cwd=project)
    for mark in "◐◓◑◒":
        watch.wait_for(shows(f"│ {mark} Doing a..."))
    watch.interrupt()
    assert watch.ended() == 0


def test_watch_can_end_when_all_is_done_and_prints_boxes_into_a_pipe(run: Run) -> None:
    written(run, step("a", "completed"))
    done = run("todowright", "watch", "--until-finished", timeout=60)
    assert done.stdout.count("┌─ Tasks") == 1
    assert "\x1b" not in done.stdout


def test_watch_prints_a_box_for_every_change_into_a_pipe(run: Run, project: Path) -> None:
    written(run, step("begin"))
    watch = subprocess.Popen(
        [str(BIN / "todowright"), "watch", "--until-finished"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=project,
    )
    assert watch.stdout is not None
    assert "┌─ Tasks" in watch.stdout.readline()
    writer = TodoWrite("shell", store=f"sqlite:///{project}/.todowright/plans.db", environ={})
    for number in range(30):
        writer({"todos": [step(f"quick {number}")]})
    writer({"todos": [step("end", "completed")]})
    out, _ = watch.communicate(timeout=60)
    assert [f"○ quick {number} " in out for number in range(30)] == [True] * 30
    assert "✓ end" in out


@pytest.mark.parametrize(
    "line",
    [
        "TodoWrite <&-",
        "todowright show >&-",
        "todowright watch --until-finished <&-",
        "todowright shell <&-",
    ],
)
def test_closed_streams_make_no_traceback(run: Run, line: str) -> None:
    written(run, step("a", "completed"))
    done = subprocess.run(
        ["bash", "-c", f"PATH={BIN}:$PATH; {line}"], capture_output=True, text=True, timeout=30
    )
    assert "Traceback" not in done.stderr


def test_what_is_missing_without_the_extra_is_told_in_one_line(run: Run) -> None:
    code = "import sys; sys.modules['rich'] = None; from todowright.cli import main; sys.exit(main(['show']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert re.search(r"rich is missing: pip install '\S+\[cli\]'$", done.stderr.rstrip())
    assert "Traceback" not in done.stderr


def test_watch_fits_a_terminal_of_20_columns_and_8_rows(run: Run, project: Path) -> None:
    written(run, *[step(f"a long task number {n}") for n in range(30)])
    watch = Terminal(str(BIN / "todowright"), "watch", columns=20, rows=8, cwd=project)
    watch.wait_for(lambda lines: any("… 27 more" in line for line in lines))
    assert {len(line) for line in watch.lines} == {20}
    assert len(watch.lines) == 7
    watch.interrupt()
    watch.ended()


@pytest.mark.parametrize(
    ("module", "command", "extra"),
    [
        ("rich", ["show"], "cli"),
        ("shtab", ["completion", "bash"], "cli"),
        ("rich", ["agent", "x", "--model", "openai:m"], "agent"),
        ("anthropic", ["agent", "x", "--model", "anthropic:m"], "agent"),
        ("openai", ["agent", "x", "--model", "openai:m"], "agent"),
        ("anyio", ["mcp"], "serve"),
        ("mcp", ["mcp"], "serve"),
        ("starlette", ["serve"], "serve"),
        ("uvicorn", ["serve"], "serve"),
    ],
)
def test_a_module_that_is_missing_is_named_with_the_extra_that_the_command_needs(
    module: str, command: list[str], extra: str, project: Path
) -> None:
    code = f"import sys; sys.modules[{module!r}] = None; from todowright.cli import main; sys.exit(main({command}))"
    keys = {"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=project,
        env=os.environ | keys,
        input="",
        capture_output=True,
        text=True,
    )
    told = done.stderr.splitlines()[-1]
    assert told.startswith(f"todowright: {module} is missing: pip install '")
    source = told.split("'")[1].removesuffix(f"[{extra}]")
    assert source == "todowright" or (Path(source) / "pyproject.toml").exists()  # a checkout
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["show", "--sesion", "x"], "unrecognized arguments: --sesion x: did you mean --session?"),
        (["serv"], "did you mean serve?"),
        (["show", "--formt", "box"], "did you mean --format?"),
        (["show", "--session=--"], "argument --session: expected a value"),
        (["serve", "--name=--"], "argument --name: expected a value"),
    ],
)
def test_a_word_that_is_nearly_right_is_told_the_right_one(
    command: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert ended.value.code == 2
    err = capsys.readouterr().err
    assert err.rstrip().endswith(told)
    if command[0] == "show":
        assert err.startswith("usage: todowright show")


def test_a_plan_that_is_not_there_is_told_with_the_place_that_was_looked_at(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"sqlite:///{project}/mine.db"
    TodoWrite("twostate", store=url, session="a")({"todos": [{"content": "x"}]})
    assert main(["show", "--store", url, "--session", "b", "--format", "recap"]) == 0
    err = capsys.readouterr().err
    assert f"session b of {url} yet" in err
    assert f"(all: todowright sessions --store {url})" in err


def test_export_writes_the_plan_as_another_agent_would_send_it(run: Run, project: Path) -> None:
    run(
        "TodoWrite", '{"todos":[{"content":"Run tests","activeForm":"Running","status":"pending"}]}'
    )
    done = run("todowright", "export", "--as", "codex")
    assert json.loads(done.stdout) == {
        "name": "update_plan",
        "input": {"plan": [{"step": "Run tests", "status": "pending"}]},
    }
    assert done.stderr == 'not kept: item 1: its active form "Running" is lost\n'
    assert "- [ ] Run tests" in run("todowright", "export", "--as", "markdown").stdout
    wrong = run("todowright", "export", "--as", "codec")
    assert wrong.returncode == 1
    assert "no format is called 'codec': did you mean codex?" in wrong.stderr
