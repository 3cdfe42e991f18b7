"""Policies are values: what a dialect and a host think of a revision before it is kept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.support import call, statuses
from todowright import Change, MemoryStore, Refused, Todo, TodoWrite, load_dialect
from todowright.testing import another


def tool(**policy: Any) -> TodoWrite:
    return TodoWrite(replace(load_dialect("checklist"), **policy))


@pytest.mark.parametrize(
    ("kind", "before", "after", "told"),
    [
        ("skipped", ["a", "b"], [("a", "completed"), "b"], "step 1 was never started"),
        ("reopened", [("a", "completed"), "b"], ["a", "b"], "finished"),
        (
            "rushed",
            [("a", "in_progress"), "b"],
            [("a", "completed"), ("b", "completed")],
            "2 steps finished at once",
        ),
    ],
)
def test_a_transition_is_allowed_warned_of_or_refused(
    kind: str, before: list[Any], after: list[Any], told: str
) -> None:
    for verdict in ("allow", "warn", "refuse"):
        todo = tool(transitions={kind: verdict})
        assert not todo(call("checklist", *before)).is_error
        heard: list[Change] = []
        todo.on_change(heard.append)
        reply = todo(call("checklist", *after))
        assert reply.is_error == (verdict == "refuse")
        assert (told in reply.text) == (verdict != "allow")
        assert len(heard) == (verdict != "refuse")
        assert todo.plan.revision == (1 if verdict == "refuse" else 2)


def test_a_host_must_agree_before_completed_sticks() -> None:
    seen: list[Todo] = []

    def verify(todo: Todo) -> bool | str:
        seen.append(todo)
        return "the tests fail" if todo.content == "Run tests" else True

    todo = TodoWrite("checklist", verify=verify)
    assert not todo(call("checklist", ("Write", "in_progress"), "Run tests")).is_error
    assert seen == []
    assert not todo(
        call("checklist", ("Write", "completed"), ("Run tests", "in_progress"))
    ).is_error
    reply = todo(call("checklist", ("Write", "completed"), ("Run tests", "completed")))
    assert reply.text == "Error: step 2 is not finished: the tests fail"
    assert statuses(todo.plan) == ["completed", "in_progress"]
    assert [item.content for item in seen] == ["Write", "Run tests"]
    with pytest.raises(Refused, match="the tests fail"):
        todo.update([{"id": "t2", "status": "completed"}])


def test_a_host_that_says_no_or_breaks_keeps_the_plan_as_it_was() -> None:
    todo = TodoWrite("lean", verify=lambda step: False)
    todo({"steps": ["a", "b"]})
    assert (
        todo({"step": 1}, tool="done").text
        == "Error: step 1 is not finished: it could not be verified"
    )

    def broken(step: Todo) -> bool:
        raise OSError("no such check")

    todo = TodoWrite("lean", verify=broken)
    todo({"steps": ["a", "b"]})
    assert todo({"step": 1}, tool="done").is_error
    assert todo.plan.revision == 1


def test_how_many_may_be_in_progress_is_a_value() -> None:
    both = [("a", "in_progress"), ("b", "in_progress")]
    for limit, refused in ((1, True), (2, False), (None, False)):
        assert tool(max_in_progress=limit)(call("checklist", *both)).is_error is refused


def test_a_new_plan_does_not_inherit_what_was_verified_before() -> None:
    fine = True
    todo = TodoWrite("lean", verify=lambda step: fine)
    todo({"steps": ["Run tests", "Build"]}, tool="plan")
    todo({"step": [1, 2]}, tool="done")
    fine = False
    again = [
        {"content": "Run tests", "status": "completed"},
        {"content": "Deploy", "status": "pending"},
    ]
    assert todo({"steps": again}, tool="plan").text == (
        "Error: step 3 is not finished: it could not be verified"
    )


def test_a_step_is_verified_once_however_often_its_save_is_tried() -> None:
    asked: list[str] = []
    store = MemoryStore()
    other = TodoWrite("lean", store=another(store))

    def verify(step: Todo) -> bool:
        asked.append(step.content)
        other({"steps": [f"More {len(asked)}"]}, tool="add")
        return True

    todo = TodoWrite("lean", store=store, verify=verify)
    todo({"steps": ["A", "B"]}, tool="plan")
    reply = todo({"step": 1}, tool="done")
    assert reply.text == '1/3 done. Now: B. Another agent changed your plan: added 3. "More 1".'
    assert asked == ["A"]
