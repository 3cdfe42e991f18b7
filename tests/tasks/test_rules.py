"""The rules of tasks hold for whoever changes them: a model, a program, a person."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.requirements import requirement
from tests.support import edit
from todowright import Edit, Refused, TodoWrite, load_dialect
from todowright.dialects.tasks.model import LEASE, OWNER, blockers, of
from todowright.tasks import Claims, LostClaim

pytestmark = requirement("003-10")
Who = Literal["model", "program", "person"]
EVERYBODY: tuple[Who, ...] = ("model", "program", "person")
STATUS = {"start": "in_progress", "complete": "completed", "reopen": "pending", "remove": "deleted"}


def tasks(blocked: Any = "") -> TodoWrite:
    """Three tasks: the second waits for the first, the third for both."""
    dialect = load_dialect("tasks")
    if blocked:
        dialect = replace(dialect, transitions={"blocked": blocked})
    todo = TodoWrite(dialect)
    for subject in ("Read", "Fix", "Test"):
        todo({"subject": subject}, tool="TaskCreate")
    todo({"taskId": "2", "addBlockedBy": ["1"]}, tool="TaskUpdate")
    todo({"taskId": "3", "addBlockedBy": ["1", "2"]}, tool="TaskUpdate")
    return todo


def do(todo: TodoWrite, who: Who, deed: str, number: int) -> str:
    """Have one of the three do it; the answer is why it was refused."""
    if who == "model":
        reply = todo({"taskId": str(number), "status": STATUS[deed]}, tool="TaskUpdate")
        return reply.text.removeprefix("Error: ") if reply.is_error else ""
    try:
        if who == "person":
            edit(todo.store, todo.plan, [{"do": deed, "step": number}])
        else:
            getattr(todo, deed)(number)
    except Refused as refused:
        return str(refused)
    return ""


@pytest.mark.parametrize("who", EVERYBODY)
@pytest.mark.parametrize("deed", ["start", "complete"])
def test_a_blocked_task_cannot_start_whoever_starts_it(who: Who, deed: str) -> None:
    todo = tasks()
    before = todo.plan
    assert do(todo, who, deed, 3) == "task #3 is blocked by #1, #2: finish that first"
    assert todo.plan is before
    for number in (1, 2, 3):
        assert do(todo, who, deed, number) == ""
        assert do(todo, who, "complete", number) == ""
    assert todo.plan.finished


@pytest.mark.parametrize("who", EVERYBODY)
@pytest.mark.parametrize("verdict", ["warn", "allow"])
def test_whether_it_may_is_one_policy_for_all(who: Who, verdict: str) -> None:
    todo = tasks(verdict)
    assert do(todo, who, "start", 3) == ""
    assert todo.plan.todos[2].status == "in_progress"


@pytest.mark.parametrize("who", EVERYBODY)
def test_a_deleted_task_leaves_no_reference_whoever_deletes_it(who: Who) -> None:
    todo = tasks()
    assert do(todo, who, "remove", 1) == ""
    assert [blockers(task) for task in todo.plan.todos] == [[], [2]]
    assert do(todo, who, "start", 2) == ""


def test_a_list_that_is_replaced_leaves_no_reference_to_what_is_gone() -> None:
    todo = tasks()
    rest = [task for task in todo.plan.todos if task.number != 2]
    todo.replace(rest)
    assert [(task.number, blockers(task)) for task in todo.plan.todos] == [(1, []), (3, [1])]
    todo.clear()
    assert todo.plan.todos == ()


@pytest.mark.parametrize("who", EVERYBODY)
def test_what_one_finishes_is_free_for_another(who: Who) -> None:
    todo = tasks()
    claims = Claims(todo.store)
    mine = claims.claim("ann")
    assert mine is not None
    assert claims.claim("bob") is None
    assert do(todo, who, "complete", 1) == ""
    second = claims.claim("bob")
    assert second is not None
    assert second.number == 2


@pytest.mark.parametrize("who", EVERYBODY)
@pytest.mark.parametrize("deed", ["complete", "reopen", "remove"])
def test_who_changes_a_task_takes_it_out_of_its_workers_hands(who: Who, deed: str) -> None:
    todo = tasks()
    claims = Claims(todo.store)
    mine = claims.claim("ann")
    assert mine is not None
    assert do(todo, who, deed, 1) == ""
    for act in (claims.renew, claims.finish, claims.release):
        with pytest.raises(LostClaim, match="leave it"):
            act(mine)
    if deed != "remove":
        (task, *_) = todo.plan.todos
        assert of(task, LEASE) == ""
        assert of(task, OWNER) == ("ann" if deed == "complete" else "")


def test_a_task_that_is_started_anew_stays_with_its_worker() -> None:
    """An agent that works for a worker says so itself: that is no change."""
    todo = tasks()
    claims = Claims(todo.store)
    mine = claims.claim("ann")
    assert mine is not None
    for who in EVERYBODY:
        assert do(todo, who, "start", 1) == ""
    claims.finish(claims.renew(mine))


def test_what_was_begun_may_be_finished_though_it_is_blocked_since() -> None:
    todo = tasks()
    todo.complete(1)
    claims = Claims(todo.store)
    mine = claims.claim("ann")
    assert mine is not None
    todo.reopen(1)
    claims.finish(mine)
    assert [task.status for task in todo.plan.todos] == ["pending", "completed", "pending"]


@pytest.mark.parametrize("given", ["9", "1 9", "x", "²"])
@pytest.mark.parametrize("how", ["add", "update"])
def test_a_program_cannot_let_a_task_wait_for_what_is_no_task(given: str, how: str) -> None:
    todo = tasks()
    before = todo.plan
    with pytest.raises(Refused, match=r"^Task #\S+ not found: the tasks are (1-3|2-3|2, 3)$"):
        if how == "add":
            todo.add("Ship", blockedBy=given)
        else:
            todo.update([{"id": "t1", "blockedBy": given}])
    assert todo.plan is before


@pytest.mark.parametrize("given", ["2 1", "1, 2", "#2 #1", "1 2 1"])
def test_however_a_program_names_them_they_are_kept_in_order(given: str) -> None:
    todo = tasks()
    todo.add("Ship", blockedBy=given)
    assert of(todo.plan.todos[3], "blockedBy") == "1 2"


@pytest.mark.parametrize(("task", "on"), [(1, 1), (1, 2), (1, 3), (2, 3)])
def test_a_program_cannot_let_tasks_wait_for_each_other(task: int, on: int) -> None:
    todo = tasks()
    told = f"task #{task} cannot wait for #{on}: they would wait for each other"
    with pytest.raises(Refused, match=told):
        todo.update([{"id": f"t{task}", "blockedBy": str(on)}])


def test_a_list_of_tasks_that_wait_for_each_other_is_refused() -> None:
    rows = [{"subject": f"Task {n}", "blockedBy": str(n % 4 + 1)} for n in range(1, 5)]
    with pytest.raises(Refused, match="task #1 cannot wait for #2: they would wait for each other"):
        TodoWrite("tasks").replace(rows)


def test_several_edits_are_judged_by_what_they_make_together() -> None:
    todo = tasks()
    todo.edit([Edit("complete", 1), Edit("start", 2)])
    with pytest.raises(Refused, match="task #3 is blocked by #2"):
        todo.edit([Edit("start", 3), Edit("reopen", 2)])
    todo.edit([Edit("remove", 2), Edit("start", 3)])


def test_a_plan_that_was_another_dialects_is_set_right_with_the_first_change() -> None:
    todo = tasks()
    lean = TodoWrite("lean", store=todo.store)
    lean({"steps": [1]}, tool="drop")
    again = TodoWrite("tasks", store=todo.store)
    again({"taskId": "3", "owner": "ann"}, tool="TaskUpdate")
    assert [blockers(task) for task in again.plan.todos] == [[], [2]]


deeds = st.tuples(
    st.sampled_from(EVERYBODY),
    st.sampled_from([*STATUS, "claim", "block"]),
    st.integers(1, 5),
    st.integers(1, 5),
)


@given(st.lists(deeds, max_size=30))
def test_no_sequence_by_all_of_them_breaks_a_rule(
    sequence: list[tuple[Who, str, int, int]],
) -> None:
    todo = tasks()
    todo.add("Four")
    todo.add("Five")
    claims = Claims(todo.store)
    acts: dict[str, Callable[[int, int], Any]] = {
        "claim": lambda *_: claims.claim("w"),
        "block": lambda a, b: todo({"taskId": a, "addBlockedBy": [b]}, tool="TaskUpdate"),
    }
    for who, deed, number, other in sequence:
        was = {task.number: task for task in todo.plan.todos}
        if deed in acts:
            acts[deed](number, other)
        else:
            do(todo, who, deed, number)
        now = {task.number: task for task in todo.plan.todos}
        for task in now.values():
            assert set(blockers(task)) <= now.keys()
            begun = task.status in ("in_progress", "completed")
            if begun and was[task.number].status not in ("in_progress", "completed"):
                assert all(now[each].closed for each in blockers(task))
            if task.status != "in_progress":
                assert of(task, LEASE) == ""
