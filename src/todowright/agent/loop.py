"""The loop: ask the model, make the calls it wants, answer them, until it has nothing to call."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from todowright.agent import compaction, events
from todowright.agent.calls import Outcome, helped, made
from todowright.agent.events import Event, Reason, Usage
from todowright.agent.models import Answer, Message, ModelError, Request, ToolCall
from todowright.agent.transcript import result
from todowright.errors import StoreError
from todowright.reminders import StopGuard, WorkReminders

if TYPE_CHECKING:
    from todowright.agent.agent import Agent

T = TypeVar("T")
Told = Generator[Event, None, T]
"""Events on the way to an outcome."""
End = tuple[Reason, str]
GO_ON = "Go on."
CUT_OFF = "<reminder>Your answer was cut off. Go on where it ended.</reminder>"
MOST_TRIES, MOST_CUTS = 6, 3


def run(agent: Agent, task: str) -> Iterator[Event]:
    """Work on a task, event by event."""
    dialect, name = agent.todo.dialect, agent.todo.agent
    resumed = bool(agent.messages)
    if dialect.lives == "run" and task and agent.todo.plan.todos:
        agent.todo.clear()
    agent.forget_helpers()
    first = agent.rounds_idle.at_start() if _by_rounds(agent) and not resumed else None
    agent.transcript.ask(task or GO_ON, [{"type": "text", "text": first}] if first else [])
    yield events.Started(task=task, session=agent.todo.session, resumed=resumed, agent=name)
    if first:
        yield events.Reminder(text=first, agent=name)
    state = _Run(agent)
    try:
        end = yield from state.to_its_end()
    except (ModelError, StoreError) as error:
        end = ("error", str(error))
    yield state.ended(end)


def _by_rounds(agent: Agent) -> bool:
    return agent.nudges and agent.todo.dialect.reminders == "rounds"


class _Run:
    """One run of an agent: what it has used up, and what it says next."""

    def __init__(self, agent: Agent) -> None:
        self.agent, self.name = agent, agent.todo.agent
        self.rounds, self.usage, self.started = 0, Usage(), monotonic()
        self._plan = agent.todo.plan
        self._wrote = False
        """Whether the last results told of the plan: then its tail is not needed."""
        self._nudge: str | None = None
        self._cuts = 0
        by_work = agent.nudges and not _by_rounds(agent)
        self._work = WorkReminders(agent.todo, most=3 if by_work else 0)
        self._guard = StopGuard(agent.todo, most=2 if by_work else 0)

    def ended(self, end: End) -> Event:
        plan, usage, rounds = self._plan, self.usage, self.rounds
        reason, text = end
        return events.Ended(
            reason=reason, text=text, plan=plan, usage=usage, rounds=rounds, agent=self.name
        )

    def to_its_end(self) -> Told[End]:
        while True:
            if end := self.over():
                return end
            answer = yield from self.answered()
            if end := (yield from self.taken(answer)):
                return end

    def over(self) -> End | None:
        """The limit that is reached, if one is."""
        limits = self.agent.limits
        if self.rounds >= limits.rounds:
            return "rounds", f"stopped after {self.rounds} rounds"
        if limits.tokens is not None and self.usage.total >= limits.tokens:
            return "tokens", f"stopped after {self.usage.total} tokens"
        if limits.seconds is not None and monotonic() - self.started >= limits.seconds:
            return "time", f"stopped after {limits.seconds:g} s"
        return None

    def request(self) -> Request:
        """What the model is given now. The plan's tail and a nudge are for this one request."""
        agent = self.agent
        planning = agent.permissions.mode == "plan"
        tail = "" if self._wrote or planning else agent.todo.tail()
        extra = tuple(text for text in (self._nudge, tail) if text)
        return Request(
            agent.system, [*agent.messages], agent.offered, agent.limits.max_tokens, extra
        )

    def answered(self) -> Told[Answer]:
        """Ask the model, in a context that is made to fit, and again if its provider stumbles."""
        agent, tries = self.agent, 0
        while True:
            yield from self._compacted()
            request = self.request()
            try:
                answer = agent.model.answer(request, agent.on_text)
            except ModelError as error:
                tries += 1
                if not (error.transient or error.too_long) or tries >= MOST_TRIES:
                    raise
                if error.too_long:
                    agent.room = min(agent.room, compaction.tokens(request, agent.seen)) // 2
                    continue
                seconds = 2.0 ** (tries - 1) if error.wait is None else error.wait
                seconds = min(seconds, agent.limits.wait)
                yield events.Waiting(seconds=seconds, why=str(error), agent=self.name)
                agent.sleep(seconds)
                continue
            self.usage += answer.usage
            if answer.usage.read:
                agent.seen = compaction.size(request), answer.usage.read
            if answer.stop != "full" or tries >= MOST_TRIES:
                return answer
            tries += 1
            agent.room = min(agent.room, answer.usage.total) // 2

    def _compacted(self) -> Iterator[Event]:
        """Make the context smaller where it is too full; the plan comes back with it."""
        agent = self.agent
        before = compaction.tokens(self.request(), agent.seen)
        if before <= agent.room:
            return
        self._wrote = False  # the reply that told of the plan may be gone: its tail is needed
        kind, messages, after, usage = compaction.smaller(agent, self.request(), agent.room)
        agent.transcript.replace(messages)
        self.usage += usage
        yield events.Compaction(kind=kind, before=before, after=after, agent=self.name)

    def taken(self, answer: Answer) -> Told[End | None]:
        """Do what the answer asks for; how the run ends, if it does."""
        self.agent.transcript.add("assistant", answer.content, seen=self.agent.seen)
        yield events.Thought(text=answer.text, usage=answer.usage, agent=self.name)
        self._nudge, self._wrote = None, False
        if answer.calls:
            yield from self._round(answer.calls)
            return None
        if answer.stop == "refusal":
            return "refusal", answer.text or "the model will not do this"
        text = ""
        if answer.stop == "cut" and self._cuts < MOST_CUTS:
            self._cuts += 1
            text = CUT_OFF
        elif self.agent.permissions.mode != "plan":
            text = self._guard.at_end().text
        if not text:
            return "answer", answer.text
        self.agent.transcript.add("user", [{"type": "text", "text": text}])
        yield events.Reminder(text=text, agent=self.name)
        return None

    def _round(self, calls: tuple[ToolCall, ...]) -> Iterator[Event]:
        """Make the calls of one answer, and answer each: side by side if all only read."""
        agent, tools = self.agent, self.agent.tools
        self.rounds += 1
        outcomes: list[Outcome] = []
        if len(calls) > 1 and all(c.name in tools and tools[c.name].tool.read_only for c in calls):
            yield from map(self._action, calls)
            with ThreadPoolExecutor(min(8, len(calls))) as pool:
                outcomes = list(pool.map(lambda call: made(agent, call), calls))
            yield from map(self._observation, calls, outcomes)
        else:
            ours = [call for call in calls if call.name in agent.plan_tools]
            for call in calls:
                yield self._action(call)
                if call.name == "task" and not agent.serves:
                    spent = monotonic() - self.started
                    outcome = yield from helped(agent, call, self.usage, spent)
                    self.usage += outcome.usage
                else:
                    stands = len(ours) if len(ours) > 1 and call is ours[-1] else 0
                    outcome = made(agent, call, stands=stands)
                outcomes.append(outcome)
                yield self._observation(call, outcome)
                yield from self._news()
        content = [
            result(call.id, outcome.text, is_error=outcome.is_error)
            for call, outcome in zip(calls, outcomes, strict=True)
        ]
        yield from self._reminded(calls, content)
        agent.transcript.add("user", content)

    def _reminded(self, calls: tuple[ToolCall, ...], content: list[Message]) -> Iterator[Event]:
        plan_calls = sum(call.name in self.agent.plan_tools for call in calls)
        self._wrote = self._wrote or plan_calls > 0
        if _by_rounds(self.agent):
            text = self.agent.rounds_idle.after_round(wrote=self._wrote)
            content[:0] = [{"type": "text", "text": text}] if text else []
        else:
            text = self._nudge = self._work.after_round(calls=len(calls) - plan_calls)
        if text:
            yield events.Reminder(text=text, agent=self.name)

    def _news(self) -> Iterator[Event]:
        before, self._plan = self._plan, self.agent.todo.plan
        if self._plan.revision != before.revision:
            self._wrote = True
            yield events.TodoUpdate(plan=self._plan, under=self.agent.serves, agent=self.name)

    def _action(self, call: ToolCall) -> Event:
        return events.Action(id=call.id, tool=call.name, arguments=call.arguments, agent=self.name)

    def _observation(self, call: ToolCall, outcome: Outcome) -> Event:
        text, bad, _ = outcome
        return events.Observation(
            id=call.id, tool=call.name, text=text, is_error=bad, agent=self.name
        )
