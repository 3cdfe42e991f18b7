"""Our own dialect: the plan once, then what changes; steps by their words, or by their numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import Clock, anything, statuses, texts
from todowright import Change, Plan, Todo, TodoWrite, load_dialect
from todowright.dialects.lean import BY_NUMBER, DIALECT
from todowright.plan.editing import Edit
from todowright.plan.matching import plain
from todowright.text import quoted
from todowright.tool.person import edit_plan

STEPS = ["Add the flag", "Document it", "Write a test", "Run the suite"]


@pytest.fixture
def todo() -> TodoWrite:
    made = TodoWrite("lean")
    assert made({"steps": STEPS}, tool="plan").text == "OK."
    return made


def say(todo: TodoWrite, tool: str | None = None, **arguments: Any) -> str:
    return todo(arguments, tool=tool).text


def numbers(plan: Plan) -> dict[int, str]:
    return {step.number: step.status for step in plan.todos}


def test_finishing_a_step_starts_the_next_by_itself(todo: TodoWrite) -> None:
    assert say(todo, "done", finished=["Add the flag"]) == "1/4 done. Now: Document it"
    assert statuses(todo.plan) == ["completed", "in_progress", "pending", "pending"]
    assert say(todo, "done", finished=STEPS[1:3]) == "3/4 done. Now: Run the suite"
    assert say(todo, "done", finished=["Run the suite"]) == "4/4 done."
    assert todo.plan.finished


def test_only_a_new_plan_that_begins_with_its_first_step_is_just_ok() -> None:
    for steps, told in (
        (STEPS, "OK."),
        (["Add the flag"], "OK."),
        (["[x] Add the flag", "[ ] Document it"], "1/2 done. Now: Document it"),
        (["[x] Add the flag"], "1/1 done."),
        (["[ ] Add the flag", "[>] Document it"], "0/2 done. Now: Document it"),
    ):
        assert say(TodoWrite("lean"), "plan", steps=steps) == told


@pytest.mark.parametrize("key", ["to", "text", "new", "with"])
def test_the_new_words_of_a_step_may_come_under_other_keys(todo: TodoWrite, key: str) -> None:
    assert not todo({"step": "Document it", key: "Explain it"}, tool="change").is_error
    assert texts(todo.plan)[1] == "Explain it"


def test_a_step_finished_out_of_order_leaves_the_one_in_progress(todo: TodoWrite) -> None:
    assert say(todo, "done", finished=["Write a test"]) == "1/4 done."
    assert statuses(todo.plan) == ["in_progress", "pending", "completed", "pending"]


@pytest.mark.parametrize("step", [2, "2", "#2", [1, 2], ["1", 2], "Document it", ["document it."]])
@pytest.mark.parametrize("key", ["finished", "step", "steps"])
def test_words_and_numbers_may_be_spelt_as_models_do_and_be_several(
    todo: TodoWrite, step: object, key: str
) -> None:
    assert not todo({key: step}, tool="done").is_error
    assert todo.plan.todos[1].status == "completed"


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("document", "Document it"),
        ("Document…", "Document it"),
        ("the flag", "Add the flag"),
        ("[x] Write a TEST.", "Write a test"),
        ("Run the suite once more", "Run the suite"),
    ],
)
def test_a_unique_part_names_a_step_and_the_reply_says_which(
    todo: TodoWrite, given: str, meant: str
) -> None:
    told = say(todo, "done", finished=[given])
    assert [step.content for step in todo.plan.todos if step.status == "completed"] == [meant]
    assert (f'Finished: "{meant}".' in told) == (given != "[x] Write a TEST.")


def test_the_first_words_of_a_step_are_enough_in_every_verb() -> None:
    todo = TodoWrite("lean")
    say(todo, "plan", steps=["Read the failing test", "Fix the parser", "Run the whole suite"])
    assert say(todo, "done", finished=["read the"]) == "1/3 done. Now: Fix the parser"
    assert say(todo, "change", step="Run the", to="Run all tests twice") == "1/3 done."
    assert (
        say(todo, "add", step="Lint", where="before: Run all")
        == '1/4 done. Before "Run all tests twice".'
    )
    assert say(todo, "plan", now="Run all") == "1/4 done. Now: Run all tests twice"
    assert say(todo, "drop", step="Fix the") == "1/3 done."
    assert texts(todo.plan) == ["Read the failing test", "Lint", "Run all tests twice"]


@pytest.mark.parametrize("given", ["Read", "failing test", "Read the fail"])
def test_other_parts_are_answered_with_the_step_or_refused(given: str) -> None:
    todo = TodoWrite("lean")
    say(todo, "plan", steps=["Read the failing test", "Fix the parser"])
    told = say(todo, "done", finished=[given])
    assert told.startswith("Error") or 'Finished: "Read the failing test".' in told


@pytest.mark.parametrize(
    ("tool", "call"),
    [
        ("drop", {"step": "Update docs"}),
        ("change", {"step": "Update docs", "to": "Write the docs"}),
        ("done", {"finished": ["Update docs"]}),
    ],
)
def test_words_of_a_step_that_is_gone_name_no_other_one(tool: str, call: dict[str, object]) -> None:
    todo = TodoWrite("lean")
    say(todo, "plan", steps=["Write code", "Update docs", "Update docs index"])
    say(todo, "drop", step="Update docs")
    assert todo(call, tool=tool).text == (
        "Error: there is no step 'Update docs'; the nearest: 3 Update docs index"
    )
    assert say(todo, "done", finished=["Update docs index"]) == "1/2 done."


@pytest.mark.parametrize("given", ["Read auth", "auth", "read the auth"])
@pytest.mark.parametrize("tool", ["done", "drop"])
def test_a_part_that_named_a_step_of_a_replaced_plan_names_none_of_the_new_one(
    tool: str, given: str
) -> None:
    """Two agents on one plan: the first does not know that the other one has replaced it."""
    todo = TodoWrite("lean")
    say(todo, "plan", steps=["Read the auth code", "Read auth logs", "Fix it"])
    for _ in range(2):
        say(todo, "plan", steps=["Read auth docs and read the auth rules", "Write a page"])
    before = todo.plan

    reply = todo({"steps": [given]}, tool=tool)

    assert reply.is_error
    assert "the nearest: 4 Read auth docs" in reply.text
    assert todo.plan is before
    assert not todo({"steps": ["Write a"]}, tool=tool).is_error


def test_a_part_names_a_step_that_came_back_or_that_only_a_finished_step_shared() -> None:
    todo = TodoWrite("lean")
    mine = ["Read the auth code", "Fix it"]
    for steps in (mine, ["Make a detour", "Go back"], mine):  # there and back again
        for _ in range(2):
            say(todo, "plan", steps=steps)
    assert say(todo, "done", finished=["Read the"]) == "1/2 done. Now: Fix it"
    say(todo, "done", finished=["Fix it"])
    say(todo, "plan", steps=["Read the docs", "Write a page"])
    assert say(todo, "done", finished=["Read the"]) == "1/2 done. Now: Write a page"


def test_where_the_plan_is_too_old_to_look_through_the_step_is_named() -> None:
    todo = TodoWrite("lean")
    say(todo, "plan", steps=["Write code", "Update docs index", "Ship"])
    for at in range(60):
        say(todo, "change", step=3, to=f"Ship {at}")
    assert say(todo, "done", finished=["Update docs"]) == '1/3 done. Finished: "Update docs index".'


@pytest.mark.parametrize(
    ("steps", "given"),
    [
        (["Deploy", "Write notes", "1. Deploy to staging"], "1. Deploy"),
        (["Ship", "Fix", "Step 1: ship to staging"], "Step 1: ship"),
        (["Look", "tests fail on CI", "Fix", "2 tests fail: fix them"], "2 tests fail"),
    ],
)
def test_a_number_and_words_that_another_step_begins_with_are_not_clear(
    steps: list[str], given: str
) -> None:
    todo = TodoWrite("lean")
    say(todo, "plan", steps=steps)
    assert f"'{given}' is not clear" in say(todo, "done", finished=[given])
    assert todo.plan.progress == (0, len(steps))


def test_words_that_could_be_two_steps_are_never_guessed() -> None:
    todo = TodoWrite("lean")
    say(todo, "plan", steps=["Test the login page", "Test the search page", "Deploy"])
    told = say(todo, "done", finished=["Test the"])
    assert told == (
        "Error: 'Test the' is not clear, say which step by its number: "
        "1 Test the login page; 2 Test the search page"
    )
    assert say(todo, "done", finished=["Test the payment page"]) == (
        "Error: there is no step 'Test the payment page'; the nearest: "
        "1 Test the login page; 2 Test the search page"
    )
    assert todo.plan.progress == (0, 3)


@pytest.mark.parametrize(
    ("steps", "given"),
    [
        (["Test", "Deploy"], "Update to the latest version"),
        (["Read", "Write it"], "Create a thread"),
        (["Write tests", "Deploy"], "Not deployed yet"),
        (["Run migration", "Roll back"], "Decided against Run migration"),
        (["测试", "提交"], "编写测试文档"),
        (["Build", "Ship"], "Build and verify the rest"),
        (["Deploy", "Ship"], "Deploy 2"),
        (["Write tests", "Ship"], "Write tests for 2.0"),
        (["Install deps", "Restart the server"], "start"),
        (["Review the PR", "Write the review"], "review"),
        (["Fix #2", "Fix #1"], "#2"),
        (["0. Setup", "1. Build", "2. Test"], "1"),
        (["Step 0: Setup", "Step 1: Build"], "Step 1"),
        (["Add the flag", "Deploy to staging"], "2. Add the"),
        (["Add the flag", "Deploy to staging"], "Step 2: the flag"),
    ],
)
@pytest.mark.parametrize("tool", ["done", "drop"])
def test_words_that_only_look_like_a_step_name_none(
    steps: list[str], given: str, tool: str
) -> None:
    todo = TodoWrite("lean")
    say(todo, "plan", steps=steps)
    before = todo.plan
    assert todo({"steps": [given]}, tool=tool).is_error
    assert todo.plan is before


def test_a_step_can_be_named_as_a_refusal_names_it() -> None:
    todo = TodoWrite("lean")
    long = "Refactor the authentication middleware of the public gateway and its tests"
    say(todo, "plan", steps=["Test the login", "Test the login page", long])
    told = say(todo, "done", finished=["login"])
    assert told.endswith("1 Test the login; 2 Test the login page")
    assert say(todo, "done", finished=["2 Test the login page"]).startswith("1/3 done.")
    nearest = say(todo, "done", finished=["the middleware"]).partition("nearest: ")[2]
    assert say(todo, "done", finished=[nearest.split("; ")[0]]).startswith("2/3 done.")


def test_a_long_step_can_be_named_as_a_reply_cuts_it() -> None:
    todo = TodoWrite("lean")
    long = "Refactor the authentication middleware of the public gateway and its tests"
    say(todo, "plan", steps=["Read the code", long, "Ship it"])
    cut = say(todo, "done", finished=["Read the code"]).partition("Now: ")[2]
    assert cut.endswith("…")
    assert say(todo, "done", finished=[cut]).startswith("2/3 done. Now: Ship it")
    assert todo({"steps": ["Refactor the authentication middle"]}, tool="done").is_error


def test_a_number_that_came_as_words_is_answered_with_the_step(todo: TodoWrite) -> None:
    assert say(todo, "done", finished=["3"]) == '1/4 done. Finished: "Write a test".'


@pytest.mark.parametrize("where", ["before" + " " * 100_000, " " * 100_000 + "x", "after"])
def test_a_place_that_says_nothing_is_refused_soon(todo: TodoWrite, where: str) -> None:
    assert todo({"step": "New", "where": where}, tool="add").is_error


def test_a_place_that_is_named_by_a_part_is_said(todo: TodoWrite) -> None:
    told = say(todo, "add", step="New", where="before: document")
    assert told == '0/5 done. Before "Document it".'
    assert say(todo, "add", step="Run the suite", where="before: New") == "0/5 done."
    assert texts(todo.plan) == [STEPS[0], "Run the suite", "New", *STEPS[1:3]]


def test_a_start_that_is_not_the_first_step_is_told_with_the_plan() -> None:
    todo = TodoWrite("lean")
    assert say(todo, "plan", steps=STEPS, now="Write a test") == "0/4 done. Now: Write a test"
    todo = TodoWrite("lean")
    assert say(todo, "plan", steps=STEPS, now="") == "OK."
    assert statuses(todo.plan)[0] == "in_progress"
    assert say(todo, "plan", steps=[], now="Document it") == "0/4 done. Now: Document it"


def test_a_second_word_counts_once_and_only_for_what_was_refused(todo: TodoWrite) -> None:
    assert todo({"steps": ["Run the suite"]}, tool="plan").is_error
    assert not todo({"steps": ["Run the suite"]}, tool="plan").is_error
    say(todo, "plan", steps=STEPS)
    assert todo({"steps": ["Run the suite"]}, tool="plan").is_error
    say(todo, "change", step="Document it", to="Document all of it")
    assert todo({"steps": ["Run the suite"]}, tool="plan").is_error


def test_a_second_word_of_the_same_turn_was_written_before_the_refusal_was_read(
    todo: TodoWrite,
) -> None:
    calls = [("plan", {"steps": ["Other"]})]
    assert [reply.is_error for reply in todo.turn(calls * 2)] == [True, True]
    assert [reply.is_error for reply in todo.turn(calls)] == [False]


def test_closed_steps_make_room_where_the_plan_is_full() -> None:
    todo = TodoWrite(replace(DIALECT, max_items=3))
    say(todo, "plan", steps=["A one", "B two", "C three"])
    say(todo, "done", finished=["A one"])
    assert say(todo, "plan", steps=["B two", "C three", "D four"]) == "0/3 done."
    assert texts(todo.plan) == ["B two", "C three", "D four"]
    assert "the limit is 3" in say(todo, "add", step="E five", where="end")
    say(todo, "done", finished=["B two"])
    assert say(todo, "add", step="E five", where="end") == "0/3 done."


def test_a_list_that_would_lose_more_steps_than_can_be_named_is_asked_for_twice() -> None:
    todo = TodoWrite("lean")
    say(todo, "plan", steps=[f"Step {n}" for n in range(100)])
    assert todo({"steps": [f"Step {n}" for n in range(60)]}, tool="plan").is_error


def test_of_several_steps_that_were_on_none_is_taken_as_done(todo: TodoWrite) -> None:
    say(todo, "plan", steps=["[>] Add the flag", "[>] Document it", *STEPS[2:]])
    assert todo({"steps": STEPS[2:]}, tool="plan").text.startswith("0/2 done.")
    assert numbers(todo.plan)[1] == "cancelled"


def test_an_end_of_a_step_that_looks_like_a_mark_is_its_words() -> None:
    todo = TodoWrite("lean")
    say(todo, "plan", steps=["Write code", "Move the card to column - done"])
    assert say(todo, "plan", steps=say(todo, "plan").splitlines()) == "No change."
    say(
        todo,
        "plan",
        steps=["- Write code", "- Move the card to column - done", "- Put it in [Done]"],
    )
    assert texts(todo.plan)[2] == "Put it in [Done]"
    assert statuses(todo.plan) == ["in_progress", "pending", "pending"]


def test_a_listing_with_large_numbers_is_the_plan_that_it_lists() -> None:
    todo = TodoWrite(BY_NUMBER)
    say(todo, "plan", steps=[*(f"Job x{n}" for n in range(99)), "Ship it"])
    say(todo, "add", steps=["Alpha"])
    say(todo, "drop", steps=list(range(1, 100)))
    assert say(todo, "plan", steps=say(todo, "plan").splitlines()) == "No change."


def test_starting_a_step_writes_over_nothing_that_a_person_did(todo: TodoWrite) -> None:
    edit_plan(todo.store, todo.plan, [Edit("add", text="By hand")])
    told = say(todo, "plan", now="Document it")
    assert told.startswith(
        '0/5 done. Now: Document it. On the board, the user changed your plan: added 5. "By hand"'
    )


@pytest.mark.parametrize(
    "place", [10**5000, [[]], {"a": 1}, True], ids=["huge", "list", "object", "flag"]
)
def test_a_place_of_another_kind_is_refused_in_one_line(todo: TodoWrite, place: Any) -> None:
    for key in ("where", "before", "after"):
        reply = todo({"step": "New", key: place}, tool="add")
        assert reply.is_error
        assert "could not be kept" not in reply.text


def test_the_first_place_is_before_0() -> None:
    todo = TodoWrite(BY_NUMBER)
    say(todo, "plan", steps=["A one", "B two"])
    say(todo, "add", steps=["C three"], before=0)
    assert texts(todo.plan) == ["C three", "A one", "B two"]


def test_many_names_by_a_part_are_refused_before_they_take_long() -> None:
    todo = TodoWrite("lean")
    say(todo, "plan", steps=[f"Write the module {n}" for n in range(500)])
    told = say(todo, "done", finished=[f"the module {n}" for n in range(300)])
    assert told == "Error: step has more than 200 entries, at most 200 are read: send fewer"
    assert "has 300 entries, at most 200" in say(todo, "add", steps=["A"] * 300)


def test_a_part_that_an_open_and_a_finished_step_share_names_neither() -> None:
    todo = TodoWrite("lean")
    say(todo, "plan", steps=["Read the code of auth", "Read the code of search"])
    say(todo, "done", finished=["Read the code of auth"])
    assert "is not clear" in say(todo, "done", finished=["Read the code"])


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("done", {"step": 9}, "Error: there is no step 9: the steps are 1-4"),
        ("done", {"step": 0}, "Error: there is no step 0: the steps are 1-4"),
        ("done", {"finished": [-1]}, "Error: there is no step -1: the steps are 1-4"),
        ("done", {"step": True}, "Error: step must be a step's number or its words, not boolean"),
        ("done", {"finished": ["Run"]}, "Error: there is no step 'Run'; the nearest: 4 Run the suite"),
        ("done", {"step": 2.5}, "Error: step must be a step's number or its words, not number"),
        ("done", {"finished": []}, "Error: finished is missing: add it"),
        ("done", {}, "Error: finished is missing: add it"),
        ("plan", {"steps": ["a", " "]}, "Error: steps[1] is blank: say what to do"),
        ("plan", {"steps": [5]}, "Error: steps[0] must be a text, not number"),
        ("plan", {"steps": "a"}, "Error: steps must be a list of texts, not string"),
        ("drop", {"steps": ["x"]}, "Error: there is no step 'x'; there are: 1 Add the flag; 2 Document it"),
        ("drop", {}, "Error: step is missing: add it"),
        ("change", {"to": "A"}, "Error: step is missing: add it"),
        ("change", {"step": 3}, "Error: to is missing: add it"),
        ("change", {"step": 3, "to": " "}, "Error: to is blank: say what to do"),
        ("change", {"step": 3, "to": ["a", "b"]}, "Error: to must be one text, not array"),
        ("add", {"steps": [1]}, "Error: step must be string, not number"),
        ("add", {}, "Error: step is missing: add it"),
        ("add", {"step": "ok", "where": "before: 9"}, "Error: there is no step '9'; there are: 1 Add the flag; 2 Document it"),
        ("add", {"step": "ok", "where": 5}, 'Error: where must be "end" or "before: <a step>", not number'),
        ("plan", {"step": 2}, "Error: step belongs to done, add, drop or change: call that"),
        ("plan", {"finished": ["Document it"]}, "Error: finished belongs to done: call that"),
        ("plan", {"text": "Deploy"}, "Error: steps is missing: add it"),
        ("plan", {"now": "Dance"}, "Error: there is no step 'Dance'; there are: 1 Add the flag; 2 Document it"),
        (
            "plan",
            {"steps": [{"content": "A", "steps": ["a1", "a2"]}]},
            "Error: steps[0] holds steps of its own: list them one by one",
        ),
        (None, {"step": 2}, "Error: step belongs to done, add, drop or change: call that"),
        (
            "write",
            {"steps": []},
            "Error: no tool is called 'write': call plan, done, add, change, drop",
        ),
        ("done", [1], "Error: input must be object, not array"),
    ],
)  # fmt: skip
def test_a_call_that_cannot_be_done_says_why_and_changes_nothing(
    todo: TodoWrite, tool: str, arguments: Any, told: str
) -> None:
    before = todo.plan
    reply = todo(arguments, tool=tool)
    assert (reply.is_error, reply.text) == (True, told)
    assert todo.plan is before


def test_numbers_never_shift_whatever_is_added_dropped_or_moved(todo: TodoWrite) -> None:
    assert say(todo, "add", step="Fix a typo", where="before: Document it") == "0/5 done."
    assert say(todo, "drop", steps=["Write a test"]) == "0/4 done."
    assert list(numbers(todo.plan)) == [1, 5, 2, 4]
    assert say(todo, "done", finished=["Add the flag"]) == "1/4 done. Now: Fix a typo"
    say(todo, "plan", steps=["Run the suite", "Document it", "Fix a typo"])
    assert list(numbers(todo.plan)) == [1, 4, 2, 5]


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"where": "end"}, 4),
        ({"where": "At the end"}, 4),
        ({}, 4),
        ({"where": "before: Document it"}, 1),
        ({"where": "before Document it"}, 1),
        ({"where": "before: <document it>"}, 1),
        ({"where": "Document it"}, 1),
        ({"where": "before: 2"}, 1),
        ({"where": "after: 'Document it'"}, 2),
        ({"before": "Document it"}, 1),
        ({"before": 2}, 1),
        ({"after": "document"}, 2),
    ],
)
def test_a_step_is_added_where_it_is_said(
    todo: TodoWrite, given: dict[str, Any], place: int
) -> None:
    say(todo, "add", step="New", **given)
    assert texts(todo.plan) == [*STEPS[:place], "New", *STEPS[place:]]
    assert statuses(todo.plan)[0] == "in_progress"


def test_several_steps_are_added_in_their_order(todo: TodoWrite) -> None:
    say(todo, "add", steps=["A", "B"], before=2)
    say(todo, "add", steps=["C", "D"])
    assert texts(todo.plan) == [STEPS[0], "A", "B", *STEPS[1:], "C", "D"]


def test_a_step_of_the_plan_in_a_list_of_new_ones_says_where_they_go(todo: TodoWrite) -> None:
    say(todo, "add", steps=["Ask", "Write a test", "Review"])
    assert texts(todo.plan) == [*STEPS[:2], "Ask", "Write a test", "Review", "Run the suite"]
    assert say(todo, "add", steps=["Ask"]) == 'No change. It is there already: "Ask".'


def test_a_cancelled_step_that_is_added_is_open_again_and_a_finished_one_comes_anew(
    todo: TodoWrite,
) -> None:
    todo.cancel(2)
    say(todo, "done", step=1)
    say(todo, "add", steps=["Document it"])
    say(todo, "add", steps=["Add the flag"])
    assert texts(todo.plan) == [*STEPS, "Add the flag"]
    assert [numbers(todo.plan)[n] for n in (1, 2, 3)] == ["completed", "pending", "in_progress"]


def test_what_is_dropped_goes_and_the_next_starts(todo: TodoWrite) -> None:
    assert say(todo, "drop", steps=["Document it"]) == "0/3 done."
    assert say(todo, "drop", step="Add the flag") == "0/2 done. Now: Write a test"
    assert (
        say(todo, "drop", steps=["Write a test", "suite"]) == 'No plan. Dropped: "Run the suite".'
    )


def test_a_step_is_said_in_other_words(todo: TodoWrite) -> None:
    assert say(todo, "change", step="Write a test", to="Write two tests") == "0/4 done."
    assert (
        say(todo, "change", step="flag", to="Add the option")
        == '0/4 done. Changed: "Add the flag".'
    )
    assert texts(todo.plan) == ["Add the option", "Document it", "Write two tests", "Run the suite"]


def test_starting_out_of_order_reopening_and_pausing(todo: TodoWrite) -> None:
    assert say(todo, "plan", now="Write a test") == "0/4 done. Now: Write a test"
    assert statuses(todo.plan) == ["pending", "pending", "in_progress", "pending"]
    say(todo, "done", finished=["Write a test"])
    assert say(todo, "plan", now="Write a test") == "0/4 done. Now: Write a test"
    assert say(todo, "plan", now="") == "0/4 done, paused."
    assert todo.plan.current is None
    assert say(todo, "plan", steps=[*STEPS, "Ship"], now="Ship") == "0/5 done. Now: Ship"


@pytest.mark.parametrize("now", ["start", "first", ["a", "b"], True, 9])
def test_a_plan_is_not_refused_for_a_start_that_names_no_step(now: Any) -> None:
    todo = TodoWrite("lean")
    told = say(todo, "plan", steps=STEPS, now=now)
    assert told == 'OK. No step is called that, so "Add the flag" is on.'
    assert statuses(todo.plan)[0] == "in_progress"


def test_the_plan_can_be_read_in_words(todo: TodoWrite) -> None:
    say(todo, "done", step=1)
    todo.cancel(4)
    revision = todo.plan.revision
    assert "The host program changed your plan" in say(todo, "plan")
    assert say(todo, "plan") == (
        "- Add the flag - done\n- Document it - NOW\n- Write a test\n- Run the suite - cancelled"
    )
    assert todo.plan.revision == revision


def test_by_number_is_one_value_away() -> None:
    todo = TodoWrite(BY_NUMBER)
    assert BY_NUMBER.by == "number"
    assert replace(DIALECT, by="number").tools == BY_NUMBER.tools
    assert say(todo, "plan", steps=STEPS) == "0/4 done. Now 1"
    assert say(todo, "done", finished=[1]) == "1/4 done. Now 2: Document it"
    assert say(todo, "add", steps=["Review"], before=3) == "1/5 done. Now 2. New: 5."
    assert say(todo, "change", step=3, to="Test") == "1/5 done. Now 2"
    assert say(todo, "drop", steps=[4]) == "1/4 done. Now 2"
    assert say(todo, "plan", now=3) == "1/4 done. Now 3: Test"
    assert say(todo, "plan") == "1. Add the flag - done\n2. Document it\n5. Review\n3. Test - NOW"
    with pytest.raises(ValueError, match="by must be 'words' or 'number'"):
        replace(DIALECT, by="name")  # type: ignore[arg-type]


def test_the_schema_allows_what_is_taken_in_daily_use() -> None:
    import jsonschema

    for dialect in (DIALECT, BY_NUMBER):
        name = str if dialect.by == "words" else int
        step: Any = "Add the flag" if name is str else 1
        calls: dict[str, list[dict[str, Any]]] = {
            "plan": [{}, {"steps": STEPS}, {"steps": []}, *([{"now": step}] if name is int else [])],
            "done": [{"finished": [step]}],
            "add": [{"step": "New", "where": "end"} if name is str else {"steps": ["New"], "before": step}],
            "drop": [{"step": step} if name is str else {"steps": [step]}],
            "change": [{"step": step, "to": "Other"}],
        }  # fmt: skip
        for tool in dialect.tools:
            for arguments in calls[tool.name]:
                jsonschema.validate(arguments, tool.input_schema)


def test_a_plan_sent_again_without_the_step_in_progress_takes_that_as_done_and_says_so(
    todo: TodoWrite,
) -> None:
    told = say(todo, "plan", steps=STEPS[1:])
    assert told == (
        '1/4 done. Now: Document it. Taken as done: "Add the flag"; if it is not, call plan with now.'
    )
    assert statuses(todo.plan) == ["completed", "in_progress", "pending", "pending"]
    say(todo, "plan", now="Add the flag")  # what it says
    assert numbers(todo.plan) == {1: "in_progress", 2: "pending", 3: "pending", 4: "pending"}


def test_other_open_steps_that_vanish_are_named_once_and_kept_as_cancelled(
    todo: TodoWrite,
) -> None:
    told = say(todo, "plan", steps=["Add the flag", "Document it", "Run the suite", "Deploy"])
    assert told == '0/4 done. Left out, now cancelled: "Write a test".'
    assert numbers(todo.plan)[3] == "cancelled"
    assert "Left out" not in say(todo, "done", step=1)


def test_the_same_plan_again_changes_nothing(todo: TodoWrite) -> None:
    assert say(todo, "plan", steps=STEPS) == "No change."
    assert todo.plan.revision == 1


@pytest.mark.parametrize(
    "steps", [["Buy milk", "Bake bread"], [], ["Ask somebody", "Run the suite"]]
)
def test_a_list_without_most_of_what_is_open_is_refused_once_and_taken_when_it_comes_again(
    todo: TodoWrite, steps: list[str]
) -> None:
    say(todo, "done", step=1)
    gone = [text for text in STEPS[1:] if text not in steps]
    refused = todo({"steps": steps}, tool="plan")
    assert refused.is_error
    named = "; ".join(f'"{text}"' for text in gone)
    assert refused.text == (
        f"Error: that would drop {named}. Nothing was changed: send it again if you mean it"
    )
    assert todo.plan.revision == 2
    told = todo({"steps": steps}, tool="plan")
    assert not told.is_error
    assert all(text in told.text for text in gone)
    assert [step.content for step in todo.plan.open] == steps


def test_what_was_refused_once_is_known_in_another_process(tmp_path: Any) -> None:
    url = f"sqlite:///{tmp_path}/plans.db"
    say(TodoWrite("lean", store=url), "plan", steps=STEPS)
    assert TodoWrite("lean", store=url)({"steps": ["Other"]}, tool="plan").is_error
    assert not TodoWrite("lean", store=url)({"steps": ["Other"]}, tool="plan").is_error


def test_a_second_list_that_would_drop_other_steps_is_refused_again(todo: TodoWrite) -> None:
    assert todo({"steps": ["Buy milk"]}, tool="plan").is_error
    say(todo, "add", step="More", where="end")
    assert todo({"steps": ["Buy milk"]}, tool="plan").is_error
    assert not todo({"steps": ["Buy milk"]}, tool="plan").is_error


def test_another_plan_takes_the_one_step_that_was_left_as_done_and_says_so(todo: TodoWrite) -> None:
    say(todo, "done", finished=STEPS[:3])
    told = say(todo, "plan", steps=["Buy milk", "Bake bread"])
    assert told.startswith('1/3 done. Now: Buy milk. Taken as done: "Run the suite"; if it is not')
    assert numbers(todo.plan) == {4: "completed", 5: "in_progress", 6: "pending"}


def test_a_finished_plan_said_again_is_a_new_one_with_numbers_of_its_own(todo: TodoWrite) -> None:
    say(todo, "done", step=[1, 2, 3, 4])
    assert say(todo, "plan", steps=STEPS) == "0/4 done. Now: Add the flag"
    assert list(numbers(todo.plan)) == [5, 6, 7, 8]
    assert [step.id for step in todo.plan.todos] == ["t5", "t6", "t7", "t8"]
    assert say(todo, "done", step=2) == "Error: there is no step 2: the steps are 5-8"


def test_a_cancelled_step_that_is_reported_done_is_done(todo: TodoWrite) -> None:
    say(todo, "done", finished=STEPS[:3])
    todo.cancel(4)
    assert todo.plan.finished
    assert say(todo, "done", finished=["Run the suite"]).startswith("4/4 done.")
    assert numbers(todo.plan)[4] == "completed"


def test_a_whole_list_with_statuses_is_taken_at_its_word(todo: TodoWrite) -> None:
    rows = [{"content": text, "status": "completed"} for text in STEPS[:2]]
    rows += [{"content": text, "status": "pending"} for text in STEPS[2:]]
    assert say(todo, "plan", steps=rows) == "2/4 done, paused."
    assert statuses(todo.plan) == ["completed", "completed", "pending", "pending"]


def test_a_storm_of_the_same_call_is_cut_short(todo: TodoWrite) -> None:
    replies = [say(todo, "done", step=9) for _ in range(5)]
    assert replies[0] == replies[1] == "Error: there is no step 9: the steps are 1-4"
    assert set(replies[2:]) == {
        "Same again: nothing changed. Go on, or call plan without steps to read the plan."
    }
    assert say(todo, "done", step=1) == "1/4 done. Now: Document it"
    idle = [say(todo, "plan", now=2) for _ in range(4)]
    assert (
        idle
        == ["No change."] * 2
        + ["Same again: nothing changed. Go on, or call plan without steps to read the plan."] * 2
    )
    assert todo.plan.revision == 2


def test_several_calls_in_a_turn_each_count() -> None:
    todo = TodoWrite("lean")
    replies = todo.turn([("plan", {"steps": STEPS}), ("done", {"step": 1}), ("done", {"step": 2})])
    assert [reply.text for reply in replies] == [
        "OK.",
        "1/4 done. Now: Document it",
        "2/4 done. Now: Write a test",
    ]


def test_several_steps_are_in_progress_only_where_a_list_says_so(todo: TodoWrite) -> None:
    say(todo, "plan", steps=["[>] Add the flag", "[>] Document it", *STEPS[2:]])
    assert statuses(todo.plan) == ["in_progress", "in_progress", "pending", "pending"]
    todo.start(3)
    assert statuses(todo.plan) == ["pending", "pending", "in_progress", "pending"]


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
names = short | st.integers(-1, 9) | st.sampled_from(["Write", "tests", "测试", "run tests."])
several = names | st.lists(names, max_size=3)
calls = st.one_of(
    st.tuples(
        st.just("plan"),
        st.fixed_dictionaries({}, optional={"steps": st.lists(short, max_size=5), "now": names}),
    ),
    st.tuples(st.just("done"), st.fixed_dictionaries({"finished": several})),
    st.tuples(st.sampled_from(["done", "drop"]), st.fixed_dictionaries({"steps": several})),
    st.tuples(
        st.just("add"),
        st.fixed_dictionaries(
            {"step": short | st.lists(short, max_size=3)},
            optional={
                "where": st.sampled_from(["end", "before: a", "after: Run tests", "before: 3"])
            },
        ),
    ),
    st.tuples(st.just("change"), st.fixed_dictionaries({"step": names, "to": short})),
    st.tuples(st.sampled_from(["plan", "done", "add", "drop", "change", None, "nope"]), anything),
)


def named_in(arguments: Any, step: Todo) -> bool:
    """Whether a call names a step: by its number, by its words, or by a part of them."""
    given = arguments if isinstance(arguments, dict) else {}
    listed = [given.get(key) for key in ("finished", "step", "steps")]
    flat = [each for one in listed for each in (one if isinstance(one, list) else [one])]
    return any(
        str(each).strip("#. ") == str(step.number)
        or plain(str(each)) in plain(step.content)
        or plain(step.content) in plain(str(each))
        for each in flat
        if each not in (None, "")
    )


@given(st.lists(calls, max_size=12), st.sampled_from([load_dialect("lean"), BY_NUMBER]))
def test_no_sequence_of_calls_reuses_a_number_or_closes_a_step_unnamed(
    sequence: list[tuple[Any, Any]], dialect: Any
) -> None:
    todo = TodoWrite(dialect, clock=Clock())
    ever: dict[int, str] = {}
    for tool, arguments in sequence:
        before = todo.plan
        reply = todo(arguments, tool=tool)
        after = todo.plan
        if reply.is_error:
            assert after == before
            continue
        known = {step.number: step for step in after.todos}
        assert len(known) == len(after.todos)
        assert min(known, default=1) >= 1
        fresh = set(known) - {step.number for step in before.todos}
        assert not fresh & set(ever), "a number is never given twice"
        ever |= {number: known[number].content for number in known}
        nothing = not arguments or not (isinstance(arguments, dict) and arguments.get("steps"))
        assert reply.text.count("\n") == 0 or (tool in ("plan", None) and nothing)
        for step in before.open:
            now = known.get(step.number)
            if now is None or now.closed:
                told = quoted([step.content]) in reply.text  # as texts are shown
                said = tool in ("done", "drop") and named_in(arguments, step)
                assert told or said or _marked(arguments), (tool, arguments, reply.text)


def _marked(arguments: Any) -> bool:
    """Whether a list tells the statuses itself."""
    rows = arguments.get("steps") if isinstance(arguments, dict) else arguments
    return isinstance(rows, list) and any(isinstance(row, dict) for row in rows)
