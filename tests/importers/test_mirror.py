"""A call of another agent makes the same plan in a store."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from todowright import (
    BadName,
    Change,
    Edit,
    MemoryStore,
    Plan,
    Store,
    StoreError,
    open_store,
    read_plan,
    revisions,
)
from todowright.importers.mirror import Mirrored, mirror
from todowright.tool.person import edit_plan
from todowright.tool.revise import writer_of

NOON = datetime(2026, 2, 3, 12, tzinfo=UTC)


@pytest.fixture(params=["memory:", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    url = "memory:" if request.param == "memory:" else f"sqlite:///{tmp_path / 'plans.db'}"
    opened = open_store(url)
    yield opened
    opened.close()


def call(name: str, label: str = "", **arguments: object) -> dict[str, object]:
    return {"type": "tool_use", "id": label, "name": name, "input": arguments}


def todos(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"content": text, "status": status, "activeForm": text} for text, status in pairs]


def told(plan: Plan | None) -> list[tuple[int, str, str, str]]:
    assert plan is not None
    return [(todo.number, todo.id, todo.content, todo.status) for todo in plan.todos]


def test_a_list_replaces_the_list_and_its_items_keep_their_numbers(store: Store) -> None:
    first = call("TodoWrite", todos=todos(("a", "in_progress"), ("b", "pending")))
    later = call("TodoWrite", todos=todos(("new", "pending"), ("b", "completed")))
    assert mirror(first, store=store, session="s", time=NOON).outcome == "changed"
    made = mirror(later, store=store, session="s", time=NOON + timedelta(minutes=1))
    assert told(made.plan) == [(3, "t3", "new", "pending"), (2, "t2", "b", "completed")]
    kept = list(revisions(store, "s", "main"))
    assert [plan.updated_at for plan in kept] == [NOON, NOON + timedelta(minutes=1)]
    assert {(plan.dialect, plan.by.kind) for plan in kept} == {("claude", "agent")}
    assert made.plan == store.load("s", "main")


def test_calls_for_single_items_edit_the_plan(store: Store) -> None:
    def make(given: object, result: object = None) -> Mirrored:
        return mirror(given, result=result, store=store, session="s", agent="main/scout-1")

    make(call("TaskCreate", subject="a", description="d"), "Task #4 created successfully: a")
    make(call("TaskCreate", subject="b", description="d"), "Task #5 created successfully: b")
    make(call("TaskUpdate", taskId="5", addBlockedBy=["4"]))
    made = make(call("TaskUpdate", taskId="4", status="completed"))
    assert told(made.plan) == [(1, "4", "a", "completed"), (2, "5", "b", "pending")]
    assert made.plan is not None
    assert dict(made.plan.todos[1].extras)["blockedBy"] == "4"
    made = make(call("TaskUpdate", taskId="4", status="deleted"))
    assert told(made.plan) == [(2, "5", "b", "pending")]
    assert store.load("s", "main").revision == 0


def test_the_same_call_again_changes_nothing(store: Store) -> None:
    first = call("TodoWrite", "toolu_1", todos=todos(("a", "pending")))
    second = call("TodoWrite", "toolu_2", todos=todos(("b", "pending")))
    looked = call("TaskList", "toolu_3")
    both = [
        [mirror(each, store=store, session="s").outcome for each in (first, second, looked)]
        for _ in range(2)
    ]
    assert both == [["changed", "changed", "looked"], ["repeated", "repeated", "looked"]]
    assert store.load("s", "main").revision == 2
    other = call("TodoWrite", "toolu_1", todos=todos(("c", "pending")))
    assert mirror(other, store=store, session="s").outcome == "changed", "the same id, another call"
    assert mirror(first, store=store, session="s", agent="main/sub").outcome == "changed"


def test_a_call_that_says_what_stands_makes_no_revision_and_is_still_remembered(
    store: Store,
) -> None:
    outcomes = [
        mirror(
            call("TodoWrite", label, todos=todos(("a", "pending"))), store=store, session="s"
        ).outcome
        for label in ("x1", "x2", "x1", "x2")
    ]
    assert outcomes == ["changed", "same", "repeated", "repeated"]
    assert store.load("s", "main").revision == 1
    again = mirror(call("TodoWrite", "x3", todos=todos(("a", "pending"))), store=store, session="s")
    assert again.outcome == "same"


def test_statuses_of_its_own_are_kept(store: Store) -> None:
    words = ("pending", "in_progress", "completed", "cancelled", "blocked")
    rows = [{"description": word, "status": word} for word in words]
    made = mirror(call("write_todos", todos=rows), store=store, session="s")
    assert made.plan is not None
    assert [todo.status for todo in made.plan.todos] == [*words[:4], "pending"]
    assert made.plan.todos[4].extras == (("state", "blocked"),)
    two = todos(("a", "in_progress"), ("b", "in_progress"))
    assert mirror(call("TodoWrite", todos=two), store=store, session="s").outcome == "changed"


@pytest.mark.parametrize(
    ("given", "outcome", "line"),
    [
        (call("Bash", command="ls"), "unreadable", "no agent's plan tool is called 'Bash'"),
        ("no plan", "unreadable", "the text holds no plan: neither JSON nor a checklist"),
        (call("TodoWrite", todos=4), "unreadable", "'todos' must be a list of items: it is number"),
        (call("TodoWrite", todos=[3, {"content": "a"}]), "changed", "item 1 was left out: it is number, not an object"),
        (call("TaskUpdate", taskId="9", status="completed"), "same", "no item is called '9': its change was left out"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_in_one_line(given: object, outcome: str, line: str) -> None:
    made = mirror(given, store=MemoryStore(), session="s")
    assert (made.outcome, made.line) == (outcome, line)


def test_a_call_that_its_own_agent_refused_changes_nothing(store: Store) -> None:
    given = call("TodoWrite", todos=todos(("a", "pending")))
    assert mirror(given, store=store, session="s", failed=True).outcome == "failed"
    assert store.sessions() == []


def test_a_store_that_cannot_keep_it_is_told_not_raised() -> None:
    class Full(MemoryStore):
        def save(self, plan: Plan, receipt: object = None) -> None:
            raise StoreError("the disk is full")

    given = call("TodoWrite", todos=todos(("a", "pending")))
    made = mirror(given, store=Full(), session="s")
    assert (made.outcome, made.line) == ("failed", "the disk is full")


def test_what_only_a_program_gets_wrong_is_raised() -> None:
    given = call("TodoWrite", todos=[])
    with pytest.raises(BadName):
        mirror(given, store=MemoryStore(), session="../s")
    with pytest.raises(ValueError, match="time needs a time zone"):
        mirror(given, store=MemoryStore(), session="s", time=datetime(2026, 1, 1))


def test_who_listens_hears_of_it_and_a_person_may_edit_what_came_in() -> None:
    store, heard = MemoryStore(), list[Change]()
    writer = writer_of(store, "s", "main")
    stop = writer.listen(heard.append)
    rows = [{"step": "a", "status": "pending"}, {"step": "b", "status": "pending"}]
    made = mirror(call("update_plan", plan=rows, explanation="why"), store=store, session="s")
    assert made.plan is not None
    assert made.plan.summary == "why"
    edit_plan(store, made.plan, [Edit("cancel", 2), Edit("add", text="c")])
    stop()
    assert [len(change.plan.todos) for change in heard] == [2, 3]
    assert store.load("s", "main").dialect == "codex"


def test_a_reading_can_be_made_in_several_places() -> None:
    reading = read_plan("- [x] a\n- [ ] b")
    store = MemoryStore()
    for agent in ("main", "main/one"):
        assert mirror(reading, store=store, session="s", agent=agent).outcome == "changed"
    assert [len(plan.todos) for plan in store.plans("s")] == [2, 2]
