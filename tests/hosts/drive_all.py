"""Every host: it connects with what is printed, plans, resumes, and keeps windows and agents apart."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.hosts.drivers import DRIVERS, Driver
from tests.hosts.machine import NODE, SECONDS, Machine
from tests.hosts.model import Model
from tests.hosts.scripts import STEPS, done, plan, window
from tests.hosts.wire import record

WIRE = NODE / "wire"

OURS = ["plan", "done", "add", "change", "drop"]
FINISHED = [
    ("Read the code", "completed"),
    ("Write the parser", "completed"),
    ("Add tests of the parser", "completed"),
    ("Update the docs", "completed"),
    ("Tell the user", "completed"),
]


@pytest.fixture(params=list(DRIVERS))
def host(request: pytest.FixtureRequest, machine: Machine) -> Driver:
    return DRIVERS[request.param](machine)


def plans(machine: Machine, at: Any = None) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Every plan of a project's store: the steps and their status."""
    return machine.plans(at)


def test_it_connects_with_what_is_printed_and_ten_calls_end_right(
    host: Driver, model: Model
) -> None:
    host.paste()
    host.run("Do it [[ten]]")
    first = model.named("ten")[-11]
    assert all(first.full_name(name) for name in OURS), first.tools
    (steps,) = plans(host.machine).values()
    assert sorted(steps) == sorted(FINISHED)


def test_it_is_installed_and_ten_calls_end_right(host: Driver, model: Model) -> None:
    host.install()
    host.run("Do it [[ten]]")
    assert "5/5 done" in model.named("ten")[-1].results[-1]
    (steps,) = plans(host.machine).values()
    assert sorted(steps) == sorted(FINISHED)
    assert not (host.machine.folder / "hook.log").exists()


def test_a_resumed_conversation_finds_its_plan(host: Driver, model: Model) -> None:
    host.install()
    host.run("Do it [[two]]")
    host.run("Go on [[more]]", resume=True)
    assert "2/4 done. Now: Add tests" in model.named("more")[-1].results[-1]
    assert len(plans(host.machine)) == 1


def test_a_host_that_was_killed_finds_the_plan_again(host: Driver, model: Model) -> None:
    model.scripts["two"] = [plan(*STEPS), done("Read the code"), "WAIT"]
    host.install()
    process = host.start("Do it [[two]]")
    assert model.waited(SECONDS), "it never came to its third turn"
    host.machine.kill(process)
    host.run("Go on [[more]]", resume=True)
    assert "2/4 done. Now: Add tests" in model.named("more")[-1].results[-1]
    assert len(plans(host.machine)) == 1


def test_a_sub_agent_plans_and_its_parents_plan_is_untouched(host: Driver, model: Model) -> None:
    model.scripts["parent"] = [
        plan(*STEPS),
        *host.agent_turns("Look around [[child]]"),
        done("Read the code"),
        "I am done.",
    ]
    model.scripts["child"] = [plan("Look left", "Look right"), done("Look left"), "I have looked."]
    host.install()
    host.run("Do it [[parent]]")
    assert model.named("child"), model.named("parent")[-1].tools
    found = {agent: steps for (_, agent), steps in plans(host.machine).items()}
    assert found.pop("main") == list(
        zip(STEPS, ["completed", "in_progress", "pending", "pending"], strict=True)
    )
    assert list(found.values()) == [[("Look left", "completed"), ("Look right", "in_progress")]]


def test_three_windows_in_two_repositories_keep_apart(host: Driver, model: Model) -> None:
    machine = host.machine
    other = machine.new_project("barn")
    host.install()
    host.first_start()
    windows = {"red": machine.project, "green": machine.project, "blue": other}
    for mark in windows:
        model.scripts[mark] = window(mark)
    started = [host.start(f"Do it [[{mark}]]", at=at) for mark, at in windows.items()]
    said = [process.communicate(timeout=240) for process in started]
    for process, (out, err) in zip(started, said, strict=True):
        assert process.returncode == 0, (out[-1000:], err[-1000:])
    for mark, at in windows.items():
        found = [steps for steps in plans(machine, at).values() if mark in steps[0][0]]
        assert found == [[(f"{mark} step {number}", "completed") for number in range(1, 10)]]
    assert len(plans(machine)) == 2
    assert len(plans(machine, other)) == 1


def test_what_the_model_sees_of_us_is_recorded(host: Driver, model: Model) -> None:
    """`python -m tests.hosts.wire` makes the tables of the docs from these records."""
    host.paste()
    host.run("Do it [[two]]")
    last = model.named("two")[-1]
    found = record(last.definitions, last.text, last.results)
    assert found["definitions"]
    assert "1/4 done. Now: Write the parser" in found["replies"][1]
    WIRE.mkdir(exist_ok=True)
    (WIRE / f"{host.name}.json").write_text(json.dumps(found))
