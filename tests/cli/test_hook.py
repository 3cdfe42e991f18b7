"""`todowright hook`, as hosts run it: a process that reads one event, and never fails them."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from todowright import TodoWrite, open_store
from todowright.cli import main
from todowright.cli.hook import told_host
from todowright.host.host_process import host_pid
from todowright.host.identity import Caller, Sessions
from todowright.host.records import Records, call_key


class Project:
    """A folder with a store, and a state folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "shop"
        (self.folder / ".git").mkdir(parents=True)
        self.log = folder / "hook.log"
        self.state = folder / "state"
        self.env = {
            **{key: value for key, value in os.environ.items() if not key.startswith("CLAUDE")},
            "TODOWRIGHT_STATE": str(self.state),
            "TODOWRIGHT_HOOK_LOG": str(self.log),
            "PYTHONPATH": str(Path(__file__).parents[2] / "src"),
        }
        self.env.pop("TODOWRIGHT_STORE", None)
        self.url = f"sqlite:///{self.folder}/.todowright/plans.db"

    def hook(self, name: str, *host: str, session: str = "s1", **more: Any) -> str:
        event = {"hook_event_name": name, "session_id": session, "cwd": str(self.folder), **more}
        return self.raw(json.dumps(event).encode(), *host)

    def raw(self, data: bytes, *host: str) -> str:
        """The same without a process, and as quick."""
        read, printed = io.TextIOWrapper(io.BytesIO(data)), io.TextIOWrapper(io.BytesIO())
        with pytest.MonkeyPatch.context() as patch:
            for name in [each for each in os.environ if each not in self.env]:
                patch.delenv(name)
            for name, value in self.env.items():
                patch.setenv(name, value)
            patch.setattr(sys, "stdin", read)
            patch.setattr(sys, "stdout", printed)
            assert main(["hook", *(host or ("claude",))]) == 0
        return printed.buffer.getvalue().decode()

    def process(self, data: bytes, *host: str) -> str:
        """What a host runs."""
        command = [sys.executable, "-m", "todowright", "hook", *(host or ("claude",))]
        ran = subprocess.run(command, input=data, capture_output=True, env=self.env, timeout=60)
        assert (ran.returncode, ran.stderr) == (0, b"")
        return ran.stdout.decode()

    def session(self, conversation: str, host: str = "claude", words: str = "x") -> str:
        sessions = Sessions(open_store(self.url), Records(str(self.state)))
        return sessions.name(Caller(host, conversation), str(self.folder), words)

    def planned(self, conversation: str, *steps: str, host: str = "claude") -> TodoWrite:
        todo = TodoWrite("lean", store=self.url, session=self.session(conversation, host))
        todo({"steps": list(steps)})
        return todo


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_the_plan_of_a_conversation_is_put_back_and_no_other(project: Project) -> None:
    project.planned("s1", "Write it", "Test it")
    answer = json.loads(project.hook("SessionStart", source="resume"))
    assert "Now: Write it\nOpen: Test it" in answer["hookSpecificOutput"]["additionalContext"]
    assert project.hook("SessionStart", session="s2", source="startup") == ""
    assert project.hook("SessionStart", "qwen", source="startup") == ""


def test_a_stop_is_questioned_once_over_processes(project: Project) -> None:
    project.planned("s1", "Write it")
    event = {"hook_event_name": "Stop", "session_id": "s1", "cwd": str(project.folder)}
    data = json.dumps(event).encode()
    assert json.loads(project.process(data))["decision"] == "block"
    assert project.process(data) == ""
    assert project.process(b"{") == ""


def test_a_hook_makes_no_store_where_nobody_plans(project: Project) -> None:
    for name in ("SessionStart", "Stop", "PreCompact", "UserPromptSubmit"):
        assert project.hook(name, prompt="Go") == ""
    assert not (project.folder / ".todowright").exists()


@pytest.mark.parametrize(
    ("host", "tool", "arguments"),
    [
        ("claude", "TodoWrite", {"todos": [
            {"content": "One", "status": "completed", "activeForm": "Doing one"},
            {"content": "Two", "status": "in_progress", "activeForm": "Doing two"}]}),
        ("codex", "update_plan", {"plan": [
            {"step": "One", "status": "completed"}, {"step": "Two", "status": "in_progress"}]}),
        ("opencode", "todowrite", {"todos": [
            {"content": "One", "status": "completed", "priority": "high"},
            {"content": "Two", "status": "in_progress", "priority": "low"}]}),
        ("qwen", "todo_write", {"todos": [
            {"id": "1", "content": "One", "status": "completed"},
            {"id": "2", "content": "Two", "status": "in_progress"}]}),
        ("gemini", "write_todos", {"todos": [
            {"description": "One", "status": "completed"},
            {"description": "Two", "status": "in_progress"}]}),
    ],
)  # fmt: skip
def test_what_a_hosts_own_plan_tool_is_told_stands_in_the_store(
    host: str, tool: str, arguments: dict[str, Any], project: Project
) -> None:
    name = "AfterTool" if host == "gemini" else "PostToolUse"
    more: dict[str, Any] = {"tool_name": tool, "tool_input": arguments, "tool_use_id": "c1"}
    assert project.hook(name, host, **more) == ""
    assert not project.log.exists()
    plan = open_store(project.url).load(project.session("s1", host), "main")
    assert [(todo.content, todo.status) for todo in plan.todos] == [
        ("One", "completed"),
        ("Two", "in_progress"),
    ]
    project.hook(name, host, **more)  # the same call again
    again = open_store(project.url).load(plan.session, "main")
    assert again.revision == plan.revision


