"""Microsoft Agent Framework: `Agent(…, context_providers=[plan], middleware=[plan.loop()])`."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from todowright.adapters.frameworks import MissingPart, host_of, needed, say_what_is_missing
from todowright.adapters.parents import PARENT, Parent, begun
from todowright.dialects.dialect import Dialect
from todowright.host import PlanHost, PlanRun

needed("agent_framework")
from agent_framework import (
    AgentLoopMiddleware,
    AgentSession,
    ChatMiddleware,
    ChatMiddlewareLayer,
    ContextProvider,
    FunctionMiddleware,
    FunctionTool,
    Message,
)

_NO_SESSION = "a run without a session is not asked about open steps: use agent.run(…, session=…)"
_NO_LAYER = (
    "this client has no ChatMiddlewareLayer, so no request ends with the plan: add that base class"
)
_STORED = (
    "the server keeps this conversation, and would keep each tail: the plan is told in replies only"
)


class PlanProvider(ContextProvider):
    """One for a program. A plan belongs to the id of the session; an agent that is a tool has its own."""

    def __init__(
        self,
        dialect: str | Dialect = "lean",
        *,
        source_id: str = "plan",
        without: Collection[str] = (),
        **settings: Any,
    ) -> None:
        say_what_is_missing(needed("agent_framework"), without)
        super().__init__(source_id)
        self.host = host_of(self, dialect, **settings)
        self.most = int(settings.get("ask_again", 2))
        self._tools = [
            FunctionTool(
                name=each.name,
                description=each.description,
                input_model=each.input_schema,
                func=lambda **_: "",  # `PlanCalls` answers
            )
            for each in self.host.tools
        ]
        self._runs: WeakKeyDictionary[Any, PlanRun] = WeakKeyDictionary()
        self._asked: WeakSet[Any] = WeakSet()
        """The sessions whose run goes on, since steps are open."""

    def changes(self, session: AgentSession) -> list[Any]:
        """What became of a session's plan since this was last asked, as `plan_event` has it or as `event` says."""
        run = self._runs.get(session)
        return [self.host.event(change) for change in run.changes()] if run else []

    def loop(self) -> AgentLoopMiddleware:
        """For `Agent(middleware=[…])`: a final answer with open steps is sent back."""

        async def more(*, session: Any, **_: Any) -> tuple[bool, str | None]:
            if session is None:
                warnings.warn(_NO_SESSION, MissingPart, stacklevel=2)
            run = self._runs.get(session) if session is not None else None
            if run is None:
                return False, None
            decision = await run.aside(run.at_end)
            if decision.kind == "continue":
                self._asked.add(session)
            return decision.kind == "continue", decision.text

        return AgentLoopMiddleware(
            more,
            max_iterations=self.most + 1,
            next_message=lambda *, feedback, **_: feedback,
            inject_progress=False,
            return_final_only=True,
        )

    async def before_run(self, *, agent: Any, session: Any, context: Any, state: Any) -> None:
        """Offer the tools, and stand beside each request and each call."""
        if session in self._asked:
            self._asked.discard(session)
        else:
            label = getattr(agent, "name", None) or "agent"
            name, parent = session.session_id, PARENT.get()
            self._runs[session] = begun(self.host, name, label=label, parent=parent)
        run = self._runs[session]
        context.extend_tools(self.source_id, self._tools)
        if self.host.prompt:
            context.extend_instructions(self.source_id, self.host.prompt)
        client = getattr(agent, "client", None)
        if client is not None and not isinstance(client, ChatMiddlewareLayer):
            warnings.warn(_NO_LAYER, MissingPart, stacklevel=2)
        calls = PlanCalls(self.host, run)
        context.extend_middleware(self.source_id, [PlanTail(run, session), calls])


class PlanTail(ChatMiddleware):
    """Puts the tail behind each request, for this request only."""

    def __init__(self, run: PlanRun, session: Any) -> None:
        self._run, self._session = run, session

    async def process(self, context: Any, call_next: Any) -> None:
        run, messages = self._run, context.messages
        last = messages[-1].contents if messages else []
        results = [c.call_id for c in last if c.type == "function_result"]
        if results:
            run.after_turn(_names(results, messages), turn=results[0])
        if self._session.service_session_id or context.options.get("conversation_id"):
            warnings.warn(_STORED, MissingPart, stacklevel=2)
        elif text := await run.aside(run.before_request):
            context.messages = [*messages, Message("user", [text])]
        await call_next()


class PlanCalls(FunctionMiddleware):
    """Answers plan calls, before the framework checks their arguments; calls begin in their order."""

    def __init__(self, host: PlanHost, run: PlanRun) -> None:
        self._host, self._run = host, run

    async def process(self, context: Any, call_next: Any) -> None:
        if context.function.name not in self._run.names:
            await self._with_children(call_next)
            return
        given = context.arguments
        arguments = given if isinstance(given, dict) else dict(given)
        reply = await self._run.acall(
            context.function.name, arguments, context.metadata.get("call_id")
        )
        context.result = reply.text

    async def _with_children(self, call_next: Any) -> None:
        """Run another tool. An agent that is one is a sub-agent; its plan ends with the call."""
        parent = Parent(self._run)
        token = PARENT.set(parent)
        try:
            await call_next()
        finally:
            PARENT.reset(token)
            for todo in [child.todo for child in parent.children]:
                await self._run.aside(partial(self._host.end, todo.session, todo.agent))


def _names(call_ids: list[str], messages: list[Any]) -> list[str]:
    """The tools that were called by these ids, in the last message that has calls."""
    for message in reversed(messages):
        names = {c.call_id: c.name for c in message.contents if c.type == "function_call"}
        if names:
            return [str(names.get(call_id)) for call_id in call_ids]
    return [""] * len(call_ids)
