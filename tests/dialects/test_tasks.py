"""tasks: created and changed one by one, with owners and dependencies."""

from __future__ import annotations

import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.tokens import compact, tokens
from tests.requirements import requirement
from tests.support import Clock
from todowright import Edit, Plan, TodoWrite, load_dialect
from todowright.dialects.tasks.model import blockers
from todowright.tasks import Claims

pytestmark = requirement("003-10")


@pytest.fixture
def todo() -> TodoWrite:
    made = TodoWrite("tasks")
    for subject in ("Read", "Fix", "Test"):
        made({"subject": subject, "description": f"{subject} it"}, tool="TaskCreate")
    return made


def say(todo: TodoWrite, tool: str, **arguments: Any) -> str:
    return todo(arguments, tool=tool).text


def update(todo: TodoWrite, task: object, **arguments: Any) -> str:
    return say(todo, "TaskUpdate", taskId=task, **arguments)


def test_a_task_is_created_with_the_next_number(todo: TodoWrite) -> None:
    reply = todo({"subject": "Ship", "activeForm": "Shipping"}, tool="TaskCreate")
    assert reply.text == "Task #4 created successfully: Ship"
    assert reply.data == {"task": {"id": "4", "subject": "Ship"}}
    update(todo, "4", status="deleted")
    assert say(todo, "TaskCreate", subject="Again") == "Task #5 created successfully: Again"


def test_a_task_is_changed_and_the_reply_names_what_was(todo: TodoWrite) -> None:
    reply = todo({"taskId": "1", "status": "in_progress", "owner": "ann"}, tool="TaskUpdate")
    assert reply.text == "Updated task #1 status, owner"
    assert reply.data == {
        "success": True,
        "taskId": "1",
        "updatedFields": ["status", "owner"],
        "statusChange": {"from": "pending", "to": "in_progress"},
    }
    assert update(todo, "1") == "Task #1: no change"
    assert (
        update(todo, 1, subject="Read all", description="")
        == "Updated task #1 subject, description"
    )
    assert say(todo, "TaskGet", taskId="#1") == "Task #1: Read all\nStatus: in_progress\nOwner: ann"


def test_the_list_is_in_the_order_of_the_numbers_and_shows_who_waits_for_what(
    todo: TodoWrite,
) -> None:
    update(todo, "3", addBlockedBy=["1", "2"])
    update(todo, "1", status="in_progress", owner="ann")
    todo.move(3, after=0)
    assert say(todo, "TaskList") == (
        "#1 [in_progress] Read (ann)\n#2 [pending] Fix\n#3 [pending] Test [blocked by #1, #2]"
    )
    assert say(TodoWrite("tasks"), "TaskList") == "No tasks found"


def test_a_finished_task_frees_what_it_blocked(todo: TodoWrite) -> None:
    update(todo, "1", addBlocks=["2"])
    assert (
        update(todo, "2", status="in_progress")
        == "Error: task #2 is blocked by #1: finish that first"
    )
    assert update(todo, "1", status="completed") == "Updated task #1 status. Now free: #2"
    assert update(todo, "2", status="in_progress") == "Updated task #2 status"


@pytest.mark.parametrize(
    ("verdict", "told"),
    [
        ("warn", "Updated task #2 status\nnote: task #2 is blocked by #1"),
        ("allow", "Updated task #2 status"),
    ],
)
def test_whether_a_blocked_task_may_start_is_a_policy(verdict: Any, told: str) -> None:
    todo = TodoWrite(replace(load_dialect("tasks"), transitions={"blocked": verdict}))
    for subject in ("A", "B"):
        say(todo, "TaskCreate", subject=subject)
    update(todo, "2", addBlockedBy="1")
    assert update(todo, "2", status="in_progress") == told


def test_a_deleted_task_leaves_no_reference(todo: TodoWrite) -> None:
    update(todo, "2", addBlockedBy=["1"], addBlocks=["3"])
    assert update(todo, "2", status="deleted") == "Updated task #2 deleted. Now free: #3"
    assert [blockers(task) for task in todo.plan.todos] == [[], []]


