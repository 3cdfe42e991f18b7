"""Who worked on what, and when: the lives of a session's tasks side by side."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from todowright.plan.lifelines import Lifeline, lifelines
from todowright.stores import Store, revisions


@dataclass(frozen=True, slots=True)
class Timeline:
    """The life of every task of a session, by agent."""

    session: str
    agents: dict[str, tuple[Lifeline, ...]]
    start: datetime
    end: datetime

    def share(self, moment: datetime) -> float:
        """Where a moment lies between start and end: 0 to 1."""
        whole = (self.end - self.start) / timedelta(microseconds=1)
        return min(
            1.0, max(0.0, ((moment - self.start) / timedelta(microseconds=1)) / (whole or 1))
        )


def timeline_of(store: Store, session: str, now: datetime) -> Timeline | None:
    """The timeline of a session; until now while something is in progress."""
    plans = [plan for plan in store.plans(session) if plan.updated_at is not None]
    agents = {plan.agent: lifelines(revisions(store, session, plan.agent)) for plan in plans}
    since = [life.spans[0].since for lives in agents.values() for life in lives]
    if not since:
        return None
    running = any(plan.current for plan in plans)
    last = max(plan.updated_at for plan in plans if plan.updated_at is not None)
    return Timeline(session, agents, min(since), max(now, last) if running else last)
