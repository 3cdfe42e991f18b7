"""The loop: ask the model, make the calls it wants, answer them, until it has nothing to call."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import TypeVar

from todowright.agent import compaction, events
from todowright.agent.calls import (
    HOW_TO_CALL,
    NO_CALL,
    SAID_NOTHING,
    is_broken_call,
    performed,
    read_from_text,
)
from todowright.agent.events import Event, Reason
from todowright.agent.progress import Progress
from todowright.agent.providers import Answer, Message, ModelError, ToolCall, asked, words
from todowright.agent.state import AgentState
from todowright.agent.transcript import answers
from todowright.errors import StoreError

T = TypeVar("T")
Told = Generator[Event, None, T]
"""Events on the way to an outcome."""
End = tuple[Reason, str]
CUT_OFF = "<reminder>Your answer was cut off. Go on where it ended.</reminder>"
MOST_TRIES, MOST_CUTS, MOST_BROKEN = 6, 3, 3


def run(agent: AgentState, task: str) -> Iterator[Event]:
    """Work on a task, event by event."""
    dialect, name, task = agent.todo.dialect, agent.todo.agent, task.strip()
    resumed, state = bool(agent.messages), Run(agent)
    try:
        if not agent.planning:  # which only looks
            if dialect.lifetime == "run" and task and agent.todo.plan.todos:
                agent.todo.clear()
                agent.todo.news()  # that is none
            agent.end_helpers()
        agent.todo.with_news = True
        state.plan = agent.todo.plan
        begins = agent.by_rounds and not resumed and not agent.planning
        first = agent.rounds_idle.at_start() if begins else None
        agent.transcript.ask(task, [{"type": "text", "text": first}] if first else [])
        yield events.Started(name, task, agent.todo.session, resumed)
        if first:
            yield events.Reminder(name, first)
        reason, text = yield from state.to_its_end()
    except (ModelError, StoreError) as error:
        reason, text = state.over() or ("error", str(error))
    yield events.Ended(name, reason, text, state.plan, state.usage, state.rounds)


class Run(Progress):
    """One run of an agent, from the task to its end."""

    def __init__(self, agent: AgentState) -> None:
        super().__init__(agent)
        self._said: list[str] = []
        """Final answers that were not the end: the next ones add to them."""
        self._cuts, self._broken, self._silent = 0, 0, 0
        self._told_how_to_call = not agent.nudges

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
        if not self.left():
            return "time", f"stopped after {limits.seconds:g} s"
        return None

    def answered(self) -> Told[Answer]:
        """Ask the model, in a context that is made to fit, and again if its provider stumbles."""
        agent, tries = self.agent, 0
        while True:
            yield from self.news()
            yield from compaction.made_to_fit(self)
            request = self.request()
            try:
                answer = asked(agent.model, request, agent.on_text)
            except ModelError as error:
                tries += 1
                if not (error.transient or error.too_long) or tries >= MOST_TRIES:
                    raise
                if error.too_long:
                    self._less_room(compaction.tokens(request, agent.seen))
                    continue
                seconds = 2.0 ** (tries - 1) if error.wait is None else error.wait
                seconds = min(seconds, agent.limits.wait, self.left())
                yield events.Waiting(self.name, seconds, str(error))
                agent.sleep(seconds)
                if not self.left():
                    raise
                continue
            self.spend(answer.usage)
            if answer.usage.read:
                agent.seen = compaction.size(request), answer.usage.read
            if answer.stop != "full" or tries >= MOST_TRIES:
                return answer
            tries += 1
            self._less_room(answer.usage.total or compaction.tokens(request, agent.seen))

    def _less_room(self, tokens: int) -> None:
        """The provider's window is smaller than was said: what did not fit is halved."""
        self.agent.room = min(self.agent.room, tokens) // 2

    def taken(self, answer: Answer) -> Told[End | None]:
        """Do what the answer asks for; how the run ends, if it does."""
        written, answer = answer.text, read_from_text(self.agent, answer)
        in_text = written if answer.text != written else ""
        self.agent.transcript.add(
            "assistant", answer.content, seen=self.agent.seen, written=in_text or None
        )
        if in_text:
            yield events.CallsInText(self.name, in_text, len(answer.calls))
        yield events.Thought(self.name, answer.text, answer.usage)
        self.on_plan.answered()
        self.agent.edits, self.wrote = (), False
        if answer.calls:
            yield from self._round(answer.calls, in_text=bool(in_text))
            return None
        if answer.stop == "refusal":
            return "refusal", answer.text or "the model will not do this"
        if again := self._asked_again(answer):
            yield from self._tell(again)
            return None
        cut = answer.stop == "cut" and self._cuts < MOST_CUTS
        self._cuts += cut
        text = CUT_OFF if cut else "" if self.agent.planning else self.on_plan.at_end().text
        self._said.append(answer.text + "\n\n" * (not cut))
        if not text:
            return "answer", "".join(self._said).strip()
        yield from self._tell(text)
        return None

    def _tell(self, text: str) -> Iterator[Event]:
        """Say something to the model in place of a person."""
        self.agent.transcript.add(**words("user", text))
        yield events.Reminder(self.name, text)

    def _asked_again(self, answer: Answer) -> str:
        """What is said to an answer that is none: to silence once a run, to a call that nobody can read thrice."""
        if not self.agent.nudges or self.agent.planning or answer.stop != "end":
            return ""
        if not answer.text.strip():
            self._silent += 1
            return SAID_NOTHING if self._silent == 1 else ""
        self._broken += (broken := is_broken_call(self.agent, answer.text))
        return NO_CALL if broken and self._broken <= MOST_BROKEN else ""

    def _round(self, calls: tuple[ToolCall, ...], *, in_text: bool) -> Iterator[Event]:
        """Make the calls of one answer, and answer each, also those that nobody waits for any more."""
        self.rounds += 1
        outcomes: list[events.Observation] = []
        try:
            yield from performed(self, calls, outcomes)
        except BaseException:  # stopped in the middle: what is done is kept, the rest is told
            if self._plan_calls(calls[: len(outcomes)]):
                self.agent.rounds_idle.idle = 0
            self._keep(answers(calls, outcomes))
            raise
        content = answers(calls, outcomes)
        explains = in_text and not self._told_how_to_call
        if explains:
            self._told_how_to_call = True
            content[-1]["content"] += f"\n{HOW_TO_CALL}"
        try:
            reminder = self._reminder(calls)
        except StoreError:
            self._keep(content)  # what was done is known
            raise
        if reminder and self.agent.by_rounds:
            content.insert(0, {"type": "text", "text": reminder})
        self._keep(content)
        if explains:
            yield events.Reminder(self.name, HOW_TO_CALL)
        if reminder:
            yield events.Reminder(self.name, reminder)

    def _keep(self, content: list[Message]) -> None:
        """Keep the message with a round's results."""
        self.agent.transcript.add("user", content, idle_rounds=self.agent.rounds_idle.idle)

    def _plan_calls(self, calls: Sequence[ToolCall]) -> int:
        return sum(call.name in self.agent.plan_tools for call in calls)

    def _reminder(self, calls: tuple[ToolCall, ...]) -> str | None:
        plan_calls = self._plan_calls(calls)
        self.wrote = self.wrote or plan_calls > 0
        if self.agent.planning:  # the plan's tools are not offered
            return None
        if self.agent.by_rounds:
            return self.agent.rounds_idle.after_round(wrote=self.wrote)
        self.on_plan.after_turn([""] * (len(calls) - plan_calls))
        return self.on_plan.nudge
