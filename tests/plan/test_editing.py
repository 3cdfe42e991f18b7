"""Edits of single steps, by a person or a program."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support import statuses, texts
from todowright import Author, MemoryStore, Plan, Refused, Todo, TodoWrite
from todowright.errors import Conflict
from todowright.plan.editing import Editor, read_edits
from todowright.tool.person import edit_plan


def edit(todo: TodoWrite, edits: Any, plan: Plan | None = None) -> Plan:
    """Edits as they come over a wire, by a person."""
    wanted = read_edits(edits)
    return edit_plan(todo.store, plan or todo.plan, wanted, by=Author("person", "Ada")).plan


@pytest.fixture
def todo() -> TodoWrite:
    made = TodoWrite("lean", store=MemoryStore())
    made({"steps": ["A", "B", "C"]}, tool="plan")
    return made


def test_every_edit_does_what_it_says_on_top_of_the_others(todo: TodoWrite) -> None:
    after = edit(
        todo,
        [
            {"do": "complete", "step": 1},
            {"do": "start", "step": "t3"},
            {"do": "reword", "step": "b", "text": " B, but better "},
            {"do": "add", "text": "D", "after": 1},
            {"do": "add", "text": "E"},
            {"do": "add", "text": "First", "after": 0},
            {"do": "move", "step": "C", "after": "A"},
            {"do": "cancel", "step": 2},
        ],
    )

    assert todo.plan == after
    assert texts(after) == ["First", "A", "C", "D", "B, but better", "E"]
    assert statuses(after) == [
        "pending", "completed", "in_progress", "pending", "cancelled", "pending",
    ]  # fmt: skip
    assert [step.number for step in after.todos] == [4, 1, 3, 5, 2, 6]
    assert [step.id for step in after.todos] == ["t4", "t1", "t3", "t5", "t2", "t6"]
    assert after.by == Author("person", "Ada")
    assert todo({"step": 3}, tool="done").text.startswith("2/5 done")


def test_starting_a_step_puts_back_the_one_that_was_on_and_a_tick_comes_off(
    todo: TodoWrite,
) -> None:
    assert statuses(todo.start(2)) == ["pending", "in_progress", "pending"]
    todo.complete(2)
    plan = edit(todo, [{"do": "reopen", "step": 2}, {"do": "remove", "step": 1}])
    assert (texts(plan), statuses(plan)) == (["B", "C"], ["pending", "pending"])


@pytest.mark.parametrize(
    "edits",
    [
        [],
        None,
        "complete",
        {"do": "complete"},
        [5],
        [{"do": "dance"}],
        [{"do": ["complete"]}],
        [{"do": "complete"}],
        [{"do": "complete", "id": "t1"}],
        [{"do": "complete", "step": "t9"}],
        [{"do": "complete", "step": 0}],
        [{"do": "complete", "step": -1}],
        [{"do": "complete", "step": True}],
        [{"do": "complete", "step": ["t1"]}],
        [{"do": "reword", "step": "t1"}],
        [{"do": "reword", "step": "t1", "text": "  "}],
        [{"do": "add", "text": 5}],
        [{"do": "add", "text": "x" * 100_001}],
        [{"do": "add", "text": "\ud800"}],
        [{"do": "add", "text": "x", "after": "t9"}],
        [{"do": "complete", "step": "t1"}, {"do": "complete", "step": "t9"}],
        [{"do": "complete", "step": "t1"}] * 201,
    ],
)
def test_an_edit_that_cannot_be_made_changes_nothing(todo: TodoWrite, edits: Any) -> None:
    before = todo.plan
    with pytest.raises(Refused) as raised:
        edit(todo, edits)
    assert "\n" not in str(raised.value)
    assert todo.plan is before


def test_words_that_several_steps_have_are_refused_with_their_numbers(todo: TodoWrite) -> None:
    todo.add("Test")
    todo.add("test")
    with pytest.raises(
        Refused, match="'TEST' is not clear, say which step by its number: 4 Test; 5 test"
    ):
        todo.complete("TEST")
    todo.complete(4)
    assert [step.number for step in todo.complete("Test.").todos if step.closed] == [4, 5]


def test_an_edit_on_an_older_revision_is_a_conflict(todo: TodoWrite) -> None:
    before = todo.plan
    todo({"step": 1}, tool="done")
    with pytest.raises(Conflict):
        edit(todo, [{"do": "complete", "step": "t2"}], before)


def test_an_edit_that_changes_nothing_makes_no_revision(todo: TodoWrite) -> None:
    before = todo.plan
    assert todo.start(1) is before
    assert todo.move(3) is before


@pytest.mark.parametrize("labels", [True, False])
@pytest.mark.parametrize(
    "name", ["Run tests", "run tests", " Run tests", "Same", "2", "t1", "Run", "2. Same", 2, 2.0]
)
def test_a_step_that_is_named_alone_is_the_one_that_is_named_among_others(
    name: object, labels: bool
) -> None:
    words = ["Run tests", "Same", "Same", "2", "t1", " Run tests"]
    todos = [Todo(text, id=f"t{n}", number=n) for n, text in enumerate(words, 1)]
    found: list[object] = []
    for names in ([name], [name, name]):
        try:
            found.append(Editor(todos, labels=labels).find_all(names)[0])
        except Refused as refused:
            found.append(refused.issues)
    assert found[0] == found[1]


def test_who_finishes_no_step_starts_none() -> None:
    editor = Editor([Todo("a", number=1)])
    assert (editor.finish([]), editor.todos[0].status) == ([], "pending")
