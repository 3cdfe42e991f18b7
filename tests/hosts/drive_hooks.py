"""What hooks do in the real hosts: the plan after a compaction, the question at a stop, the host's own plan."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from tests.hosts.conversation import Call
from tests.hosts.drivers import DRIVERS, Claude, Codex, Driver, OpenCode
from tests.hosts.machine import ROOT, Machine
from tests.hosts.model import Model
from tests.hosts.scripts import STEPS, done, plan

STANDS = "Your plan, 1 of 4 done. It is decided: go on with it as it is.\nDone, not to be done again: Read the code\nNow: Write the parser\nOpen: Add tests"
PLUGIN = "the folder"
QUESTION = "Your plan has open steps"


def test_claude_code_is_given_the_plan_after_a_compaction(machine: Machine, model: Model) -> None:
    host = Claude(machine)
    host.install()
    host.run("Do it [[two]]")
    host.run("/compact", resume=True)
    summing = next(each for each in model.seen if each.sums_up)
    assert "Keep in the summary where the plan stands" in summing.text
    host.run("Go on [[more]]", resume=True)
    first = model.named("more")[0]
    assert STANDS in first.text
    assert "The summary of the work so far." in first.text
    assert "2/4 done. Now: Add tests" in model.named("more")[-1].results[-1]


def test_codex_is_given_the_plan_after_a_compaction(machine: Machine, model: Model) -> None:
    host = Codex(machine)
    host.config.write_text("model_auto_compact_token_limit = 100000\n" + host.config.read_text())
    host.install()
    model.scripts["more"] = [done("Write the parser"), done("Write the parser"), "Enough."]
    host.run("Do it [[two]]")
    model.long = 1
    host.run("Go on [[more]]", resume=True)
    assert [each for each in model.seen if each.sums_up]
    last = model.named("more")[-1].text
    assert "The summary of the work so far." in last
    assert "Your plan, 2 of 4 done. It is decided" in last


def test_opencode_is_given_the_plan_after_a_compaction(machine: Machine, model: Model) -> None:
    host = OpenCode(machine)
    host.install()
    host.run("Do it [[two]]")
    model.long = 1
    host.run("Go on [[more]]", resume=True)
    (summing,) = [each for each in model.seen if each.sums_up]
    assert "Keep in the summary where the plan stands" in summing.text
    assert "It is decided: go on with it as it is." in model.seen[-1].text


@pytest.mark.parametrize("name", ["claude", "codex", "gemini", "qwen"])
def test_open_steps_are_asked_about_once_and_not_at_every_turn(
    name: str, machine: Machine, model: Model
) -> None:
    host = DRIVERS[name](machine)
    host.install()
    host.run("Do it [[two]]")
    asked = [each for each in model.named("two") if QUESTION in each.text]
    assert len(asked) == 1
    host.run("Go on [[more]]", resume=True)
    assert len(model.named("more")) == 2  # the call, and the end: nobody asked again


OWN: dict[str, tuple[str, dict[str, Any]]] = {
    "claude": ("TaskCreate", {"subject": "Write it", "description": "All of it"}),
    "codex": ("update_plan", {"plan": [{"step": "Write it", "status": "pending"}]}),
    "opencode": (
        "todowrite",
        {"todos": [{"content": "Write it", "status": "pending", "priority": "high"}]},
    ),
    "qwen": ("todo_write", {"todos": [{"id": "1", "content": "Write it", "status": "pending"}]}),
}


def switched_on(host: Driver) -> None:
    """Have the host offer its own plan tool."""
    if isinstance(host, Codex):
        host.config.write_text(host.config.read_text() + "\n[tools.update_plan]\nenabled = true\n")
    elif host.name == "qwen":
        path = host.machine.home / ".qwen/settings.json"
        own = {
            "tools": {"todoWrite": {"enabled": True}},
            "security": {"auth": {"selectedType": "openai"}},
        }
        host.machine.write(path, own)
    host.env |= {"CLAUDE_CODE_ENABLE_TODO_TOOLS": "1", "ENABLE_TOOL_SEARCH": "false"}


@pytest.mark.parametrize("name", OWN)
def test_the_hosts_own_plan_is_written_down_while_its_tool_stays(
    name: str, machine: Machine, model: Model
) -> None:
    host = DRIVERS[name](machine)
    switched_on(host)
    machine.todowright("install", name, "--mirror", "--yes")
    tool, arguments = OWN[name]
    model.scripts["own"] = [[Call(tool, arguments)], "It is planned."]
    host.run("Do it [[own]]", more=["--allowedTools", "TaskCreate"] if name == "claude" else [])
    assert not any("todowright" in each for each in model.named("own")[-1].tools)
    assert list(machine.plans().values()) == [[("Write it", "pending")]]


COMMANDS = {
    "claude": (
        ["claude", "plugin", "validate", PLUGIN],
        ["claude", "plugin", "marketplace", "add", PLUGIN],
        ["claude", "plugin", "install", "todowright@todowright-local"],
    ),
    "codex": (
        ["codex", "plugin", "marketplace", "add", PLUGIN],
        ["codex", "plugin", "add", "todowright@todowright-local"],
    ),
    "qwen": (["qwen", "extensions", "install", f"{PLUGIN}:todowright", "--consent"],),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_hosts_own_commands_install_the_same_folder(
    name: str, machine: Machine, model: Model
) -> None:
    host = DRIVERS[name](machine)
    if name == "qwen":  # what its user says yes to
        own = {"security": {"auth": {"selectedType": "openai"}}}
        settings = {**own, "permissions": {"allow": ["mcp__todowright"]}}
        machine.write(machine.home / ".qwen/settings.json", settings)
    copied = machine.folder / "plugin"  # Qwen works in the folder that it is given
    shutil.copytree(ROOT / "hosts" / "plugin", copied)
    for command in COMMANDS[name]:
        ran = host.run_command([each.replace(PLUGIN, str(copied)) for each in command])
        assert ran.code == 0, (ran.out, ran.err)
    host.run("Do it [[two]]")
    assert [each for each in model.named("two") if QUESTION in each.text]
    ((_, agent), steps), *others = machine.plans().items()
    assert (agent, steps[0], others) == ("main", ("Read the code", "completed"), [])


def test_codex_has_the_tools_in_its_first_request_twenty_times_of_twenty(
    machine: Machine, model: Model
) -> None:
    host = Codex(machine)
    host.paste()
    model.scripts["one"] = [plan(*STEPS), "That is all."]
    for _ in range(20):
        host.run("Do it [[one]]")
    firsts = [each for each in model.named("one") if each.spoken == 0]
    held = [each for each in firsts if each.full_name("plan")]
    assert (len(held), len(firsts)) == (20, 20)
