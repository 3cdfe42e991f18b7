"""The gate in the real hosts: no step is completed before the user's own command succeeds."""

from __future__ import annotations

from typing import Any

import pytest

from tests.hosts.conversation import Call
from tests.hosts.drive_hooks import switched_on
from tests.hosts.drivers import DRIVERS, Driver
from tests.hosts.machine import Machine
from tests.hosts.model import Model
from tests.hosts.scripts import done, plan
from todowright import Plan, open_store

GATE = "test -e ready || { echo '2 tests failed'; exit 1; }"
OWN: dict[str, tuple[str, dict[str, Any]]] = {
    "codex": ("update_plan", {"plan": [{"step": "Write it", "status": "completed"}]}),
    "opencode": (
        "todowrite",
        {"todos": [{"content": "Write it", "status": "completed", "priority": "high"}]},
    ),
    "gemini": ("write_todos", {"todos": [{"description": "Write it", "status": "completed"}]}),
    "qwen": ("todo_write", {"todos": [{"id": "1", "content": "Write it", "status": "completed"}]}),
}
MORE = {"gemini": ["--approval-mode", "yolo"]}


def stored(machine: Machine) -> Plan:
    store = open_store(f"sqlite:///{machine.project}/.todowright/plans.db")
    (session,) = store.sessions()
    plan = store.load(session, "main")
    store.close()
    return plan


def test_a_task_of_claude_code_stays_open_until_its_project_is_sound(
    machine: Machine, model: Model
) -> None:
    host = DRIVERS["claude"](machine)
    switched_on(host)
    machine.todowright("install", "claude", "--mirror", "--verify", GATE, "--yes")
    finish = [Call("TaskUpdate", {"taskId": "1", "status": "completed"})]
    create = [Call("TaskCreate", {"subject": "Write it", "description": "All of it"})]
    model.scripts |= {"own": [create, finish, "Enough."], "again": [finish, "Done."]}
    more = ["--allowedTools", "TaskCreate", "TaskUpdate"]
    host.run("Do it [[own]]", more=more)
    told = model.named("own")[-1].results[-1]
    assert "Not completed: `test -e ready" in told
    assert "failed (exit 1): 2 tests failed. Mend that" in told
    assert [todo.status for todo in stored(machine).todos] == ["pending"]
    (machine.project / "ready").touch()
    host.run("Go on [[again]]", resume=True, more=more)
    assert stored(machine).finished
    assert stored(machine).verified


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_a_step_of_our_own_tools_stays_open_until_its_project_is_sound(
    name: str, machine: Machine, model: Model
) -> None:
    host = DRIVERS[name](machine)
    machine.todowright("install", name, "--verify", GATE, "--yes")
    model.scripts["own"] = [plan("Write it", "Tell it"), done("Write it"), "Enough."]
    model.scripts["again"] = [done("Write it"), "Done."]
    host.run("Do it [[own]]")
    refused = next(each for each in model.named("own") if "2 tests failed" in each.text)
    assert "step 1 is not finished: `test -e ready" in refused.results[-1]
    assert stored(machine).progress == (0, 2)
    (machine.project / "ready").touch()
    host.run("Go on [[again]]", resume=True)
    assert stored(machine).progress == (1, 2)
    assert stored(machine).verified


@pytest.mark.parametrize("name", OWN)
def test_a_list_of_a_hosts_own_tool_is_refused_until_its_project_is_sound(
    name: str, machine: Machine, model: Model
) -> None:
    host: Driver = DRIVERS[name](machine)
    switched_on(host)
    machine.todowright("install", name, "--mirror", "--verify", GATE, "--yes")
    tool, arguments = OWN[name]
    model.scripts["own"] = model.scripts["again"] = [[Call(tool, arguments)], "Enough."]
    host.run("Do it [[own]]", more=MORE.get(name, []))
    assert "failed (exit 1): 2 tests failed" in model.named("own")[-1].results[-1]
    assert machine.plans() == {}
    (machine.project / "ready").touch()
    host.run("Go on [[again]]", more=MORE.get(name, []))
    assert stored(machine).finished
    assert stored(machine).verified
