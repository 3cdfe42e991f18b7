"""Plans of a family: read up and down by who asks; written by another only where that was allowed, and as far as that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.requirements import requirement
from tests.support import edit
from todowright import MemoryStore, Refused, TodoWrite

pytestmark = requirement("003-10")
STEPS = ["Read the code", "Write the fix", "Run the tests"]


@pytest.fixture
def todo() -> TodoWrite:
    made = TodoWrite("lean", store=MemoryStore())
    made({"steps": STEPS}, tool="plan")
    return made


@requirement("A9")
def test_a_subagent_reads_its_parents_plan_and_a_parent_those_of_its_children(
    todo: TodoWrite,
) -> None:
    assert (todo.parent_plan, todo.child_plans) == (None, ())
    with todo.subagent("review") as child:
        child({"steps": ["Look"]}, tool="plan")
        with child.subagent("deep") as grandchild:
            grandchild({"steps": ["Look closer"]}, tool="plan")
            assert child.parent_plan == todo.plan
            assert grandchild.parent_plan == child.plan
            (tree,) = todo.child_plans
            assert tree.plan == child.plan
            assert [each.plan for each in tree.children] == [grandchild.plan]
            assert tree.plan.serves == 1
        assert [each.plan.ended for each in child.child_plans] == ["unfinished, 0 of 1 done"]
    stranger = TodoWrite("lean", store=todo.store, agent="other")
    assert (stranger.parent_plan, stranger.child_plans) == (None, ())


def test_a_parent_without_a_plan_is_skipped(todo: TodoWrite) -> None:
    deep = TodoWrite("lean", store=todo.store, agent="main/nobody/deep")
    assert deep.parent_plan == todo.plan


def test_what_is_shared_can_be_changed_and_the_history_says_by_whom(todo: TodoWrite) -> None:
    shared = todo.share("main/review", steps=[2])
    shared.start(2)
    shared.complete("Write the fix")
    assert [step.status for step in todo.plan.todos] == ["pending", "completed", "pending"]
    assert (todo.plan.by.kind, todo.plan.by.name) == ("agent", "main/review")
    assert shared.plan == todo.plan


Act = Callable[[TodoWrite], Any]
ACTS: dict[str, Act] = {
    "another step": lambda shared: shared.complete(3),
    "reword": lambda shared: shared.reword(2, "Write it"),
    "remove": lambda shared: shared.remove(2),
    "cancel": lambda shared: shared.cancel(2),
    "add": lambda shared: shared.add("More"),
    "move": lambda shared: shared.move(2, after=0),
    "clear": lambda shared: shared.clear(),
    "replace": lambda shared: shared.replace(["Nothing"]),
}


@pytest.mark.parametrize("name", ACTS)
def test_what_is_not_shared_is_refused_and_changes_nothing(todo: TodoWrite, name: str) -> None:
    shared, before = todo.share("main/review", steps=[2]), todo.plan
    with pytest.raises(Refused, match=r"is not shared with main/review: it may .* steps? 2$"):
        ACTS[name](shared)
    assert todo.plan is before


@pytest.mark.parametrize("deed", ["add", "reword", "remove", "cancel", "move"])
def test_each_deed_can_be_shared(todo: TodoWrite, deed: Any) -> None:
    shared = todo.share("main/review", steps=[2], deeds=["complete", deed])
    ACTS[deed](shared)
    assert todo.plan.revision == 2
    with pytest.raises(Refused, match=f"it may complete, {deed} step 2"):
        shared.start(3)


def test_a_model_writes_through_its_own_tool_and_is_told_what_it_may(todo: TodoWrite) -> None:
    shared = todo.share("main/review", steps=[1, 2])
    assert shared({"steps": ["Read the code"]}, tool="done").text == "1/3 done. Now: Write the fix"
    assert todo.plan.by.name == "main/review"
    refused = shared({"steps": ["Run the tests"]}, tool="drop")
    assert refused.is_error
    assert refused.text == (
        "Error: step 3 is not shared with main/review: it may start, complete, reopen steps 1-2"
    )
    assert "main/review" in todo.news()


def test_the_next_step_may_start_by_itself_but_nothing_else_goes_along(todo: TodoWrite) -> None:
    shared = todo.share("main/review", steps=[1])
    shared({"steps": ["Read the code"]}, tool="done")
    assert [step.status for step in todo.plan.todos] == ["completed", "in_progress", "pending"]
    with pytest.raises(Refused, match="is not shared"):
        shared.start(3)


def test_a_share_of_all_steps_holds_for_new_ones(todo: TodoWrite) -> None:
    shared = todo.share("main/review", deeds=("add", "complete"))
    shared.add("More")
    shared.complete("More")
    with pytest.raises(Refused, match="it may add, complete all steps"):
        shared.remove(1)


def test_others_are_as_free_as_before(todo: TodoWrite) -> None:
    todo.share("main/review", steps=[2])
    edit(todo.store, todo.plan, [{"do": "remove", "step": 3}])
    todo.remove(1)
    assert [step.number for step in todo.plan.todos] == [2]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"steps": [9]}, "there is no step 9"),
        ({"deeds": ["finish"]}, "no edit is called 'finish'"),
        ({"deeds": []}, "share at least one deed"),
    ],
)
def test_what_cannot_be_shared_is_told(todo: TodoWrite, given: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        todo.share("main/review", **given)


def test_what_is_shared_cannot_be_shared_on(todo: TodoWrite) -> None:
    with pytest.raises(ValueError, match="ask main to share it"):
        todo.share("main/review", steps=[2]).share("main/other")


def test_tasks_are_shared_the_same_way() -> None:
    todo = TodoWrite("tasks")
    todo.add("Build")
    todo.add("Ship", blockedBy="1")
    shared = todo.share("main/review", steps=[2])
    reply = shared({"taskId": "1", "status": "completed"}, tool="TaskUpdate")
    assert "task 1 is not shared" in reply.text or "step 1 is not shared" in reply.text
    assert (
        "is blocked by #1" in shared({"taskId": "2", "status": "completed"}, tool="TaskUpdate").text
    )
