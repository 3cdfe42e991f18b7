"""The loop: ask the model, make the calls it wants, answer them, until it has nothing to call."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from todowright.agent import compaction, events
from todowright.agent.calls import helped, made
from todowright.agent.events import Event, Reason
from todowright.agent.transcript import result
from todowright.errors import StoreError
from todowright.providers import Answer, Message, ModelError, Request, ToolCall, Usage, words
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
    first = agent.rounds_idle.at_start() if agent.by_rounds and not resumed else None
    agent.transcript.ask(task or GO_ON, [{"type": "text", "text": first}] if first else [])
    yield events.Started(name, task, agent.todo.session, resumed)
    if first:
        yield events.Reminder(name, first)
    state = _Run(agent)
    try:
        reason, text = yield from state.to_its_end()
    except (ModelError, StoreError) as error:
        reason, text = "error", str(error)
    yield events.Ended(name, reason, text, state.plan, state.usage, state.rounds)


class _Run:
    """One run of an agent: what it has used up, and what it says next."""

    def __init__(self, agent: Agent) -> None:
        self.agent, self.name = agent, agent.todo.agent
        self.rounds, self.usage, self.started = 0, Usage(), monotonic()
        self.plan = agent.todo.plan
        self._wrote = False
        """Whether the last results told of the plan: then its tail is not needed."""
        self._nudge: str | None = None
        self._cuts = 0
        by_work = agent.nudges and not agent.by_rounds
        self._work = WorkReminders(agent.todo, most=3 if by_work else 0)
        self._guard = StopGuard(agent.todo, most=2 if by_work else 0)

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
        most = agent.limits.max_tokens
        return Request(agent.system, [*agent.messages], agent.offered, most, extra)

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
                yield events.Waiting(self.name, seconds, str(error))
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
        yield events.Compaction(self.name, kind, before, after)

    def taken(self, answer: Answer) -> Told[End | None]:
        """Do what the answer asks for; how the run ends, if it does."""
        self.agent.transcript.add("assistant", answer.content, seen=self.agent.seen)
        yield events.Thought(self.name, answer.text, answer.usage)
        self._nudge, self._wrote = None, False
        if answer.calls:
            yield from self._round(answer.calls)
            return None
        if answer.stop == "refusal":
            return "refusal", answer.text or "the model will not do this"
        cut = answer.stop == "cut" and self._cuts < MOST_CUTS
        self._cuts += cut
        planning = self.agent.permissions.mode == "plan"
        text = CUT_OFF if cut else "" if planning else self._guard.at_end().text
        if not text:
            return "answer", answer.text
        self.agent.transcript.add(**words("user", text))
        yield events.Reminder(self.name, text)
        return None

    def _round(self, calls: tuple[ToolCall, ...]) -> Iterator[Event]:
        """Make the calls of one answer, and answer each: side by side if all only read."""
        agent, tools = self.agent, self.agent.tools
        self.rounds += 1
        outcomes: list[events.Observation] = []
        if len(calls) > 1 and all(c.name in tools and tools[c.name].tool.read_only for c in calls):
            yield from map(self._action, calls)
            with ThreadPoolExecutor(min(8, len(calls))) as pool:
                outcomes = list(pool.map(lambda call: made(agent, call), calls))
            yield from outcomes
        else:
            ours = [call for call in calls if call.name in agent.plan_tools]
            for call in calls:
                yield self._action(call)
                if call.name == "task" and not agent.serves:
                    seconds = monotonic() - self.started
                    outcome, spent = yield from helped(agent, call, self.usage, seconds)
                    self.usage += spent
                else:
                    stands = len(ours) if len(ours) > 1 and call is ours[-1] else 0
                    outcome = made(agent, call, stands=stands)
                outcomes.append(outcome)
                yield outcome
                yield from self._news()
        content = [result(each.id, each.text, is_error=each.is_error) for each in outcomes]
        yield from self._reminded(calls, content)
        agent.transcript.add("user", content)

    def _reminded(self, calls: tuple[ToolCall, ...], content: list[Message]) -> Iterator[Event]:
        plan_calls = sum(call.name in self.agent.plan_tools for call in calls)
        self._wrote = self._wrote or plan_calls > 0
        if self.agent.by_rounds:
            text = self.agent.rounds_idle.after_round(wrote=self._wrote)
            content[:0] = [{"type": "text", "text": text}] if text else []
        else:
            text = self._nudge = self._work.after_round(calls=len(calls) - plan_calls)
        if text:
            yield events.Reminder(self.name, text)

    def _news(self) -> Iterator[Event]:
        before, self.plan = self.plan, self.agent.todo.plan
        if self.plan.revision != before.revision:
            self._wrote = True
            yield events.TodoUpdate(self.name, self.plan, self.agent.serves)

    def _action(self, call: ToolCall) -> Event:
        return events.Action(self.name, call.id, call.name, call.arguments)
