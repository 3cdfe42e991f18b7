"""The agent: what it has, and the loop that runs it."""

from __future__ import annotations

from collections.abc import Generator

from todowright.agent import loop
from todowright.agent.events import Event
from todowright.agent.state import AgentState, Limits

__all__ = ["Agent", "Limits"]


class Agent(AgentState):
    """Runs tasks: `for event in Agent("anthropic:…").run("Fix the tests"): …`."""

    def run(self, task: str = "") -> Generator[Event, None, None]:
        """Work on a task, or go on with what was begun, until there is an answer or a limit."""
        yield from loop.run(self, task)
