"""How long each item was in each status."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from tests.support import Clock, call
from todowright import MemoryStore, TodoWrite, lifelines

MINUTE = timedelta(minutes=1)


def test_the_time_in_each_status_is_told_over_rewording_reopening_and_dropping() -> None:
    clock = Clock(step=MINUTE)
    todo = TodoWrite("checklist", clock=clock)
    for items in (
        [("Write code", "in_progress"), "Run tests", "Deploy"],
        [("Write code", "in_progress"), "Run tests", "Deploy"],
        [("Write the code", "completed"), ("Run tests", "in_progress"), "Deploy"],
        [("Write the code", "in_progress"), ("Run tests", "pending")],
    ):
        assert not todo(call("checklist", *items)).is_error
    write, test, deploy = lifelines(todo.store.history(todo.session, todo.agent))
    end = clock.now + 5 * MINUTE

    assert write.todo.content == "Write the code"
    assert [span.status for span in write.spans] == ["in_progress", "completed", "in_progress"]
    assert write.spent("in_progress", end) == (2 + 5) * MINUTE
    assert write.spent("completed", end) == MINUTE
    assert write.ended is None
    assert test.spent("pending", end) == (2 + 5) * MINUTE
    assert test.spent("in_progress", end) == MINUTE
    assert deploy.spent("pending", end) == 3 * MINUTE
    assert deploy.ended == clock.now


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=4, unique=True), min_size=1, max_size=6))
def test_the_spans_of_an_item_follow_each_other_without_gap(lists: list[list[str]]) -> None:
    clock, store = Clock(step=MINUTE), MemoryStore()
    todo = TodoWrite("twostate", clock=clock, store=store)
    for names in lists:
        todo({"todos": [{"content": name} for name in names]})
    lives = lifelines(store.history("default", "main"))
    alive = [life.todo for life in lives if life.ended is None]
    assert sorted(item.content for item in alive) == sorted(lists[-1])
    for life in lives:
        for earlier, later in zip(life.spans, life.spans[1:], strict=False):
            assert earlier.until == later.since


def test_a_plan_that_never_was_has_no_lifelines() -> None:
    assert lifelines([TodoWrite("smart").plan]) == ()
