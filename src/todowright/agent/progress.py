"""One run of an agent: what it has used up, and what the model is given next."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from time import monotonic

from todowright.agent import events
from todowright.agent.events import Event
from todowright.agent.providers import Request, Usage
from todowright.agent.state import AgentState
from todowright.host.plan_run import PlanRun
from todowright.host.provider_usage import tell_usage
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
        by_work = agent.nudges and not agent.by_rounds
        mine = by_work and not agent.label  # what others have to do is no reason to go on
        self.on_plan = PlanRun(
            agent.todo,
            remind_after=12 if by_work else 0,
            ask_again=2 if mine else 0,
            told=agent.edits,
            listens=False,
        )

    def spend(self, usage: Usage) -> None:
        """Count what a request took, here and beside the plan; a store in trouble does not end a run for that."""
        self.usage += usage
        price = self.agent.prices.price(self.agent.model.name)
        told = (usage.read, usage.written, usage.cached)
        cost = None if price is None else price.of(*told)
        tell_usage(self.on_plan, self.agent.model.name, *told, cost=cost)

    def left(self) -> float:
        """Seconds until the time is up."""
        return max(0.0, self.agent.deadline - monotonic())

    def request(self) -> Request:
        """What the model is given now. The plan's tail and a nudge are for this one request."""
        agent = self.agent
        wanted = agent.tail and not self.wrote and not agent.planning
        extra = self.on_plan.texts(tail=wanted)
        most = agent.limits.answer
        return Request(agent.system, [*agent.messages], agent.offered, most, extra)

    def news(self) -> Iterator[Event]:
        """What became of the plan, and in one line what a person did to it, on the board say."""
        told = self.on_plan.hear()
        self.agent.edits = self.on_plan.told
        before, self.plan = self.plan, self.agent.todo.plan
        if self.plan.revision != before.revision:
            self.wrote = not told
            yield events.TodoUpdate(self.name, self.plan)
        if told:
            yield events.Reminder(self.name, told)
