"""What the requests of agents took, from their files into a store: beside plans, each request once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from todowright.importers.found import Spent, names_of
from todowright.stores.protocol import Store
from todowright.stores.usage import MOST_TOKENS, ModelRequest

MOST_WAITING = 100_000
"""Requests of sessions without a plan that are kept in memory: one may come, in another file."""


class Spending:
    """Collects what requests took, and counts it for the sessions that have plans."""

    def __init__(self, store: Store, owner: Callable[[str], str]) -> None:
        self._store = store
        self._owner = owner
        """Tells the session of the store that belongs to a name which an agent gave."""
        self._waiting: dict[str, list[ModelRequest]] = {}
        self._size = 0
        self._touched: dict[str, None] = {}

    def add(self, spent: Spent, path: str) -> None:
        """Take a request; one without an id could be counted twice, and is left out."""
        if not spent.id or not spent.input + spent.output:
            return
        session, agent = names_of(spent, path)
        read, written = min(spent.input, MOST_TOKENS), min(spent.output, MOST_TOKENS)
        request = ModelRequest(
            session=session, agent=agent, model=spent.model, input=read, output=written,
            cached=min(spent.cached, read), cost=spent.cost, at=spent.when, id=spent.id,
        )  # fmt: skip
        self._waiting.setdefault(session, []).append(request)
        self._touched[session] = None
        self._size += 1

    def planned(self, session: str) -> None:
        """A session may have its first plan now: what waited for it counts."""
        if session in self._waiting:
            self._touched[session] = None

    def count(self) -> None:
        """Count what was taken, for sessions that have a plan; the others wait."""
        owners = {session: self._owner(session) for session in self._touched}
        planned = {owner for owner in {*owners.values()} if self._store.plans(owner)}
        for session, owner in owners.items():
            if owner in planned:  # asked each time: a session may have been forgotten since
                waited = self._waiting.pop(session, [])
                self._size -= len(waited)
                self._store.count_requests(replace(each, session=owner) for each in waited)
        self._touched.clear()
        while self._size > MOST_WAITING:
            self._size -= len(self._waiting.pop(next(iter(self._waiting))))
