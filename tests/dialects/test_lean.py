"""Our own dialect: the plan once, then what changes, by number."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import Clock, anything, statuses, texts
from todowright import Change, Plan, TodoWrite, load_dialect
from todowright.dialects.lean.wishes import WISHES

STEPS = ["Add the flag", "Document it", "Write a test", "Run the tests"]


@pytest.fixture
def todo() -> TodoWrite:
    made = TodoWrite("lean")
    assert made({"steps": STEPS}, tool="plan").text == "0/4 done. Now 1"
    return made


def say(todo: TodoWrite, tool: str | None = None, **arguments: Any) -> str:
    return todo(arguments, tool=tool).text


def wish(todo: TodoWrite, do: str, step: int, text: str | None = None) -> str:
    given = {"do": do, "step": step} | ({} if text is None else {"text": text})
    return todo(given, tool="wish").text


def numbers(plan: Plan) -> dict[int, str]:
    return {step.number: step.status for step in plan.todos}


def test_finishing_a_step_starts_the_next_by_itself(todo: TodoWrite) -> None:
    assert say(todo, "done", step=1) == "1/4 done. Now 2: Document it"
    assert statuses(todo.plan) == ["completed", "in_progress", "pending", "pending"]
    for step in (2, 3):
        say(todo, "done", step=step)
    assert say(todo, "done", step=4) == "4/4 done."
    assert todo.plan.finished


def test_a_step_finished_out_of_order_leaves_the_one_in_progress(todo: TodoWrite) -> None:
    assert say(todo, "done", step=3) == "1/4 done. Now 1: Add the flag"
    assert statuses(todo.plan) == ["in_progress", "pending", "completed", "pending"]


@pytest.mark.parametrize("step", [2, "2", "#2", [1, 2], ["1", 2]])
def test_numbers_may_be_spelt_as_models_do_and_be_several(todo: TodoWrite, step: object) -> None:
    assert not todo({"step": step}, tool="done").is_error
    assert todo.plan.todos[1].status == "completed"


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("done", {"step": 9}, "Error: there is no step 9: the steps are 1-4"),
        ("done", {"step": 0}, "Error: there is no step 0: the steps are 1-4"),
        ("done", {"step": -1}, "Error: there is no step -1: the steps are 1-4"),
        ("done", {"step": True}, "Error: step must be a step's number or its words, not boolean"),
        ("done", {"step": "two"}, "Error: there is no step 'two': the steps are 1-4"),
        ("done", {"step": 2.5}, "Error: step must be a step's number or its words, not number"),
        ("done", {"step": []}, "Error: step is missing: add it"),
        ("done", {}, "Error: step is missing: add it"),
        ("plan", {"steps": ["a", " "]}, "Error: steps[1] is blank: say what to do"),
        ("plan", {"steps": [5]}, "Error: steps[0] must be a text, not number"),
        ("plan", {"steps": "a"}, "Error: steps must be a list of texts, not string"),
        ("wish", {"foo": 1}, "Error: input has unknown keys ('foo'): leave them out"),
        ("wish", {"do": "drop", "step": "x"}, "Error: there is no step 'x': the steps are 1-4"),
        ("wish", {"do": "drop"}, "Error: step is missing: add it"),
        (
            "wish",
            {"do": "start", "step": [1, 2]},
            "Error: step must be a step's number or its words, not array",
        ),
        (
            "wish",
            {"do": "reword", "step": 3},
            "Error: text is missing: add it",
        ),
        (
            "wish",
            {"do": "reword", "step": 3, "text": " "},
            "Error: text is blank: say what to do",
        ),
        (
            "wish",
            {"do": "add", "text": [1]},
            "Error: text must be string, not number",
        ),
        (
            "wish",
            {"do": "add after", "text": "ok", "step": 9},
            "Error: there is no step 9: the steps are 1-4",
        ),
        (
            "wish",
            {"do": "dance"},
            "Error: do must be one of add, drop, reword, start, add after, not 'dance'",
        ),
        (
            "wish",
            {},
            "Error: do must be one of add, drop, reword, start, add after, not null",
        ),
        ("plan", {"do": "add", "text": "Deploy"}, "Error: do belongs to wish: call that"),
        ("plan", {"step": 2}, "Error: step belongs to done: call that"),
        ("plan", {"text": "Deploy"}, "Error: steps is missing: add it"),
        (
            "plan",
            {"steps": [{"content": "A", "steps": ["a1", "a2"]}]},
            "Error: steps[0] holds steps of its own: list them one by one",
        ),
        (None, {"step": 2}, "Error: step belongs to done: call that"),
        ("write", {"steps": []}, "Error: no tool is called 'write': call plan, done, wish"),
        ("done", [1], "Error: input must be object, not array"),
    ],
)
def test_a_call_that_cannot_be_done_says_why_and_changes_nothing(
    todo: TodoWrite, tool: str, arguments: Any, told: str
) -> None:
    before = todo.plan
    reply = todo(arguments, tool=tool)
    assert (reply.is_error, reply.text) == (True, told)
    assert todo.plan is before


def test_numbers_never_shift_whatever_is_added_dropped_or_moved(todo: TodoWrite) -> None:
    assert wish(todo, "add after", 1, "Fix a typo") == "0/5 done. Now 1. New: 5."
    assert wish(todo, "drop", 3) == "0/4 done. Now 1"
    assert numbers(todo.plan) == {
        1: "in_progress",
        5: "pending",
        2: "pending",
        3: "cancelled",
        4: "pending",
    }
    assert say(todo, "done", step=1) == "1/4 done. Now 5: Fix a typo"
    say(todo, "plan", steps=["Run the tests", "Document it", "Fix a typo"])
    assert [step.number for step in todo.plan.todos] == [1, 3, 4, 2, 5]


def test_a_step_is_added_at_the_end_or_behind_another_or_first(todo: TodoWrite) -> None:
    wish(todo, "add", 2, "Last")  # a weak model fills in a number, too
    wish(todo, "add after", 0, "First")
    assert texts(todo.plan) == ["First", *STEPS, "Last"]
    assert say(todo, "wish", do="add", text=["A", "B"]) == "0/8 done. Now 1. New: 7-8."
    assert texts(todo.plan)[-2:] == ["A", "B"]


def test_what_a_wish_does_not_need_is_not_looked_at(todo: TodoWrite) -> None:
    wish(todo, "drop", 3, "Write a test")
    wish(todo, "start", 4, "Run the tests")
    wish(todo, "reword", 2, "Document the flag")
    assert texts(todo.plan) == [
        "Add the flag",
        "Document the flag",
        "Write a test",
        "Run the tests",
    ]
    assert statuses(todo.plan) == ["pending", "pending", "cancelled", "in_progress"]


def test_a_wish_that_is_spelt_as_a_key_is_understood(todo: TodoWrite) -> None:
    say(todo, "wish", drop=[2, 3])
    say(todo, "wish", add="Ship it")
    say(todo, "wish", start=4)
    assert numbers(todo.plan) == {
        1: "pending",
        2: "cancelled",
        3: "cancelled",
        4: "in_progress",
        5: "pending",
    }
    assert todo({"drop": 1, "start": 4}, tool="wish").is_error  # which of the two?
    assert not todo({"do": "start", "step": 1}, tool="wish").is_error
    assert statuses(todo.plan)[0] == "in_progress"


def test_an_open_step_is_dropped_by_cancelling_it_and_a_closed_one_goes(todo: TodoWrite) -> None:
    wish(todo, "drop", 2)
    assert numbers(todo.plan)[2] == "cancelled"
    wish(todo, "drop", 2)
    assert 2 not in numbers(todo.plan)
    assert wish(todo, "drop", 1) == "0/2 done. Now 3: Write a test"


def test_starting_out_of_order_reopening_and_pausing(todo: TodoWrite) -> None:
    assert wish(todo, "start", 3) == "Now 3."
    assert statuses(todo.plan) == ["pending", "pending", "in_progress", "pending"]
    say(todo, "done", step=3)
    assert wish(todo, "start", 3) == "0/4 done. Now 3: Write a test"
    assert wish(todo, "start", 0) == "Paused."
    assert todo.plan.current is None
    assert say(todo, "wish", note="Waiting for the review", do="start", step=0) == "Paused."
    assert todo.plan.summary == "Waiting for the review"


def test_the_plan_can_be_read_in_words(todo: TodoWrite) -> None:
    say(todo, "done", step=1)
    wish(todo, "drop", 4)
    revision = todo.plan.revision
    assert say(todo, "plan") == (
        "1. Add the flag - done\n2. Document it - NOW\n3. Write a test\n4. Run the tests - cancelled"
    )
    assert todo.plan.revision == revision


def test_a_plan_sent_again_without_the_step_in_progress_means_that_it_is_done(
    todo: TodoWrite,
) -> None:
    assert say(todo, "plan", steps=STEPS[1:]) == "1/4 done. Now 2: Document it"
    assert statuses(todo.plan) == ["completed", "in_progress", "pending", "pending"]


def test_other_open_steps_that_vanish_are_named_once_and_kept_as_cancelled(
    todo: TodoWrite,
) -> None:
    text = say(todo, "plan", steps=["Add the flag", "Run the tests", "Deploy"])
    assert text == (
        "0/3 done. Now 1: Add the flag. 5 is Deploy. "
        "Left out, now cancelled: 2 Document it; 3 Write a test."
    )
    assert numbers(todo.plan)[2] == "cancelled"
    assert "Left out" not in say(todo, "done", step=1)


def test_the_same_plan_again_changes_nothing(todo: TodoWrite) -> None:
    assert say(todo, "plan", steps=STEPS) == "No change."
    assert todo.plan.revision == 1


def test_another_plan_has_numbers_of_its_own_and_names_what_was_left_open(
    todo: TodoWrite,
) -> None:
    say(todo, "done", step=1)
    text = say(todo, "plan", steps=["Buy milk", "Bake bread"])
    assert text == (
        "0/2 done. Now 5. New: 5-6. "
        "Left open before, now cancelled: Document it; Write a test; Run the tests."
    )
    assert say(todo, "done", step=5) == "1/2 done. Now 6: Bake bread"
    assert say(todo, "done", step=2) == "2/3 done. Now 6: Bake bread"  # its own, of the old plan
    say(todo, "done", step=6)
    assert say(todo, "plan", steps=["Bake bread", "Rest"]) == "0/2 done. Now 7. New: 7-8."
    assert numbers(todo.plan) == {7: "in_progress", 8: "pending"}
    assert texts(todo.plan) == ["Bake bread", "Rest"]


def test_a_finished_plan_said_again_is_a_new_one_with_numbers_of_its_own(todo: TodoWrite) -> None:
    say(todo, "done", step=[1, 2, 3, 4])
    assert say(todo, "plan", steps=STEPS) == "0/4 done. Now 5. New: 5-8."
    assert list(numbers(todo.plan)) == [5, 6, 7, 8]
    assert [step.id for step in todo.plan.todos] == ["t5", "t6", "t7", "t8"]


def test_a_whole_list_with_statuses_is_taken_at_its_word(todo: TodoWrite) -> None:
    rows = [{"content": text, "status": "completed"} for text in STEPS[:2]]
    rows += [{"content": text, "status": "pending"} for text in STEPS[2:]]
    assert say(todo, "plan", steps=rows) == "2/4 done, paused."
    assert statuses(todo.plan) == ["completed", "completed", "pending", "pending"]


def test_a_storm_of_the_same_call_is_cut_short(todo: TodoWrite) -> None:
    replies = [say(todo, "done", step=9) for _ in range(5)]
    assert replies[0] == replies[1] == "Error: there is no step 9: the steps are 1-4"
    assert set(replies[2:]) == {"Same again: nothing changed. Go on with the work."}
    assert say(todo, "done", step=1) == "1/4 done. Now 2: Document it"
    idle = [wish(todo, "start", 2) for _ in range(4)]
    assert idle == ["No change."] * 2 + ["Same again: nothing changed. Go on with the work."] * 2
    assert todo.plan.revision == 2


def test_several_calls_in_a_turn_each_count() -> None:
    todo = TodoWrite("lean")
    replies = todo.turn([("plan", {"steps": STEPS}), ("done", {"step": 1}), ("done", {"step": 2})])
    assert [reply.text for reply in replies] == [
        "0/4 done. Now 1",
        "1/4 done. Now 2: Document it",
        "2/4 done. Now 3: Write a test",
    ]


def test_many_may_be_in_progress_where_the_policy_allows_it() -> None:
    todo = TodoWrite(replace(load_dialect("lean"), max_in_progress=None))
    say(todo, "plan", steps=STEPS)
    wish(todo, "start", 3)
    assert statuses(todo.plan) == ["in_progress", "pending", "in_progress", "pending"]


def test_programs_use_it_like_any_other_dialect(todo: TodoWrite) -> None:
    heard: list[Change] = []
    todo.on_change(heard.append)
    todo.update([{"id": "t2", "status": "completed"}])
    say(todo, "done", step=1)
    assert [[item.content for item in change.of("completed")] for change in heard] == [
        ["Document it"],
        ["Add the flag"],
    ]
    assert todo.dialect.input_schema() == todo.dialect.tools[0].input_schema
    assert not todo(todo.dialect.arguments(todo.plan), tool="plan").is_error


short = st.sampled_from(["a", "b", "Write code", "Write the code", "Run tests", "写测试", " "])
step_numbers = st.integers(-1, 8)
calls = st.one_of(
    st.tuples(
        st.just("plan"), st.fixed_dictionaries({}, optional={"steps": st.lists(short, max_size=5)})
    ),
    st.tuples(
        st.just("done"),
        st.fixed_dictionaries({"step": step_numbers | st.lists(step_numbers, max_size=3)}),
    ),
    st.tuples(
        st.just("wish"),
        st.fixed_dictionaries(
            {"do": st.sampled_from([*WISHES, "dance"])},
            optional={
                "step": step_numbers | st.lists(step_numbers, max_size=3),
                "text": short | st.lists(short, max_size=3),
            },
        ),
    ),
    st.tuples(st.sampled_from(["plan", "done", "wish", None, "nope"]), anything),
)


@given(st.lists(calls, max_size=12))
def test_any_sequence_of_calls_keeps_the_plan_consistent(sequence: list[tuple[Any, Any]]) -> None:
    todo = TodoWrite("lean", clock=Clock())
    for tool, arguments in sequence:
        before = todo.plan
        reply = todo(arguments, tool=tool)
        after = todo.plan
        if reply.is_error:
            assert after == before
            continue
        assert after.count("in_progress") <= 1
        known = {step.number: step for step in after.todos}
        assert len(known) == len(after.todos)
        assert min(known, default=1) >= 1
        assert not {number for number in known if number <= before.issued} - {
            step.number for step in before.todos
        }
        nothing = not arguments or not (isinstance(arguments, dict) and arguments.get("steps"))
        assert reply.text.count("\n") == 0 or (tool in ("plan", None) and nothing)
        if after.revision == before.revision:
            continue
        for step in before.todos:
            if not step.closed and step.number not in known:
                # an open step goes only when it is dropped twice, or the list is replaced by one
                # with statuses; it is never lost silently
                assert tool == "wish" or "cancelled" in reply.text
            if tool == "plan" and not step.closed:
                same = known.get(step.number)
                kept = same is not None and same.content == step.content
                assert kept or step.content in reply.text or " more" in reply.text
