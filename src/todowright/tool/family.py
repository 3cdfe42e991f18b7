"""The plans around one: that of the agent it works for, and those of its sub-agents."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from todowright.plan.model import Plan
from todowright.stores.protocol import Store

if TYPE_CHECKING:  # loaded when they are needed
    from todowright.plan.tree import Tree


class Family:
    """The part of `TodoWrite` that reads other agents' plans."""

    store: Store
    session: str
    agent: str
    _check_open: Callable[[], None]

    @property
    def parent_plan(self) -> Plan | None:
        """The plan of the agent that this one works for, as it stands; None if it works for nobody."""
        self._check_open()
        name = self.agent
        while name := name.rpartition("/")[0]:
            found = self.store.load(self.session, name)
            if found.revision:
                return found
        return None

    @property
    def child_plans(self) -> tuple[Tree, ...]:
        """The plans of its sub-agents as they stand, each with those of its own; also of those that have ended."""
        from todowright.plan.tree import tree_of

        self._check_open()
        plan = self.store.load(self.session, self.agent)
        return tree_of(plan, self.store.plans(self.session)).children
