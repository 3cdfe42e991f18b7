"""Tasks wherever a plan is: in the agent, over MCP, beside other dialects; one list for many who open it by its name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.client import Client

from tests.requirements import requirement
from tests.support import Clock, call
from todowright import MemoryStore, Plan, TodoWrite, load_dialect, open_store
from todowright.agent import Agent
from todowright.cli import main
from todowright.dialects.tasks.model import DESCRIPTION, METADATA, OWNER, blockers, of
from todowright.mcp.server import PlanServer
from todowright.names import ALL_DIALECTS
from todowright.tasks import Claims

pytestmark = requirement("003-10")
TASKS = {"TaskCreate", "TaskUpdate", "TaskGet", "TaskList"}
CREATE = {"calls": [["TaskCreate", {"subject": "Build", "description": "all of it"}]]}
START = {"calls": [["TaskUpdate", {"taskId": "1", "status": "in_progress"}]]}
FINISH = {"calls": [["TaskUpdate", {"taskId": "1", "status": "completed"}]]}
DONE = {"text": "All done."}


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Writes a script and gives the name of its model; the work folder is this one."""
    work = tmp_path / "work"
    (work / ".git").mkdir(parents=True)
    monkeypatch.chdir(work)
    for key in ("TODOWRIGHT_MODEL", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "TODOWRIGHT_STORE"):
        monkeypatch.delenv(key, raising=False)

    def write(*lines: dict[str, Any]) -> str:
        path = tmp_path / f"script-{len(list(tmp_path.iterdir()))}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return f"scripted:{path}"

    return write


def stored(folder: Path, session: str) -> Plan:
    return open_store(f"sqlite:///{folder}/.todowright/plans.db").load(session, "main")


def test_the_agent_works_with_tasks(script: Any, capsys: pytest.CaptureFixture[str]) -> None:
    model = script(CREATE, START, FINISH, DONE)
    given = ["--model", model, "--session", "s1", "--dialect", "tasks"]
    assert main(["agent", "Build it", *given]) == 0
    out = capsys.readouterr().out
    assert "Task #1 created successfully: Build" in out
    assert "│ ✓ Build" in out
    plan = stored(Path.cwd(), "s1")
    assert (plan.finished, plan.dialect) == (True, "tasks")


def test_two_agents_share_the_list_that_they_name(
    script: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["tasks", "--session", "release", "--chain", "Build", "Ship"])
    second = {"calls": [["TaskUpdate", {"taskId": "2", "status": "completed"}]]}
    first = ["--list", "release", "--session", "one"]
    assert main(["agent", "Build", *first, "--model", script(START, FINISH, DONE)]) == 0
    assert main(["agent", "Ship", "--list", "release", "--model", script(second, DONE)]) == 0
    assert stored(Path.cwd(), "release").finished
    assert stored(Path.cwd(), "one").revision == 0
    out = capsys.readouterr().out
    assert "todowright watch --session release" in out
    main(["tasks", "--session", "release", "More"])
    third = {"calls": [["TaskUpdate", {"taskId": "3", "status": "completed"}]]}
    assert main(["agent", "--resume", "one", "More", "--model", script(third, DONE)]) == 0
    assert stored(Path.cwd(), "release").finished


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--list", "x", "--dialect", "lean"], "a list that many share is of tasks: leave --dialect lean out"),
        (["--list", "a/b"], "'a/b' cannot be the name of a session"),
    ],
)  # fmt: skip
def test_a_list_that_cannot_be_shared_is_told(
    script: Any, capsys: pytest.CaptureFixture[str], given: list[str], told: str
) -> None:
    assert main(["agent", "Go", *given, "--model", script(DONE)]) == 1
    assert told in capsys.readouterr().err


def test_who_has_a_plan_of_its_own_cannot_go_on_with_a_list(
    script: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["agent", "Go", "--session", "one", "--model", script(DONE)])
    assert main(["agent", "--resume", "one", "--list", "x", "More", "--model", script(DONE)]) == 1
    assert "session one has a plan of its own: leave --list out" in capsys.readouterr().err


def test_agents_of_one_list_end_only_their_own_subagents(tmp_path: Path) -> None:
    store = MemoryStore()
    mine, theirs = TodoWrite("tasks", store=store), TodoWrite("tasks", store=store)
    kept, left = theirs.subagent("ann"), mine.subagent("bob")
    for each in (kept, left):
        each.add("Look")
    mine.end_subagents("bob")
    assert (kept.plan.ended, left.plan.ended) == ("", "interrupted, 0 of 1 done")


def said(result: Any) -> str:
    """What an MCP call was answered."""
    (content,) = result.content
    return str(content.text)


