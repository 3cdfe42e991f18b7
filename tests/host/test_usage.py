"""What a run's requests took, told by its loop and kept beside its plan."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from todowright import MemoryStore, PlanHost, StoreError
from todowright.host import PlanRun
from todowright.plan.model import Plan
from todowright.stores.prices import Prices
from todowright.stores.sqlite import SQLiteStore
from todowright.stores.usage import ModelRequest, Usage

STEPS = {"steps": ["Read", "Fix"]}


def sums(run: PlanRun) -> list[tuple[str, str, int, int, int]]:
    found = run.todo.store.usage(run.todo.session)
    return [(each.agent, each.model, each.requests, each.input, each.output) for each in found]


def test_what_was_used_before_the_first_plan_counts_once_there_is_one(tmp_path: Path) -> None:
    path = tmp_path / "plans.db"
    run = PlanHost(store=f"sqlite:///{path}").begin("thread")
    run.used(model="m", input=100, output=10, cached=60)
    assert not path.exists()  # who never plans leaves nothing
    run.answer([("plan", STEPS, "1")])
    revision = run.todo.plan.revision
    run.used(model="m", input=50, output=5, cost=0.01)
    assert sums(run) == [("main", "m", 2, 150, 15)]
    assert run.todo.plan.revision == revision
    run.todo.store.close()


def test_a_request_with_an_id_counts_once_also_in_another_run() -> None:
    host = PlanHost()
    run = host.begin("thread")
    run.answer([("plan", STEPS, "1")])
    for each in (run, host.begin("thread"), host.begin("thread")):
        each.used(model="m", input=10, request_id="req_1")
        each.used(model="m", input=10)
    assert sums(run) == [("main", "m", 4, 40, 0)]


def test_a_sub_agent_without_a_plan_counts_beside_its_parents() -> None:
    host = PlanHost()
    run = host.begin("thread")
    run.answer([("plan", STEPS, "1")])
    with run.on():
        child = host.new_run("thread", label="helper")
    child.used(model="small", input=7)
    assert [row[1:] for row in sums(run)] == [("small", 1, 7, 0)]
    assert sums(run)[0][0].startswith("main/helper-")


def test_what_waits_is_counted_when_the_run_ends() -> None:
    run = PlanHost().begin("thread")
    run.used(model="m", input=1)
    run.answer([("plan", STEPS, "1")])
    run.close()
    assert sums(run) == [("main", "m", 1, 1, 0)]


def test_in_an_event_loop_it_is_told_aside(tmp_path: Path) -> None:
    async def work() -> PlanRun:
        run = PlanHost(store=f"sqlite:///{tmp_path}/plans.db").begin("thread")
        await run.aanswer([("plan", STEPS, "1")])
        await run.aside(lambda: run.used(model="m", input=3))
        return run

    run = asyncio.run(work())
    assert sums(run) == [("main", "m", 1, 3, 0)]
    run.todo.store.close()


@pytest.mark.parametrize("what", ["count_requests", "load"])
def test_what_the_store_could_not_take_is_told_and_counts_with_the_next(what: str) -> None:
    class Weak(MemoryStore):
        broken = False

        def count_requests(self, requests: Any) -> None:
            self.fail("count_requests")
            super().count_requests(requests)

        def load(self, session: str, agent: str) -> Plan:
            self.fail("load")
            return super().load(session, agent)

        def fail(self, where: str) -> None:
            if self.broken and where == what:
                raise StoreError("the disk is full")

    store = Weak()
    run = PlanHost(store=store).begin("thread")
    run.answer([("plan", STEPS, "1")])
    store.broken = True
    with pytest.raises(StoreError, match="the disk is full"):
        run.used(model="m", input=1)
    store.broken = False
    run.used(model="m", input=2)
    assert sums(run) == [("main", "m", 2, 3, 0)]


def test_what_makes_no_sense_is_said_and_not_counted() -> None:
    run = PlanHost().begin("thread")
    run.answer([("plan", STEPS, "1")])
    with pytest.raises(ValueError, match="input counts the cached tokens, too"):
        run.used(input=10, cached=20)
    assert sums(run) == []


@pytest.mark.parametrize(
    ("given", "model", "dollars"),
    [
        ("3,15", "any", 3 * 0.6 + 0.3 * 0.4 + 15 * 0.1),
        ("3,15,3", "any", 3 + 1.5),
        ("opus=5,25 3,15,3", "opus-4", 5 * 0.6 + 0.5 * 0.4 + 2.5),
        ("a=1,1,1;a-b=2,2,2", "a-b-c", 2 + 0.2),
        ("a=1,1,1", "b", None),
        ("", "b", None),
    ],
)
def test_a_price_is_the_users_and_goes_by_the_name_of_the_model(
    given: str, model: str, dollars: float | None
) -> None:
    found = [Usage("main", model, 3, 1_000_000, 100_000, 400_000)]
    cost, whole = Prices(given).cost(found)
    assert cost == (None if dollars is None else pytest.approx(dollars))
    assert whole is (dollars is not None)


@pytest.mark.parametrize(
    "given",
    ["3", "3,15,1,1", "-3,4", "x,y", "nan,1", "inf,1", "a=", "=3", "1e308,1e308", "3,1000001"],
)
def test_a_price_that_is_none_is_told_in_a_line(given: str) -> None:
    with pytest.raises(ValueError, match=r"is no price: write dollars a million tokens, .* 3,15"):
        Prices(given)


@pytest.mark.parametrize("damaged", [float("inf"), float("nan")])
def test_a_cost_that_is_no_number_is_not_told(damaged: float) -> None:
    found = [Usage("main", "m", 1, 10, 0, 0, damaged, 1), Usage("main", "n", 1, 10, 0, 0, 0.5, 1)]
    told = Prices("3,15").told(found)
    assert told is not None
    assert (told["cost"], told["cost_is_whole"], told["input"]) == (None, False, 20)
    assert Prices("1000000,1000000").cost([Usage("main", "m", 1, 10**6)]) == (1e6, True)


def test_what_was_told_counts_before_any_price_and_a_part_is_called_so() -> None:
    told = Usage("main", "m", 2, 1_000_000, 0, 0, 0.5, 2)
    half = Usage("main", "n", 2, 1_000_000, 0, 0, 0.25, 1)
    assert Prices("3,15").cost([told]) == (0.5, True)
    assert Prices("3,15").cost([told, half]) == (0.75, False)
    assert Prices().cost([told, Usage("main", "x", 1, 5)]) == (0.5, False)
    assert Prices().cost([]) == (None, False)


def test_a_count_is_on_disk_when_it_returns(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "plans.db")
    store.count_requests([ModelRequest(session="s", agent="main", input=1)])
    other = SQLiteStore(tmp_path / "plans.db")
    assert [each.input for each in other.usage("s")] == [1]
    for each in (store, other):
        each.close()
