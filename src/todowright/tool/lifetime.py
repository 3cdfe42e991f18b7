"""How a tool ends: closed, or, if it is a sub-agent's, with its plan; and how it is shown until then."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, Self

from todowright.dialects.call import Reply
from todowright.dialects.dialect import Dialect
from todowright.errors import StoreError
from todowright.plan.model import Plan
from todowright.stores.opening import let_go
from todowright.stores.protocol import Store
from todowright.tool.answering import Answering
from todowright.tool.revise import Writer, writer_of
from todowright.tool.terms import Terms


class Lifetime:
    """The part of `TodoWrite` that is about its end."""

    dialect: Dialect
    store: Store
    session: str
    agent: str
    _answer: Callable[[object, str | None, str | None, list[str]], Reply]
    _answering: Answering
    _terms: Terms
    _writer: Writer
    _stops: list[Callable[[], None]]
    """What unsubscribes those who listen through this tool."""
    _is_child = False
    """Whether `subagent` made it: then its plan ends when it is closed."""
    _closed = False

    @property
    def plan(self) -> Plan:
        """The plan as it stands."""
        self._check_open()
        return self.store.load(self.session, self.agent)

    @plan.setter
    def plan(self, _: object) -> NoReturn:
        raise AttributeError("plan cannot be set: change it with todo.update(…) or todo.edit(…)")

    def close(self) -> None:
        """Let go of the store, if it was given by its URL, and of who listens; a sub-agent's plan ends.

        A store that other tools use stays open for them. A tool that is closed takes no call.
        """
        if self._is_child:
            self.end()
            return
        self._closed, self._answer = True, self._closed_answer
        for stop in self._stops:
            stop()
        self._stops = []
        let_go(self, self.store)

    def __enter__(self) -> Self:
        self._check_open()
        return self

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        if self._is_child:
            self.end("" if failure is None else "failed")
        else:
            self.close()

    def end(self, how: str = "") -> None:
        """End the plan of a sub-agent: no call changes it any more, and its list is gone."""
        if "/" not in self.agent:
            raise ValueError(f"{self.agent} is no sub-agent: empty its plan with todo.clear()")
        self._answering.ended = True
        plan = self.plan
        told = how or ("finished" if plan.finished else "unfinished")
        self._writer.end(told, self._terms.clock)

    def end_subagents(self, label: str = "") -> None:
        """End the plans of sub-agents that nobody runs any more: a crash left them behind.

        With a label, only of those that were made with it: where several agents share a plan, each ends its own.
        """
        self._check_open()
        begins = f"{self.agent}/{label}-" if label else f"{self.agent}/"
        for plan in self.store.plans(self.session):
            if plan.agent.startswith(begins) and not plan.ended:
                writer = writer_of(self.store, self.session, plan.agent)
                writer.end("interrupted", self._terms.clock)

    def __repr__(self) -> str:
        return f"<TodoWrite {self.dialect.name}: {self.session}/{self.agent}, {self._state()}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a TodoWrite cannot be copied or pickled: make another one with the same store and session"
        )

    def _state(self) -> str:
        """How far the plan is, in a few words."""
        if self._closed:
            return "closed"
        try:
            plan = self.plan
        except Exception as error:  # whatever a store raises: it can still be shown
            return f"its plan cannot be read ({type(error).__name__})"
        done, total = plan.progress
        return f"ended: {plan.ended}" if plan.ended else f"{done} of {total} done"

    def _check_open(self) -> None:
        if self._closed:
            self._closed_answer()

    def _closed_answer(self, *_: object) -> NoReturn:
        raise StoreError("this TodoWrite is closed: make another one on the same store")
