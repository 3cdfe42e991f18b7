"""Attacks on the one writer, the matcher and the news that succeeded once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support import call, edit, statuses, texts
from todowright import Author, MemoryStore, Plan, Receipt, Refused, TodoWrite, revisions
from todowright.errors import StoreError
from todowright.plan.marks import bare
from todowright.plan.matching import match
from todowright.plan.model import Todo
from todowright.tool.listeners import Listeners


def planned(*steps: str, **more: Any) -> TodoWrite:
    todo = TodoWrite("lean", **more)
    todo({"steps": list(steps)}, tool="plan")
    return todo


def test_every_revision_is_read_once_however_many_pages_they_fill() -> None:
    store = MemoryStore(keep=5_000)
    todo = TodoWrite("twostate", store=store)
    for number in range(2_300):
        todo(call("twostate", f"{number}"))
    found = [plan.revision for plan in revisions(store, "default", "main")]
    assert found == list(range(1, 2_301))


class Raced(MemoryStore):
    """Another writer comes first, once, just before a save."""

    other: Any = None

    def save(self, plan: Plan, receipt: Receipt | None = None) -> None:
        other, self.other = self.other, None
        if other is not None:
            super().save(other(self.load(plan.session, plan.agent)))
        super().save(plan, receipt)


def test_a_call_with_an_id_is_answered_by_what_was_kept_not_by_a_save_that_failed() -> None:
    from dataclasses import replace

    store = Raced()
    todo = planned("A", "B", store=store, with_news=False)

    def first(plan: Plan) -> Plan:
        done = tuple(replace(each, status="completed") for each in plan.todos)
        return replace(plan, revision=plan.revision + 1, todos=done)

    store.other = first
    assert todo({"step": 1}, tool="done", call_id="c").text == "No change."
    assert todo({"step": 1}, tool="done", call_id="c").text == "No change."
    kept = store.receipt("default", "main", "c")
    assert kept is not None


@pytest.mark.parametrize(
    "by",
    ["bob", ("person", "x"), Author("robot", "r"), Author("person", 5), None],  # type: ignore[arg-type]
)
def test_an_author_that_no_store_could_read_back_is_refused(by: Any) -> None:
    todo = planned("A")
    with pytest.raises(TypeError, match="by is an Author"):
        todo.add("B", by=by)
    with pytest.raises(ValueError, match="valid Unicode"):
        todo.add("B", by=Author("person", "\ud800"))
    assert texts(todo.plan) == ["A"]


def test_what_is_noted_beside_the_plan_may_fail_without_a_word() -> None:
    class Moody(MemoryStore):
        def mark_seen(self, session: str, agent: str, revision: int) -> None:
            raise ConnectionError("gone")

        def keep(self, receipt: Receipt) -> None:
            raise ConnectionError("gone")

    class Unshowable:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    todo = planned("A", store=Moody())
    edit(todo.store, todo.plan, [{"do": "add", "text": "B"}])
    assert (
        "On the board, the user changed your plan"
        in todo({"step": 9}, tool="done", call_id="x").text
    )
    assert todo({"step": Unshowable()}, tool="done", call_id="y").is_error


def test_marks_are_looked_for_at_the_ends_of_a_text_only() -> None:
    long = "a" + " " * 50_000 + "b"
    assert bare(long) == (long, None)
    assert bare("b" + " (done)" * 50_000)[1] == "completed"
    assert bare("[x] Test it (done)") == ("Test it", "completed")
    assert bare("404: add a page") == ("404: add a page", None)


def test_a_thousand_equal_texts_are_matched_without_comparing_each_with_each() -> None:
    same = [Todo("x")] * 9_000
    assert len(set(match(same, same[:-1]))) == 8_999


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1. Run tests", "3. Run tests"),
        ("404: add page", "500: add page"),
        ("Edit README", "Edit readme"),
    ],
)
def test_new_work_in_nearly_the_words_of_finished_work_is_new(old: str, new: str) -> None:
    assert match([Todo(old, "completed"), Todo("Fix bug")], [Todo("Fix bug"), Todo(new)]) == [
        1,
        None,
    ]


def test_of_equal_texts_the_one_that_is_on_is_finished_first() -> None:
    before = [Todo("Run", "in_progress"), Todo("Run")]
    assert match(before, [Todo("Run", "completed")]) == [0]


def test_a_number_and_words_that_disagree_finish_nothing() -> None:
    todo = planned("Run tests", "Fix bug")
    told = todo({"step": "2. Run tests"}, tool="done").text
    assert told == (
        "Error: '2. Run tests' is not clear, say which step by its number: 1 Run tests; 2 Fix bug"
    )
    assert todo({"step": "9. Fix bug"}, tool="done").is_error
    assert statuses(todo.plan) == ["in_progress", "pending"]
    todo({"step": "2. fix bug"}, tool="done")
    assert statuses(todo.plan) == ["in_progress", "completed"]
    named = planned("3", "x", "y")
    named({"step": "3"}, tool="done")
    assert statuses(named.plan) == ["completed", "in_progress", "pending"]  # its very words
    named({"step": 3}, tool="done")
    assert statuses(named.plan) == ["completed", "in_progress", "completed"]


def test_a_verify_that_ends_the_plan_it_judges_is_refused_and_does_not_hang() -> None:
    todo = planned("A")
    child = todo.subagent().__enter__()
    said: list[str] = []

    def verify(_: Todo) -> bool:
        try:
            judged.end()
        except Refused as refused:
            said.append(refused.issues[0].code)
        return True

    judged = TodoWrite("lean", store=todo.store, agent=child.agent, verify=verify)
    judged({"steps": ["B"]}, tool="plan")
    assert judged({"step": 1}, tool="done").text == "1/1 done."
    assert said == ["judging"]


def test_the_plan_of_the_main_agent_cannot_be_ended() -> None:
    todo = planned("A")
    with pytest.raises(ValueError, match="main is no sub-agent"):
        todo.end()
    assert texts(todo.plan) == ["A"]


def test_several_authors_are_told_as_others_and_the_first_of_them_from_the_beginning() -> None:
    todo = planned("A")
    edit(todo.store, todo.plan, [{"do": "add", "text": "by Ann"}])
    todo.add("by a program")
    assert todo.news() == (
        'Others, the user on the board among them, changed your plan: added 2. "by Ann"; '
        'added 3. "by a program"'
    )
    begun = TodoWrite("lean")
    edit(begun.store, begun.plan, [{"do": "add", "text": "Mine"}])
    assert begun({"steps": ["Other"]}, tool="plan").text == (
        'Error: On the board, the user changed your plan: added 1. "Mine". '
        "Nothing was changed: send the list again, with that in it"
    )


def test_news_that_could_not_be_noted_is_told_again() -> None:
    class Moody(MemoryStore):
        fails = True

        def mark_seen(self, session: str, agent: str, revision: int) -> None:
            if self.fails:
                raise StoreError("locked")
            super().mark_seen(session, agent, revision)

    store = Moody()
    todo = planned("A", store=store)
    edit(store, todo.plan, [{"do": "add", "text": "B"}])
    with pytest.raises(StoreError):
        todo.news()
    store.fails = False
    assert todo.news() == 'On the board, the user changed your plan: added 2. "B"'


def test_who_subscribes_later_does_not_hear_of_what_was_before() -> None:
    listeners: Listeners[str] = Listeners()
    heard: list[str] = []
    stop = listeners.add(print)
    listeners.put("old")
    stop()
    listeners.add(heard.append)
    listeners.put("new")
    listeners.tell()
    assert heard == ["new"]


def test_an_empty_id_is_no_id() -> None:
    todo = planned("A")
    for _ in range(2):
        todo({"step": "B"}, tool="add", call_id="")
        todo({"step": "B"}, tool="drop", call_id="")
    assert todo.plan.revision == 5
