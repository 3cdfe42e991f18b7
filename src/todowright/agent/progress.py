"""One run of an agent: what it has used up, and what the model is given next."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from time import monotonic

from todowright.agent import events
from todowright.agent.events import Event
from todowright.agent.providers import Request, Usage
from todowright.agent.state import AgentState
from todowright.plan.model import Plan


class Progress:
    """How far a run is."""

    def __init__(self, agent: AgentState) -> None:
        self.agent, self.name = agent, agent.todo.agent
        self.rounds = 0
        self.usage: Usage = Usage()
        seconds = agent.limits.seconds
        agent.deadline = inf if seconds is None else monotonic() + seconds
        self.plan = Plan(agent.todo.session, agent.todo.agent)
        self.wrote = False
        """Whether the last results told of the plan: then its tail is not needed."""
        self.nudge: str | None = None

    def left(self) -> float:
        """Seconds until the time is up."""
        return max(0.0, self.agent.deadline - monotonic())

    def request(self) -> Request:
        """What the model is given now. The plan's tail and a nudge are for this one request."""
        agent = self.agent
        wanted = agent.tail and not self.wrote and not agent.planning
        tail = agent.todo.tail() if wanted else ""
        extra = tuple(text for text in (*agent.edits, self.nudge, tail) if text)
        most = agent.limits.answer
        return Request(agent.system, [*agent.messages], agent.offered, most, extra)

    def news(self) -> Iterator[Event]:
        """What became of the plan, and in one line what a person did to it, on the board say."""
        told = self.agent.todo.news()
        before, self.plan = self.plan, self.agent.todo.plan
        if self.plan.revision != before.revision:
            self.wrote = not told
            yield events.TodoUpdate(self.name, self.plan)
        if told:
            edits = f"<reminder>{told}.</reminder>"
            self.agent.edits += (edits,)
            yield events.Reminder(self.name, edits)
