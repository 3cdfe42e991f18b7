"""What our agent's requests took stands beside its plan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.agent.conftest import Talk
from tests.agent.provider import calls, says
from todowright import MemoryStore, StoreError, TodoWrite
from todowright.agent import Limits
from todowright.agent.events import Compaction
from todowright.stores.prices import Prices

Make = Callable[..., Talk]
PLAN = ("plan", {"steps": ["Read"]})
DONE = ("done", {"finished": ["Read"]})


def test_every_request_is_counted_and_none_makes_a_revision(talk: Make) -> None:
    made = talk(says(calls(PLAN), calls(DONE), "All done."), prices=Prices("3,15"))
    (*_, end) = made.run()
    todo = made.agent.todo
    (usage,) = todo.store.usage(todo.session)
    assert (usage.agent, usage.model, usage.requests, usage.priced) == ("main", "m", 3, 3)
    told = (end.usage.read, end.usage.written, end.usage.cached)
    assert (usage.input, usage.output, usage.cached) == told
    price = Prices("3,15").price("m")
    assert price is not None
    assert usage.cost == pytest.approx(price.of(*told))
    assert todo.plan.revision == 2


def test_a_sub_agents_requests_are_its_own_and_outlive_its_plan(talk: Make) -> None:
    helper = ("task", {"prompt": "Look around"})
    made = talk(says(calls(PLAN), calls(helper), "I looked.", calls(DONE), "Done."))
    (*_, end) = made.run()
    todo = made.agent.todo
    main, task = todo.store.usage(todo.session)
    assert (main.agent, main.requests, task.requests) == ("main", 4, 1)
    assert task.agent.startswith("main/task-")
    assert main.input + task.input == end.usage.read
    assert (main.priced, task.priced) == (0, 0)


def test_a_summary_of_the_past_is_counted_too(talk: Make) -> None:
    long = [calls(("bash", {"command": f"printf '%09000d' {n}"})) for n in range(6)]
    limits = Limits(window=12_000, max_tokens=2000)
    made = talk(says(calls(PLAN), *long, *["Done."] * 9), window=12_000, limits=limits)
    (*told, end) = made.run()
    assert any(each.usage.total for each in told if isinstance(each, Compaction))
    todo = made.agent.todo
    (usage,) = todo.store.usage(todo.session)
    assert (usage.input, usage.output) == (end.usage.read, end.usage.written)


def test_an_agent_that_never_plans_leaves_no_usage(talk: Make) -> None:
    made = talk(says("It is 4."))
    made.run()
    assert list(made.agent.todo.store.usage(made.agent.todo.session)) == []


def test_a_store_that_cannot_count_does_not_end_the_run(
    talk: Make, caplog: pytest.LogCaptureFixture
) -> None:
    class Weak(MemoryStore):
        def count_requests(self, requests: Any) -> None:
            raise StoreError("the disk is full")

    todo = TodoWrite("lean", store=Weak())
    made = talk(says(calls(PLAN), calls(DONE), "Done."), todo=todo)
    (*_, end) = made.run()
    assert (end.reason, todo.plan.finished) == ("answer", True)
    assert "what a request took could not be kept" in caplog.text
