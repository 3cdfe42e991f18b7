"""A person's edits of a plan."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support import statuses, texts
from todowright import MemoryStore, TodoWrite
from todowright.plan.editing import BadEdit, edit
from todowright.errors import Conflict


@pytest.fixture
def todo() -> TodoWrite:
    made = TodoWrite("lean", store=MemoryStore())
    made({"steps": ["A", "B", "C"]}, tool="plan")
    return made


def test_every_edit_does_what_it_says_on_top_of_the_others(todo: TodoWrite) -> None:
    after = edit(
        todo.store,
        todo.plan,
        [
            {"do": "tick", "id": "t1"},
            {"do": "start", "id": "t3"},
            {"do": "reword", "id": "t2", "text": " B, but better "},
            {"do": "add", "text": "D", "after": "t1"},
            {"do": "add", "text": "E"},
            {"do": "add", "text": "First", "after": ""},
            {"do": "move", "id": "t3", "after": "t1"},
            {"do": "cancel", "id": "t2"},
        ],
    )

    assert todo.plan == after
    assert texts(after) == ["First", "A", "C", "D", "B, but better", "E"]
    assert statuses(after) == [
        "pending", "completed", "in_progress", "pending", "cancelled", "pending",
    ]  # fmt: skip
    assert [step.id for step in after.todos] == ["t6", "t1", "t3", "t4", "t2", "t5"]
    assert todo({"step": 3}, tool="done").text.startswith("2/5 done")


def test_starting_a_step_puts_back_the_one_that_was_on_and_a_tick_comes_off(
    todo: TodoWrite,
) -> None:
    plan = edit(todo.store, todo.plan, [{"do": "start", "id": "t2"}])
    assert statuses(plan) == ["pending", "in_progress", "pending"]
    plan = edit(todo.store, plan, [{"do": "tick", "id": "t2"}])
    plan = edit(todo.store, plan, [{"do": "untick", "id": "t2"}, {"do": "remove", "id": "t1"}])
    assert (texts(plan), statuses(plan)) == (["B", "C"], ["pending", "pending"])


@pytest.mark.parametrize(
    "edits",
    [
        [],
        None,
        "tick",
        {"do": "tick"},
        [5],
        [{"do": "dance"}],
        [{"do": ["tick"]}],
        [{"do": "tick"}],
        [{"do": "tick", "id": "t9"}],
        [{"do": "tick", "id": ["t1"]}],
        [{"do": "reword", "id": "t1"}],
        [{"do": "reword", "id": "t1", "text": "  "}],
        [{"do": "add", "text": 5}],
        [{"do": "add", "text": "x" * 2001}],
        [{"do": "add", "text": "\ud800"}],
        [{"do": "add", "text": "x", "after": "t9"}],
        [{"do": "tick", "id": "t1"}, {"do": "tick", "id": "t9"}],
        [{"do": "tick", "id": "t1"}] * 201,
    ],
)
def test_an_edit_that_cannot_be_made_changes_nothing(todo: TodoWrite, edits: Any) -> None:
    before = todo.plan
    with pytest.raises(BadEdit) as raised:
        edit(todo.store, before, edits)
    assert "\n" not in str(raised.value)
    assert todo.plan is before


def test_an_edit_on_an_older_revision_is_a_conflict(todo: TodoWrite) -> None:
    before = todo.plan
    todo({"step": 1}, tool="done")
    with pytest.raises(Conflict):
        edit(todo.store, before, [{"do": "tick", "id": "t2"}])
