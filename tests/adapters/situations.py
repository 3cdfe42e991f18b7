"""Situations that are the same for every framework, inside the real package with a scripted model.

`make adapters` runs them. The file has no `test_` in its name: the default suite has no framework to run them in.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.adapters.driver import Call, Driver, Outcome, Script, Turn
from todowright import Edit, Plan, TodoWrite, open_store
from todowright.adapters.frameworks import MissingPart, framework

THREAD = "thread 1/of user"
LOOK: Call = ("look", {})


def steps(*names: str) -> Call:
    return "plan", {"steps": list(names)}


def done(*names: str) -> Call:
    return "done", {"finished": list(names)}


KEPT: list[Any] = []
"""All objects that were made: a driver may know them by their `id`, which is not to be given twice."""


def made(driver: Driver, store: str, **settings: Any) -> Any:
    """The adapter's object; it says, where it is made, which parts the framework has no place for."""
    plan = made_now(driver, store, **settings)
    KEPT.append(plan)
    return plan


def made_now(driver: Driver, store: str, **settings: Any) -> Any:
    row = framework(driver.name)
    missing = [part for part in ("tail", "guard", "streaming") if not row.allows(part)]  # type: ignore[arg-type]
    if not missing:
        return driver.make(store, **settings)
    with pytest.warns(MissingPart) as said:
        plan = driver.make(store, **settings)
    assert all(any(f"['{part}']" in str(each.message) for each in said) for part in missing)
    return plan


def plan_of(driver: Driver, store: str, thread: str = THREAD) -> Plan:
    """The one plan of a thread's main agent, whatever the framework calls that one."""
    found = open_store(store).plans(driver.session(thread))
    (main,) = (plan for plan in found if "/" not in plan.agent)
    return main


def contents(plan: Plan) -> list[tuple[str, str]]:
    return [(todo.content, str(todo.status)) for todo in plan.todos]


def has_tail(driver: Driver) -> bool:
    return framework(driver.name).allows("tail")


def check_events(driver: Driver, outcome: Outcome, *kinds: tuple[str, str]) -> None:
    """What became of the steps, as the framework's own stream tells it."""
    if not framework(driver.name).allows("streaming"):
        return
    told = [
        (item["content"], kind)
        for event in outcome.events
        for item in event["changed"]
        for kind in item["kinds"]
    ]
    assert told == list(kinds), outcome.events


def test_a_good_list_is_kept_shown_in_each_request_and_told_in_the_stream(
    driver: Driver, store: str
) -> None:
    plan = made(driver, store)
    script = Script([[steps("Read", "Fix")], [LOOK], [done("Read", "Fix")], "All is done."])
    outcome = driver.run(plan, script)
    assert outcome.answer == "All is done."
    assert contents(plan_of(driver, store)) == [("Read", "completed"), ("Fix", "completed")]
    assert outcome.replies[0].startswith("OK.")
    assert {"plan", "done", "look"} <= set(outcome.requests[0].tools)
    if has_tail(driver):
        assert "1. Read - NOW" in outcome.requests[1].end
        assert "1. Read - NOW" in outcome.requests[2].end
        assert "Plan: " not in outcome.requests[3].whole, "a finished plan takes no place"
        assert "Plan: " not in "\n".join(outcome.history)
    check_events(
        driver,
        outcome,
        ("Read", "created"),
        ("Read", "started"),
        ("Fix", "created"),
        ("Read", "completed"),
        ("Fix", "completed"),
    )


def test_the_system_prompt_tells_once_and_always_when_to_plan(driver: Driver, store: str) -> None:
    turns: list[Turn] = [[steps("Read", "Fix")], [LOOK], [done("Read", "Fix")], "Done."]
    outcome = driver.run(made(driver, store), Script(turns))
    said = "When a task takes several steps"
    told = [f"{each.system}\n{each.whole}".count(said) for each in outcome.requests]
    assert told == [1] * len(turns)


@pytest.mark.parametrize(("wrong", "meant"), [("witout", "without"), ("ask_agian", "ask_again")])
def test_a_setting_that_is_misspelt_is_refused_with_the_one_that_was_meant(
    driver: Driver, wrong: str, meant: str
) -> None:
    with pytest.raises(TypeError, match=f"no setting is called '{wrong}': did you mean {meant}"):
        made(driver, "memory:", **{wrong: []})


def test_without_events_the_plan_is_kept_and_the_stream_tells_nothing_of_it(
    driver: Driver, store: str
) -> None:
    outcome = driver.run(
        made(driver, store, event=None), Script([[steps("Read")], [done("Read")], "Done."])
    )
    assert outcome.answer == "Done."
    assert outcome.events == []
    assert contents(plan_of(driver, store)) == [("Read", "completed")]