def test_tasks_that_come_one_by_one_are_mirrored(project: Project) -> None:
    for number, words in (("1", "Write it"), ("2", "Test it")):
        made = {"task": {"id": number, "subject": words}}
        project.hook("PostToolUse", tool_name="TaskCreate", tool_use_id=f"c{number}",
                     tool_input={"subject": words, "description": "d"}, tool_response=made)  # fmt: skip
    project.hook("PostToolUse", tool_name="TaskUpdate", tool_use_id="c3",
                 tool_input={"taskId": "1", "status": "completed"},
                 tool_response={"success": True, "taskId": "1"})  # fmt: skip
    plan = open_store(project.url).load(project.session("s1"), "main")
    assert [(todo.content, todo.status) for todo in plan.todos] == [
        ("Write it", "completed"),
        ("Test it", "pending"),
    ]


def test_a_sub_agents_own_list_is_mirrored_below_its_parents(project: Project) -> None:
    todos = [{"content": "One", "status": "pending", "activeForm": "Doing one"}]
    project.hook("PostToolUse", tool_name="TodoWrite", tool_input={"todos": todos})
    below = [{"content": "Look", "status": "pending", "activeForm": "Looking"}]
    project.hook("PostToolUse", tool_name="TodoWrite", tool_input={"todos": below},
                 agent_id="a1b2c3", agent_type="Explore")  # fmt: skip
    plans = open_store(project.url).plans(project.session("s1"))
    assert [plan.todos[0].content for plan in plans] == ["One", "Look"]
    assert plans[1].agent.startswith("main/Explore")


@pytest.mark.parametrize(
    "data", [b"", b"{", b"\xff\xfe", b"[]", b"null", b'{"hook_event_name":"Stop"}', b"[" * 100_000]
)
def test_whatever_comes_in_the_host_is_not_failed(data: bytes, project: Project) -> None:
    assert project.raw(data) == ""


def test_a_store_that_is_broken_does_not_fail_the_host_and_is_written_down(
    project: Project,
) -> None:
    (project.folder / ".todowright").mkdir()
    (project.folder / ".todowright/plans.db").write_bytes(b"no database at all" * 100)
    assert project.hook("SessionStart", source="resume") == ""
    assert "plans.db" in project.log.read_text()


def test_after_a_clear_the_plan_that_was_left_is_offered(project: Project) -> None:
    project.planned("s1", "Write it")
    project.hook("SessionStart", source="startup")
    answer = json.loads(project.hook("SessionStart", session="s2", source="clear"))
    assert "only if the user asks" in answer["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize(
    ("data", "host"),
    [
        ({"hook_event_name": "SessionStart", "source": "startup"}, "claude"),
        ({"hook_event_name": "SessionStart", "source": "compact", "model": "m"}, "claude"),
        ({"hook_event_name": "SessionStart", "model": "m", "permission_mode": "x"}, "codex"),
        ({"hook_event_name": "Stop", "turn_id": "t"}, "codex"),
        ({"hook_event_name": "Stop", "timestamp": "t", "permission_mode": "x"}, "qwen"),
        ({"hook_event_name": "BeforeAgent", "timestamp": "t"}, "gemini"),
        ([], "claude"),
    ],
)
def test_the_event_tells_which_host_it_is_from(data: object, host: str) -> None:
    assert told_host(data) == host


def test_the_help_says_what_it_is_for(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["hook", "--help"])
    assert "never fails a host" in capsys.readouterr().out


def test_gemini_tells_when_an_agent_begins_and_ends_and_its_calls_are_told_apart(
    project: Project,
) -> None:
    records = Records(str(project.state))
    more: dict[str, Any] = {"tool_name": "mcp_todowright_plan", "tool_input": {"steps": ["a"]}}
    agent: dict[str, Any] = {
        "tool_name": "invoke_agent",
        "tool_input": {"agent_name": "generalist"},
    }
    key = call_key(host_pid("gemini", {}), "plan", {"steps": ["a"]})

    def who() -> str:
        project.hook("BeforeTool", "gemini", **more)
        note = records.of_call(key, once=True)
        assert note is not None
        return note.agent_type

    assert who() == ""
    project.hook("BeforeTool", "gemini", **agent)
    assert who() == "generalist"
    project.hook("AfterTool", "gemini", **agent)
    assert who() == ""


def test_a_hook_loads_no_more_than_its_event_needs(project: Project) -> None:
    project.planned("s1", "Write it")
    heavy = {
        "argparse",
        "rich",
        "asyncio",
        "mcp",
        "_hashlib",
        "subprocess",
        "todowright.tool.todowrite",
    }
    stores = {"sqlite3", "todowright.stores", "dataclasses"}
    todos = [{"content": "One", "status": "pending", "activeForm": "Doing one"}]
    events: list[tuple[dict[str, Any], set[str]]] = [
        ({"hook_event_name": "UserPromptSubmit", "prompt": "Go"}, heavy | stores),
        ({"hook_event_name": "Stop"}, heavy | {"todowright.formats", "todowright.dialects"}),
        ({"hook_event_name": "PostToolUse", "tool_name": "TodoWrite", "tool_input": {"todos": todos}},
         heavy | {"todowright.formats.agents.codex", "todowright.formats.markdown", "todowright.formats.written",
                  "todowright.dialects.verb_dialect"}),
    ]  # fmt: skip
    code = (
        "import sys; from todowright.cli import main; main(['hook', 'claude']); print(*sys.modules)"
    )
    for event, unwanted in events:
        given = {"session_id": "s1", "cwd": str(project.folder), **event}
        ran = subprocess.run([sys.executable, "-c", code], input=json.dumps(given),
                             capture_output=True, text=True, env=project.env, check=True)  # fmt: skip
        assert unwanted & set(ran.stdout.split()) == set(), event
