"""What happened between two revisions, told without ids."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import call
from todowright import Change, Plan, Todo, TodoWrite
from todowright.plan.changes import ItemChange
from todowright.plan.changes import compare as compare_plans
from todowright.plan.matching import match
from todowright.plan.model import CLOSED, STATUSES


def plan(*items: str) -> list[Todo]:
    """Todos from lines like `>write`: a mark for the status, then the text."""
    marks: dict[str, Any] = {" ": "pending", ">": "in_progress", "x": "completed", "-": "cancelled"}
    return [Todo(item[1:], marks[item[0]]) for item in items]


def compare(before: list[Todo], after: list[Todo]) -> tuple[ItemChange, ...]:
    """What changed between two lists without numbers, as an earlier release kept them."""
    return compare_plans(Plan(todos=tuple(before)), Plan(todos=tuple(after)))


def told(before: list[Todo], after: list[Todo]) -> dict[str, tuple[str, ...]]:
    return {item.todo.content: item.kinds for item in compare(before, after)}


@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        ([" a"], [" a"], {}),
        (
            [],
            [" a", ">b", "xc"],
            {"a": ("created",), "b": ("created", "started"), "c": ("created", "completed")},
        ),
        ([" a"], [">a"], {"a": ("started",)}),
        ([">a"], ["xa"], {"a": ("completed",)}),
        ([" a"], ["xa"], {"a": ("completed",)}),
        ([">a"], [" a"], {"a": ("paused",)}),
        ([">a"], ["-a"], {"a": ("cancelled",)}),
        (["xa"], [" a"], {"a": ("reopened",)}),
        (["xa"], [">a"], {"a": ("reopened", "started")}),
        (["xa"], ["-a"], {"a": ("cancelled",)}),
        ([" a", " b"], [" a"], {"b": ("dropped",)}),
        ([">a", " b"], [" b"], {"a": ("dropped",)}),
        (["xa", "-b", " c"], [" c"], {"a": ("removed",), "b": ("removed",)}),
        ([" a", " b", " c"], [" c", " a", " b"], {"c": ("moved",)}),
        ([" a", " b", " c"], [" b", " c", " a"], {"a": ("moved",)}),
        ([" a", " b", " c"], [" a", " new", " b", " c"], {"new": ("created",)}),
        (
            [" a", ">bake bread", " c"],
            [" a", "xbake rye bread", " c"],
            {"bake rye bread": ("reworded", "completed")},
        ),
        (
            [" a", ">b", " c"],
            [" a", "xother", " c"],
            {"other": ("created", "completed"), "b": ("dropped",)},
        ),
    ],
)
def test_each_kind_of_change_is_told_apart(
    before: list[str], after: list[str], kinds: dict[str, tuple[str, ...]]
) -> None:
    assert told(plan(*before), plan(*after)) == kinds


def test_an_item_is_reworded_in_its_place_beside_others_that_come_and_go() -> None:
    before = plan("xsetup", ">Update telemetry to use settings", " Add flags", " Run tests")
    after = plan(
        "xsetup",
        " Add a helper",
        "xUpdate telemetry to use the parameter",
        " Add flags",
        " Run tests",
        " Deploy",
    )
    assert told(before, after) == {
        "Add a helper": ("created",),
        "Update telemetry to use the parameter": ("reworded", "completed"),
        "Deploy": ("created",),
    }


def test_chinese_texts_are_reworded_too() -> None:
    assert told(
        plan(">修复重叠检测", " 更新文档"), plan("x修复重叠检测逻辑", " 更新 README 文档")
    ) == {
        "修复重叠检测逻辑": ("reworded", "completed"),
        "更新 README 文档": ("reworded",),
    }


def test_a_finished_plan_followed_by_another_is_not_a_rewording() -> None:
    before = plan("xRead the code", "xFix the bug", "xRun the tests")
    after = plan(">Read the docs", " Fix the typo", " Run the linter")
    assert told(before, after) == {
        "Read the docs": ("created", "started"),
        "Fix the typo": ("created",),
        "Run the linter": ("created",),
        "Read the code": ("removed",),
        "Fix the bug": ("removed",),
        "Run the tests": ("removed",),
    }


def test_a_new_plan_that_says_one_thing_again_does_not_reopen_it() -> None:
    before = plan("xAdd the branch field", "xFix the parser", "xRun the tests")
    after = plan(">Reverse the search order", " Run the tests")
    kinds = [item.kinds for item in compare(before, after) if item.todo.content == "Run the tests"]
    assert kinds == [("created",), ("removed",)]
    assert told(plan("xa", "xb"), plan("xa", " b")) == {"b": ("reopened",)}


def test_unfinished_work_is_dropped_when_something_unlike_takes_its_place() -> None:
    before = plan("xRead the code", ">Pay the invoices", " Ship it")
    after = plan("xRead the code", "xWater all plants", " Ship it")
    assert told(before, after) == {
        "Water all plants": ("created", "completed"),
        "Pay the invoices": ("dropped",),
    }


def test_an_open_plan_replaced_by_another_is_dropped_not_reworded() -> None:
    before = plan(">Investigate booking", " Check calendar")
    after = plan(">Add welcome email", " Create endpoint")
    assert told(before, after) == {
        "Add welcome email": ("created", "started"),
        "Create endpoint": ("created",),
        "Investigate booking": ("dropped",),
        "Check calendar": ("dropped",),
    }


def test_a_shared_id_goes_before_text_and_place() -> None:
    before = [Todo("a", id="t1"), Todo("b", id="t2")]
    after = [Todo("b", id="t1"), Todo("c", id="t2")]
    assert match(before, after) == [0, 1]


def test_equal_texts_are_matched_in_order() -> None:
    assert match(plan(" a", " a", " b"), plan(" a", " b", " a", " a")) == [0, 2, 1, None]


def test_a_change_is_heard_with_the_plans_before_and_after() -> None:
    todo = TodoWrite("checklist")
    heard: list[Change] = []
    todo.on_change(heard.append)
    todo(call("checklist", ("a", "in_progress"), "b"))
    todo(call("checklist", ("a", "completed"), ("b", "in_progress")))
    (_, change) = heard
    assert [item.content for item in change.of("completed")] == ["a"]
    assert [item.content for item in change.of("started")] == ["b"]
    assert change.of("dropped") == ()
    assert (change.before.revision, change.plan.revision) == (1, 2)


def test_ids_follow_the_items_through_rewrites_that_carry_none() -> None:
    todo = TodoWrite("checklist")

    def ids(*names: str) -> dict[str, str]:
        todo(call("checklist", *names))
        return {item.content: item.id for item in todo.plan.todos}

    assert ids("Write code", "Run tests") == {"Write code": "t1", "Run tests": "t2"}
    assert ids("Run tests", "Write code") == {"Run tests": "t2", "Write code": "t1"}
    assert ids("Write the code", "Deploy", "Run tests") == {
        "Write the code": "t1",
        "Deploy": "t3",
        "Run tests": "t2",
    }
    assert ids("Run tests") == {"Run tests": "t2"}
    assert ids("Run tests", "Deploy") == {"Run tests": "t2", "Deploy": "t4"}


words = st.sampled_from(
    ["a", "b", "write code", "write the code", "test", "写测试", "写单元测试", ""]
)
todos = st.builds(
    Todo, words, st.sampled_from(STATUSES), st.just(""), st.sampled_from(["", "", "", "i", "j"])
)


def unique_ids(items: list[Todo]) -> list[Todo]:
    seen: set[str] = set()
    kept = []
    for item in items:
        fresh = item if item.id not in seen else Todo(item.content, item.status)
        seen.add(item.id)
        kept.append(fresh)
    return kept


lists = st.lists(todos, max_size=8).map(unique_ids)


@given(lists, lists)
def test_matching_two_revisions_never_loses_or_invents_an_item(
    before: list[Todo], after: list[Todo]
) -> None:
    origins = match(before, after)
    named = [origin for origin in origins if origin is not None]
    assert len(origins) == len(after)
    assert len(set(named)) == len(named)
    assert set(named) <= set(range(len(before)))

    changes = compare(before, after)
    gone = [item.before for item in changes if item.after is None]
    made = [item.after for item in changes if item.before is None]
    assert len(gone) == len(before) - len(named)
    assert len(made) == len(after) - len(named)
    for item in changes:
        assert item.kinds
        if item.after is None:
            assert item.before is not None
            expected = "removed" if item.before.status in CLOSED else "dropped"
            assert item.kinds == (expected,)


@given(lists)
def test_a_list_compared_with_itself_shows_no_change(items: list[Todo]) -> None:
    assert compare(items, list(items)) == ()


@given(st.permutations("abcdefgh"))
def test_what_has_moved_is_the_least_that_explains_the_order(order: list[str]) -> None:
    before = [Todo(name) for name in "abcdefgh"]
    changes = compare(before, [Todo(name) for name in order])
    moved = {item.todo.content for item in changes}
    assert all(item.kinds == ("moved",) for item in changes)
    stayed = [name for name in order if name not in moved]
    assert stayed == sorted(stayed)
    assert len(stayed) == longest_rising("".join(order))


def longest_rising(order: str) -> int:
    best: list[int] = []
    for index, name in enumerate(order):
        best.append(1 + max((best[i] for i in range(index) if order[i] < name), default=0))
    return max(best)


def test_ten_thousand_items_are_matched_in_reasonable_work() -> None:
    before = [Todo(f"old {n}") for n in range(10_000)]
    after = [Todo(f"new {n}") for n in range(10_000)]
    assert len(compare(before, after)) == 20_000


def test_single_items_are_compared_as_whole_lists_are(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, extras = ("a", "b"), ((), (("priority", "high"),))
    todos = [
        Todo(text, status, number=1, extras=more)
        for text in texts
        for status in STATUSES
        for more in extras
    ]
    other = Todo("other", number=2)
    plans = [Plan(todos=(todo, other), dialect="lean") for todo in todos]
    short = [compare_plans(before, after) for before in plans for after in plans]
    monkeypatch.setattr("todowright.plan.changes._are_the_same", lambda *_: False)
    assert short == [compare_plans(before, after) for before in plans for after in plans]
