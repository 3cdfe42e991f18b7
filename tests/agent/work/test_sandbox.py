"""The wall around an agent's commands: what it holds back, and that nothing runs where there is none."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from todowright import TodoWrite
from todowright.agent import Agent, ScriptedModel
from todowright.agent.work import sandbox
from todowright.agent.work.folder import CommandFailed
from todowright.agent.work.sandbox import NoSandbox, Sandbox

HAS_NAMESPACES = (
    sys.platform.startswith("linux")
    and not subprocess.run(["unshare", "-Urm", "true"], capture_output=True, check=False).returncode
)


def walled(test: Callable[..., None]) -> Callable[..., None]:
    """A test of what the wall holds back; where the system has none, of that nothing is run."""

    @wraps(test)
    def refused(work: Path, **_: object) -> None:
        with pytest.raises(NoSandbox):
            Sandbox(str(work))

    return test if HAS_NAMESPACES else refused


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / ".git" / "hooks").mkdir(parents=True)
    (folder / ".git" / "config").write_text("[core]\n")
    (folder / ".todowright").mkdir()
    return folder


def ran(folder: Path, command: str, **options: Any) -> str:
    bash = Agent(ScriptedModel([]), folder=folder, sandbox=True, **options).tools["bash"]
    try:
        return bash.run(command)
    except CommandFailed as failed:
        return str(failed)


@walled
def test_a_command_writes_in_the_work_folder(work: Path) -> None:
    assert ran(work, "echo a > made; mkdir d; pwd") == str(work)
    assert (work / "made").read_text() == "a\n"


@walled
@pytest.mark.parametrize("how", ["touch", "mkdir", "ln -s x"])
def test_a_command_writes_nowhere_else(work: Path, how: str) -> None:
    for place in (Path.home() / "pwned", Path("/pwned"), Path("/usr/pwned")):
        assert "exit code" in ran(work, f"{how} {place}")
        assert not os.path.lexists(place)
    for place in (work.parent / "pwned", Path("/tmp/pwned-by-a-command")):  # not the /tmp of others
        ran(work, f"{how} {place}")
        assert not os.path.lexists(place)


@walled
def test_what_the_users_own_programs_obey_cannot_be_written_or_put_away(work: Path) -> None:
    said = ran(
        work,
        "touch .git/hooks/pre-commit .todowright/x; echo x >> .git/config; mv .git g; mv .todowright t; touch .git/index",
    )
    assert said.count("Read-only file system") == 3
    assert said.count("busy") == 2
    assert [each.name for each in (work / ".git/hooks").iterdir()] == []
    assert (work / ".git/index").exists()  # a commit can be made


@walled
def test_a_command_reaches_no_network_but_its_own(work: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert "refused" in ran(work, f"exec 3<>/dev/tcp/127.0.0.1/{port}").lower()
    assert "unreachable" in ran(work, "exec 3<>/dev/tcp/192.0.2.1/80").lower()
    serve = "import socket; s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname()); print('met')"
    assert ran(work, f'{sys.executable} -c "{serve}"') == "met"


@walled
def test_a_command_sees_no_other_process_and_no_key(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "the-key-of-the-model")
    assert ran(work, "echo $$") == "1"
    assert "the-key-of-the-model" not in ran(work, "cat /proc/[0-9]*/environ; env")
    assert "python" not in ran(work, "cat /proc/[0-9]*/cmdline")
    assert "exit code" in ran(work, f"kill -9 {os.getpid()}")


@walled
def test_a_command_cannot_tear_the_wall_down(work: Path) -> None:
    said = ran(
        work,
        "mount -o remount,rw /; mount -t tmpfs x /mnt; umount .git; unshare -Urm mount -o remount,rw /;"
        " echo x > /proc/sys/kernel/core_pattern; grep CapBnd /proc/self/status",
    )
    assert "CapBnd:\t0000000000000000" in said
    refusals = ("denied", "Read-only", "not permitted", "must be superuser")
    assert sum(map(said.count, refusals)) >= 5
    devices = set(ran(work, "ls /dev").split())
    assert devices <= {"fd", "full", "null", "random", "shm", "stderr", "stdin", "stdout", "tty", "urandom", "zero"}  # fmt: skip


@walled
def test_the_plan_is_reached_through_the_wall_and_exit_codes_come_back(work: Path) -> None:
    todo = TodoWrite("shell", environ={})
    call = '{"todos":[{"content":"it\'s","activeForm":"x","status":"pending"}]}'
    assert "1 pending\nyes" in ran(work, f"true; TodoWrite '{call}' && echo yes", todo=todo)
    assert [each.content for each in todo.plan.todos] == ["it's"]
    assert ran(work, "exit 3") == "[exit code 3]"


@walled
def test_what_a_command_leaves_behind_ends_with_it(work: Path) -> None:
    ran(work, "(sleep 0.5; touch late) & echo begun")
    assert ran(work, "sleep 1; ls") == "(no output)"


@walled
def test_a_helper_of_the_agent_works_behind_the_same_wall(work: Path) -> None:
    agent = Agent(ScriptedModel([]), folder=work, sandbox=True)
    from todowright.agent.providers import Usage

    with agent.helper(Usage()) as helper:
        assert helper.sandbox is not None


def test_where_there_is_no_wall_nothing_is_run(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "plan9")
    with pytest.raises(NoSandbox, match=r"it takes Linux\. Use a container"):
        Sandbox(str(work))


def test_a_wall_that_cannot_be_built_runs_nothing(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = work.parent / "child.py"
    source = Path(sandbox._CHILD).read_text()
    child.write_text(
        source.replace("_libc().unshare(spaces)", "_libc().unshare(-1)")
    )  # which no kernel takes
    monkeypatch.setattr(sandbox, "_CHILD", str(child))
    with pytest.raises(NoSandbox, match=r"^no sandbox: .*\(namespaces\).*Use a container$"):
        Agent(ScriptedModel([]), folder=work, sandbox=True)
