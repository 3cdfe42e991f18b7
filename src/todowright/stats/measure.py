"""Counting what happened to the items of plans, revision by revision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from statistics import quantiles

from todowright.plan.changes import Change
from todowright.plan.lifelines import Lifeline, lifelines
from todowright.plan.model import Plan
from todowright.stats.lean import LeanReplay, said
from todowright.stats.tokens import tokens

BATCH = 3
"""So many items completed by one update are ticked in a batch."""
LONG = 10
"""An item that stays in progress over so many updates is stuck; so many rounds without an update are long."""
MOST_REPLAYED = 3_000
"""Revisions that are replayed in `lean`, since each takes a millisecond or two."""


@dataclass
class Stats:
    """What the plans of some sessions say."""

    sessions: int = 0
    plans: int = 0
    """Lists of single agents: a session with sub-agents has several."""
    finished: int = 0
    """Plans in which nothing was open at the end."""
    updates: int = 0
    """Revisions that changed a plan."""
    items: int = 0
    completed: int = 0
    cancelled: int = 0
    dropped: int = 0
    """Items that vanished unfinished, without a word."""
    left: int = 0
    """Items that were open at the end."""
    stuck: int = 0
    """Items that were in progress at the end, or over many updates."""
    jumps: int = 0
    """Items that went from pending to completed, and were never seen in progress."""
    batches: int = 0
    """Updates that completed several items at once."""
    batched: int = 0
    """The items of those."""
    reworded: int = 0
    reopened: int = 0
    rounds: list[int] = field(default_factory=list)
    """How often the model spoke between two updates."""
    seconds: list[float] = field(default_factory=list)
    """How long each completed item was in progress."""
    calls: int = 0
    """Planning calls that were made, also those that changed nothing."""
    sent: int = 0
    """About how many tokens the calls and their answers were."""
    as_lists: int = 0
    """The same if every update had sent the whole list; for plans whose calls are not known."""
    lean: int = 0
    """The same in `lean`."""
    lean_calls: int = 0
    replayed: int = 0
    """Updates that were replayed in `lean`."""
    models: Counter[str] = field(default_factory=Counter)
    """Updates, by the model that made them."""

    def add_call(self, arguments: object, result: object) -> None:
        """Count a call that an agent made."""
        self.calls += 1
        answer = result if isinstance(result, str) else ""
        if isinstance(result, list) and result and isinstance(result[0], str):
            answer = result[0]
        self.sent += said(arguments) + tokens(answer)

    def add_plan(self, history: Iterable[Plan]) -> None:
        """Count the revisions of one plan, oldest first; one that never had a step is none."""
        revisions = list(history)
        if not any(plan.todos for plan in revisions):
            return
        self.plans += 1
        self.finished += not revisions[-1].open
        before = Plan(revisions[0].session, revisions[0].agent)
        current: Counter[int] = Counter()
        for plan in revisions:
            self._add_change(Change(before, plan))
            current.update(todo.number for todo in plan.todos if todo.status == "in_progress")
            before = plan
        self._add_lives(lifelines(revisions), revisions[-1], current)
        self._replay(revisions)

    def _add_change(self, change: Change) -> None:
        self.updates += 1
        self.models[change.plan.by.name or "unknown"] += 1
        kinds = Counter(kind for item in change.items for kind in item.kinds)
        self.reworded += kinds["reworded"]
        self.reopened += kinds["reopened"]
        ticked = [item for item in change.items if "completed" in item.kinds]
        if len(ticked) >= BATCH:
            self.batches += 1
            self.batched += len(ticked)
        self.as_lists += said([(todo.content, todo.status) for todo in change.plan.todos])

    def _add_lives(self, lives: Sequence[Lifeline], last: Plan, current: Counter[int]) -> None:
        for life in lives:
            self.items += 1
            status, gone = life.todo.status, life.ended is not None
            self.completed += status == "completed"
            self.cancelled += status == "cancelled"
            self.dropped += gone and not life.todo.closed
            self.left += not gone and not life.todo.closed
            on_at_end = status == "in_progress" and not gone
            self.stuck += on_at_end or current[life.todo.number] >= LONG
            if status != "completed":
                continue
            self.jumps += all(span.status != "in_progress" for span in life.spans)
            spent = life.spent("in_progress", last.updated_at or life.spans[-1].since)
            if spent > timedelta():
                self.seconds.append(spent.total_seconds())

    def _replay(self, revisions: Sequence[Plan]) -> None:
        if self.replayed + len(revisions) > MOST_REPLAYED:
            return
        replay = LeanReplay()
        for plan in revisions:
            replay.become(plan.todos)
        self.replayed += len(revisions)
        self.lean += replay.tokens
        self.lean_calls += replay.calls

    def to_dict(self) -> dict[str, object]:
        """All figures as plain values, for JSON."""
        spent = self.sent or self.as_lists
        return {
            "sessions": self.sessions,
            "plans": self.plans,
            "plans_finished": self.finished,
            "updates": self.updates,
            "items": self.items,
            "completed": self.completed,
            "cancelled": self.cancelled,
            "dropped": self.dropped,
            "left_open": self.left,
            "stuck": self.stuck,
            "jumps_to_completed": self.jumps,
            "batch_updates": self.batches,
            "batch_ticked": self.batched,
            "reworded": self.reworded,
            "reopened": self.reopened,
            "rounds_between_updates": spread(self.rounds),
            "updates_after_more_than_10_rounds": sum(each > LONG for each in self.rounds),
            "seconds_per_item": spread(self.seconds),
            "calls": self.calls,
            "tokens": {
                "counted": "about, by words and signs",
                "of": "calls and answers" if self.sent else "whole lists, one for each update",
                "spent": spent,
                "in_lean": self.lean_of_all,
                "updates_replayed": self.replayed,
                "lean_calls": self.lean_calls,
            },
            "models": dict(self.models.most_common(50)),
        }

    @property
    def lean_of_all(self) -> int:
        """What all updates come to in `lean`: as those that were replayed do."""
        return round(self.lean * self.updates / self.replayed) if self.replayed else 0


def spread(values: Sequence[float]) -> dict[str, float] | None:
    """The middle, nine of ten and the most of some numbers; None where there are none."""
    if not values:
        return None
    tenths = quantiles(values, n=10, method="inclusive") if len(values) > 1 else [values[0]] * 9
    return {"p50": round(tenths[4], 1), "p90": round(tenths[8], 1), "max": round(max(values), 1)}
