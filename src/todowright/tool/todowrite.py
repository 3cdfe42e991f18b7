"""`TodoWrite`: a dialect, a store, a session and an agent. The callable an agent is given."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, overload

from todowright.awaiting import is_awaited
from todowright.dialects import load_dialect
from todowright.dialects.call import Reply
from todowright.dialects.dialect import Dialect, Tool
from todowright.errors import Issue, Refused, UnknownName
from todowright.names import check_agent, check_session
from todowright.plan.model import MAIN, Plan, Todo
from todowright.stores.opening import store_for
from todowright.stores.protocol import Store
from todowright.text import neutral, shown
from todowright.tool.answering import Answering
from todowright.tool.family import Family
from todowright.tool.given import (
    given_calls,
    given_clock,
    given_environ,
    given_flag,
    given_function,
    given_listener,
    given_root,
    given_step,
    is_async,
)
from todowright.tool.lifetime import Lifetime
from todowright.tool.policy import Verify
from todowright.tool.program import ProgramEdits
from todowright.tool.revise import writer_of
from todowright.tool.terms import terms_of

if TYPE_CHECKING:  # loaded when they are needed
    from datetime import datetime

    from todowright.dialects.definitions import Definition
    from todowright.plan.changes import Change
    from todowright.plan.deeds import Deed
    from todowright.plan.editing import Reference
    from todowright.tool.turn import Turn

_changed: ContextVar[tuple[object, Mapping[str, str]]] = ContextVar("changed")
"""The tool whose calls are made in another environment just now, and that."""


class TodoWrite(Lifetime, Family, ProgramEdits):
    """The tool. Calling it never raises on what a model sends; it answers with a `Reply`."""

    def __init__(
        self,
        dialect: str | Dialect = "lean",
        *,
        store: str | Store = "memory:",
        session: str = "default",
        agent: str = MAIN,
        root: str | os.PathLike[str] = ".",
        environ: Mapping[str, str] | None = None,
        clock: Callable[[], datetime] | None = None,
        verify: Verify | None = None,
        with_news: bool | None = None,
        serves: int = 0,
    ) -> None:
        self.dialect = load_dialect(dialect)
        self.session = check_session(session)
        self.agent = check_agent(agent)
        self.root = os.path.abspath(given_root(root))
        """The project's folder, under which a dialect may keep a log."""
        self._terms = terms = terms_of(self.dialect, self.root)
        if environ is not None:
            terms.environ = given_environ(environ)
        if clock is not None:
            terms.clock = given_clock(clock)
        if verify is not None:
            terms.verify = given_function("verify", verify, "lambda step: True")
        terms.serves = given_step("serves", serves)
        news = self.dialect.news if with_news is None else given_flag("with_news", with_news)
        self.store = store_for(self, store)
        self._writer = writer_of(self.store, self.session, self.agent)
        self._writer.use(terms)
        self._answering = Answering(self._writer, terms, self._configured, news=news)
        self._answer = self._answering.answer
        if verify is not None and is_async(verify):
            self._answer = self._awaited_answer
        self._turn: Turn | None = None
        self._stops: list[Callable[[], None]] = []

    def __call__(
        self, arguments: object = None, *, tool: str | None = None, call_id: str | None = None
    ) -> Reply:
        """Take the arguments a model sent and answer it.

        `call_id` is the caller's own id of this call: the same call again, in another process too, gets
        the reply it had and changes nothing.
        """
        if self._turn is not None:
            return self._turn(tool, arguments, call_id=call_id)
        return self._answer(arguments, tool, call_id, [])

    async def acall(
        self, arguments: object = None, *, tool: str | None = None, call_id: str | None = None
    ) -> Reply:
        """Take the arguments a model sent and answer it, in an event loop, which goes on meanwhile.

        Awaited calls on one plan are made one by one, in the order in which they began, by a thread. `verify`
        may be async. If the caller is cancelled, a call that waits is not made, and one that is being made ends as it would.
        """
        if self._lane.waits_for_me():
            return self._answering.refuse(arguments, tool, Issue("judging"))
        return await self._lane.run(lambda: self(arguments, tool=tool, call_id=call_id))

    @overload
    def turn(self) -> Turn: ...

    @overload
    def turn(self, calls: Iterable[tuple[str, object]]) -> list[Reply]: ...

    def turn(self, calls: Iterable[tuple[str, object]] | None = None) -> Turn | list[Reply]:
        """Begin one turn of the model, for a `with` block: `turn(name, arguments)` makes a call.

        Its calls were written before any of them was answered: they run in order, each gets its own
        reply, and of several whole lists the one that stands says so. With a list of calls, each a tool's name and its
        arguments, the answer is the list of replies.
        """
        self._check_open()
        if calls is None:
            return _turn_type()(self)
        pairs = given_calls(calls)
        with self.turn() as turn:
            for name, arguments in pairs:
                turn(name, arguments)
        return turn.replies

    def _set_turn(self, turn: Turn | None) -> None:
        if turn is not None and self._turn is not None:
            raise RuntimeError("a turn of this tool is open: end its `with` block before the next")
        self._turn = turn

    @property
    def with_news(self) -> bool:
        """Whether the model is told what others did to its plan.

        It is told with its next reply, or by a refusal where it sends a whole list that knows nothing of it.
        """
        return self._answering.news is not None

    @with_news.setter
    def with_news(self, wanted: bool) -> None:
        self._answering.set_news(given_flag("with_news", wanted))

    def news(self) -> str:
        """What others did to the plan since the model was last told, in one line; each thing once."""
        return self._news()[0]

    def _news(self) -> tuple[str, Plan]:
        """The news, and the plan in which they were found."""
        self._check_open()
        return self._answering.news_line([] if self._turn is None else self._turn.unread)

    def tail(self) -> str:
        """Where the plan stands, in the dialect's words, for the end of a model's context."""
        return self._tail(self.plan)

    def _tail(self, plan: Plan) -> str:
        if self.dialect.recap is None:
            return plan.tail()
        if not plan.todos or plan.finished:
            return ""
        return "\n".join(neutral(line) for line in self.dialect.recap(plan).splitlines())

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What to offer a model now, with the limits that the environment sets."""
        try:
            return self._configured().tools
        except Refused:  # a limit that is no number: the call says so
            return self.dialect.tools

    @property
    def prompt(self) -> str:
        """A text for the system prompt: when to plan, or what the dialect's document prescribes; often short."""
        return self.dialect.prompt

    def definitions(self, api: str) -> list[Definition]:
        """The tools as an API wants them: `anthropic`, `openai`, `responses`, `gemini` or `mcp`."""
        from todowright.dialects.definitions import definitions

        return definitions(self.tools, api)

    def on_change(self, listener: Callable[[Change], object]) -> Callable[[], None]:
        """Call the listener with every revision of this plan from now on; the answer unsubscribes it.

        It hears whoever makes the revision in this process: this tool, another one on the same store, a
        program or a person. For other processes, use `follow`. It is called in the thread that made the revision.
        """
        self._check_open()
        stop = self._writer.listen(given_listener("listener", listener))
        self._stops = [*self._stops, stop]

        def unsubscribe() -> None:
            self._stops = [kept for kept in self._stops if kept is not stop]
            stop()

        return unsubscribe

    def on(self, event: str, handler: Callable[[tuple[Todo, ...]], object]) -> Callable[[], None]:
        """Subscribe to `todos:update`: the main agent's whole list after every accepted call."""
        if event != "todos:update":
            raise UnknownName(f"no event is called '{shown(event)}': use todos:update")
        given_listener("handler", handler)
        if self.agent != MAIN:
            return lambda: None  # a sub-agent emits nothing
        return self.on_change(lambda change: handler(change.plan.todos))

    def subagent(self, label: str = "task", *, serves: int | None = None) -> TodoWrite:
        """A tool with a list of its own for a sub-agent: `with todo.subagent() as child: …`.

        It works for the step `serves`, by default the one in progress. The list goes when the block
        ends, or with `child.close()`; that it was, and how it ended, is kept. The parent's listeners do not hear of it.
        """
        self._check_open()
        check_agent(label)
        if serves is None:
            now = self.plan.current
            serves = now.number if now else 0
        child = TodoWrite(
            self.dialect,
            store=self.store,
            session=self.session,
            agent=f"{self.agent}/{label}-{os.urandom(4).hex()}",
            root=self.root,
            environ=self._terms.environ,
            verify=self._terms.verify,
            with_news=self.with_news,
            serves=serves,
        )
        child._terms.clock, child._is_child = self._terms.clock, True
        return child

    def share(
        self,
        agent: str,
        *,
        steps: Iterable[Reference] | None = None,
        deeds: Iterable[Deed] = ("start", "complete", "reopen"),
    ) -> TodoWrite:
        """A tool on this plan for another agent, which may do only these deeds to only these steps.

        Without `steps` it holds for all of them. Whatever else it would change is refused. Its revisions carry the
        agent's name, and the model whose plan this is hears of them as of a person's.
        """
        from todowright.tool.scope import scope_of

        if (mine := self._terms.scope) is not None:
            told = f"this plan is shared with {mine.author.name} already"
            raise ValueError(f"{told}: ask {self.agent} to share it")
        scope = scope_of(self.dialect, self.plan, agent, steps, deeds)
        shared = TodoWrite(
            self.dialect,
            store=self.store,
            session=self.session,
            agent=self.agent,
            root=self.root,
            environ=self._terms.environ,
            clock=self._terms.clock,
            verify=self._terms.verify,
            with_news=False,
        )
        shared._terms.scope = scope
        self._writer.use(self._terms)  # a person's edits have no such bounds
        return shared

    def _awaited_answer(
        self, arguments: object, tool: str | None, call_id: str | None, unread: list[str]
    ) -> Reply:
        """Answer a call of a tool whose `verify` is async: only an event loop can ask that."""
        if not is_awaited():
            raise TypeError("verify is async: use `await todo.acall(…)` in place of todo(…)")
        return self._answering.answer(arguments, tool, call_id, unread)

    @contextmanager
    def environ_with(self, changes: Mapping[str, str | None]) -> Iterator[None]:
        """Make the calls of a block, in this thread, with other variables; None takes one away.

        It is for calls from a process with an environment of its own, such as a shell.
        """
        if not changes:
            yield
            return
        both = {**self._terms.environ, **changes}
        environ = {name: value for name, value in both.items() if value is not None}
        token = _changed.set((self, environ))
        try:
            yield
        finally:
            _changed.reset(token)

    def _configured(self) -> Dialect:
        dialect = self.dialect
        if not dialect.environment:
            return dialect
        tool, environ = _changed.get((None, self._terms.environ))
        return dialect.configured(environ if tool is self else self._terms.environ)


@cache
def _turn_type() -> type[Turn]:
    """Loaded with the first turn: few who import todowright make one."""
    from todowright.tool.turn import Turn

    return Turn
