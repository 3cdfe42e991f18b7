"""A fleet: who works on what, what is ready, what is blocked by whom; as values, and on terminals of any width."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from tests.cli.terminal import BIN, Terminal
from tests.postgres import running
from tests.requirements import requirement
from tests.support import Clock
from todowright import MemoryStore, TodoWrite, open_store
from todowright.cli import main
from todowright.cli.fleet_view import drawn
from todowright.tasks import Claims, fleet_of

pytestmark = requirement("003-10")


class Watched(MemoryStore):
    """A store whose clock a test can turn."""

    moment = 1_000_000.0

    def now(self) -> float:
        return self.moment


def tasks(store: Any, session: str = "release", **more: Any) -> TodoWrite:
    """Five tasks: one is held, one has failed, one is ready, one is blocked, one has a name."""
    todo = TodoWrite("tasks", store=store, session=session, **more)
    for subject in ("Build", "Break", "Test", "Ship", "Announce", "Plan"):
        todo({"subject": subject}, tool="TaskCreate")
    todo({"taskId": "4", "addBlockedBy": ["1", "3"]}, tool="TaskUpdate")
    todo({"taskId": "5", "owner": "cid"}, tool="TaskUpdate")
    todo({"taskId": "6", "status": "completed"}, tool="TaskUpdate")
    claims = Claims(todo.store, session, lease=60)
    assert claims.claim("ann") is not None
    lost = claims.claim("bob")
    assert lost is not None
    claims.fail(lost, "exit code 3")
    return todo


def test_each_task_is_in_one_state_and_says_whose_it_is() -> None:
    store = Watched()
    tasks(store)
    store.moment += 10
    found = {task.number: task for task in fleet_of(store).tasks}
    states = {number: task.state for number, task in found.items()}
    assert states == {
        1: "working",
        2: "failed",
        3: "ready",
        4: "blocked",
        5: "waiting",
        6: "done",
    }
    assert (found[1].owner, found[1].left) == ("ann", 50.0)
    assert found[1].since is not None
    assert fleet_of(store).now - found[1].since == timedelta(seconds=10)
    assert (found[2].owner, found[2].why) == ("bob", "exit code 3")
    assert found[4].blocked_by == ((1, "ann"), (3, ""))
    assert found[5].owner == "cid"


def test_a_renewed_lease_and_one_that_ran_out_are_told_by_the_stores_clock() -> None:
    store = Watched()
    TodoWrite("tasks", store=store)({"subject": "Build"}, tool="TaskCreate")
    claims = Claims(store, lease=60)
    mine = claims.claim("ann")
    assert mine is not None
    store.moment += 50
    claims.renew(mine)
    (task,) = fleet_of(store).tasks
    assert (task.state, task.left) == ("working", 60.0)
    store.moment += 61
    (task,) = fleet_of(store).tasks
    assert (task.state, task.left, task.owner) == ("silent", -1.0, "ann")


def test_in_other_plans_the_agent_has_all_its_steps_and_who_ended_has_none() -> None:
    store, clock = Watched(), Clock(step=timedelta(minutes=1))
    todo = TodoWrite("lean", store=store, session="auth", clock=clock)
    todo({"steps": ["Read", "Fix"]}, tool="plan")
    todo({"steps": ["Test"]}, tool="add")
    with todo.subagent("helper") as helper:
        helper({"steps": ["Search"]}, tool="plan")
        found = [(task.owner, task.subject, task.state) for task in fleet_of(store, "auth").tasks]
    assert found == [
        ("main", "Read", "working"),
        ("main", "Fix", "waiting"),
        ("main", "Test", "waiting"),
        (helper.plan.agent, "Search", "working"),
    ]
    assert [task.agent for task in fleet_of(store).tasks] == ["main"] * 3
    began = fleet_of(store).tasks[0].since
    assert began == store.history("auth", "main")[0].updated_at


@pytest.mark.parametrize("width", [20, 40, 60, 100, 160])
def test_no_line_is_wider_than_the_terminal_and_the_columns_hold(width: int) -> None:
    store = Watched()
    todo = tasks(store)
    todo({"subject": "写测试并且运行它们" * 9}, tool="TaskCreate")
    todo({"taskId": "3", "status": "in_progress", "owner": "a-worker-with-a-long-name.17"}, tool="TaskUpdate")  # fmt: skip
    tasks(store, "a session with a rather long name")
    lines = drawn(fleet_of(store), width).plain.split("\n")
    assert max(map(cell_len, lines)) <= width
    rows = [line for line in lines if re.match(r"  [●○✗⊘·?] #\d", line)]
    assert len(rows) == 11
    if width >= 60:
        assert any("60 s left" in line or "1 min left" in line for line in rows)
        assert any("by #1 ann, #3 " in line for line in rows)
        assert any(".17" in line for line in rows)
        notes = [cell_len(line[: line.index(word)]) for line in rows[:5]
                 for word in ("ann  ", "bob:", "by #1", "for cid") if word in line]  # fmt: skip
        assert len(set(notes)) == 1


def test_long_lists_are_cut_and_counted_unless_all_is_wanted() -> None:
    todo = TodoWrite("tasks", store=Watched())
    todo.update([f"Task {n}" for n in range(1, 1201)])
    for number in (1, 2):
        todo.complete(number)
    found = fleet_of(todo.store)
    lines = drawn(found, 80).plain.split("\n")
    assert lines[0] == "default  1,198 ready · 2 done"
    assert lines[-1] == "  … 1,188 more ready"
    assert len(lines) == 12
    assert len(drawn(found, 80, everything=True).plain.split("\n")) == 1201


def test_sessions_with_nothing_left_are_only_counted() -> None:
    store = Watched()
    for name in ("a", "b"):
        todo = TodoWrite("tasks", store=store, session=name)
        todo.add("x")
        todo.complete(1)
    assert drawn(fleet_of(store), 80).plain == "2 sessions with nothing left to do"
    assert drawn(fleet_of(store, "a"), 80).plain == "a  1 done"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str, int]:
    code = main(arguments)
    out, err = capsys.readouterr()
    return out, err, code


def test_a_pipe_gets_tabs_and_json_has_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"sqlite:///{tmp_path}/plans.db"
    tasks(url)
    out, err, code = run(capsys, "fleet", "--store", url)
    rows = [line.split("\t") for line in out.splitlines()]
    assert (err, code, {len(row) for row in rows}) == ("", 0, {10})
    assert [(row[2], row[3], row[5]) for row in rows] == [
        ("working", "1", "ann"), ("failed", "2", "bob"), ("ready", "3", ""), ("blocked", "4", ""), ("waiting", "5", "cid"),
    ]  # fmt: skip
    assert (rows[3][8], rows[1][9]) == ("1 3", "exit code 3")
    assert 0 < float(rows[0][7]) <= 60
    out, _, _ = run(capsys, "fleet", "--store", url, "--json", "--session", "release")
    (session,) = json.loads(out)["sessions"]
    assert session["counts"]["done"] == 1
    assert [task["state"] for task in session["tasks"]] == [row[2] for row in rows]
    out, _, _ = run(capsys, "fleet", "--store", url, "--all")
    assert len(out.splitlines()) == 6


def test_an_empty_store_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = f"sqlite:///{tmp_path}/plans.db"
    out, err, code = run(capsys, "fleet", "--store", url, "--session", "release")
    assert (out, code) == ("", 0)
    assert "Add one:  todowright tasks --session release 'Build the site'" in err
    assert "todowright worker --session release -- COMMAND" in err
    assert not (tmp_path / "plans.db").exists()
    out, err, code = run(capsys, "fleet", "--store", url, "--json")
    assert (json.loads(out)["sessions"], err, code) == ([], "", 0)


def test_what_a_task_says_cannot_break_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"sqlite:///{tmp_path}/plans.db"
    todo = TodoWrite("tasks", store=url)
    todo.add("evil \x1b]0;owned\x07\tx\ny", owner="a\tb")
    (line,) = run(capsys, "fleet", "--store", url)[0].splitlines()
    assert line.count("\t") == 9
    assert "\x1b" not in line


@pytest.mark.slow
@pytest.mark.parametrize("plain", [True, False])
def test_a_terminal_follows_it_while_workers_work(tmp_path: Path, plain: bool) -> None:
    url = f"sqlite:///{tmp_path}/plans.db"
    todo = TodoWrite("tasks", store=url, session="release")
    command = (str(BIN / "todowright"), "fleet", "--store", url, "--watch")
    terminal = Terminal(*command, columns=60, cwd=tmp_path, NO_COLOR="1" if plain else "")
    try:
        terminal.wait_for(lambda lines: any("No tasks in" in line for line in lines))
        todo({"subject": "Build"}, tool="TaskCreate")
        terminal.wait_for(lambda lines: "  ○ #1 Build  ready" in lines)
        claims = Claims(todo.store, "release", lease=60)
        mine = claims.claim("ann")
        assert mine is not None
        terminal.wait_for(lambda lines: any("● #1 Build  ann  for" in line for line in lines))
        claims.finish(mine)
        terminal.wait_for(lambda lines: "release  1 done" in lines)
        assert (b"\x1b[33m" in terminal.written) is not plain
    finally:
        terminal.interrupt()
        assert terminal.process.wait(30) == 0


@pytest.mark.slow
def test_a_pipe_that_follows_gets_a_line_of_json_for_each_change_and_none_for_a_heartbeat(
    tmp_path: Path,
) -> None:
    import subprocess

    url = f"sqlite:///{tmp_path}/plans.db"
    todo = TodoWrite("tasks", store=url, session="release")
    todo({"subject": "Build"}, tool="TaskCreate")
    command = [str(BIN / "todowright"), "fleet", "--store", url, "--watch", "--json", "--all"]
    watching = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    assert watching.stdout is not None
    try:
        seen = [json.loads(watching.stdout.readline())["sessions"][0]["tasks"][0]["state"]]
        claims = Claims(todo.store, "release", lease=60)
        mine = claims.claim("ann")
        assert mine is not None
        seen.append(json.loads(watching.stdout.readline())["sessions"][0]["tasks"][0]["state"])
        for _ in range(3):
            mine = claims.renew(mine)
        claims.finish(mine)
        seen.append(json.loads(watching.stdout.readline())["sessions"][0]["tasks"][0]["state"])
        assert seen == ["ready", "working", "done"]
    finally:
        watching.terminate()
        watching.communicate(timeout=30)


def test_tasks_are_added_shown_and_tried_again_from_a_shell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path}/plans.db"
    place = ("tasks", "--store", url, "--session", "release")
    assert "Add one:  todowright tasks --session release" in run(capsys, *place)[1]
    assert run(capsys, *place, "--chain", "Build", "Test")[0] == "#1 Build\n#2 Test\n"
    monkeypatch.setattr("sys.stdin", iter(["Ship\n", "\n", " Announce \n"]))
    out, _, _ = run(capsys, *place, "--blocked-by", "1, 2", "--description", "to all", "-")
    assert out == "#3 Ship\n#4 Announce\n"
    shown, _, code = run(capsys, *place)
    assert code == 0
    assert shown.splitlines() == [
        "#1 [pending] Build",
        "#2 [pending] Test [blocked by #1]",
        "#3 [pending] Ship [blocked by #1, #2]",
        "#4 [pending] Announce [blocked by #1, #2]",
    ]
    listed = json.loads(run(capsys, *place, "--json")[0])["tasks"]
    assert [task["id"] for task in listed] == ["1", "2", "3", "4"]
    _, err, code = run(capsys, *place, "--blocked-by", "9", "Late")
    assert (err, code) == ("todowright: Task #9 not found: the tasks are 1-4\n", 1)
    assert run(capsys, *place, "--retry")[1] == "Nothing has failed.\n"
    claims = Claims(url, "release")
    mine = claims.claim("ann")
    assert mine is not None
    claims.fail(mine, "exit code 3")
    assert claims.claim("bob") is None
    assert run(capsys, *place, "--retry")[0] == "#1 Build\n"
    assert claims.claim("bob") is not None


def test_who_adds_tasks_to_another_plan_is_told_what_it_is_now(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"sqlite:///{tmp_path}/plans.db"
    TodoWrite("lean", store=url)({"steps": ["Read"]}, tool="plan")
    place = ("tasks", "--store", url, "--session", "default")
    out, err, _ = run(capsys, *place, "Fix")
    assert out == "#2 Fix\n"
    assert err == "The plan of session default was in the dialect lean: its steps are tasks now.\n"
    assert run(capsys, *place)[0] == "#1 [in_progress] Read\n#2 [pending] Fix\n"


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A store's address: the file that commands find by themselves, or a database."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/.todowright/plans.db"
        return
    with running() as server:
        yield server.database()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "page"),
    [
        ("sqlite", "docs/fleet.md"),
        ("sqlite", "docs/zh/fleet.md"),
        ("postgres", "docs/fleet.md"),
    ],
    indirect=["place"],
)
def test_the_five_commands_of_the_page_lead_to_four_workers_and_a_list_that_is_done(
    page: str, place: str, tmp_path: Path
) -> None:
    text = (Path(__file__).parents[2] / page).read_text("utf-8")
    install, *commands = text.split("```sh\n")[1].split("```")[0].strip().split("\n")
    assert install.startswith("pip install")
    assert len(commands) == 4
    (tmp_path / ".git").mkdir()
    environ = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
    environ.pop("TODOWRIGHT_STORE", None)
    if place.startswith("postgresql:"):
        environ["TODOWRIGHT_STORE"] = place  # the one line that is different
    for command in commands:
        done = subprocess.run(
            ["bash", "-c", command.replace("sleep 3", "sleep 0.4")],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environ,
            timeout=120,
        )
        assert (done.returncode, done.stderr) == (0, "")
    assert len((tmp_path / "reports.txt").read_text("utf-8").splitlines()) == 6
    store = open_store(place)
    plan = store.load("reports", "main")
    assert plan.finished
    owners = {dict(task.extras)["owner"].rpartition(".")[2] for task in plan.todos}
    assert len(owners) > 1
    store.close()
