"""Tasks, whoever changes them in whatever order: a state machine over model, person and workers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from tests.requirements import requirement
from todowright import MemoryStore, TodoWrite
from todowright.dialects.tasks.model import OWNER, blockers, of
from todowright.plan.model import Todo
from todowright.tasks import Claim, Claims, LostClaim

pytestmark = [requirement("003-10"), pytest.mark.slow]
IDS = st.integers(0, 12).map(str)
STATUSES = st.sampled_from(["pending", "in_progress", "completed", "deleted", "nonsense"])
LEASE = 10.0


class Turned(MemoryStore):
    """A store whose clock is turned by hand."""

    moment = 1_000.0

    def now(self) -> float:
        return self.moment


class Machine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.store = Turned()
        self.todo = TodoWrite("tasks", store=self.store)
        self.claims = Claims(self.store, lease=LEASE)
        self.held: list[tuple[Claim, float]] = []
        """Claims that were given, and until when each lasts at least."""
        self.highest = 0
        self.deleted: set[int] = set()

    @property
    def tasks(self) -> dict[int, Todo]:
        return {task.number: task for task in self.todo.plan.todos}

    def call(self, tool: str, **arguments: Any) -> None:
        before, revision = self.tasks, self.todo.plan.revision
        reply = self.todo(arguments, tool=tool)
        if reply.is_error:
            assert self.todo.plan.revision == revision
            assert self.tasks == before
            assert "\n" not in reply.text
        gone = set(before) - set(self.tasks)
        assert not gone or arguments.get("status") == "deleted"
        self.deleted |= gone

    @rule(subject=st.text(max_size=10), blocked=st.lists(IDS, max_size=2))
    def create(self, subject: str, blocked: list[str]) -> None:
        self.call("TaskCreate", subject=subject, description="d")
        if self.tasks:
            newest = max(self.tasks)
            self.call("TaskUpdate", taskId=str(newest), addBlockedBy=blocked)

    @rule(task=IDS, status=STATUSES)
    def set_status(self, task: str, status: str) -> None:
        self.call("TaskUpdate", taskId=task, status=status)

    @rule(
        task=IDS,
        others=st.lists(IDS, min_size=1, max_size=3),
        key=st.sampled_from(["addBlocks", "addBlockedBy"]),
    )
    def block(self, task: str, others: list[str], key: str) -> None:
        self.call("TaskUpdate", taskId=task, **{key: others})

    @rule(task=IDS, owner=st.sampled_from(["ann", ""]))
    def give(self, task: str, owner: str) -> None:
        self.call("TaskUpdate", taskId=task, owner=owner)

    @rule(owner=st.sampled_from(["w1", "w2", "w3"]))
    def claim(self, owner: str) -> None:
        claim = self.claims.claim(owner)
        if claim is None:
            return
        now = self.store.moment
        others = [held for held, until in self.held if held.number == claim.number and until >= now]
        assert not [held for held in others if self.is_held(held)], "two hold one task"
        assert not self.open_blockers(claim.number), "it was blocked"
        self.held.append((claim, now + LEASE))

    def is_held(self, claim: Claim) -> bool:
        task = self.tasks.get(claim.number)
        return (
            task is not None and task.status == "in_progress" and claim.token in of(task, "lease")
        )

    def open_blockers(self, number: int) -> list[int]:
        tasks = self.tasks
        return [
            each for each in blockers(tasks[number]) if each in tasks and not tasks[each].closed
        ]

    @rule(at=st.integers(0, 5), act=st.sampled_from(["renew", "finish", "release", "fail"]))
    def use_a_claim(self, at: int, act: str) -> None:
        if at >= len(self.held):
            return
        claim, until = self.held[at]
        mine, now = self.is_held(claim), self.store.moment
        revision = self.todo.plan.revision
        try:
            if act == "renew":
                self.claims.renew(claim)
                self.held[at] = (claim, now + LEASE)
            elif act == "fail":
                self.claims.fail(claim, "why")
            else:
                getattr(self.claims, act)(claim)
        except LostClaim:
            assert not mine or until < now
            assert self.todo.plan.revision == revision
            del self.held[at]
            return
        assert mine
        assert until >= now, "a late owner was let in"
        assert (self.todo.plan.revision == revision) == (act == "renew")
        if act == "finish":
            assert self.tasks[claim.number].status == "completed"
        if act == "release":
            assert of(self.tasks[claim.number], OWNER) == ""
        if act != "renew":
            del self.held[at]

    @rule(seconds=st.sampled_from([1.0, 4.0, 11.0]))
    def time_goes_by(self, seconds: float) -> None:
        self.store.moment += seconds

    @invariant()
    def the_rules_hold(self) -> None:
        tasks = self.tasks
        numbers = list(tasks)
        assert len(numbers) == len(self.todo.plan.todos), "a number twice"
        assert min(numbers, default=1) >= 1
        assert not self.deleted & set(numbers), "a number came back"
        for number, task in tasks.items():
            assert set(blockers(task)) <= set(numbers) - {number}
        self.no_cycle({number: set(blockers(task)) for number, task in tasks.items()})

    @staticmethod
    def no_cycle(left: dict[int, set[int]]) -> None:
        while free := [number for number, others in left.items() if not others & set(left)]:
            for number in free:
                del left[number]
        assert not left, "tasks block each other in a circle"


@pytest.mark.parametrize("examples", [60, pytest.param(6_000, marks=pytest.mark.soak)])
def test_the_rules_of_tasks_hold_in_every_order(examples: int) -> None:
    options = settings(max_examples=examples, stateful_step_count=40)
    run_state_machine_as_test(Machine, settings=options)
