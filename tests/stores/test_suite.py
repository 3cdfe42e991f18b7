"""The suite bites: stores that break the contract in the usual ways do not pass it."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from todowright import MemoryStore, Plan, Receipt
from todowright.errors import Conflict
from todowright.processes import process
from todowright.stores.protocol import KEPT_RECEIPTS, PAGE
from todowright.stores.usage import ModelRequest, Usage
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
            self._add((plan.session, plan.agent), plan)
            self._saved[process.number].changed.notify_all()


class Forgetful(MemoryStore):
    """Keeps the current plan and no history."""

    def history(self, session: str, agent: str, **more: Any) -> Sequence[Plan]:
        return super().history(session, agent, **more)[-1:]


class LeakyFeed(MemoryStore):
    """Tells only the newest of several revisions."""

    def since(self, number: int, **more: Any) -> Sequence[tuple[int, Plan]]:
        return super().since(number, **more)[-1:]


class LateCommits(MemoryStore):
    """Gives a revision its number before it is there to be read: a reader by number may have gone past it."""

    def save(self, plan: Plan, receipt: Receipt | None = None) -> None:
        with self._saved[process.number].lock:
            self._taken = max(getattr(self, "_taken", 0), self._newest) + 1
            number = self._taken
        time.sleep(0.001 * (number % 3))
        with self._saved[process.number].lock:
            newest, self._newest = self._newest, number - 1
            self._add((plan.session, plan.agent), plan)
            self._newest = max(newest, number)
            self._saved[process.number].changed.notify_all()


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


class Plain(MemoryStore):
    """Keeps of a todo only what every dialect knows."""

    def save(self, plan: Plan, receipt: Receipt | None = None) -> None:
        bare = tuple(replace(todo, extras=()) for todo in plan.todos)
        super().save(replace(plan, todos=bare))


class FirstPage(MemoryStore):
    """Gives the first revisions where the last are asked for."""

    def history(
        self, session: str, agent: str, *, before: int | None = None, limit: int = PAGE
    ) -> Sequence[Plan]:
        return super().history(session, agent, before=before)[:limit]


class OnePage(MemoryStore):
    """Gives the last page, whichever is asked for."""

    def history(
        self, session: str, agent: str, *, before: int | None = None, limit: int = PAGE
    ) -> Sequence[Plan]:
        return super().history(session, agent, limit=limit)


class ReceiptFirst(MemoryStore):
    """Keeps the receipt, then looks whether the revision may be saved."""

    def save(self, plan: Plan, receipt: Receipt | None = None) -> None:
        known = receipt and self.receipt(receipt.session, receipt.agent, receipt.call)
        if receipt is not None and (known is None or known.digest != receipt.digest):
            self.keep(receipt)
            receipt = None
        super().save(plan, receipt)


class ReceiptLost(MemoryStore):
    """Keeps the revision without its receipt."""

    def save(self, plan: Plan, receipt: Receipt | None = None) -> None:
        super().save(plan)


class Twice(MemoryStore):
    """Does not mind that a call was answered already."""

    def _has(self, receipt: Receipt) -> bool:
        return False


class ById(MemoryStore):
    """Takes an id for the call, whatever its arguments."""

    def _has(self, receipt: Receipt) -> bool:
        return self.receipt(receipt.session, receipt.agent, receipt.call) is not None


class Hoarder(MemoryStore):
    """Keeps every receipt for ever."""

    def _keep_receipt(self, receipt: Receipt) -> None:
        self._receipts.setdefault((receipt.session, receipt.agent), {})[receipt.call] = receipt


class NewestGo(MemoryStore):
    """Keeps no more receipts once it has enough."""

    def _keep_receipt(self, receipt: Receipt) -> None:
        kept = self._receipts.setdefault((receipt.session, receipt.agent), {})
        if len(kept) < KEPT_RECEIPTS:
            kept[receipt.call] = receipt


class HalfForgetful(MemoryStore):
    """Forgets a plan, but not what belongs to it."""

    def forget(self, session: str, agent: str) -> None:
        self._plans.pop((session, agent), None)


class Unteaching(MemoryStore):
    """Notes what an agent was told of last, also if it was told of more before."""

    def mark_seen(self, session: str, agent: str, revision: int) -> None:
        self._seen[session, agent] = revision


class TellsAll(MemoryStore):
    """Notes for a session what was told to one of its agents."""

    def seen(self, session: str, agent: str) -> int:
        return max((n for key, n in self._seen.items() if key[0] == session), default=0)


class EndsLikeASave(MemoryStore):
    """Keeps the revisions before the last."""

    def end(self, plan: Plan) -> None:
        self.save(plan)


class EndsUnheard(MemoryStore):
    """Keeps the last revision under the number of the one before."""

    def end(self, plan: Plan) -> None:
        newest = self._newest
        self._newest -= 1
        super().end(plan)
        assert self._newest == newest

    def wait(self, number: int, timeout: float) -> bool:
        return super().wait(number, min(timeout, 0.3))


class EndsAnything(MemoryStore):
    """Ends a plan, whatever revision stands."""

    def end(self, plan: Plan) -> None:
        self.forget(plan.session, plan.agent)
        with self._saved[process.number].lock:
            self._add((plan.session, plan.agent), plan)
            self._saved[process.number].changed.notify_all()


class EndsByForgetting(MemoryStore):
    """Deletes the plan of a sub-agent that ended, with all that it was."""

    def end(self, plan: Plan) -> None:
        super().end(plan)
        self.forget(plan.session, plan.agent)


class RenewsAnything(MemoryStore):
    """Renews a lease that is over."""

    def renew_lease(
        self, session: str, agent: str, token: str, until: float, seconds: float
    ) -> float | None:
        return super().renew_lease(session, agent, token, self.now() + 1, seconds)


class RenewsLate(MemoryStore):
    """Judges a lease first and renews it later, as over two queries."""

    def renew_lease(
        self, session: str, agent: str, token: str, until: float, seconds: float
    ) -> float | None:
        kept = self._leases.setdefault((session, agent), {})
        if kept.get(token, until) < self.now():
            return None
        time.sleep(max(0.02, until - self.now() + 0.02))  # it ends meanwhile
        kept[token] = max(kept.get(token, until), self.now() + seconds)
        return kept[token]


class Shortens(MemoryStore):
    """Lets a lease end sooner than it was said to."""

    def renew_lease(
        self, session: str, agent: str, token: str, until: float, seconds: float
    ) -> float | None:
        if super().renew_lease(session, agent, token, until, seconds) is None:
            return None
        self._leases[session, agent][token] = self.now() + seconds
        return self._leases[session, agent][token]


class EndsNoLease(MemoryStore):
    """Tells that a lease is over, and forgets that it was said."""

    def end_lease(self, session: str, agent: str, token: str, until: float) -> bool:
        return self._leases.get((session, agent), {}).get(token, until) < self.now()


class EndsAnyLease(MemoryStore):
    """Ends a lease that was renewed."""

    def end_lease(self, session: str, agent: str, token: str, until: float) -> bool:
        self._leases.get((session, agent), {}).pop(token, None)
        return super().end_lease(session, agent, token, until)


class LoudLeases(MemoryStore):
    """Makes a revision for each lease that is renewed."""

    def renew_lease(
        self, session: str, agent: str, token: str, until: float, seconds: float
    ) -> float | None:
        plan = self.load(session, agent)
        self.save(replace(plan, revision=plan.revision + 1))
        return super().renew_lease(session, agent, token, until, seconds)


class CountsTwice(MemoryStore):
    """Does not mind that a request was counted already."""

    def count_requests(self, requests: Iterable[ModelRequest]) -> None:
        super().count_requests([replace(each, id="") for each in requests])


class CountsByAgent(MemoryStore):
    """Takes the same request, told of two agents, for two."""

    def count_requests(self, requests: Iterable[ModelRequest]) -> None:
        super().count_requests(
            [replace(each, id=each.id and f"{each.id} {each.agent}") for each in requests]
        )


class LastRequestOnly(MemoryStore):
    """Keeps what the last request took, in place of the sum."""

    def usage(self, session: str) -> Sequence[Usage]:
        return [replace(each, requests=1) for each in super().usage(session)]


class UsageEnds(MemoryStore):
    """Drops what a sub-agent took when it ends."""

    def end(self, plan: Plan) -> None:
        super().end(plan)
        if self._usage is not None:
            self._usage.forget(plan.session, plan.agent, last=False)


class LoudUsage(MemoryStore):
    """Makes a revision for what is counted."""

    def count_requests(self, requests: Iterable[ModelRequest]) -> None:
        super().count_requests(requests)
        plan = self.load("s", "a")
        self.save(replace(plan, revision=plan.revision + 1))


def failures(make: Callable[[], MemoryStore], only: str = "test_") -> list[str]:
    """The tests of the suite that a store fails."""
    suite, failed = StoreSuite(), []
    for name, test in inspect.getmembers(suite, inspect.ismethod):
        if not name.startswith(only):
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
        (LateCommits, "test_a_follower_gets_every_revision_of_many_writers_in_order"),
        (Crossed, "test_sessions_and_agents_are_kept_apart_and_listed_as_they_came"),
        (Rounding, "test_what_is_saved_is_loaded_to_the_microsecond"),
        (Plain, "test_what_is_saved_is_loaded_to_the_microsecond"),
        (FirstPage, "test_history_comes_in_pages_that_end_before_a_revision"),
        (OnePage, "test_history_comes_in_pages_that_end_before_a_revision"),
        (ReceiptFirst, "test_a_receipt_is_kept_with_its_revision_or_not_at_all"),
        (ReceiptLost, "test_a_receipt_is_kept_with_its_revision_or_not_at_all"),
        (Twice, "test_a_receipt_is_kept_with_its_revision_or_not_at_all"),
        (ById, "test_a_receipt_is_kept_with_its_revision_or_not_at_all"),
        (HalfForgetful, "test_a_receipt_is_kept_with_its_revision_or_not_at_all"),
        (Hoarder, "test_the_newest_receipts_are_kept_and_the_oldest_go"),
        (NewestGo, "test_the_newest_receipts_are_kept_and_the_oldest_go"),
        (Unteaching, "test_what_an_agent_was_told_of_only_grows"),
        (TellsAll, "test_what_an_agent_was_told_of_only_grows"),
        (HalfForgetful, "test_what_an_agent_was_told_of_only_grows"),
        (EndsLikeASave, "test_an_end_is_the_one_revision_that_is_left_and_is_announced"),
        (EndsUnheard, "test_an_end_is_the_one_revision_that_is_left_and_is_announced"),
        (EndsAnything, "test_an_end_is_the_one_revision_that_is_left_and_is_announced"),
        (EndsByForgetting, "test_an_end_is_the_one_revision_that_is_left_and_is_announced"),
        (RenewsAnything, "test_a_lease_is_renewed_while_it_lasts_and_not_after"),
        (Shortens, "test_a_lease_is_renewed_while_it_lasts_and_not_after"),
        (RenewsLate, "test_who_renews_a_lease_at_its_end_and_who_ends_it_do_not_both_win"),
        (EndsNoLease, "test_a_lease_that_was_ended_cannot_be_renewed"),
        (EndsAnyLease, "test_a_lease_that_was_ended_cannot_be_renewed"),
        (LoudLeases, "test_a_lease_makes_no_revision_and_wakes_nobody"),
        (HalfForgetful, "test_leases_belong_to_a_plan_and_go_with_it"),
        (CountsTwice, "test_a_request_with_an_id_counts_once_in_its_session"),
        (CountsByAgent, "test_a_request_with_an_id_counts_once_in_its_session"),
        (LastRequestOnly, "test_what_requests_took_adds_up_by_agent_and_model"),
        (UsageEnds, "test_usage_outlives_the_end_of_a_sub_agent_and_goes_with_its_plan"),
        (HalfForgetful, "test_usage_outlives_the_end_of_a_sub_agent_and_goes_with_its_plan"),
        (LoudUsage, "test_usage_makes_no_revision_and_wakes_nobody"),
    ],
)
def test_a_store_that_breaks_the_contract_fails(
    broken: Callable[[], MemoryStore], caught_by: str
) -> None:
    tries = (failures(broken, only=caught_by) for _ in range(5))  # some faults are races
    assert [caught_by] in tries


def test_a_sound_store_passes_every_test() -> None:
    assert failures(MemoryStore) == []


def test_a_suite_may_not_override_a_test() -> None:
    with pytest.raises(TypeError, match="may not override test_ten_thousand_items_come_back"):
        type(
            "TestCheating",
            (StoreSuite,),
            {"test_ten_thousand_items_come_back": lambda self, store: None},
        )