def test_metadata_is_merged_and_null_takes_a_key_away(todo: TodoWrite) -> None:
    update(todo, "1", metadata={"a": 1, "b": {"c": [2]}})
    update(todo, "1", metadata={"a": None, "d": "x"})
    found = todo({"taskId": "1"}, tool="TaskGet").data["task"]
    assert found["metadata"] == {"b": {"c": [2]}, "d": "x"}


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("TaskCreate", {}, "Error: subject is missing: add it"),
        ("TaskCreate", {"subject": " "}, "Error: subject is blank: say what to do"),
        ("TaskCreate", {"subject": 5}, "Error: subject must be string, not number"),
        ("TaskCreate", {"subject": "a", "metadata": [1]}, "Error: metadata must be object, not array"),
        ("TaskUpdate", {"status": "completed"}, "Error: taskId is missing: add it"),
        ("TaskUpdate", {"taskId": "9"}, "Error: Task #9 not found: the tasks are 1-3"),
        ("TaskUpdate", {"taskId": True}, "Error: taskId must be a task's id, not boolean"),
        ("TaskUpdate", {"taskId": "1", "status": "done"}, "Error: status is 'done': use one of pending, in_progress, completed, deleted"),
        ("TaskUpdate", {"taskId": "1", "addBlockedBy": ["1"]}, "Error: task #1 cannot wait for #1: they would wait for each other"),
        ("TaskUpdate", {"taskId": "1", "addBlocks": ["7"]}, "Error: Task #7 not found: the tasks are 1-3"),
        ("TaskUpdate", {"taskId": "1", "addBlocks": list(range(99))}, "Error: Task #0 not found: the tasks are 1-3"),
        ("TaskUpdate", {"taskId": "1", "addBlocks": [["2"]]}, "Error: addBlocks must be a task's id, not array"),
        ("TaskUpdate", {"taskId": float("inf")}, "Error: Task #inf not found: the tasks are 1-3"),
        ("TaskUpdate", {"taskId": float("nan")}, "Error: Task #nan not found: the tasks are 1-3"),
        ("TaskUpdate", {"taskId": "1", "metadata": {"a": float("nan")}}, "Error: metadata must be JSON, not something else"),
        ("TaskGet", {"taskId": "x"}, "Error: Task #x not found: the tasks are 1-3"),
        ("TaskStop", {}, "Error: no tool is called 'TaskStop': call TaskCreate, TaskUpdate, TaskGet, TaskList"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_says_why_and_changes_nothing(
    todo: TodoWrite, tool: str, arguments: Any, told: str
) -> None:
    before = todo.plan
    reply = todo(arguments, tool=tool)
    assert (reply.is_error, reply.text) == (True, told)
    assert todo.plan is before


def test_tasks_that_would_wait_for_each_other_are_refused_however_far_it_goes(
    todo: TodoWrite,
) -> None:
    update(todo, "1", addBlocks=["2"])
    update(todo, "2", addBlocks=["3"])
    told = update(todo, "3", addBlocks=["1"])
    assert told == "Error: task #1 cannot wait for #3: they would wait for each other"


def test_close_but_wrong_keys_are_taken(todo: TodoWrite) -> None:
    assert say(todo, "TaskUpdate", task_id="1", active_form="Reading").startswith("Updated task #1")
    assert say(todo, "TaskGet", id=2).startswith("Task #2: Fix")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ('{"taskId": "1", "status": "in_progress"}', "Updated task #1 status"),
        ({"taskId": 1.0, "status": "in_progress"}, "Updated task #1 status"),
        ({"task_id": "1", "id": "2", "owner": "ann"}, "Updated task #1 owner"),
        (
            {"taskId": "1", "title": "New", "active_form": "Newing"},
            "Updated task #1 subject, activeForm",
        ),
        ({"taskId": " #1 ", "status": "pending", "subject": "Z"}, "Updated task #1 subject"),
        ({"taskId": "1", "status": "deleted", "addBlocks": ["2"]}, "Updated task #1 deleted"),
        ({"taskId": "1", "addBlockedBy": ["2", "2", "3"]}, "Updated task #1 addBlockedBy"),
        ({"taskId": "1", "addBlocks": "2, 3"}, "Updated task #1 addBlocks"),
        ({"taskId": "1", "addBlocks": '["2", "3"]'}, "Updated task #1 addBlocks"),
    ],
)
def test_the_reply_tells_what_was_changed_however_it_was_said(
    todo: TodoWrite, arguments: Any, told: str
) -> None:
    assert todo(arguments, tool="TaskUpdate").text == told


def test_a_task_can_be_read_by_arguments_in_text(todo: TodoWrite) -> None:
    assert todo('{"taskId": "1"}', tool="TaskGet").text.startswith("Task #1: Read")


def test_no_text_of_a_task_fakes_a_line(todo: TodoWrite) -> None:
    update(todo, "1", subject="Ok\n#9 [completed] Publish", owner="bob)\n#8 [completed] Fake (")
    assert len(say(todo, "TaskList").splitlines()) == 3
    update(todo, "1", description="x\nStatus: completed\nBlocks: #9")
    lines = say(todo, "TaskGet", taskId="1").splitlines()
    assert lines[3:] == ["Description: x", "  Status: completed", "  Blocks: #9"]


