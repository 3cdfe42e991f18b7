"""One run of an agent on its plan: all that a loop asks of todowright, its own or a framework's."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar

from todowright.dialects.call import Reply
from todowright.dialects.dialect import Tool
from todowright.host.reminders import Decision, Reminders, StopGuard, WorkReminders
from todowright.plan.model import CLOSED
from todowright.stores.memory import MemoryStore
from todowright.text import shown
from todowright.tool.given import given_flag
from todowright.tool.todowrite import TodoWrite

if TYPE_CHECKING:
    from todowright.host.usage import RequestCounter
    from todowright.plan.changes import Change
    from todowright.plan.model import Plan
    from todowright.stores.protocol import Store
    from todowright.tool.turn import Turn

T = TypeVar("T")
AROUND: ContextVar[PlanRun | None] = ContextVar("around", default=None)
"""The run in which something is done."""
MOST_CHANGES = 256
"""Changes that wait to be taken; of more, the oldest go."""
_SEVERAL = "<reminder>You sent several whole lists at once: the last one stands.</reminder>"
PlanCall = tuple[str, object, str | None]
"""A call of the plan: the tool's name, its arguments, and the call's own id, if it has one."""


class PlanRun:
    """One run of an agent on its plan, from the task to the final answer.

    A loop offers `tools`, puts `before_request()` at the end of each request and never into the history, has
    the plan calls of a turn answered, says with `after_turn` what was called, and asks `at_end` about a final answer.
    """

    def __init__(
        self,
        todo: TodoWrite,
        *,
        tail: bool = True,
        remind_after: int = 12,
        ask_again: int = 2,
        told: Sequence[str] = (),
        listens: bool = True,
    ) -> None:
        for name, count in (("remind_after", remind_after), ("ask_again", ask_again)):
            if type(count) is not int or count < 0:
                raise TypeError(f"{name} must be how many, 0 for never, not {shown(count)}")
        self.todo = todo
        self._tail = given_flag("tail", tail)
        self._guard = StopGuard(todo, most=ask_again)
        self._work = WorkReminders(todo, after=remind_after, most=3 if remind_after else 0)
        self._rounds: Reminders | None = None
        if remind_after and todo.dialect.reminders == "rounds":
            self._rounds = Reminders(tool=todo.dialect.tool_name)
        self._nudge = self._rounds.at_start() if self._rounds else None
        self._rounds_of_work: list[int] = []
        """Calls of other tools in each turn since the last request: whether to remind is seen when the plan is."""
        self._note = ""
        self.told: tuple[str, ...] = tuple(told)
        """What others did, for the next request: once more if that has to be made again."""
        self._requested = False
        self._requests = 0
        self._ids: dict[str, int] = {}
        """The request after which an id came first."""
        self._turn: Turn | None = None
        self._counted: object = None
        self._requests_counted: RequestCounter | None = None
        self._is_on = False
        self._lock = threading.RLock()
        self._in_loop = isinstance(todo.store, MemoryStore) and todo._terms.verify is None
        """Whether a call takes microseconds: then an event loop need not wait for a thread."""
        self._changes: deque[Change] = deque(maxlen=MOST_CHANGES)
        self._stop = todo.on_change(self._changes.append) if listens else lambda: None

    @contextmanager
    def on(self) -> Iterator[Self]:
        """While the agent runs: a run that begins inside, on the same session, is a sub-agent's."""
        token, self._is_on = AROUND.set(self), True
        try:
            yield self
        finally:
            self._is_on = False
            with suppress(ValueError):  # a generator may be closed in another context
                AROUND.reset(token)

    def is_inside(self, store: Store, session: str) -> bool:
        """Whether this is the run of an agent on that session, and goes on."""
        return self._is_on and self.todo.session == session and self.todo.store is store

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What to offer a model, beside the tools of the work."""
        return self.todo.tools

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the plan's tools: a call of any other is not ours."""
        return frozenset(tool.name for tool in self.todo.dialect.tools)

    @property
    def prompt(self) -> str:
        """A short text for the system prompt: when to plan."""
        return self.todo.prompt

    def before_request(self) -> str:
        """The text for the end of this one request: what others did, a nudge, where the plan stands."""
        self._note = self._end_turn() or self._note
        news, plan = self.todo._news()
        if news:
            self._tell(news)
        return "\n".join(self._texts(plan, tail=self._tail))

    def hear(self) -> str:
        """What others did since the model was last told, as the next request tells it; empty for nothing."""
        news = self.todo.news()
        return self._tell(news) if news else ""

    def _tell(self, news: str) -> str:
        told = f"<reminder>{news}.</reminder>"
        self.told += (told,)
        return told

    def texts(self, *, tail: bool = True) -> tuple[str, ...]:
        """The texts for the end of this one request, each by itself; `before_request` has them in one."""
        return self._texts(self.todo.plan, tail=tail)

    def _texts(self, plan: Plan, *, tail: bool) -> tuple[str, ...]:
        self._requested = True
        self._requests += 1
        nudge, stands = self._reminded(plan), self.todo._tail(plan) if tail else ""
        return tuple([text for text in (self._note, *self.told, nudge, stands) if text])

    @property
    def nudge(self) -> str | None:
        """What the next request reminds of."""
        return self._reminded(self.todo.plan) if self._rounds_of_work else self._nudge

    def _reminded(self, plan: Plan) -> str | None:
        if self._rounds_of_work:
            for calls in self._rounds_of_work:
                self._nudge = self._work.after_round(calls=calls, plan=plan)
            self._rounds_of_work = []
        return self._nudge

    def answered(self) -> None:
        """The model has answered: what it was told for that one request, it knows."""
        if self._requested:
            self._requested, self._note, self._nudge, self.told = False, "", None, ()

    def call(self, name: str, arguments: object, call_id: str | None = None) -> Reply:
        """Answer one plan call. Calls belong to one turn until the next request."""
        with self._lock:
            turn = self._turn or self._begun_turn()
            read = _read(arguments) if isinstance(arguments, str) else arguments
            return turn(name, read, call_id=self._own(call_id))

    async def acall(self, name: str, arguments: object, call_id: str | None = None) -> Reply:
        """Answer one plan call, in an event loop. Calls are made in the order in which they began."""
        if self._in_loop:
            return self.call(name, arguments, call_id)
        with self._lock:
            if self._turn is None:
                self._begun_turn()
        return await self.todo.acall(_read(arguments), tool=name, call_id=self._own(call_id))

    def answer(self, calls: Iterable[PlanCall]) -> Sequence[Reply]:
        """Answer all plan calls of a turn, in their order."""
        with self._lock:
            self._end_turn()
            with self.todo.turn() as turn:
                for name, arguments, call_id in calls:
                    turn(name, _read(arguments), call_id=self._own(call_id))
            return turn.replies

    async def aanswer(self, calls: Iterable[PlanCall]) -> Sequence[Reply]:
        """Answer all plan calls of a turn, in an event loop."""
        return await self.aside(lambda: self.answer(calls))

    async def aside(self, work: Callable[[], T]) -> T:
        """Ask something of the plan in an event loop, which goes on meanwhile: `await run.aside(run.at_end)`."""
        return work() if self._in_loop else await self.todo._lane.run(work)

    def after_turn(self, called: Iterable[str], *, turn: object = None) -> None:
        """Say which tools the model called in a turn, the plan's too: after some work it is reminded.

        A framework that may say it twice gives something that tells this `turn` from the one before.
        """
        if turn is not None and turn == self._counted:
            return
        self._counted = turn
        self.answered()
        names, ours = list(called), self.names
        plan_calls = len([name for name in names if name in ours])
        if self._rounds is not None:
            self._nudge = self._rounds.after_round(wrote=plan_calls > 0)
        else:
            self._rounds_of_work.append(len(names) - plan_calls)

    def used(
        self,
        *,
        model: str = "",
        input: int = 0,  # noqa: A002
        output: int = 0,
        cached: int = 0,
        cost: float | None = None,
        request_id: str = "",
    ) -> None:
        """Say what a request to the model took, in tokens, and in dollars if you know: it stands beside the plan.

        `input` is all that the model read, `cached` how much of that came from a cache. With an id, a
        request that is told twice counts once. In an event loop: `await run.aside(lambda: run.used(…))`.
        """
        counter = self._requests_counted or self._counter()
        counter.count(model, input, output, cached, cost, request_id)

    def at_end(self) -> Decision:
        """Whether the model may end with this answer. If not, its `text` is the user's next message."""
        self._end_turn()
        self.answered()
        return self._guard.at_end()

    def changes(self) -> list[Change]:
        """What became of the plan since this was last asked, by whomever; for the events of a stream."""
        taken: list[Change] = []
        while self._changes:
            taken.append(self._changes.popleft())
        return taken

    def forget(self) -> None:
        """Stop listening; the plan stays."""
        self._end_turn()
        if self._requests_counted is not None:
            self._requests_counted.close()
        self._stop()

    def close(self) -> None:
        """Stop listening; the plan of a sub-agent ends."""
        self.forget()
        if "/" in self.todo.agent and not self.todo.plan.ended:
            self.todo.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _counter(self) -> RequestCounter:
        from todowright.host.usage import RequestCounter

        with self._lock:
            self._requests_counted = self._requests_counted or RequestCounter(self.todo)
            return self._requests_counted

    def _own(self, call_id: str | None) -> str | None:
        """An id of the call's own: some servers count anew in each answer, and do not repeat themselves."""
        if call_id is None:
            return None
        first = self._ids.setdefault(call_id, self._requests)
        return call_id if first == self._requests else f"{call_id} {self._requests}"

    def _begun_turn(self) -> Turn:
        turn = self.todo.turn()
        self._turn = turn.__enter__()
        return self._turn

    def _end_turn(self) -> str:
        """End the turn that is open; what its replies could not say yet."""
        with self._lock:
            turn, self._turn = self._turn, None
            if turn is not None:
                turn.__exit__()
        return _SEVERAL if turn is not None and turn.note else ""


def _read(arguments: object) -> object:
    """Arguments that came as JSON text, as some APIs send them; what is none is for the dialect to judge."""
    if isinstance(arguments, str):
        with suppress(ValueError, RecursionError):
            return json.loads(arguments)
    return arguments


def plan_event(change: Change) -> dict[str, Any]:
    """A change of a plan as plain values, for the events of a stream."""
    plan = change.plan
    return {
        "type": "plan",
        "session": plan.session,
        "agent": plan.agent,
        "revision": plan.revision,
        "changed": [
            {"step": todo.number, "content": todo.content, "kinds": list(kinds)}
            for todo, kinds in [(item.todo, item.kinds) for item in change.items]
        ],
        "todos": plan_rows(plan.todos),
    }


def plan_rows(todos: Iterable[Any]) -> list[dict[str, Any]]:
    """The steps as front ends for todo lists read them: `content` and one of three statuses."""
    return [
        {
            "content": todo.content,
            "status": "completed" if todo.status in CLOSED else str(todo.status),
        }
        for todo in todos
    ]
