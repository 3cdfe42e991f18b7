"""The life of each item over a plan's history: which status it had, and for how long."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from todowright.plan.changes import origins
from todowright.plan.model import Plan, Status, Todo


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time in one status."""

    status: Status
    since: datetime
    until: datetime | None = None
    """None while it lasts."""


@dataclass(frozen=True, slots=True)
class Lifeline:
    """One item from the revision that made it to the last that held it."""

    todo: Todo
    """The item as it is, or as it last was."""
    spans: tuple[Span, ...]

    @property
    def ended(self) -> datetime | None:
        """When the item left the list; None while it is there."""
        return self.spans[-1].until

    def spent(self, status: str, until: datetime) -> timedelta:
        """How long the item was in a status; `until` ends the span that still lasts."""
        lengths = (
            (span.until or until) - span.since for span in self.spans if span.status == status
        )
        return sum(lengths, timedelta())


def lifelines(history: Iterable[Plan]) -> tuple[Lifeline, ...]:
    """The life of every item that the revisions held, in the order in which they appeared."""
    if isinstance(history, Plan):
        told = "lifelines takes the revisions of a plan, not a Plan: use revisions(store, session, agent)"
        raise TypeError(told)
    lives: list[Lifeline] = []
    before = Plan()
    owners: list[int] = []
    for plan in history:
        now = plan.updated_at
        if now is None:
            continue
        following: list[int] = []
        for todo, origin in zip(plan.todos, origins(before, plan), strict=True):
            if origin is None:
                lives.append(Lifeline(todo, (Span(todo.status, now),)))
                following.append(len(lives) - 1)
            else:
                owner = owners[origin]
                lives[owner] = _continued(lives[owner], todo, now)
                following.append(owner)
        for gone in set(owners) - set(following):
            lives[gone] = Lifeline(lives[gone].todo, _closed(lives[gone].spans, now))
        before, owners = plan, following
    return tuple(lives)


def _continued(life: Lifeline, todo: Todo, now: datetime) -> Lifeline:
    if life.spans[-1].status == todo.status:
        return Lifeline(todo, life.spans)
    return Lifeline(todo, (*_closed(life.spans, now), Span(todo.status, now)))


def _closed(spans: tuple[Span, ...], now: datetime) -> tuple[Span, ...]:
    return (*spans[:-1], replace(spans[-1], until=now))
