"""For authors of stores: one suite that every store must pass (needs pytest).

    class TestMyStore(StoreSuite):
        @pytest.fixture
        def store(self, tmp_path):
            return MyStore(tmp_path)

A store whose plans outlive it also overrides `reopen`. The tests themselves cannot be overridden: a
store that needs its own version of one does not conform.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import cast

import pytest

from todowright.errors import Conflict
from todowright.plan.model import Author, Plan, Todo
from todowright.stores import Store, revisions
from todowright.stores.follow import follow
from todowright.stores.protocol import KEPT_RECEIPTS
from todowright.stores.receipt import Receipt
from todowright.stores.usage import ModelRequest, Usage
from todowright.tool.todowrite import TodoWrite

MOMENT = datetime(2025, 1, 2, 17, 42, 33, 123456, tzinfo=UTC)
TEXTS = ("写测试。", "👩‍🔧", "a\x00b", "\x1b[2J", "'; DROP TABLE revision; --", " ", "x" * 100_000)


def plan(revision: int, *texts: str, session: str = "s", agent: str = "a") -> Plan:
    """A plan to save."""
    todos = [Todo(text, "pending", f"Doing {text}", f"t{n}", n) for n, text in enumerate(texts, 1)]
    todos[-1:] = [replace(todo, extras=(("owner", "Ada 👩‍🔧"), ("x", "y"))) for todo in todos[-1:]]
    return Plan(
        session,
        agent,
        revision,
        tuple(todos),
        summary="the whole",
        updated_at=MOMENT + timedelta(microseconds=revision),
        issued=len(texts) + 3,
        log="log.md",
        by=Author("person", "Ada"),
        dialect="lean",
        serves=2,
        verified=True,
    )


def receipt(call: str, digest: str = "its arguments", *, agent: str = "a") -> Receipt:
    """A receipt to keep."""
    return Receipt("s", agent, call, digest, '{"text": "👩‍🔧"}')


def request(
    call: str = "", *, agent: str = "a", model: str = "m", session: str = "s"
) -> ModelRequest:
    """A request to count."""
    return ModelRequest(
        session=session,
        agent=agent,
        model=model,
        input=100,
        output=7,
        cached=40,
        at=MOMENT,
        id=call,
    )


def at_once(work: Callable[[int], None], threads: int = 8) -> None:
    """Do the work in so many threads that start together; raise what any of them raised."""
    barrier, failures = threading.Barrier(threads), list[BaseException]()

    def run(number: int) -> None:
        try:
            barrier.wait(30)
            work(number)
        except BaseException as failure:  # told below, in the test's own thread
            failures.append(failure)

    workers = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if failures:
        raise failures[0]


def another(store: Store) -> Store:
    """The same store as another process sees it: its tools do not wait for those of the first."""

    class View:
        def __getattr__(self, name: str) -> object:
            return getattr(store, name)

    return cast("Store", View())


class StoreSuite:
    """What every store must do. Inherit it and give it a `store`."""

    @pytest.fixture
    def store(self) -> Store:
        """The store to try, empty."""
        raise NotImplementedError("a suite overrides the fixture `store`")

    @pytest.fixture
    def reopen(self) -> Callable[[], Store] | None:
        """Opens the same plans again, as another process would; None if they do not outlive it."""
        return None

    @pytest.fixture(autouse=True)
    def _closed(self, store: Store) -> Iterator[None]:
        yield
        store.close()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = [name for name in vars(cls) if name.startswith("test_") and hasattr(StoreSuite, name)]
        if own:
            raise TypeError(f"{cls.__name__} may not override {', '.join(own)}")

    def test_a_plan_that_nobody_saved_is_empty_at_revision_0(self, store: Store) -> None:
        assert store.load("s", "a") == Plan("s", "a")
        assert list(store.history("s", "a")) == []
        assert list(store.plans("s")) == []
        assert list(store.sessions()) == []
        assert list(store.since(0)) == []
        assert store.newest() == 0

    def test_what_is_saved_is_loaded_to_the_microsecond(self, store: Store) -> None:
        first, second = plan(1, "x"), plan(2, "x", "y")
        store.save(first)
        assert store.load("s", "a") == first
        store.save(second)
        assert store.load("s", "a") == second
        assert list(store.history("s", "a")) == [first, second]

    @pytest.mark.parametrize("text", TEXTS)
    def test_every_text_comes_back_as_it_was(self, store: Store, text: str) -> None:
        odd = replace(plan(1, text), summary=text)
        store.save(odd)
        assert store.load("s", "a") == odd
        store.save(plan(1, session=text, agent=text))
        assert store.load(text, text).session == text
        assert list(store.sessions()) == ["s", text]

    def test_ten_thousand_items_come_back(self, store: Store) -> None:
        long = plan(1, *[f"item {n}" for n in range(10_000)])
        store.save(long)
        assert store.load("s", "a") == long

    def test_a_save_must_be_on_top_of_the_revision_that_stands(self, store: Store) -> None:
        store.save(plan(1, "x"))
        for revision in (0, 1, 3):
            with pytest.raises(Conflict) as caught:
                store.save(plan(revision, "y"))
            assert (caught.value.tried, caught.value.current) == (revision, 1)
        assert list(store.history("s", "a")) == [plan(1, "x")]

    def test_of_many_who_save_the_same_revision_exactly_one_succeeds(self, store: Store) -> None:
        for revision in range(1, 21):
            won: list[int] = []

            def save(number: int, revision: int = revision, won: list[int] = won) -> None:
                try:
                    store.save(plan(revision, f"by {number}"))
                    won.append(number)
                except Conflict:
                    pass

            at_once(save)
            assert len(won) == 1
            assert store.load("s", "a") == plan(revision, f"by {won[0]}")

    def test_threads_that_use_the_tool_lose_no_update(self, store: Store) -> None:
        def work(number: int) -> None:
            todo = TodoWrite("twostate", store=another(store))
            for step in range(25):
                assert not todo({"todos": [{"content": f"{number}-{step}"}]}).is_error

        at_once(work)
        history = store.history("default", "main")
        assert [kept.revision for kept in history] == list(range(1, 201))
        made = {kept.todos[0].content for kept in history}
        assert made == {f"{number}-{step}" for number in range(8) for step in range(25)}

    def test_sessions_and_agents_are_kept_apart_and_listed_as_they_came(self, store: Store) -> None:
        names = [("s2", "main"), ("s1", "worker"), ("s1", "main"), ("s1", "main/sub")]
        for session, agent in names:
            store.save(plan(1, f"{session} {agent}", session=session, agent=agent))
        assert list(store.sessions()) == ["s2", "s1"]
        assert [kept.agent for kept in store.plans("s1")] == ["worker", "main", "main/sub"]
        for session, agent in names:
            assert store.load(session, agent).todos[0].content == f"{session} {agent}"
            assert len(store.history(session, agent)) == 1

    def test_what_is_forgotten_is_gone_and_nothing_else(self, store: Store) -> None:
        store.save(plan(1, "x"))
        store.save(plan(2, "x"))
        store.save(plan(1, "y", agent="b"))
        store.forget("s", "a")
        store.forget("s", "nobody")
        assert store.load("s", "a") == Plan("s", "a")
        assert list(store.history("s", "a")) == []
        assert [kept.agent for kept in store.plans("s")] == ["b"]
        store.save(plan(1, "anew"))
        assert store.load("s", "a") == plan(1, "anew")

    def test_history_comes_in_pages_that_end_before_a_revision(self, store: Store) -> None:
        for revision in range(1, 8):
            store.save(plan(revision, f"x{revision}"))

        def page(**more: int) -> list[int]:
            return [kept.revision for kept in store.history("s", "a", **more)]

        assert page(limit=3) == [5, 6, 7]
        assert page(before=5, limit=3) == [2, 3, 4]
        assert page(before=2, limit=3) == [1]
        assert page(before=1) == page(limit=0) == []
        assert page(before=99) == page() == [kept.revision for kept in revisions(store, "s", "a")]

    def test_a_receipt_is_kept_with_its_revision_or_not_at_all(self, store: Store) -> None:
        one, other = receipt("one"), receipt("one", "other arguments")
        store.save(plan(1), one)
        assert store.receipt("s", "a", "one") == one
        for revision, refused in ((1, receipt("two")), (2, one)):  # too late, and done already
            with pytest.raises(Conflict):
                store.save(plan(revision, "y"), refused)
        assert (store.receipt("s", "a", "two"), store.receipt("s", "b", "one")) == (None, None)
        assert store.load("s", "a") == plan(1)
        store.save(plan(2), other)
        assert store.receipt("s", "a", "one") == other
        store.keep(one)
        assert store.receipt("s", "a", "one") == one
        store.save(plan(1, agent="b"), receipt("one", agent="b"))
        store.forget("s", "a")
        assert store.receipt("s", "a", "one") is None
        assert store.receipt("s", "b", "one") == receipt("one", agent="b")

    def test_the_newest_receipts_are_kept_and_the_oldest_go(self, store: Store) -> None:
        store.save(plan(1))
        for number in range(2 * KEPT_RECEIPTS):
            store.keep(receipt(str(number)))
        found = [store.receipt("s", "a", str(number)) for number in range(2 * KEPT_RECEIPTS)]
        assert None not in found[KEPT_RECEIPTS:]
        assert 2 * KEPT_RECEIPTS - found.count(None) < 1.2 * KEPT_RECEIPTS
        assert found[0] is None

    def test_what_an_agent_was_told_of_only_grows(self, store: Store) -> None:
        store.save(plan(1))
        store.save(plan(1, agent="b"))
        for revision, told in ((3, 3), (2, 3), (5, 5)):
            store.mark_seen("s", "a", revision)
            assert (store.seen("s", "a"), store.seen("s", "b")) == (told, 0)
        store.forget("s", "a")
        assert store.seen("s", "a") == 0

    def test_an_end_is_the_one_revision_that_is_left_and_is_announced(self, store: Store) -> None:
        store.save(plan(1, "x"))
        store.save(plan(2, "x"), receipt("one"))
        store.mark_seen("s", "a", 2)
        newest, last = store.newest(), replace(plan(3), ended="finished, 1 of 1 done")
        for revision in (0, 2, 4):
            with pytest.raises(Conflict) as caught:
                store.end(replace(last, revision=revision))
            assert (caught.value.tried, caught.value.current) == (revision, 2)
        assert len(store.history("s", "a")) == 2
        timer = threading.Timer(0.1, store.end, [last])
        timer.start()
        assert store.wait(newest, 5)
        timer.join()
        assert [kept for _, kept in store.since(newest)] == [last]
        assert store.load("s", "a") == last
        assert list(store.history("s", "a")) == list(store.plans("s")) == [last]
        assert (store.receipt("s", "a", "one"), store.seen("s", "a")) == (None, 0)

    def test_revisions_are_numbered_in_the_order_they_were_saved(self, store: Store) -> None:
        saved = [plan(1), plan(2), plan(1, agent="b"), plan(1, session="other"), plan(3)]
        for each in saved:
            store.save(each)
        entries = store.since(0)
        numbers = [number for number, _ in entries]
        assert [kept for _, kept in entries] == saved
        assert numbers == sorted(set(numbers))
        assert store.newest() == numbers[-1]
        assert list(store.since(numbers[1])) == list(entries[2:])
        assert list(store.since(0, limit=2)) == list(entries[:2])
        assert [kept for _, kept in store.since(0, session="other")] == [saved[3]]
        assert list(store.since(numbers[-1])) == []

    def test_who_waits_is_woken_by_a_revision_and_not_before(self, store: Store) -> None:
        store.save(plan(1))
        newest = store.newest()
        assert store.wait(newest - 1, 0)
        started = time.monotonic()
        assert not store.wait(newest, 0.1)
        assert time.monotonic() - started >= 0.09
        timer = threading.Timer(0.1, store.save, [plan(2)])
        timer.start()
        assert store.wait(newest, 30)
        timer.join()
        assert store.newest() > newest

    def test_a_follower_gets_every_revision_of_many_writers_in_order(self, store: Store) -> None:
        writers, each = 4, 50
        done, got = threading.Event(), list[tuple[int, Plan]]()

        def read() -> None:
            for entry in follow(store, after=0, pause=0.05, until=done.is_set):
                got.append(entry)

        reader = threading.Thread(target=read)
        reader.start()

        def write(number: int) -> None:
            for revision in range(1, each + 1):
                store.save(plan(revision, agent=f"w{number}"))

        at_once(write, threads=writers)
        done.set()
        reader.join(60)
        assert [number for number, _ in got] == sorted({number for number, _ in got})
        for writer in range(writers):
            mine = [kept.revision for _, kept in got if kept.agent == f"w{writer}"]
            assert mine == list(range(1, each + 1))

    def test_its_clock_goes_forward(self, store: Store) -> None:
        """Leases are judged by it."""
        first = store.now()
        time.sleep(0.01)
        assert first < store.now() < first + 60

    def test_a_lease_is_renewed_while_it_lasts_and_not_after(self, store: Store) -> None:
        store.save(plan(1, "x"))
        now = store.now()
        end = store.renew_lease("s", "a", "one", now + 60, 120)
        assert end is not None
        assert now + 120 <= end < store.now() + 121
        assert store.renew_lease("s", "a", "one", now + 60, 1) == end  # never shorter
        assert store.renew_lease("s", "a", "late", now - 1, 60) is None
        assert store.leases("s", "a") == {"one": end}
        short = (
            token
            for token in map(str, range(50))  # on a busy machine the first may be over at once
            if store.renew_lease("s", "a", token, store.now() + 0.2, 0.2) is not None
        )
        token = next(short, "")
        assert token
        while store.leases("s", "a")[token] >= store.now():
            time.sleep(0.02)
        assert store.renew_lease("s", "a", token, now + 60, 60) is None  # what was renewed counts

    def test_a_lease_that_was_ended_cannot_be_renewed(self, store: Store) -> None:
        store.save(plan(1, "x"))
        now = store.now()
        assert not store.end_lease("s", "a", "one", now + 60)
        assert store.renew_lease("s", "a", "one", now + 60, 60) is not None
        assert not store.end_lease("s", "a", "one", now - 1)  # it was renewed
        assert store.end_lease("s", "a", "two", now - 1)
        assert store.end_lease("s", "a", "two", now - 1)
        assert store.renew_lease("s", "a", "two", now + 60, 60) is None
        assert list(store.leases("s", "a")) == ["one"]

    def test_leases_belong_to_a_plan_and_go_with_it(self, store: Store) -> None:
        until = store.now() + 60
        for agent in ("a", "b", "c"):
            store.save(plan(1, "x", agent=agent))
            assert store.renew_lease("s", agent, "one", until, 90) is not None
            assert list(store.leases("s", agent)) == ["one"]
        assert store.end_lease("s", "a", "two", 1.0)
        store.forget("s", "a")
        store.end(replace(plan(2, agent="b"), ended="finished"))
        assert store.leases("s", "a") == store.leases("s", "b") == store.leases("t", "c") == {}
        assert list(store.leases("s", "c")) == ["one"]

    def test_a_lease_makes_no_revision_and_wakes_nobody(self, store: Store) -> None:
        store.save(plan(1, "x"))
        newest, until = store.newest(), store.now() + 60
        timer = threading.Timer(0.05, store.renew_lease, ["s", "a", "one", until, 60])
        timer.start()
        assert not store.wait(newest, 0.3)
        timer.join()
        assert store.end_lease("s", "a", "two", 1.0)
        assert list(store.leases("s", "a")) == ["one"]
        assert (store.newest(), list(store.since(newest))) == (newest, [])
        assert list(store.history("s", "a")) == [plan(1, "x")]

    def test_who_renews_a_lease_at_its_end_and_who_ends_it_do_not_both_win(
        self, store: Store
    ) -> None:
        store.save(plan(1, "x"))
        for turn in range(20):
            token, until, over = f"t{turn}", store.now() + 0.03, list[bool]()
            early = 0.001 * (1, 2, 3, 5, 8, 10, 13, 17, 21, 25)[turn % 10]  # a machine may be busy

            def work(
                number: int,
                token: str = token,
                until: float = until,
                early: float = early,
                over: list[bool] = over,
            ) -> None:
                if number == 0:
                    time.sleep(max(0.0, until - store.now() - early))
                    store.renew_lease("s", "a", token, until, 60)
                    return
                while store.now() < until + 0.03:
                    if store.end_lease("s", "a", token, until):
                        over.append(True)
                        return

            at_once(work, threads=3)
            renewed = store.renew_lease("s", "a", token, until, 60) is not None
            assert not (renewed and over)
            assert renewed == (token in store.leases("s", "a"))

    def test_what_requests_took_adds_up_by_agent_and_model(self, store: Store) -> None:
        store.save(plan(1, "x"))
        later, cheap = MOMENT + timedelta(seconds=1), replace(request(), cost=0.25)
        store.count_requests([request(), replace(request(), at=later), request(model="other")])
        store.count_requests(iter([cheap, request(agent="a/b"), request(session="t", agent="a")]))
        store.count_requests([])
        first, micros = (later - datetime(1970, 1, 1, tzinfo=UTC)), timedelta(microseconds=1)
        assert list(store.usage("s")) == [
            Usage("a", "m", 3, 300, 21, 120, 0.25, 1, first // micros),
            replace(Usage("a", "other", 1, 100, 7, 40), microseconds=request().microseconds),
            replace(Usage("a/b", "m", 1, 100, 7, 40), microseconds=request().microseconds),
        ]
        assert store.usage("s")[0].updated_at == later
        assert [each.requests for each in store.usage("t")] == [1]
        assert list(store.usage("nobody")) == []

    def test_a_request_with_an_id_counts_once_in_its_session(self, store: Store) -> None:
        store.save(plan(1, "x"))
        store.count_requests([request("one"), request("one"), request("two")])
        store.count_requests([request("two"), request("one", agent="b"), request("one", model="n")])
        assert [(each.agent, each.requests) for each in store.usage("s")] == [("a", 2)]
        store.count_requests([request("one", session="t")])
        assert [each.requests for each in store.usage("t")] == [1]
        at_once(lambda _: store.count_requests([request("two"), request("three"), request()]))
        assert [each.requests for each in store.usage("s")] == [2 + 1 + 8]

    def test_many_requests_count_though_nobody_asks_meanwhile(self, store: Store) -> None:
        for number in range(300):
            store.count_requests([request(f"{number // 2}", session=name) for name in "su"])
        assert [each.requests for each in store.usage("s")] == [150]
        store.count_requests([request("149"), request("150")])
        told = [store.usage(name)[0] for name in "su"]
        assert [(each.requests, each.input) for each in told] == [(151, 15_100), (150, 15_000)]

    @pytest.mark.parametrize("text", TEXTS)
    def test_usage_has_the_names_as_they_were(self, store: Store, text: str) -> None:
        store.count_requests([request(text, session=text, agent=text, model=text)])
        assert [(each.agent, each.model) for each in store.usage(text)] == [(text, text[:200])]

    def test_usage_makes_no_revision_and_wakes_nobody(self, store: Store) -> None:
        store.save(plan(1, "x"))
        newest = store.newest()
        timer = threading.Timer(0.05, store.count_requests, [[request("one"), request()]])
        timer.start()
        assert not store.wait(newest, 0.3)
        timer.join()
        assert [each.requests for each in store.usage("s")] == [2]
        assert (store.newest(), list(store.since(newest))) == (newest, [])
        assert list(store.history("s", "a")) == [plan(1, "x")]

    def test_usage_outlives_the_end_of_a_sub_agent_and_goes_with_its_plan(
        self, store: Store
    ) -> None:
        for agent in ("a", "a/b"):
            store.save(plan(1, "x", agent=agent))
            store.count_requests([request(f"of {agent}", agent=agent)])
        store.count_requests([request("without a plan", agent="a/c")])
        store.end(replace(plan(2, agent="a/b"), ended="finished"))
        assert [each.agent for each in store.usage("s")] == ["a", "a/b", "a/c"]
        store.forget("s", "a/b")
        assert [each.agent for each in store.usage("s")] == ["a", "a/c"]
        store.count_requests([request("of a/b", agent="a/b"), request("of a")])
        assert [each.requests for each in store.usage("s")] == [1, 1, 1]  # it was forgotten
        store.forget("s", "a")
        assert list(store.usage("s")) == []

    def test_plans_outlive_the_store_if_it_says_so(
        self, store: Store, reopen: Callable[[], Store] | None
    ) -> None:
        kept = plan(1, "x")
        store.save(kept)
        store.renew_lease("s", "a", "one", store.now() + 60, 60)
        store.count_requests([request("one")])
        if reopen is None:
            assert store.load("s", "a") == kept
            return
        other = reopen()
        assert other.load("s", "a") == kept
        assert other.leases("s", "a") == store.leases("s", "a") != {}
        other.count_requests([request("one")])
        assert list(other.usage("s")) == list(store.usage("s")) != []
        other.save(plan(2, "y"))
        assert store.load("s", "a") == plan(2, "y")
        assert store.wait(1, 5)
        with pytest.raises(Conflict):
            store.save(plan(2, "z"))
        other.close()
        store.close()
        assert reopen().load("s", "a") == plan(2, "y")