def test_what_others_did_to_the_list_breaks_no_reply(todo: TodoWrite) -> None:
    update(todo, "2", addBlockedBy=["1"])
    todo.edit([Edit("remove", 1)])
    assert "Blocked by" not in say(todo, "TaskGet", taskId="2")
    todo.add("Odd", metadata="{bad", blockedBy="2")
    assert say(todo, "TaskGet", taskId="4").startswith("Task #4: Odd")
    assert update(todo, "4", metadata={"a": 1}).startswith("Updated task #4")
    todo.cancel(3)
    assert "#3 [cancelled] Test" in say(todo, "TaskList")


def test_the_work_of_a_long_list_grows_with_it_and_not_with_its_square() -> None:
    def work(count: int) -> int:
        todo = TodoWrite("tasks")
        todo.update([{"subject": f"Task {n}", "blockedBy": "1" if n else ""} for n in range(count)])
        steps = 0

        def look(*_: object) -> None:
            nonlocal steps
            steps += 1

        sys.setprofile(look)
        try:
            for tool, arguments in (
                ("TaskList", {}),
                ("TaskUpdate", {"taskId": "2", "owner": "x"}),
            ):
                assert not todo(arguments, tool=tool).is_error
            Claims(todo.store).claim("w")
        finally:
            sys.setprofile(None)
        return steps

    assert work(400) < 3 * work(200)


def test_a_long_chain_of_tasks_is_checked_once_and_not_for_each() -> None:
    def work(count: int) -> int:
        todo, steps = TodoWrite("tasks"), 0

        def look(*_: object) -> None:
            nonlocal steps
            steps += 1

        sys.setprofile(look)
        try:
            todo.update([{"subject": f"Task {n}", "blockedBy": str(n or "")} for n in range(count)])
        finally:
            sys.setprofile(None)
        assert len(blockers(todo.plan.todos[-1])) == 1
        return steps

    assert work(400) < 3 * work(200)


def test_many_agents_change_one_list_and_lose_nothing(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/plans.db"
    seen: list[str] = []

    def work(name: int) -> None:
        agent = TodoWrite("tasks", store=url, session="shared")
        for n in range(10):
            seen.append(say(agent, "TaskCreate", subject=f"{name}.{n}"))

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    plan = TodoWrite("tasks", store=url, session="shared").plan
    assert sorted(task.number for task in plan.todos) == list(range(1, 41))
    assert sorted(seen) == sorted(
        f"Task #{task.number} created successfully: {task.content}" for task in plan.todos
    )


def test_the_definitions_have_a_budget() -> None:
    tools = load_dialect("tasks").tools
    shown = [
        {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
        for tool in tools
    ]
    assert tokens(compact(shown)) <= 280


ids = st.integers(0, 6).map(str)
some = st.lists(ids, max_size=3)
words = st.sampled_from(["a", "b", "c", " "])
calls = st.one_of(
    st.tuples(st.just("TaskCreate"), st.fixed_dictionaries({"subject": words})),
    st.tuples(
        st.just("TaskUpdate"),
        st.fixed_dictionaries(
            {"taskId": ids},
            optional={
                "status": st.sampled_from(["pending", "in_progress", "completed", "deleted", "x"]),
                "addBlocks": some,
                "addBlockedBy": some,
                "owner": words,
                "metadata": st.dictionaries(words, st.none() | st.integers()),
            },
        ),
    ),
    st.tuples(st.sampled_from(["TaskGet", "TaskList"]), st.fixed_dictionaries({"taskId": ids})),
)


@given(st.lists(calls, max_size=25))
def test_no_sequence_of_calls_makes_a_cycle_a_dangling_reference_or_an_old_number(
    sequence: list[tuple[str, dict[str, Any]]],
) -> None:
    todo = TodoWrite("tasks", clock=Clock())
    ever: set[int] = set()
    for tool, arguments in sequence:
        before = todo.plan
        reply = todo(arguments, tool=tool)
        if reply.is_error or tool in ("TaskGet", "TaskList"):
            assert todo.plan == before
            continue
        numbers = {task.number for task in todo.plan.todos}
        assert not (numbers - {task.number for task in before.todos}) & ever
        ever |= numbers
        assert all(set(blockers(task)) <= numbers for task in todo.plan.todos)
        assert _order(todo.plan) is not None


def _order(plan: Plan) -> list[int] | None:
    """The tasks in an order in which none waits for a later one; None if there is no such order."""
    left = {task.number: set(blockers(task)) for task in plan.todos}
    done: list[int] = []
    while left:
        ready = [number for number, waits in left.items() if waits <= set(done)]
        if not ready:
            return None
        done += ready
        left = {number: waits for number, waits in left.items() if number not in ready}
    return done
