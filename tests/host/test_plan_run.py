"""A loop of one's own with the host object, and what it promises to every adapter."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from todowright import (
    Edit,
    MemoryStore,
    Plan,
    PlanHost,
    PlanRun,
    Reply,
    Todo,
    TodoWrite,
    UnknownName,
    load_dialect,
    read_plan,
)
from todowright.host import plan_event, plan_rows
from todowright.stores.receipt import LateReceipt

STEPS = {"steps": ["Read", "Fix"]}


@pytest.fixture(params=["memory:", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return "memory:" if request.param == "memory:" else f"sqlite:///{tmp_path}/plans.db"


def planned(store: str = "memory:", **settings: Any) -> PlanRun:
    run = PlanHost(store=store, **settings).begin("thread")
    run.answer([("plan", STEPS, "call-1")])
    return run


def test_a_loop_of_ones_own_needs_four_things_of_it(store: str) -> None:
    run = PlanHost(store=store).begin("thread")
    assert [tool.name for tool in run.tools] == ["plan", "done", "add", "change", "drop"]
    assert run.names == {tool.name for tool in run.tools}
    assert run.prompt == TodoWrite().prompt
    assert run.before_request() == ""
    replies = run.answer([("plan", STEPS, "1"), ("done", {"finished": ["Read"]}, "2")])
    assert [reply.text for reply in replies] == ["OK.", "1/2 done. Now: Fix"]
    run.after_turn(["plan", "done"])
    assert run.before_request() == "Plan: 1 of 2 done.\n2. Fix - NOW"
    decision = run.at_end()
    assert (decision.kind, decision.text) == (
        "continue",
        "<reminder>Open steps: 2. Fix. Finish them, or say why not.</reminder>",
    )
    run.answer([("done", {"finished": ["Fix"]}, "3")])
    assert run.at_end().kind == "accept"
    assert run.before_request() == ""


class Counting(MemoryStore):
    """Counts how often a plan is asked for."""

    loads = 0

    def load(self, session: str, agent: str) -> Plan:
        self.loads += 1
        return super().load(session, agent)


def test_the_store_is_asked_once_for_a_request_and_once_for_a_call() -> None:
    store = Counting()
    run = PlanHost(store=store).begin("thread")
    run.answer([("plan", STEPS, "1")])
    before = store.loads
    run.after_turn(["plan"])
    assert store.loads == before
    run.before_request()
    assert store.loads == before + 1
    run.call("done", {"finished": ["Read"]}, "2")
    assert store.loads == before + 2


def test_a_call_that_comes_again_gets_the_reply_that_it_had_whatever_became_of_that() -> None:
    todo = TodoWrite()
    first = todo(STEPS, tool="plan", call_id="1")
    told = first.to_dict()
    first.text, first.structured = "changed by the host", {"todos": []}
    todo({"finished": ["Read"]}, tool="done", call_id="2")
    assert todo(STEPS, tool="plan", call_id="1").to_dict() == told


def test_a_call_that_comes_again_is_told_by_the_arguments_that_it_came_with() -> None:
    todo, given = TodoWrite(), {"steps": ["Read"]}
    first = todo(given, tool="plan", call_id="1").text
    given["steps"].append("Ship")  # its caller goes on with the same list
    assert todo({"steps": ["Read"]}, tool="plan", call_id="1").text == first
    assert todo.plan.revision == 1
    todo(given, tool="plan", call_id="1")
    assert todo.plan.revision == 2


def test_what_people_and_programs_see_of_a_reply_is_its_own_revision_whenever_they_look() -> None:
    todo = TodoWrite()
    first = todo(STEPS, tool="plan", call_id="1")
    other = todo({"finished": ["Read"]}, tool="done", call_id="2")
    assert "Read - NOW" in first.display
    assert "Read - done" in other.display
    assert [step["content"] for step in first.data["steps"]] == STEPS["steps"]
    first.display = "changed by the host"
    assert "Read - NOW" in todo(STEPS, tool="plan", call_id="1").display
    third = todo({"step": "Ship"}, tool="add")
    third.structured = {"changed": "by the host"}
    assert "Ship" in third.display
    assert copy.copy(other) == pickle.loads(pickle.dumps(other)) == other
    with pytest.raises(AttributeError, match="no attribute 'colour'"):
        other.colour  # type: ignore[attr-defined]  # noqa: B018


def test_a_dialects_own_kind_of_reply_is_kept_under_the_calls_id_whatever_it_is_made_of() -> None:
    class Own(Reply):
        def __init__(self, text: str) -> None:
            super().__init__(text, "shown", dict)

    base = load_dialect("checklist")
    todo = TodoWrite(replace(base, name="own", accept=lambda *_: Own("Kept.")))
    given = {"items": [{"content": "A", "status": "pending", "activeForm": "A"}]}
    for _ in range(2):
        assert todo(given, call_id="1").text == "Kept."
    assert todo.plan.revision == 1


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            {"remind": 3},
            "no setting is called 'remind': did you mean remind_after? use store, tail",
        ),
        ({"dialect": "sqlite:///plans.db"}, "is a store, not a dialect: use store='sqlite"),
        ({"dialect": "memory:"}, "'memory:' is a store, not a dialect: use store='memory:'"),
    ],
)
def test_a_setting_that_there_is_not_is_told_with_those_that_there_are(
    given: dict[str, Any], told: str
) -> None:
    with pytest.raises((TypeError, UnknownName)) as refused:
        PlanHost(**given)
    assert told in str(refused.value)


def test_a_receipt_in_memory_is_read_by_several_threads_at_once() -> None:
    class Meanwhile:
        """When it is looked at whether it is the text, another thread has just made that."""

        def __call__(self) -> str:
            return "made"

        @property  # type: ignore[misc]
        def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride]
            object.__setattr__(late, "_reply", "made")
            return Meanwhile

    late = LateReceipt("s", "a", "1", "digest", Meanwhile())
    assert (late.digest, late.reply) == ("digest", "made")


@pytest.mark.parametrize("kept_in", ["memory", "sqlite"])
def test_a_display_that_fails_costs_no_plan(kept_in: str, tmp_path: Path) -> None:
    class Parts:
        def __call__(self) -> dict[str, Any]:
            return {}

        def display(self) -> str:
            raise ZeroDivisionError

    own = replace(
        load_dialect("checklist"), name="own", accept=lambda *_: Reply.late("Kept.", Parts())
    )
    store = "memory:" if kept_in == "memory" else f"sqlite:///{tmp_path}/plans.db"
    todo = TodoWrite(own, store=store)
    given = {"items": [{"content": "A", "status": "pending", "activeForm": "A"}]}
    for _ in range(2):
        assert todo(given, call_id="1").text == "Kept."
    assert todo.plan.revision == 1
    todo.close()


def test_a_request_that_is_made_again_is_given_the_same_text() -> None:
    run = planned(remind_after=1)
    run.after_turn(["look"])  # seen
    run.after_turn(["look"])
    with TodoWrite(store=run.todo.store, session="thread") as person:
        person.edit([Edit("add", text="Ask")])
    first = run.before_request()
    assert "Ask" in first.splitlines()[0]
    assert first.splitlines()[1].startswith("<reminder>Still on step 1: Read?")
    assert run.before_request() == first
    run.after_turn(["look"])
    assert run.before_request() == "Plan: 0 of 3 done.\n1. Read - NOW\n2. Fix - NEXT\n3. Ask"


def test_a_turn_that_is_told_twice_counts_once() -> None:
    run = planned(remind_after=2)
    run.after_turn(["plan"], turn="a")
    for _ in range(5):
        run.after_turn(["look"], turn="b")
    assert "<reminder>" not in run.before_request()
    run.after_turn(["look"], turn="c")
    assert "<reminder>Still on step 1: Read?" in run.before_request()


def test_the_parts_can_be_turned_off() -> None:
    run = planned(tail=False, remind_after=0, ask_again=0)
    for _ in range(50):
        run.after_turn(["look"])
    assert run.before_request() == ""
    assert run.at_end().kind == "accept"


def test_a_dialect_with_reminders_by_rounds_has_those() -> None:
    run = PlanHost("checklist").begin("thread")
    assert run.before_request() == "<reminder>Use TodoWrite for multi-step tasks.</reminder>"
    for _ in range(10):
        run.after_turn(["look"])
        assert run.before_request() == ""
    run.after_turn(["look"])
    assert "10+ turns without todo update" in run.before_request()


def test_calls_that_come_one_by_one_belong_to_one_turn_until_the_next_request(store: str) -> None:
    run = PlanHost(store=store).begin("thread")
    assert run.call("plan", STEPS, "1").text == "OK."
    assert run.call("plan", {"steps": ["Read", "Fix", "Ship"]}, "2").text == "0/3 done."
    told = "<reminder>You sent several whole lists at once: the last one stands.</reminder>"
    assert run.before_request().splitlines()[0] == told
    assert told in run.before_request(), "a request that is made again says it again"
    run.after_turn(["plan", "plan"])
    assert told not in run.before_request()
    assert run.call("done", {"finished": ["Read"]}, "3").text == "1/3 done. Now: Fix"


def test_a_call_that_comes_again_gets_the_reply_it_had(store: str) -> None:
    run = planned(store)
    add = ("add", {"step": "Ship", "where": "end"}, "call-2")
    first = run.call(*add)
    assert run.call(*add).text == first.text
    again = PlanHost(store=run.todo.store).begin("thread")  # as after a crash
    assert again.call(*add).text == first.text
    assert len(run.todo.plan.todos) == 3


def test_a_server_that_counts_its_calls_anew_in_each_answer_does_not_repeat_itself() -> None:
    run = planned()
    other = ("plan", {"steps": ["Buy milk"]}, "call_0")
    told = []
    for _ in range(3):
        run.before_request()
        told.append(run.call(*other).text)
        run.after_turn(["plan"])
    assert told[0].startswith("Error: that would drop")
    assert told[1].startswith("0/1 done. Now: Buy milk. Dropped")
    assert told[2] != told[1]


def test_awaited_calls_are_made_in_the_order_in_which_they_began(store: str) -> None:
    run = planned(store)

    async def turn() -> list[str]:
        adds = [run.acall("add", {"step": f"Step {n}", "where": "end"}) for n in range(20)]
        replies = await asyncio.gather(*adds)
        text = await run.aside(run.before_request)
        assert text.startswith("Plan: 0 of 22 done.")
        await run.aanswer(
            [("done", {"finished": ["Read"]}, None), ("done", {"finished": ["Fix"]}, None)]
        )
        return [reply.text for reply in replies]

    assert asyncio.run(turn()) == [f"0/{n} done." for n in range(3, 23)]
    assert [todo.content for todo in run.todo.plan.todos][2:] == [f"Step {n}" for n in range(20)]
    assert run.todo.plan.progress == (2, 22)


def test_an_async_check_of_a_step_is_awaited(store: str) -> None:
    async def passes(step: Todo) -> bool | str:
        await asyncio.sleep(0)
        return step.number == 1 or "the tests fail"

    run = PlanHost(store=store, verify=passes).begin("thread")

    async def turn() -> list[str]:
        await run.acall("plan", STEPS)
        one = await run.acall("done", {"finished": ["Read"]})
        (two,) = await run.aanswer([("done", {"finished": ["Fix"]}, None)])
        return [one.text, two.text]

    assert asyncio.run(turn()) == [
        "1/2 done. Now: Fix",
        "Error: step 2 is not finished: the tests fail",
    ]


def test_changes_are_told_once_whoever_made_them() -> None:
    run = planned()
    (change,) = run.changes()
    assert run.changes() == []
    with TodoWrite(store=run.todo.store, session="thread") as person:
        person.edit([Edit("complete", 1)])
    event = plan_event(run.changes()[0])
    assert event["changed"] == [{"step": 1, "content": "Read", "kinds": ["completed"]}]
    assert event["todos"] == [
        {"content": "Read", "status": "completed"},
        {"content": "Fix", "status": "pending"},
    ]
    assert (event["type"], event["session"], event["agent"]) == ("plan", "thread", "main")
    assert plan_rows(change.plan.todos)[0] == {"content": "Read", "status": "in_progress"}


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("ag-ui", lambda event: event["content"]["steps"]),
        ("acp", lambda event: event["params"]["update"]["entries"]),
    ],
)
def test_events_come_in_the_form_that_a_front_end_reads(name: str, steps: Any) -> None:
    host = PlanHost(event=name)
    run = host.begin("thread")
    run.answer([("plan", {"steps": ["Read", "Fix"]}, "1"), ("done", {"finished": ["Read"]}, "2")])
    events = [host.event(change) for change in run.changes()]
    assert [step["status"] for step in steps(events[-1])] == ["completed", "in_progress"]
    assert read_plan(events[-1]).format == name
    with pytest.raises(UnknownName, match="no format is called 'ag-iu': did you mean ag-ui"):
        PlanHost(event="ag-iu")


def test_events_are_a_function_a_format_or_none_and_nothing_else() -> None:
    wrong: Any
    for wrong in (False, 0, []):
        with pytest.raises(TypeError, match="event must be a function"):
            PlanHost(event=wrong)


def test_who_wants_no_events_pays_for_none() -> None:
    host = PlanHost(event=None)
    run = host.begin("thread")
    run.answer([("plan", {"steps": ["Read", "Fix"]}, "1")])
    assert run.changes() == []
    assert run.todo.plan.revision == 1


def test_any_text_is_a_thread_and_no_thread_is_one_of_its_own() -> None:
    host = PlanHost()
    odd = "../user 1/thread\n" + "x" * 300
    host.begin(odd).answer([("plan", STEPS, None)])
    assert host.run(odd).todo.plan.progress == (0, 2)
    first, second = host.begin(), host.begin()
    first.answer([("plan", STEPS, None)])
    assert first.todo.session != second.todo.session
    assert not second.todo.plan.todos


def test_a_run_is_found_again_and_a_new_one_counts_anew() -> None:
    host = PlanHost(ask_again=1)
    run = host.begin("thread")
    run.answer([("plan", STEPS, None)])
    assert host.run("thread") is run
    assert [run.at_end().kind for _ in range(2)] == ["continue", "accept"]
    again = host.begin("thread")
    assert again.at_end().kind == "continue"
    host.close()
    assert host.run("thread") is not again
    assert host.run("thread").todo.plan.progress == (0, 2), "plans stay"


def test_a_run_inside_a_run_is_a_sub_agents() -> None:
    host = PlanHost()
    with host.new_run("thread") as parent, parent.on():
        parent.answer([("plan", {"steps": ["Delegate"]}, None)])
        with host.new_run("thread", label="kid/1") as child:
            assert child.before_request() == ""
            child.answer([("plan", {"steps": ["Child step"]}, None)])
            assert child.todo.agent.startswith("main/kid")
            assert child.todo.plan.serves == 1
            assert child.todo.parent_plan == parent.todo.plan
        assert child.todo.plan.ended
        assert host.new_run("another").todo.agent == "main"
    assert host.new_run("thread").todo.agent == "main", "after it, a run is the thread's own again"


def test_runs_at_once_in_an_event_loop_are_not_each_others_sub_agents() -> None:
    host = PlanHost()

    async def work() -> str:
        run = host.new_run("thread")
        with run.on():
            await asyncio.sleep(0)
            return run.todo.agent

    async def both() -> list[str]:
        return list(await asyncio.gather(work(), work()))

    assert asyncio.run(both()) == ["main", "main"]


def test_a_sub_agents_plan_ends_with_its_run_and_the_main_one_stays() -> None:
    host = PlanHost()
    for agent in ("main", "main/kid"):
        host.begin("thread", agent).answer([("plan", STEPS, None)])
        host.end("thread", agent)
    plans = {plan.agent: plan for plan in host.store.plans("thread")}
    assert plans["main"].progress == (0, 2)
    assert plans["main/kid"].ended == "unfinished, 0 of 2 done"


def test_a_plan_that_somebody_else_keeps_is_put_back_unless_it_is_anothers() -> None:
    host = PlanHost()
    run = host.begin("thread")
    run.answer([("plan", STEPS, "1")])
    early = run.todo.plan.to_dict()
    run.answer([("done", {"finished": ["Read", "Fix"]}, "2")])
    host.restore(run, run.todo.plan.to_dict())
    assert run.todo.plan.progress == (2, 2)
    host.restore(run, early)
    assert run.before_request() == "Plan: 0 of 2 done.\n1. Read - NOW\n2. Fix - NEXT"
    assert run.answer([("done", {"finished": ["Read", "Fix"]}, "2")])[0].text.startswith("2/2 done")
    child = host.begin("thread", "main/kid")
    host.restore(child, early)
    assert not child.todo.plan.todos, "a child does not inherit its parent's plan"
    host.restore(run, None)
    assert not run.todo.plan.todos


def test_a_plan_in_a_database_is_not_put_back_since_that_would_delete_its_history(
    tmp_path: Path,
) -> None:
    host = PlanHost(store=f"sqlite:///{tmp_path}/plans.db")
    run = host.begin("thread")
    run.answer([("plan", STEPS, "1")])
    early = run.todo.plan.to_dict()
    run.answer([("done", {"finished": ["Read"]}, "2")])
    with pytest.raises(TypeError, match="restore is for plans in memory: a SQLiteStore keeps them"):
        host.restore(run, early)
    assert [plan.revision for plan in host.store.history("thread", "main")] == [1, 2]
    host.store.close()


def test_a_host_keeps_so_many_runs_and_reads_the_others_plans_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("todowright.host.plan_host.MOST_RUNS", 3)
    host = PlanHost()
    for number in range(5):
        host.begin(f"thread-{number}").answer([("plan", STEPS, None)])
    assert host.run("thread-0").todo.plan.progress == (0, 2)


def test_arguments_may_come_as_json_text_in_every_dialect() -> None:
    rows = [{"content": "Add tests", "status": "in_progress", "activeForm": "Adding tests"}]
    for dialect, key in (("smart", "todos"), ("checklist", "items")):
        run = PlanHost(dialect).begin("thread")
        assert not run.call("TodoWrite", json.dumps({key: rows})).is_error
        run.before_request()
        assert run.call("TodoWrite", '{"todos": [').is_error
        assert run.todo.plan.progress == (0, 1)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"remind_after": "often"}, "remind_after must be how many, 0 for never, not often"),
        ({"ask_again": -1}, "ask_again must be how many, 0 for never, not -1"),
        ({"tail": 1}, "tail must be True or False, not an int"),
        ({"event": 3}, "event must be a function, not an int"),
        ({"verify": 3}, "verify must be a function, not an int"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_refused_where_it_is_given(wrong: Any, told: str) -> None:
    with pytest.raises(TypeError, match=told):
        PlanHost(**wrong)


def test_a_thread_without_a_name_has_a_plan_of_its_own_and_a_number_is_a_name() -> None:
    host = PlanHost()
    names = [host.begin(session).todo.session for session in ("", "", None)]
    assert len(set(names)) == 3
    number: Any = 7  # as frameworks have it
    assert host.begin(number).todo.session == "7"
