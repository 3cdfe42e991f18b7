"""All stores beside a model of a few lines: whatever is done in whatever order, they answer the same."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)

from tests.postgres import running
from todowright import Conflict, MemoryStore, Plan, Receipt, Store, open_store
from todowright.stores.sqlite import SQLiteStore
from todowright.testing import plan

NAMES = st.sampled_from(["a", "b", "a/1"])
SESSIONS = st.sampled_from(["s", "t\0'\\"])
TEXTS = st.lists(st.text(max_size=8), max_size=3)
CALLS = st.sampled_from(["c1", "c2"])


class Model:
    """What a store is: revisions in the order they came, receipts, and what was seen."""

    def __init__(self) -> None:
        self.log: list[Plan] = []
        self.receipts: dict[tuple[str, str, str], Receipt] = {}
        self.seen: dict[tuple[str, str], int] = {}

    def of(self, session: str, agent: str) -> list[Plan]:
        return [each for each in self.log if (each.session, each.agent) == (session, agent)]

    def revision(self, session: str, agent: str) -> int:
        return max((each.revision for each in self.of(session, agent)), default=0)

    def drop(self, session: str, agent: str) -> None:
        mine = (session, agent)
        self.log = [each for each in self.log if (each.session, each.agent) != mine]
        self.receipts = {key: kept for key, kept in self.receipts.items() if key[:2] != mine}
        self.seen.pop(mine, None)


class Machine(RuleBasedStateMachine):
    """Does the same to the store and to the model. A place may be open twice, as by two processes."""

    fresh: Callable[[], list[Store]]

    def __init__(self) -> None:
        super().__init__()
        self.stores, self.model = self.fresh(), Model()
        self.newest = 0

    @property
    def store(self) -> Store:
        return self.stores[0]

    @rule()
    def the_other_one_goes_on(self) -> None:
        self.stores.reverse()

    @initialize()
    def is_empty(self) -> None:
        assert self.store.newest() == 0

    @rule(session=SESSIONS, agent=NAMES, texts=TEXTS, ahead=st.sampled_from([1, 1, 1, 0, 2]))
    def save(self, session: str, agent: str, texts: list[str], ahead: int) -> None:
        stands = self.model.revision(session, agent)
        new = plan(stands + ahead, *texts, session=session, agent=agent)
        if ahead == 1:
            self.store.save(new)
            self.model.log.append(new)
            return
        with pytest.raises(Conflict) as caught:
            self.store.save(new)
        assert caught.value.current == stands

    @rule(session=SESSIONS, agent=NAMES, call=CALLS, digest=st.sampled_from("xy"))
    def save_once(self, session: str, agent: str, call: str, digest: str) -> None:
        new = plan(self.model.revision(session, agent) + 1, session=session, agent=agent)
        mine = Receipt(session, agent, call, digest, "the reply")
        kept = self.model.receipts.get((session, agent, call))
        if kept is not None and kept.digest == digest:
            with pytest.raises(Conflict):
                self.store.save(new, mine)
            return
        self.store.save(new, mine)
        self.model.log.append(new)
        self.model.receipts[session, agent, call] = mine

    @rule(session=SESSIONS, agent=NAMES, call=CALLS, digest=st.sampled_from("xy"))
    def keep(self, session: str, agent: str, call: str, digest: str) -> None:
        mine = Receipt(session, agent, call, digest, "refused")
        if self.model.of(session, agent):
            self.store.keep(mine)
            self.model.receipts[session, agent, call] = mine

    @rule(session=SESSIONS, agent=NAMES)
    def end(self, session: str, agent: str) -> None:
        stands = self.model.revision(session, agent)
        last = replace(plan(stands + 1, session=session, agent=agent), ended="finished")
        self.store.end(last)
        self.model.drop(session, agent)
        self.model.log.append(last)

    @rule(session=SESSIONS, agent=NAMES)
    def forget(self, session: str, agent: str) -> None:
        self.store.forget(session, agent)
        self.model.drop(session, agent)

    @rule(session=SESSIONS, agent=NAMES, revision=st.integers(1, 9))
    def see(self, session: str, agent: str, revision: int) -> None:
        if self.model.of(session, agent):
            self.store.mark_seen(session, agent, revision)
            key = session, agent
            self.model.seen[key] = max(revision, self.model.seen.get(key, 0))

    @rule(
        session=SESSIONS, agent=NAMES, before=st.none() | st.integers(0, 9), limit=st.integers(0, 4)
    )
    def read_a_page(self, session: str, agent: str, before: int | None, limit: int) -> None:
        kept = [
            each
            for each in self.model.of(session, agent)
            if before is None or each.revision < before
        ]
        page = self.store.history(session, agent, before=before, limit=limit)
        assert list(page) == kept[len(kept) - limit if len(kept) > limit else 0 :]

    @rule(at=st.integers(0, 20), session=st.none() | SESSIONS)
    def follow_from(self, at: int, session: str | None) -> None:
        everything = self.store.since(0)
        assert [each for _, each in everything] == self.model.log
        number = everything[at][0] if at < len(everything) else self.store.newest()
        got = self.store.since(number, session=session)
        behind = [each for n, each in everything if n > number and session in (None, each.session)]
        assert [each for _, each in got] == behind

    @rule(session=SESSIONS, agent=NAMES)
    def load(self, session: str, agent: str) -> None:
        stands = self.model.of(session, agent)
        assert self.store.load(session, agent) == (stands[-1] if stands else Plan(session, agent))

    @rule()
    def look_at_everything(self) -> None:
        model, store = self.model, self.store
        firsts = list(dict.fromkeys(each.session for each in model.log))
        assert list(store.sessions()) == firsts
        for session in firsts:
            agents = list(
                dict.fromkeys(each.agent for each in model.log if each.session == session)
            )
            assert [each.agent for each in store.plans(session)] == agents
            for agent in agents:
                assert store.seen(session, agent) == model.seen.get((session, agent), 0)
                for call in ("c1", "c2"):
                    assert store.receipt(session, agent, call) == model.receipts.get(
                        (session, agent, call)
                    )
        newest = store.newest()
        assert newest >= self.newest
        self.newest = newest

    def teardown(self) -> None:
        for store in self.stores:
            store.close()


@contextmanager
def places(kind: str) -> Iterator[Callable[[], list[Store]]]:
    """A function that opens a new, empty place, twice where that can be."""
    numbers = iter(range(1_000_000))
    if kind == "memory":
        yield lambda: [MemoryStore()]
    elif kind == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            yield lambda: twice(Path(folder, f"{next(numbers)}.db"))
    else:
        with running() as server:
            url = server.database()
            yield lambda: [open_store(f"{url}&tenant=t{next(numbers)}")]


def twice(path: Path) -> list[Store]:
    return [SQLiteStore(path), SQLiteStore(path)]


EXAMPLES = {"memory": (100, 5_000), "sqlite": (20, 1_500), "postgres": (12, 1_000)}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["memory", "sqlite", "postgres"])
@pytest.mark.parametrize("long", [False, pytest.param(True, marks=pytest.mark.soak)])
def test_a_store_answers_as_the_model_does(kind: str, long: bool) -> None:
    with places(kind) as fresh:
        machine = type("OfThisKind", (Machine,), {"fresh": staticmethod(fresh)})
        options = settings(max_examples=EXAMPLES[kind][long], stateful_step_count=30)
        run_state_machine_as_test(machine, settings=options)
