"""The suite bites: stores that break the contract in the usual ways do not pass it."""

from __future__ import annotations

import inspect
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from todowright import MemoryStore, Plan, Receipt
from todowright.errors import Conflict
from todowright.processes import process
from todowright.testing import StoreSuite


class LastWriterWins(MemoryStore):
    """Keeps whatever comes, on top of whatever is there."""

    def save(self, plan: Plan, receipt: Receipt | None = None) -> None:
        super().save(replace(plan, revision=self.load(plan.session, plan.agent).revision + 1))


class CheckThenWrite(MemoryStore):
    """Looks first and writes later, as over two queries: in between, somebody else may write."""

    def save(self, plan: Plan, receipt: Receipt | None = None) -> None:
        current = self.load(plan.session, plan.agent).revision
        if plan.revision != current + 1:
            raise Conflict(plan.session, plan.agent, plan.revision, current)
        time.sleep(0.001)
        with self._saved[process.number].lock:
            kept = self._plans.setdefault((plan.session, plan.agent), deque())
            self._newest += 1
            kept.append((self._newest, plan))
            self._saved[process.number].changed.notify_all()


class Forgetful(MemoryStore):
    """Keeps the current plan and no history."""

    def history(self, session: str, agent: str, **more: Any) -> Sequence[Plan]:
        return super().history(session, agent, **more)[-1:]


class LeakyFeed(MemoryStore):
    """Tells only the newest of several revisions."""

    def since(self, number: int, **more: Any) -> Sequence[tuple[int, Plan]]:
        return super().since(number, **more)[-1:]


class Crossed(MemoryStore):
    """Keeps one plan a session, whoever the agent."""

    def load(self, session: str, agent: str) -> Plan:
        return replace(super().load(session, "main"), agent=agent)

    def save(self, plan: Plan, receipt: Receipt | None = None) -> None:
        super().save(replace(plan, agent="main"))


class Rounding(MemoryStore):
    """Keeps times to the second."""

    def save(self, plan: Plan, receipt: Receipt | None = None) -> None:
        moment = plan.updated_at and plan.updated_at.replace(microsecond=0)
        super().save(replace(plan, updated_at=moment))


def failures(make: Callable[[], MemoryStore]) -> list[str]:
    """The tests of the suite that a store fails."""
    suite, failed = StoreSuite(), []
    for name, test in inspect.getmembers(suite, inspect.ismethod):
        if not name.startswith("test_"):
            continue
        extra = {"text": "a", "reopen": None}
        wanted = inspect.signature(test).parameters
        try:
            test(**{key: value for key, value in extra.items() if key in wanted}, store=make())
        except (AssertionError, pytest.fail.Exception, Conflict):
            failed.append(name)
    return failed


@pytest.mark.parametrize(
    ("broken", "caught_by"),
    [
        (LastWriterWins, "test_a_save_must_be_on_top_of_the_revision_that_stands"),
        (CheckThenWrite, "test_of_many_who_save_the_same_revision_exactly_one_succeeds"),
        (CheckThenWrite, "test_threads_that_use_the_tool_lose_no_update"),
        (Forgetful, "test_what_is_saved_is_loaded_to_the_microsecond"),
        (LeakyFeed, "test_revisions_are_numbered_in_the_order_they_were_saved"),
        (LeakyFeed, "test_a_follower_gets_every_revision_of_many_writers_in_order"),
        (Crossed, "test_sessions_and_agents_are_kept_apart_and_listed_as_they_came"),
        (Rounding, "test_what_is_saved_is_loaded_to_the_microsecond"),
    ],
)
def test_a_store_that_breaks_the_contract_fails(
    broken: Callable[[], MemoryStore], caught_by: str
) -> None:
    assert caught_by in failures(broken)


def test_a_sound_store_passes_every_test() -> None:
    assert failures(MemoryStore) == []


def test_a_suite_may_not_override_a_test() -> None:
    with pytest.raises(TypeError, match="may not override test_ten_thousand_items_come_back"):
        type(
            "TestCheating",
            (StoreSuite,),
            {"test_ten_thousand_items_come_back": lambda self, store: None},
        )
