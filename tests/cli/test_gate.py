"""The gate: a step counts as completed when the user's own command succeeds, in whichever way a host plans."""

from __future__ import annotations

import fcntl
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client

from tests.cli.terminal import until
from tests.cli.test_hook import Project
from todowright import Plan, open_store
from todowright.cli import main
from todowright.host.identity import Window
from todowright.hosts.gate import Verification, gates, set_gate, verification_of
from todowright.hosts.gate_turns import verify_in_turn
from todowright.mcp.server import PlanServer

FAILS = "echo run >> runs; echo first; echo '2 tests failed' >&2; exit 3"
PASSES = "echo run >> runs"


class Gated(Project):
    """A project, and a user with a home of their own."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.home = folder / "home"
        self.home.mkdir()
        self.env |= {"HOME": str(self.home)}
        self.file = self.home / ".config/todowright/verify.json"

    def gate(self, *arguments: str, at: Path | None = None) -> int:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("HOME", str(self.home))
            patch.chdir(at or self.folder)
            return main(["gate", *arguments])

    @property
    def runs(self) -> int:
        path = self.folder / "runs"
        return len(path.read_text().splitlines()) if path.exists() else 0

    def sends(
        self, *statuses: str, call: str = "c1", event: str = "PreToolUse", **more: Any
    ) -> str:
        """A list of Claude Code, whose steps have these statuses."""
        todos = [
            {"content": f"Step {number}", "status": status, "activeForm": f"Doing {number}"}
            for number, status in enumerate(statuses)
        ]
        given: dict[str, Any] = {"tool_name": "TodoWrite", "tool_input": {"todos": todos}}
        return self.hook(event, tool_use_id=call, **given, **more)

    def plan(self, host: str = "claude") -> Plan:
        return open_store(self.url).load(self.session("s1", host), "main")


@pytest.fixture
def project(tmp_path: Path) -> Gated:
    return Gated(tmp_path)


def completed(project: Gated, task: str = "1") -> str:
    return project.hook("TaskCompleted", task_id=task, task_subject="Write it")


def reason(answer: str) -> str:
    return str(json.loads(answer)["hookSpecificOutput"]["permissionDecisionReason"])


def test_a_task_is_not_completed_while_the_verification_fails(project: Gated) -> None:
    assert completed(project) == ""  # nobody named one
    project.gate(FAILS)
    told = json.loads(completed(project))
    assert told["decision"] == "block"
    assert told["reason"] == (
        "Not completed: `echo run >> runs; echo first; echo '2 tests failed' >&2; ex…` failed (exit 3): "
        "first | 2 tests failed. Mend that, then complete it again."
    )
    project.gate(PASSES)
    assert completed(project) == ""
    project.gate("--off")
    assert (completed(project), project.runs) == ("", 2)


def test_a_list_is_verified_only_when_it_completes_a_step_that_was_open(project: Gated) -> None:
    project.gate(PASSES)
    assert project.sends("in_progress", "pending") == ""
    assert project.runs == 0
    project.sends("in_progress", "pending", event="PostToolUse")
    assert project.sends("completed", "in_progress", call="c2") == ""
    assert project.runs == 1
    project.sends("completed", "in_progress", call="c2", event="PostToolUse")
    assert project.sends("completed", "pending", call="c3") == ""
    assert project.runs == 1
    project.gate(FAILS)
    assert project.sends("completed", "in_progress", call="c4") == ""  # it takes nothing back
    assert "2 tests failed" in reason(project.sends("completed", "completed", call="c5"))


def test_what_was_verified_stands_so_in_the_plan_and_nothing_else_does(project: Gated) -> None:
    project.sends("completed", event="PostToolUse")
    assert not project.plan().verified
    project.gate(PASSES)
    project.sends("completed", "completed", call="c2")
    project.sends("completed", "completed", call="c2", event="PostToolUse")
    assert project.plan().verified
    project.gate("no-such-program-anywhere")
    project.sends("completed", "completed", "completed", call="c3")
    project.sends("completed", "completed", "completed", call="c3", event="PostToolUse")
    assert [todo.status for todo in project.plan().todos] == ["completed"] * 3
    assert not project.plan().verified


def test_tasks_are_recorded_as_verified_too(project: Gated) -> None:
    made = {"task": {"id": "1", "subject": "Write it"}}
    project.hook("PostToolUse", tool_name="TaskCreate", tool_input={"subject": "Write it"},
                 tool_response=made, tool_use_id="c1")  # fmt: skip
    project.gate(PASSES)
    completed(project)
    change = {"taskId": "1", "status": "completed"}
    project.hook("PostToolUse", tool_name="TaskUpdate", tool_input=change,
                 tool_response={"success": True}, tool_use_id="c2")  # fmt: skip
    assert project.plan().verified
    assert project.plan().finished


@pytest.mark.parametrize(
    ("host", "event", "tool", "arguments"),
    [
        ("codex", "PreToolUse", "update_plan", {"plan": [{"step": "One", "status": "completed"}]}),
        ("qwen", "PreToolUse", "todo_write", {"todos": [{"id": "1", "content": "One", "status": "completed"}]}),
        ("opencode", "PreToolUse", "todowrite", {"todos": [{"content": "One", "status": "completed", "priority": "high"}]}),
        ("gemini", "BeforeTool", "write_todos", {"todos": [{"description": "One", "status": "completed"}]}),
    ],
)  # fmt: skip
def test_every_host_is_refused_in_its_own_words(
    host: str, event: str, tool: str, arguments: dict[str, Any], project: Gated
) -> None:
    project.gate(FAILS)
    answer = project.hook(event, host, tool_name=tool, tool_input=arguments)
    if host == "gemini":
        assert json.loads(answer)["decision"] == "deny"
        assert "2 tests failed" in json.loads(answer)["reason"]
    else:
        assert json.loads(answer)["hookSpecificOutput"]["permissionDecision"] == "deny"
        assert "2 tests failed" in reason(answer)


def test_a_verification_that_cannot_be_run_lets_pass_and_says_so(project: Gated) -> None:
    project.gate("no-such-program-anywhere")
    told = json.loads(completed(project))
    assert set(told) == {"systemMessage"}
    assert "command not found" in told["systemMessage"]
    assert "let pass unverified" in told["systemMessage"]
    project.file.write_text("{")
    told = json.loads(completed(project))
    assert "verify.json cannot be read" in told["systemMessage"]
    assert project.sends("pending") == ""
    assert "systemMessage" in json.loads(project.sends("completed"))


def test_a_verification_that_does_not_end_is_ended_and_blocks(project: Gated) -> None:
    project.gate("echo begun; sleep 60", "--seconds", "1")
    assert (
        "did not end: begun | Error: stopped after 1 s" in json.loads(completed(project))["reason"]
    )


@pytest.mark.parametrize(
    "command",
    [
        "head -c 20000000 /dev/zero | tr '\\0' 'x'",
        "printf '\\033[31mred\\033[0m\\a\\n\\377\\n\\n\\xe2\\x80\\xae'; exit 1",
        "for n in $(seq 5000); do echo \"line $n\"; done; exit 1",
    ],
    ids=["endless", "control characters", "many lines"],
)  # fmt: skip
def test_whatever_a_verification_prints_the_reason_is_one_short_line(
    command: str, project: Gated
) -> None:
    project.gate(command)
    told = json.loads(completed(project))["reason"]
    assert told.isprintable()
    assert len(told) < 500


def test_nothing_in_a_project_and_no_variable_names_a_verification(project: Gated) -> None:
    rows = {str(project.folder): {"command": "touch ran; exit 1", "seconds": 5, "path": ""}}
    for place in (".config/todowright", ".todowright", "."):
        (project.folder / place).mkdir(parents=True, exist_ok=True)
        (project.folder / place / "verify.json").write_text(json.dumps(rows))
    at = str(project.folder / ".config")
    project.env |= {"TODOWRIGHT_STATE": at, "XDG_CONFIG_HOME": at, "XDG_DATA_HOME": at}
    assert completed(project) == ""
    assert project.sends("completed") == ""
    assert not (project.folder / "ran").exists()


def test_a_home_that_is_not_absolute_names_no_verification(project: Gated) -> None:
    rows = {str(project.folder): {"command": "touch ran; exit 1", "seconds": 5, "path": ""}}
    place = project.folder / "rel/.config/todowright"
    place.mkdir(parents=True)
    (place / "verify.json").write_text(json.dumps(rows))
    (place / "verify.json").chmod(0o600)
    project.env["HOME"] = "rel"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project.folder)
        told = json.loads(completed(project))["systemMessage"]
        assert project.sends("pending") == ""
    assert told == (
        "todowright: HOME is not the full path of a folder, so no verification is read: set HOME; "
        "the step was let pass unverified"
    )
    assert not (project.folder / "ran").exists()


def test_the_command_sets_nothing_where_home_is_not_absolute(
    project: Gated, capsys: pytest.CaptureFixture[str]
) -> None:
    project.home = Path("rel")
    for arguments in (["true"], [], ["--off"]):
        assert project.gate(*arguments) != 0
        assert capsys.readouterr().err.count("HOME is not the full path of a folder") == 1
    assert not (project.folder / "rel").exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BASH_ENV", "{folder}/evil"),
        ("ENV", "{folder}/evil"),
        ("BASH_FUNC_check%%", "() {{ touch ran; }}"),
        ("check", "() {{ touch ran; }}"),
        ("SHELLOPTS", "xtrace"),
    ],
)
def test_no_variable_has_the_shell_run_something_else(
    name: str, value: str, project: Gated
) -> None:
    (project.folder / "evil").write_text("touch ran\n")
    (project.folder / "check").write_text("#!/bin/sh\nexit 7\n")
    (project.folder / "check").chmod(0o755)
    project.env |= {"PS4": "$(touch ran)", name: value.format(folder=project.folder)}
    project.gate(f'PATH="{project.folder}:$PATH"; test "$KEPT" = yes && check')
    project.env["KEPT"] = "yes"
    assert "exit 7" in completed(project)
    assert not (project.folder / "ran").exists()


def test_a_file_that_others_can_write_or_that_is_a_link_is_not_obeyed(project: Gated) -> None:
    project.gate("touch ran; exit 1")
    project.file.chmod(0o666)
    assert "can be written by others" in json.loads(completed(project))["systemMessage"]
    project.file.chmod(0o600)
    moved = project.file.rename(project.folder / "moved.json")
    project.file.symlink_to(moved)
    assert "cannot be read" in json.loads(completed(project))["systemMessage"]
    assert not (project.folder / "ran").exists()


def test_an_agent_that_a_verification_starts_is_not_verified_by_it(project: Gated) -> None:
    event = {"hook_event_name": "TaskCompleted", "session_id": "s2", "task_id": "2"}
    (project.folder / "event.json").write_text(json.dumps({**event, "cwd": str(project.folder)}))
    asks = f"{sys.executable} -m todowright hook claude < event.json > inner"
    project.gate(f"echo run >> runs; {asks}; exit 1")
    assert "exit 1" in completed(project)
    assert ((project.folder / "inner").read_text(), project.runs) == ("", 1)


@pytest.mark.parametrize("held", [False, True])
def test_a_variable_that_names_no_verification_under_way_switches_nothing_off(
    held: bool, project: Gated
) -> None:
    project.gate('echo "$TODOWRIGHT_VERIFYING" > name; exit 1')
    for name in ("1", "../turns/x", "0" * 24 + "." + "0" * 32):
        project.env["TODOWRIGHT_VERIFYING"] = name
        assert "exit 1" in completed(project)
    project.env["TODOWRIGHT_VERIFYING"] = (project.folder / "name").read_text().strip()
    assert len(project.env["TODOWRIGHT_VERIFYING"]) == 57
    if held:  # by another run
        project.gate("exit 1", "--seconds", "1")
        (turn,) = (project.file.parent / "turns").iterdir()
        with turn.open() as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            assert "is still running" in completed(project)
    else:
        assert "exit 1" in completed(project)


def completed_at(project: Gated, folder: Path) -> str:
    event = {"hook_event_name": "TaskCompleted", "session_id": "s1", "task_id": "1"}
    return project.raw(json.dumps({**event, "cwd": str(folder)}).encode())


def worktree(project: Gated, folder: Path) -> Path:
    """Another worktree of the project, made by git itself."""
    ours = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for words in (
        ["init", "-q"],
        [*ours, "commit", "-q", "--allow-empty", "-m", "First"],
        ["worktree", "add", "-q", str(folder)],
    ):
        subprocess.run(["git", *words], cwd=project.folder, check=True, env=project.env, timeout=60)
    return folder


def test_it_holds_below_the_folder_and_runs_at_the_top_of_the_worktree(project: Gated) -> None:
    project.gate('test "$(basename "$PWD")" = shop')
    inner = project.folder / "src"
    inner.mkdir()
    assert completed_at(project, inner) == ""
    tree = worktree(project, inner / "one")
    (tree / "deep").mkdir()
    assert "exit 1" in completed_at(project, tree)
    assert "exit 1" in completed_at(project, tree / "deep")
    assert completed_at(project, project.home) == ""


@pytest.mark.parametrize("kind", ["repository", "submodule", "forged", "of another"])
def test_a_repository_that_lies_inside_does_not_choose_what_is_run(
    kind: str, project: Gated
) -> None:
    project.gate("echo run >> runs; test -e ready")
    evil = project.folder / "vendor" / "evil"
    if kind == "of another":
        other = Gated(project.home)
        worktree(other, evil)
    else:
        evil.mkdir(parents=True)
        tree = worktree(project, project.folder / "one")
        told = {"submodule": "../../.git/modules/evil", "forged": "../../.git/worktrees/one"}
        if kind == "repository":
            (evil / ".git").mkdir()
        else:
            (evil / ".git").write_text(f"gitdir: {told[kind]}\n")
        assert (tree / ".git").exists()
    (evil / "ready").touch()
    assert "exit 1" in completed_at(project, evil)
    project.env["CLAUDE_PROJECT_DIR"] = str(project.folder)
    assert "exit 1" in completed_at(project, evil)
    assert project.runs == 2


def test_a_folder_that_a_variable_names_does_not_switch_the_gate_off(project: Gated) -> None:
    project.gate("exit 1")
    for name in ("/", str(project.home), "/no/such/folder"):
        project.env["CLAUDE_PROJECT_DIR"] = name
        assert "exit 1" in completed(project)


def test_the_gate_of_another_project_does_not_stand_for_that_of_ones_own(project: Gated) -> None:
    other = project.folder.parent / "other"
    (other / ".git").mkdir(parents=True)
    (other / "ready").touch()
    project.gate("test -e ready")
    project.gate("test -e ready", at=other)
    project.env["CLAUDE_PROJECT_DIR"] = str(project.folder)
    assert "exit 1" in completed_at(project, other)


def test_an_agent_in_a_worktree_is_verified_there_and_one_that_went_elsewhere_in_the_project(
    project: Gated,
) -> None:
    project.gate("test -e ready")
    project.env["CLAUDE_PROJECT_DIR"] = str(project.folder)
    tree = worktree(project, project.folder / "worktrees" / "one")
    (tree / "ready").touch()
    assert completed_at(project, tree) == ""
    assert "exit 1" in completed_at(project, project.home)


def opened(path: Path) -> int:
    """How often this process has a file open."""
    count = 0
    for each in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # it was closed meanwhile
            count += str(each.readlink()) == str(path)
    return count


def test_agents_that_finish_at_once_share_a_run(project: Gated) -> None:
    project.gate(PASSES, "--seconds", "60")
    environ = {"HOME": str(project.home)}
    given = verification_of(str(project.folder), environ)
    assert given is not None
    assert verify_in_turn(given, environ).sure
    (held,) = (project.file.parent / "turns").iterdir()
    with ThreadPoolExecutor() as pool, held.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        asked = [pool.submit(verify_in_turn, given, environ) for _ in range(4)]
        until(lambda: opened(held) == 5)
        fcntl.flock(file, fcntl.LOCK_UN)
        assert [each.result().sure for each in asked] == [True] * 4
    assert project.runs == 2
    assert completed(project) == ""
    assert project.runs == 3  # what was verified before says nothing of now


def test_who_waits_too_long_for_another_verification_is_told(project: Gated) -> None:
    project.gate("sleep 5", "--seconds", "1")
    turns = project.file.parent / "turns"
    completed(project)
    (held,) = turns.iterdir()
    with held.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert "is still running" in json.loads(completed(project))["reason"]


def test_waiting_and_running_have_one_limit_together(project: Gated) -> None:
    project.gate("echo run >> runs; sleep 60", "--seconds", "1")
    completed(project)
    (held,) = (project.file.parent / "turns").iterdir()
    project.gate("echo run >> runs; sleep 60", "--seconds", "2")
    environ = {"HOME": str(project.home)}
    given = verification_of(str(project.folder), environ)
    assert given is not None
    with ThreadPoolExecutor() as pool, held.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        asked = pool.submit(verify_in_turn, given, environ)
        until(lambda: opened(held) == 2)
        time.sleep(0.3)
        fcntl.flock(file, fcntl.LOCK_UN)
        told = re.search(r"did not end, .*: stopped after (.*) s$", asked.result().line)
    assert told is not None
    assert float(told[1]) <= 1.7
    assert "passed" not in held.read_text()  # it had less time than others have


@pytest.mark.parametrize(
    "kept", ["", "{", "[]", '{"command": "exit 1", "began": 9e99, "passed": true, "line": ""}']
)
def test_whatever_stands_where_turns_are_kept_decides_nothing(kept: str, project: Gated) -> None:
    project.gate("exit 1")
    completed(project)
    (held,) = (project.file.parent / "turns").iterdir()
    held.write_text(kept)
    assert "exit 1" in completed(project)


def test_the_command_sets_shows_tries_and_takes_away(
    project: Gated, capsys: pytest.CaptureFixture[str]
) -> None:
    assert project.gate() == 0
    assert "Nothing verifies the steps in" in capsys.readouterr().out
    assert project.gate("make check", "--seconds", "300") == 0
    assert "when `make check` succeeds, within 300 s" in capsys.readouterr().out
    assert project.file.stat().st_mode & 0o777 == 0o600
    assert project.gate() == 0
    assert capsys.readouterr().out.startswith("make check (at most 300 s, in ")
    assert project.gate("--off") == 0
    assert project.gate("--off") == 0
    capsys.readouterr()
    assert project.gate("--run") == 1
    project.gate("echo broken; exit 4")
    assert project.gate("--run") == 1
    assert "failed (exit 4): broken" in capsys.readouterr().out
    project.gate("true")
    assert project.gate("--run") == 0


def test_gates_that_are_set_at_once_are_all_kept(project: Gated) -> None:
    environ = {"HOME": str(project.home)}
    folders = [f"/project-{number}" for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        done = [
            pool.submit(set_gate, environ, each, Verification(each, "true")) for each in folders
        ]
        assert [each.result() for each in done] == [None] * 40
    assert sorted(gates(environ)) == sorted(folders)


def test_a_hook_that_is_ended_ends_the_verification_too(project: Gated) -> None:
    project.gate("sleep 300 & echo $! > pid; wait")
    event = {"hook_event_name": "TaskCompleted", "session_id": "s1", "task_id": "1"}
    data = json.dumps({**event, "cwd": str(project.folder)}).encode()
    hook = subprocess.Popen(
        [sys.executable, "-m", "todowright", "hook", "claude"],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=project.env,
    )  # fmt: skip
    assert hook.stdin is not None
    hook.stdin.write(data)
    hook.stdin.close()
    path = project.folder / "pid"
    until(lambda: path.exists() and path.read_text().endswith("\n"))
    asleep = Path(f"/proc/{path.read_text().strip()}/stat")

    def ended() -> bool:
        try:
            return ") Z " in asleep.read_text()
        except OSError:
            return True

    assert not ended()
    hook.terminate()
    assert hook.wait(60) == 143
    until(ended)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["  "], "name a command that verifies a step"),
        (["x" * 3000], "longer than 2000 characters"),
        (["true", "--seconds", "0"], "1 to 3600 seconds"),
        (["--seconds", "5"], "--seconds goes with a command"),
    ],
)
def test_what_cannot_be_is_told_in_one_line_and_changes_nothing(
    arguments: list[str], told: str, project: Gated, capsys: pytest.CaptureFixture[str]
) -> None:
    assert project.gate(*arguments) != 0
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1
    assert not project.file.exists()


def test_install_sets_the_gate_of_the_project_it_is_run_in(
    project: Gated, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(project.home))
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(project.folder)
    assert main(["install", "claude", "--verify", " ", "--yes"]) != 0
    assert main(["install", "claude", "--verify", "exit 5", "--dry-run"]) == 0
    assert "is verified by exit 5" in capsys.readouterr().out
    assert not project.file.exists()
    assert not (project.home / ".claude").exists()
    assert main(["install", "claude", "--verify", "exit 5", "--yes"]) == 0
    assert "exit 5" in completed(project)


def call(server: PlanServer, *calls: tuple[str, dict[str, Any]]) -> list[str]:
    """What a server answers, call by call."""
    texts = []

    async def work() -> None:
        async with Client(server.server) as client:
            for tool, arguments in calls:
                (content,) = (await client.call_tool(tool, arguments)).content
                texts.append(content.text)  # type: ignore[union-attr]

    anyio.run(work)
    return texts


def server_of(project: Gated) -> PlanServer:
    window = Window(
        str(project.folder), "claude", (), {"HOME": str(project.home)}, "w", os.getpid()
    )
    return PlanServer(open_store(project.url), root=project.folder, window=window, session="chat")


def test_our_own_tools_are_verified_once_for_a_call(project: Gated) -> None:
    server, store = server_of(project), open_store(project.url)
    assert call(server, ("plan", {"steps": ["One", "Two", "Three", "Four"]})) == ["OK."]
    assert call(server, ("done", {"finished": ["One"]}))[0].startswith("1/4 done")
    assert not store.load("chat", "main").verified
    project.gate(FAILS)
    (refused,) = call(server, ("done", {"finished": ["Two", "Three"]}))
    assert refused.startswith("Error: step 2 is not finished: `echo run >> runs")
    assert "2 tests failed" in refused
    assert project.runs == 1
    assert store.load("chat", "main").progress == (1, 4)
    project.gate(PASSES)
    assert call(server, ("done", {"finished": ["Two", "Three"]}))[0].startswith("3/4 done")
    assert project.runs == 2
    assert store.load("chat", "main").verified
    project.gate("no-such-program-anywhere")
    (told,) = call(server, ("done", {"finished": ["Four"]}))
    assert "4/4 done" in told
    assert "let pass unverified" in told


def test_a_gate_that_was_taken_away_does_not_hold_an_open_window(project: Gated) -> None:
    server = server_of(project)
    project.gate("exit 1")
    planned = call(server, ("plan", {"steps": ["One"]}), ("done", {"finished": ["One"]}))
    assert planned[1].startswith("Error: step 1 is not finished")
    project.gate("--off")
    assert call(server, ("done", {"finished": ["One"]}))[0].startswith("1/1 done")


def test_a_verification_fails_also_for_who_was_started_without_a_word_of_ended_children(
    project: Gated,
) -> None:
    project.gate("exit 3")
    told = [sys.executable, "-m", "todowright", "gate", "--run"]
    ignoring = f"import os, signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execv({sys.executable!r}, {told!r})"
    environ: dict[str, str] = dict(os.environ) | dict(project.env)
    done = subprocess.run([sys.executable, "-c", ignoring], cwd=project.folder,
                          env=environ, capture_output=True, text=True, check=False)  # fmt: skip
    assert (done.returncode, "failed (exit 3)" in done.stdout) == (1, True)