def test_over_mcp_those_who_name_a_session_have_one_list() -> None:
    store = MemoryStore()
    seen: list[str] = []

    async def work() -> None:
        for subject in ("Build", "Ship"):
            server = PlanServer(store, dialect="tasks", session="release")
            async with Client(server.server) as client:
                tools = (await client.list_tools()).tools
                assert {tool.name for tool in tools} == TASKS
                made = await client.call_tool("TaskCreate", {"subject": subject})
                seen.append(said(made))
        server = PlanServer(store, dialect="tasks", session="release")
        async with Client(server.server) as client:
            blocked = {"taskId": "2", "addBlockedBy": ["1"], "status": "in_progress"}
            refused = await client.call_tool("TaskUpdate", blocked)
            assert refused.is_error
            seen.append(said(refused))
            seen.append(said(await client.call_tool("TaskList", {})))

    anyio.run(work)
    assert seen == [
        "Task #1 created successfully: Build",
        "Task #2 created successfully: Ship",
        "Error: task #2 is blocked by #1: finish that first",
        "#1 [pending] Build\n#2 [pending] Ship",
    ]
    mine = Claims(store, "release").claim("ann")  # and a worker has it, too
    assert mine is not None
    assert mine.subject == "Build"


@pytest.mark.parametrize("dialect", ALL_DIALECTS)
def test_a_model_is_offered_a_todo_list_or_tasks_and_never_both(
    dialect: str, tmp_path: Path
) -> None:
    names = {tool.name for tool in load_dialect(dialect).tools}
    assert names == TASKS if dialect == "tasks" else not names & TASKS
    (tmp_path / "script.jsonl").write_text("")
    agent = Agent(f"scripted:{tmp_path}/script.jsonl", folder=tmp_path, dialect=dialect)
    offered = {tool.name for tool in agent.offered}
    ours = TASKS if dialect == "tasks" else set[str]()
    assert offered & TASKS == ours
    plans = {name for each in ALL_DIALECTS for name in (t.name for t in load_dialect(each).tools)}
    if dialect == "tasks":
        assert offered & plans == TASKS
    agent.close()


texts = st.sampled_from(["Read the code", "Write the fix", "Run the tests", "写测试", "Tell <all>"])
rows = st.lists(
    st.tuples(texts, st.sampled_from(["pending", "in_progress", "completed"])),
    min_size=1,
    max_size=5,
    unique_by=lambda row: row[0],
).filter(lambda found: sum(status == "in_progress" for _, status in found) <= 1)


@pytest.mark.parametrize("name", ["smart", "envelope", "checklist", "lean"])
@given(rows=rows)
def test_a_plan_becomes_tasks_and_comes_back_as_it_was(
    name: str, rows: list[tuple[str, str]]
) -> None:
    """What both can say stays: numbers, words, active forms, states, order, and the summary."""
    todo = TodoWrite(name, clock=Clock(), environ={})
    if name == "lean":
        steps = [{"content": text, "status": status} for text, status in rows]
        assert not todo({"steps": steps}, tool="plan").is_error
    else:
        assert not todo(call(name, *rows)).is_error
    before, sent = todo.plan, todo.dialect.arguments(todo.plan)
    tasks = TodoWrite("tasks", store=todo.store, clock=Clock())
    tasks({"subject": "Extra"}, tool="TaskCreate")
    assert tasks.plan.dialect == "tasks"
    listed = tasks({}, tool="TaskList").data["tasks"]
    assert [(each["subject"], each["status"]) for each in listed[:-1]] == rows
    tasks({"taskId": listed[-1]["id"], "status": "deleted"}, tool="TaskUpdate")
    assert (tasks.plan.todos, tasks.plan.summary) == (before.todos, before.summary)
    assert todo.dialect.arguments(todo.plan) == sent
    todo.reword(1, "Read all the code")
    assert todo.plan.dialect == name


@given(
    done=st.sets(st.integers(1, 4)),
    waits=st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), max_size=4),
)
def test_tasks_become_a_plan_and_come_back_with_all_that_they_had(
    done: set[int], waits: list[tuple[int, int]]
) -> None:
    tasks = TodoWrite("tasks", clock=Clock())
    for n in range(1, 5):
        given = {"subject": f"Task {n}", "description": f"how {n}", "metadata": {"n": n}}
        tasks(given, tool="TaskCreate")
    for one, other in waits:  # some are refused: they would wait for each other
        tasks({"taskId": one, "addBlockedBy": [other]}, tool="TaskUpdate")
    tasks({"taskId": 2, "owner": "ann"}, tool="TaskUpdate")
    had = {task.number: (blockers(task), of(task, OWNER)) for task in tasks.plan.todos}
    lean = TodoWrite("lean", store=tasks.store, clock=Clock())
    for n in sorted(done):
        assert not lean({"steps": [f"Task {n}"]}, tool="done").is_error
    lean({"steps": ["New"]}, tool="add")
    again = TodoWrite("tasks", store=tasks.store, clock=Clock())
    again({"taskId": 5, "status": "deleted"}, tool="TaskUpdate")
    for task in again.plan.todos:
        assert (blockers(task), of(task, OWNER)) == had[task.number]
        assert of(task, DESCRIPTION) == f"how {task.number}"
        assert of(task, METADATA) == f'{{"n": {task.number}}}'
        assert (task.status == "completed") == (task.number in done)


def test_a_worker_takes_the_steps_of_any_plan() -> None:
    todo = TodoWrite("lean")
    todo({"steps": [{"content": "Read", "status": "completed"}, "Fix", "Test"]}, tool="plan")
    claims = Claims(todo.store)
    todo.reopen(2)
    mine = claims.claim("w")
    assert mine is not None
    assert mine.subject == "Fix"
    claims.finish(mine)
    assert [each.status for each in todo.plan.todos] == ["completed", "completed", "pending"]