def test_a_refused_list_changes_nothing_and_says_in_one_line_what_to_do(
    driver: Driver, store: str
) -> None:
    plan = made(driver, store)
    wrong: Call = ("done", {"finished": ["Deploy"]})
    script = Script([[steps("Read", "Fix")], [wrong], [done("Read", "Fix")], "Done."])
    outcome = driver.run(plan, script)
    refusal = outcome.replies[1]
    assert "there is no step 'Deploy'" in refusal
    assert "\n" not in refusal.strip()
    assert contents(plan_of(driver, store)) == [("Read", "completed"), ("Fix", "completed")]
    assert plan_of(driver, store).revision == 2


def test_a_second_list_keeps_what_was_done(driver: Driver, store: str) -> None:
    plan = made(driver, store)
    turns: list[Turn] = [
        [steps("Read", "Fix")],
        [done("Read")],
        [steps("Read", "Fix", "Ship")],
        [done("Fix", "Ship")],
        "Done.",
    ]
    outcome = driver.run(plan, Script(turns))
    assert [todo.number for todo in plan_of(driver, store).todos] == [1, 2, 3]
    if has_tail(driver):
        assert "Plan: 1 of 3 done." in outcome.requests[3].end


def test_calls_of_one_turn_run_in_their_order(driver: Driver, store: str) -> None:
    plan = made(driver, store, ask_again=0)
    added: list[Call] = [("add", {"step": f"Step {n}", "where": "end"}) for n in range(11)]
    outcome = driver.run(plan, Script([[steps("Begin"), *added, LOOK], "Enough."]))
    names = [todo.content for todo in plan_of(driver, store).todos]
    assert names == ["Begin", *(f"Step {n}" for n in range(11))]
    assert [reply.split()[0] for reply in outcome.replies] == [
        "OK.",
        *(f"0/{n} done.".split()[0] for n in range(2, 13)),
    ]


def test_a_sub_agent_has_a_plan_of_its_own(driver: Driver, store: str) -> None:
    if not framework(driver.name).allows("subagents"):
        pytest.skip("the table says that it has none")
    plan = made(driver, store)
    turns: list[Turn] = [
        [steps("Delegate", "Report")],
        [("delegate", {"task": "Look into it"})],
        [done("Delegate", "Report")],
        "Over.",
    ]
    child: list[Turn] = [[steps("Child step")], [LOOK], [done("Child step")], "The child is done."]
    outcome = driver.run(plan, Script(turns, child=child))
    assert outcome.answer == "Over."
    assert contents(plan_of(driver, store)) == [("Delegate", "completed"), ("Report", "completed")]
    assert len(outcome.child_requests) == 4
    for request in outcome.child_requests:
        assert "Delegate" not in request.whole, "the parent's plan is not the child's"
    for request in outcome.requests:
        assert "Child step" not in request.whole, "the child's plan is not the parent's"
    if has_tail(driver):
        assert "1. Child step - NOW" in outcome.child_requests[1].end
        assert "1. Child step - NOW" in outcome.child_requests[2].end


def test_a_new_process_goes_on_with_the_plan_of_the_thread(driver: Driver, store: str) -> None:
    environ = {**os.environ, "FRAMEWORK": driver.name, "STORE": store}
    first = subprocess.run(
        [sys.executable, "-m", "tests.adapters.first_process"],
        env=environ,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert first.returncode == 7, first.stderr  # it died in the middle, after the plan was saved
    assert contents(plan_of(driver, store)) == [("Read", "completed"), ("Fix", "in_progress")]
    outcome = driver.run(made(driver, store), Script([[done("Fix")], "Done."], task="Go on"))
    assert contents(plan_of(driver, store)) == [("Read", "completed"), ("Fix", "completed")]
    if has_tail(driver):
        assert "2. Fix - NOW" in outcome.requests[0].end


def test_two_threads_at_once_have_two_plans(driver: Driver, store: str) -> None:
    plan = made(driver, store)

    def work(thread: str) -> Outcome:
        turns: list[Turn] = [[steps(f"{thread} one", f"{thread} two")], [LOOK]]
        return driver.run(
            plan, Script([*turns, [done(f"{thread} one", f"{thread} two")], "Done."], thread=thread)
        )

    threads = ["thread-A", "thread-B"]
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(work, threads))
    for thread, other, outcome in zip(threads, reversed(threads), outcomes, strict=True):
        assert contents(plan_of(driver, store, thread)) == [
            (f"{thread} one", "completed"),
            (f"{thread} two", "completed"),
        ]
        assert not any(other in request.whole for request in outcome.requests)
        assert not any(other in json.dumps(event) for event in outcome.events)


