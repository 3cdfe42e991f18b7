"""Sub-agents that run as tools, in frameworks that do not say whose."""

from __future__ import annotations

import os
from contextvars import ContextVar

from todowright.host import PlanHost, PlanRun
from todowright.plan.model import MAIN

PARENT: ContextVar[PlanRun | None] = ContextVar("parent", default=None)
"""Whose tool runs here."""


def begun(host: PlanHost, session: str, agent: str = MAIN, *, label: str = "agent") -> PlanRun:
    """A new run. Inside a tool of another run it is a sub-agent's, in the session of that one."""
    parent = PARENT.get()
    if parent is None or parent.todo.store is not host.store:
        return host.begin(session, agent)
    name = f"{label.replace('/', '-')}-{os.urandom(4).hex()}"
    return host.begin(parent.todo.session, f"{parent.todo.agent}/{name}")
