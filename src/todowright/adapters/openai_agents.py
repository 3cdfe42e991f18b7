"""OpenAI Agents SDK: `Agent(tools=[*plan.tools])`, and `await plan.run(agent, text)` for `Runner.run`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from inspect import isawaitable
from typing import Any

from todowright.adapters.frameworks import host_of, needed, say_what_is_missing
from todowright.host import PlanRun
from todowright.host.provider_usage import tell_usage

ROW = needed("openai_agents")
from agents import Agent, FunctionTool, Handoff, RunConfig, Runner
from agents.run_config import CallModelData, ModelInputData

_ON_SERVER = ("conversation_id", "previous_response_id", "auto_previous_response_id")


@dataclass
class PlanStreamEvent:
    """A change of the plan, among the events of a stream."""

    plan: Any
    """As `plan_event` has it, or as the function that was given for `event`."""
    type: str = "plan_event"


@dataclass
class _Acting:
    """A run, and the agents that act in it: the first, and those it may hand off to."""

    run: PlanRun
    agents: list[Any]
    tail: bool = True
    called: list[str] = field(default_factory=list)
    """The plan's tools that were called since the last request."""
    answered: set[str] = field(default_factory=set)
    """The ids of all its plan calls."""
    children: list[_Acting] = field(default_factory=list)

    def close(self) -> None:
        for child in self.children:
            child.close()
        self.run.close()


_ACTING: ContextVar[_Acting] = ContextVar("acting")


class AgentsPlan:
    """The plan of each session. One for a program; an agent that is called as a tool has a plan of its own."""

    def __init__(
        self,
        dialect: Any = "lean",
        *,
        store: Any = "memory:",
        without: Collection[str] = (),
        **options: Any,
    ) -> None:
        say_what_is_missing(ROW, without)
        self.host = host_of(self, dialect, store=store, **options)
        self.tools = [
            FunctionTool(
                name=tool.name,
                description=tool.description,
                params_json_schema=tool.input_schema,
                on_invoke_tool=self._tool(tool.name),
                strict_json_schema=False,
            )
            for tool in self.host.tools
        ]

    async def run(self, agent: Any, text: Any, *, thread: str | None = None, **options: Any) -> Any:
        """`Runner.run` with the plan of the thread, or else of the `session`; takes its options."""
        with self._begun(agent, thread, options) as acting:
            while True:
                result = await Runner.run(agent, text, **options)
                text = await self._next(acting.run, result, options)
                if text is None:
                    return result
                agent = result.last_agent  # who was handed the work goes on with it

    def run_sync(self, agent: Any, text: Any, **options: Any) -> Any:
        """`run` without an event loop."""
        return asyncio.run(self.run(agent, text, **options))

    def run_streamed(
        self, agent: Any, text: Any, *, thread: str | None = None, **options: Any
    ) -> PlannedStream:
        """`Runner.run_streamed`, with each change of the plan among its events."""
        return PlannedStream(self, agent, text, thread, options)

    @contextmanager
    def _begun(self, agent: Any, thread: str | None, options: dict[str, Any]) -> Any:
        """A run of its own; the filter goes into the options."""
        session = options.get("session")
        name = thread or (session.session_id if session else None)
        run = self.host.new_run(name, label=agent.name)
        acting = _Acting(run, _line(agent), not any(options.get(key) for key in _ON_SERVER))
        config = options.get("run_config") or RunConfig()
        theirs = config.call_model_input_filter
        options["run_config"] = replace(config, call_model_input_filter=self._filter(theirs))
        token = _ACTING.set(acting)
        try:
            with run.on():
                yield acting
        finally:
            _ACTING.reset(token)
            acting.close()

    async def _next(self, run: PlanRun, result: Any, options: dict[str, Any]) -> Any:
        """What the agent is to read next, where it may not end yet."""
        await run.aside(lambda: _tell_usage(run, result))
        decision = await run.aside(run.at_end)
        if decision.kind != "continue" or result.interruptions:
            return None
        if options.get("previous_response_id") or options.get("auto_previous_response_id"):
            options["previous_response_id"] = result.last_response_id
        if options.get("session") or any(options.get(key) for key in _ON_SERVER):
            return decision.text
        return [*result.to_input_list(), {"role": "user", "content": decision.text}]

    def _tool(self, name: str) -> Callable[[Any, str], Awaitable[str]]:
        async def invoke(context: Any, arguments: str) -> str:
            acting = _ACTING.get(None)
            if acting is None:
                raise RuntimeError("an agent with a plan is run by plan.run(agent, …)")
            acting.called.append(name)
            acting.answered.add(context.tool_call_id)
            reply = await acting.run.acall(name, arguments, context.tool_call_id)
            return reply.text or "(nothing)"

        return invoke

    def _filter(self, theirs: Any) -> Callable[[CallModelData[Any]], Awaitable[ModelInputData]]:
        async def filtered(data: CallModelData[Any]) -> ModelInputData:
            given = theirs(data) if theirs else data.model_data
            made: ModelInputData = await given if isawaitable(given) else given
            if not any(tool in self.tools for tool in data.agent.tools):
                return made  # a child of `as_tool` inherits this filter, but has no plan
            acting = self._acting(data.agent, made.input)
            results = 0
            for item in reversed(made.input):
                if not isinstance(item, dict) or item.get("type") != "function_call_output":
                    break
                results += 1
            if results:
                others = max(0, results - len(acting.called))
                turn = made.input[-1].get("call_id")
                acting.run.after_turn([*acting.called, *[""] * others], turn=turn)
                acting.called = []
            text = await acting.run.aside(acting.run.before_request)
            prompt = self.host.with_prompt(made.instructions)
            tail = [{"role": "user", "content": text}] if text and acting.tail else []
            return replace(made, input=[*made.input, *tail], instructions=prompt or None)

        return filtered

    def _acting(self, agent: Any, items: list[Any]) -> _Acting:
        """Who acts: an agent that the run cannot have been handed to was called as a tool.

        The SDK does not say which of its runs a request belongs to, so a child is known by its calls.
        """
        acting = _ACTING.get()
        if any(agent is each for each in acting.agents):
            return acting
        ids = {item.get("call_id") for item in items if isinstance(item, dict)}
        inner = next((child for child in acting.children if child.answered & ids), None)
        if inner is None:
            run = self.host.new_run(acting.run.todo.session, label=agent.name)
            inner = _Acting(run, _line(agent), acting.tail)
            acting.children.append(inner)
        _ACTING.set(inner)  # for the tools of this agent, whose tasks begin here
        return inner


