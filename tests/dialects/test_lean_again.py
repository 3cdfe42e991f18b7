"""lean: what a model means by a plan it sends again, and by calls that are not quite right."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.support import Clock, texts
from todowright import MemoryStore, Plan, Todo, TodoWrite, load_dialect
from todowright.host.messages import shrunk

STEPS = ["Add the flag", "Document it", "Write a test", "Run the tests"]


@pytest.fixture
def todo() -> TodoWrite:
    made = TodoWrite("lean", clock=Clock())
    made({"steps": STEPS}, tool="plan")
    return made


def planned(*steps: str, done: int = 0) -> TodoWrite:
    made = TodoWrite("lean", clock=Clock())
    made({"steps": list(steps)}, tool="plan")
    for number in range(1, done + 1):
        made({"step": number}, tool="done")
    return made


def states(plan: Plan) -> dict[int, tuple[str, str]]:
    return {step.number: (step.content, step.status) for step in plan.todos}


def test_a_list_of_steps_that_differ_by_a_number_changes_none_into_another() -> None:
    todo = planned("Migrate module 1", "Migrate module 2", "Migrate module 3")
    reply = todo({"steps": [f"Migrate module {n}" for n in (2, 3, 4)]}, tool="plan")
    assert (
        reply.text
        == '1/4 done. Now: Migrate module 2. Taken as done: "Migrate module 1"; if it is not, call plan with now.'
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["Read src/a.py", "Read src/b.py", "Read src/c.py"], ["Read src/c.py", "Read src/d.py"]),
        (["编写登录接口", "编写注册接口"], ["编写注册接口", "编写支付接口"]),
        (["Build", "Test", "Deploy"], ["Lint", "Test", "Deploy"]),
        (["Fix bug 12", "Fix bug 13"], ["Fix bug 14", "Fix bug 15"]),
    ],
)
def test_an_open_step_that_is_gone_is_named(before: list[str], after: list[str]) -> None:
    todo = planned(*before)
    first = todo({"steps": after}, tool="plan")
    told = todo({"steps": after}, tool="plan").text if first.is_error else first.text
    for text in set(before) - set(after):
        assert f'"{text}"' in told
        assert (text, "pending") not in states(todo.plan).values()


def test_a_step_that_is_said_in_more_words_is_the_same_and_its_old_words_are_told(
    todo: TodoWrite,
) -> None:
    told = todo(
        {"steps": ["Add the flag", "Document it", "Write a test for it", "Run the tests"]},
        tool="plan",
    ).text
    assert told == '0/4 done. "Write a test for it" was "Write a test".'
    assert states(todo.plan)[3] == ("Write a test for it", "pending")


def test_a_cancelled_step_that_is_listed_again_is_open_again(todo: TodoWrite) -> None:
    todo({"steps": ["Add the flag", "Document it", "Run the tests"]}, tool="plan")
    told = todo({"steps": STEPS}, tool="plan").text
    assert told == '0/4 done. Open again: "Write a test".'


@pytest.mark.parametrize(
    "first",
    [
        "Add the flag.",
        "add the flag",
        "1. Add the flag - done",
        "[x] Add the flag",
        "- Add the flag",
    ],
)
def test_a_finished_step_stays_finished_however_it_is_written(todo: TodoWrite, first: str) -> None:
    todo({"step": 1}, tool="done")
    told = todo({"steps": [first, *STEPS[1:]]}, tool="plan").text
    assert todo.plan.progress == (1, 4)
    assert states(todo.plan)[1][1] == "completed"
    assert "New" not in told


def test_the_plans_own_listing_sent_back_changes_nothing(todo: TodoWrite) -> None:
    todo({"step": 1}, tool="done")
    shown = todo({}, tool="plan").text
    before = states(todo.plan)
    assert todo({"steps": shown.splitlines()}, tool="plan").text == "No change."
    assert states(todo.plan) == before


@pytest.mark.parametrize(
    "again",
    [
        ["[x] Read the code", "[ ] Fix the bug", "[ ] Test it all"],
        ["✅Read the code", "Fix the bug", "Test it all"],
        ["Read the code ✅", "Fix the bug", "Test it all"],
        ["1. Read the code (done)", "2. Fix the bug", "3. Test it all"],
        ["Step 1: Read the code - done", "Step 2: Fix the bug", "Step 3: Test it all"],
        ["[done] Read the code", "[todo] Fix the bug", "[todo] Test it all"],
        ["- [x] **Read the code**", "- [ ] **Fix the bug**", "- [ ] **Test it all**"],
        ["1.Read the code（已完成）", "2、Fix the bug", "3）Test it all"],
    ],
)
@pytest.mark.parametrize(
    "first",
    [
        ["Read the code", "Fix the bug", "Test it all"],
        ["[ ] Read the code", "[ ] Fix the bug", "[ ] Test it all"],
        ["1. Read the code", "2. Fix the bug", "3. Test it all"],
    ],
)
def test_numbers_boxes_and_ticks_are_no_part_of_a_step(first: list[str], again: list[str]) -> None:
    todo = planned(*first)
    told = todo({"steps": again}, tool="plan").text
    assert told.startswith("1/3 done. Now: ")
    assert "cancelled" not in told
    assert len(todo.plan.todos) == 3


def test_the_rest_of_a_numbered_plan_is_its_rest() -> None:
    todo = planned("1. Read the code", "2. Fix the bug", "3. Test it all", done=1)
    told = todo({"steps": ["1. Fix the bug", "2. Test it all"]}, tool="plan").text
    assert told == "No change."
    assert todo.plan.progress == (1, 3)


@pytest.mark.parametrize("again", [["[x] Read", "[x] Fix"], ["Read - done", "Fix - done"]])
def test_a_finished_plan_that_is_said_to_be_finished_stays_so(again: list[str]) -> None:
    todo = planned("Read", "Fix", done=2)
    assert todo({"steps": again}, tool="plan").text == "No change."
    assert todo.plan.finished


def test_letters_are_the_same_however_they_are_composed() -> None:
    todo = planned("Préparer le café", "Boire", done=1)
    todo({"steps": ["Pre\u0301parer le cafe\u0301", "Boire"]}, tool="plan")
    assert len(todo.plan.todos) == 2
    assert todo.plan.progress == (1, 2)


def test_what_is_not_a_list_of_steps_within_a_step_does_not_matter() -> None:
    todo = TodoWrite("lean")
    item = {"content": "A", "dependencies": [], "meta": {"x": 1}}
    assert todo({"steps": [item]}, tool="plan").text == "OK."


def test_a_mark_tells_a_status(todo: TodoWrite) -> None:
    marked = ["[x] Add the flag", "[ ] Document it", "[ ] Write a test", "[ ] Run the tests"]
    todo({"steps": marked}, tool="plan")
    assert todo.plan.progress == (1, 4)
    assert texts(todo.plan) == STEPS


def test_of_two_steps_with_the_same_words_the_open_and_later_one_is_meant() -> None:
    todo = planned("Test", "Fix", "Test")
    todo({"steps": ["Fix", "Test"]}, tool="plan")
    assert [status for _, status in states(todo.plan).values()] == [
        "completed",
        "in_progress",
        "pending",
    ]
    todo = planned("Test", "Fix", "Test", done=1)
    todo({"steps": ["Test"]}, tool="plan")
    assert states(todo.plan)[3] == ("Test", "in_progress")
    assert todo.plan.progress == (2, 3)


def test_a_list_that_shows_finished_steps_but_not_the_one_that_is_on_drops_that() -> None:
    todo = planned(*STEPS, done=1)
    told = todo({"steps": ["Add the flag", "Write a test", "Run the tests"]}, tool="plan").text
    assert told == '1/3 done. Now: Write a test. Left out, now cancelled: "Document it".'


def test_a_list_that_shares_what_is_done_goes_on_with_the_plan() -> None:
    todo = planned("A task", "B task", "C job", done=1)
    assert todo({"steps": ["A task", "D thing"]}, tool="plan").is_error
    told = todo({"steps": ["A task", "D thing"]}, tool="plan").text
    assert told == '1/2 done. Now: D thing. Left out, now cancelled: "B task"; "C job".'
    todo = planned("Run tests", "Fix it", "Commit", done=1)
    fresh = ["Read the docs", "Write a page", "Run tests"]
    assert todo({"steps": fresh}, tool="plan").is_error
    told = todo({"steps": fresh}, tool="plan").text
    assert told == '0/3 done. Now: Read the docs. Dropped: "Fix it"; "Commit".'


def test_a_plan_is_read_by_leaving_the_steps_out(todo: TodoWrite) -> None:
    todo({"step": 1}, tool="done")
    before = todo.plan
    nothings: list[Any] = [{}, {"steps": None}, None, ""]
    for nothing in nothings:
        for _ in range(3):  # a read is never cut short
            assert todo(nothing, tool="plan").text.startswith("- Add the flag - done\n- Document")
    assert todo.plan is before
    todo({"step": [2, 3, 4]}, tool="done")
    assert todo({"steps": []}, tool="plan").text == "No plan."
    assert todo({}, tool="plan").text == "No plan yet."


def test_reading_before_there_is_a_plan_makes_none() -> None:
    todo = TodoWrite("lean")
    assert todo({}, tool="plan").text == "No plan yet."
    assert todo.plan.revision == 0


def test_the_first_step_that_is_added_begins_the_plan() -> None:
    todo = TodoWrite("lean")
    assert todo({"step": "First", "where": "end"}, tool="add").text == "0/1 done. Now: First"


def test_statuses_that_are_told_in_part_change_only_those(todo: TodoWrite) -> None:
    todo({"step": 1}, tool="done")
    todo({"steps": ["Add the flag", {"content": "Document it", "status": "completed"}, *STEPS[2:]]})
    assert todo.plan.progress == (2, 4)


@pytest.mark.parametrize(
    ("item", "told"),
    [
        ({"content": "A", "done": True}, "took done as status"),
        ({"content": "A", "state": "completed"}, "took state as status"),
        ({"task": "A", "completed": True}, "took task as content; took completed as status"),
        ({"content": "A", "state": "done"}, "took state as status; read 'done' as completed"),
    ],
)
def test_a_status_under_another_name_is_read(item: dict[str, Any], told: str) -> None:
    todo = TodoWrite("lean")
    reply = todo({"steps": [item, "B"]}, tool="plan")
    assert reply.text == f"1/2 done, paused. Mended: {told}."


@pytest.mark.parametrize(
    "arguments",
    [
        {"plan": {"steps": ["A", "B"]}},
        {"steps": {"1": "A", "2": "B"}},
        {"steps": "1. A\n2. B"},
        {"steps": [{"step": 1, "description": "A"}, {"step": 2, "description": "B"}]},
        {"todos": ["A", "B"], "step": 1},
        '```json\n{"steps": ["A", "B"]}\n```',
    ],
)
def test_a_list_in_other_clothes_is_read(arguments: Any) -> None:
    todo = TodoWrite("lean")
    reply = todo(arguments, tool="plan")
    assert "Mended: " in reply.text
    assert texts(todo.plan) == ["A", "B"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("done", '{"step": 1}'),
        ("done", {"step": "1."}),
        ("done", {"step": "step 1"}),
        ("done", {"step": 1.0}),
        ("done", {"step": "１"}),
        ("done", {"step": "Add the flag"}),
        ("done", "{'step': 1}"),
    ],
)
def test_a_step_may_be_named_in_many_ways(
    todo: TodoWrite, tool: str | None, arguments: Any
) -> None:
    assert todo(arguments, tool=tool).text.startswith("1/4 done. Now: Document it")


def test_a_step_of_an_earlier_plan_cannot_be_touched(todo: TodoWrite) -> None:
    for _ in range(2):
        todo({"steps": ["Buy milk", "Bake bread"]}, tool="plan")
    for number in (1, 4, 0, -1, -3):
        assert todo({"step": number}, tool="done").is_error
        assert todo({"step": number}, tool="drop").is_error


def test_steps_with_a_programs_own_ids_have_numbers_too() -> None:
    todo = TodoWrite("lean")
    todo.update([{"id": "build", "content": "Build it"}, {"id": "test", "content": "Test it"}])
    assert todo({}, tool="plan").text == "- Build it\n- Test it"
    assert todo({"step": 1}, tool="done").text == "1/2 done. Now: Test it"
    assert todo({"step": "Check", "after": 1}, tool="add").text == "1/3 done."
    assert {step.number: step.id for step in todo.plan.todos} == {
        1: "build",
        2: "test",
        3: "t3",
    }
    todo.update([{"id": "test", "status": "completed"}])
    told = todo({"step": 1}, tool="done").text
    assert told == 'No change. The host program changed your plan: ticked off 2. "Test it".'
    told = todo({"steps": ["Something else", "And more"]}, tool="plan").text
    assert told == '0/2 done. Now: Something else. Now cancelled: "Check".'


def test_several_in_progress_do_not_stop_the_work() -> None:
    store = MemoryStore()
    TodoWrite("lean", store=store).update(
        [{"content": text, "status": "in_progress"} for text in ("A", "B")]
    )
    todo = TodoWrite("lean", store=store)
    assert todo({}, tool="plan").text == "- A - NOW\n- B - NOW"
    assert todo({"step": "C", "where": "end"}, tool="add").text == "0/3 done."
    assert todo({"steps": ["A"]}, tool="done").text == "1/3 done. Now: B"


def test_numbers_of_a_plan_that_another_agent_replaced_never_mean_its_steps() -> None:
    store = MemoryStore()
    one, other = TodoWrite("lean", store=store), TodoWrite("lean", store=store)
    one({"steps": STEPS}, tool="plan")
    assert other({"steps": ["Book flight"]}, tool="plan").text.startswith("Error: that would drop")
    assert other({"steps": ["Book flight"]}, tool="plan").text == (
        "0/1 done. Now: Book flight. "
        'Dropped: "Add the flag"; "Document it"; "Write a test"; "Run the tests".'
    )
    for name in (1, 2, "Add the flag", "Document it"):
        assert one({"steps": [name]}, tool="done").is_error
    assert states(one.plan) == {5: ("Book flight", "in_progress")}


def test_what_a_long_list_leaves_out_is_named_in_few_words() -> None:
    todo = planned(*[f"Step {n} of many that are long enough to be cut" for n in range(300)])
    for end in (
        "; and 270 more. Nothing was changed: send it again if you mean it",
        "; and 270 more.",
    ):
        told = todo({"steps": ["Something else"]}, tool="plan").text
        assert told.endswith(end)
        assert len(told) < 1600
    told = todo({"steps": ["Something else", *[f"New {n}" for n in range(50)]]}, tool="plan").text
    assert told == "0/51 done."


def test_messages_are_shrunk_to_the_last_list_and_what_came_after_it() -> None:
    def use(number: int, name: str, given: dict[str, Any]) -> dict[str, Any]:
        block = {"type": "tool_use", "id": f"c{number}", "name": name, "input": given}
        return {"role": "assistant", "content": [block]}

    messages = [
        use(1, "plan", {"steps": ["Old"]}),
        use(2, "done", {"step": 1}),
        use(3, "plan", {"steps": STEPS}),
        use(4, "done", {"step": 1}),
    ]
    left = [message["content"][0]["input"] for message in shrunk(messages, ["plan", "done"])]
    assert left == [{}, {}, {"steps": STEPS}, {"step": 1}]
    messages += [use(5, "done", {"step": [2, 3]}), use(6, "add", {"steps": ["a[0]"]})]
    left = [message["content"][0]["input"] for message in shrunk(messages, ["plan", "done", "add"])]
    assert left[2] == {"steps": STEPS}
    custom = {"role": "assistant", "tool_calls": [{"id": "x", "type": "custom", "custom": {}}]}
    assert shrunk([custom], ["plan"]) == [custom]


def test_a_sub_agent_that_has_ended_says_so() -> None:
    todo = TodoWrite("lean")
    with todo.subagent() as child:
        child({"steps": ["A"]}, tool="plan")
    told = child({"step": 1}, tool="done").text
    assert told == "Error: this sub-agent has ended, and its plan with it: leave it"


def test_a_verify_that_calls_the_tool_is_told_and_does_not_hang() -> None:
    told: list[str] = []

    def verify(step: Todo) -> bool:
        told.append(todo({"steps": ["Fix lint"]}, tool="add").text)
        return True

    todo = TodoWrite("lean", verify=verify)
    todo({"steps": ["A", "B"]}, tool="plan")
    assert todo({"step": 1}, tool="done").text == "1/2 done. Now: B"
    assert told == ["Error: a step is being verified: change the plan after that, not within"]


def test_a_verify_that_breaks_refuses_in_its_own_words() -> None:
    todo = TodoWrite("lean", verify=lambda step: 1 / 0 > 0)
    todo({"steps": ["A", "B"]}, tool="plan")
    assert todo({"step": [1, 2]}, tool="done").text == (
        "Error: step 1 is not finished: it could not be verified (ZeroDivisionError)"
    )


def test_a_policy_that_does_not_exist_is_refused_at_once() -> None:
    with pytest.raises(
        ValueError, match="transitions must map skipped, reopened, rushed, blocked to"
    ):
        replace(load_dialect("lean"), transitions={"skiped": "refuse"})


def test_another_plan_that_says_a_finished_thing_again_does_not_reopen_it() -> None:
    todo = TodoWrite(replace(load_dialect("lean"), transitions={"reopened": "refuse"}))
    todo({"steps": ["A", "B"]}, tool="plan")
    todo({"step": [1, 2]}, tool="done")
    assert todo({"steps": ["A", "C"]}, tool="plan").text == "0/2 done. Now: A"
