"""Sub-agents that run as tools, in frameworks that do not say whose."""

from __future__ import annotations

import os
from contextvars import ContextVar
from dataclasses import dataclass, field

from todowright.host import PlanHost, PlanRun
from todowright.plan.model import MAIN


@dataclass
class Parent:
    """The run whose tool is at work, and the runs that began in it."""

    run: PlanRun
    children: list[PlanRun] = field(default_factory=list)


PARENT: ContextVar[Parent | None] = ContextVar("parent", default=None)
"""Whose tool runs here."""


def begun(
    host: PlanHost, session: str, agent: str = MAIN, *, label: str, parent: Parent | None
) -> PlanRun:
    """A new run. With a parent it is a sub-agent's, in the session of that one."""
    if parent is None or parent.run.todo.store is not host.store:
        return host.begin(session, agent)
    name = f"{label.replace('/', '-')}-{os.urandom(4).hex()}"
    around = parent.run.todo
    child = host.begin(around.session, f"{around.agent}/{name}")
    parent.children.append(child)
    return child