class PlannedStream:
    """A streamed run with a plan: `stream_events()`, and then `final_output` and `result`."""

    def __init__(self, plan: AgentsPlan, agent: Any, text: Any, thread: Any, options: Any) -> None:
        self._given = plan, agent, text, thread, options
        self.result: Any = None

    @property
    def final_output(self) -> Any:
        return self.result.final_output if self.result else None

    async def stream_events(self) -> AsyncIterator[Any]:
        """The events of the SDK, and a `PlanStreamEvent` for each change of the plan."""
        plan, agent, text, thread, options = self._given
        with plan._begun(agent, thread, options) as acting:
            while text is not None:
                self.result = Runner.run_streamed(agent, text, **options)
                async for event in self.result.stream_events():
                    for change in acting.run.changes():
                        yield PlanStreamEvent(plan.host.event(change))
                    yield event
                text = await plan._next(acting.run, self.result, options)
                agent = self.result.last_agent
            for change in acting.run.changes():
                yield PlanStreamEvent(plan.host.event(change))


def _tell_usage(run: PlanRun, result: Any) -> None:
    model = result.last_agent.model
    name = model if isinstance(model, str) else getattr(model, "model", "")
    for answer in result.raw_responses:
        told = answer.usage
        cached = getattr(told.input_tokens_details, "cached_tokens", 0)
        own = answer.response_id
        tell_usage(run, str(name), told.input_tokens, told.output_tokens, cached, request_id=own)


def _line(agent: Agent[Any]) -> list[Any]:
    """An agent and all that it may hand off to. Names will not do: two agents may have the same."""
    line: list[Any] = []
    waiting: list[Any] = [agent]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Handoff):
            each = each._agent_ref() if each._agent_ref else None
        if each is not None and not any(each is known for known in line):
            line.append(each)
            waiting += each.handoffs
    return line