def test_a_reminder_comes_when_much_was_done_and_the_plan_did_not_move(
    driver: Driver, store: str
) -> None:
    plan = made(driver, store, remind_after=3)
    outcome = driver.run(
        plan, Script([[steps("Read")], [LOOK, LOOK], [LOOK], [LOOK], [done("Read")], "Done."])
    )
    reminded = [
        number
        for number, request in enumerate(outcome.requests)
        if "Still on step 1: Read?" in request.end
    ]
    assert reminded == [3], [request.end for request in outcome.requests]
    if has_tail(driver):
        assert "Still on step" not in "\n".join(outcome.history)


def test_a_final_answer_with_open_steps_is_sent_back_and_then_taken(
    driver: Driver, store: str
) -> None:
    plan = made(driver, store, ask_again=2)
    outcome = driver.run(
        plan, Script([[steps("Read", "Fix")], "Finished!", [done("Read")], "Truly!", "I stop."])
    )
    if not framework(driver.name).allows("guard"):
        assert outcome.answer == "Finished!"
        return
    assert outcome.answer == "I stop."
    assert "Open steps: 1. Read; 2. Fix." in outcome.requests[2].whole
    assert "Open steps: 2. Fix." in outcome.requests[4].whole
    again = driver.run(plan, Script(["Nothing to add.", "Nothing.", "No."], task="And?"))
    assert again.answer == "No.", "a new run counts anew"


def test_the_plan_is_still_there_when_the_framework_made_its_context_smaller(
    driver: Driver, store: str
) -> None:
    can = framework(driver.name).compaction
    if can != "yes":
        pytest.skip(f"as the table says: {can}")
    plan = made(driver, store)
    names = [f"Part {n}" for n in range(8)]
    work = [[LOOK]] * 6
    finish = [[done(name)] for name in names]
    outcome = driver.run(
        plan, Script([[steps(*names)], *work, "All is well!", *finish, "Done."], compact=True)
    )
    assert outcome.answer == "Done.", "it did not end with eight of eight open"
    later = outcome.requests[1:]
    assert any("Part 7" not in "\n".join(request.texts[:-1]) for request in later), (
        "the list was compacted away"
    )
    for request in later[:-1]:
        assert "Part 7" in request.whole
    assert all(status == "completed" for _, status in contents(plan_of(driver, store)))


def test_it_runs_in_an_event_loop_too(driver: Driver, store: str) -> None:
    plan = made(driver, store, ask_again=0)
    added: list[Call] = [("add", {"step": f"Step {n}", "where": "end"}) for n in range(11)]

    async def both() -> list[Outcome]:
        scripts = [
            Script([[steps("Begin"), *added], [LOOK], "Enough."], thread=name)
            for name in ("loop-one", "loop-two")
        ]
        return await asyncio.gather(*(driver.arun(plan, script) for script in scripts))

    for outcome, thread in zip(asyncio.run(both()), ("loop-one", "loop-two"), strict=True):
        names = [todo.content for todo in plan_of(driver, store, thread).todos]
        assert names == ["Begin", *(f"Step {n}" for n in range(11))]
        assert outcome.answer == "Enough."
        if has_tail(driver):
            assert "Plan: 0 of 12 done." in outcome.requests[1].end


def test_what_a_person_did_meanwhile_is_told_once_and_not_undone(
    driver: Driver, store: str
) -> None:
    plan = made(driver, store)

    def edit() -> None:
        found = plan_of(driver, store)
        with TodoWrite(store=store, session=found.session, agent=found.agent) as person:
            person.edit([Edit("add", text="Ask the customer")])

    turns: list[Turn] = [
        [steps("Read", "Fix")],
        [LOOK],
        [done("Read", "Fix")],
        [done("Ask the customer")],
        "Done.",
    ]
    outcome = driver.run(plan, Script(turns, at_request={1: edit}))
    assert contents(plan_of(driver, store)) == [
        ("Read", "completed"),
        ("Fix", "completed"),
        ("Ask the customer", "completed"),
    ]
    told = [
        number
        for number, request in enumerate(outcome.requests)
        if "added" in request.whole and "customer" in request.whole
    ]
    assert told, [request.texts for request in outcome.requests]
    assert told[0] == 2, "with the request after the edit"
