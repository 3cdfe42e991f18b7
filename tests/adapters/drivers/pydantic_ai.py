"""Pydantic AI's own `FunctionModel`; the sub-agent is run in a tool, as its documentation shows delegation."""

from __future__ import annotations

import threading
from typing import Any

from pydantic_ai import Agent, ModelMessage, RunContext
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import (
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from tests.adapters.driver import PAGE, Driver, Outcome, Request, Script
from todowright.adapters.pydantic_ai import PlanCapability, PlanEvent


def texts_of(messages: list[ModelMessage]) -> list[str]:
    texts = []
    for message in messages:
        for part in message.parts:
            content = getattr(part, "content", "")
            if isinstance(part, UserPromptPart) and not isinstance(content, str):
                content = "\n".join(each for each in content if isinstance(each, str))
            texts.append(str(content))
    return texts


def scripted(turns: Any, seen: list[Request], prefix: str, hooks: Any = None) -> FunctionModel:
    left = iter(turns)

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        (hooks or {}).get(len(seen), lambda: None)()
        names = [tool.name for tool in info.function_tools]
        seen.append(Request(texts_of(messages), names, str(info.instructions)))
        turn = next(left)
        if isinstance(turn, str):
            return ModelResponse(parts=[TextPart(turn)])
        ids = [f"{prefix}-{len(seen)}-{n}" for n in range(len(turn))]
        return ModelResponse(
            parts=[ToolCallPart(n, a, tool_call_id=i) for (n, a), i in zip(turn, ids, strict=True)]
        )

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> Any:
        for at, part in enumerate(answer(messages, info).parts):
            if isinstance(part, TextPart):
                yield part.content
            elif isinstance(part, ToolCallPart):
                args = part.args_as_json_str()
                yield {at: DeltaToolCall(part.tool_name, args, tool_call_id=part.tool_call_id)}

    return FunctionModel(answer, stream_function=stream)


def last_messages(messages: list[ModelMessage]) -> list[ModelMessage]:
    """The task, and the last call with its result."""
    return messages if len(messages) < 5 else [messages[0], *messages[-2:]]


class PydanticDriver(Driver):
    name = "pydantic_ai"

    def __init__(self) -> None:
        self._histories: dict[tuple[int, str], list[ModelMessage]] = {}
        self._lock = threading.Lock()
        self._runs = 0

    def make(self, store: str, **settings: Any) -> PlanCapability:
        return PlanCapability(store=store, **settings)

    def given_to_pages(self) -> dict[str, Any]:
        return {"model": scripted(PAGE, [], "page"), "tools": [look]}

    def _agent(self, plan: PlanCapability, script: Script, outcome: Outcome) -> Agent[None, str]:
        with self._lock:
            self._runs += 1
            prefix = str(self._runs)
        main = scripted(script.turns, outcome.requests, prefix, script.at_request)
        smaller = [ProcessHistory(last_messages)] if script.compact else []
        boss: Agent[None, str] = Agent(main, capabilities=[plan, *smaller], name="boss")
        boss.tool_plain(look)
        if script.child:
            model = scripted(script.child, outcome.child_requests, f"{prefix}-child")
            kid: Agent[None, str] = Agent(model, capabilities=[plan], name="kid")
            kid.tool_plain(look)

            @boss.tool
            async def delegate(ctx: RunContext[None], task: str) -> str:
                """Give a piece of work to a sub-agent."""
                return str((await kid.run(task, conversation_id=ctx.conversation_id)).output)

        return boss

    def _options(self, plan: PlanCapability, script: Script) -> dict[str, Any]:
        history = self._histories.get((id(plan), script.thread))
        return {"conversation_id": script.thread, "message_history": history}

    def run(self, plan: PlanCapability, script: Script) -> Outcome:
        outcome = Outcome()

        async def watch(ctx: Any, events: Any) -> None:
            async for event in events:
                if script.events and isinstance(event, PlanEvent):
                    outcome.events.append(event.plan)

        agent, options = self._agent(plan, script, outcome), self._options(plan, script)
        result = agent.run_sync(script.task, event_stream_handler=watch, **options)
        return self._told(plan, script, outcome, result)

    async def arun(self, plan: PlanCapability, script: Script) -> Outcome:
        outcome = Outcome()
        agent, options = self._agent(plan, script, outcome), self._options(plan, script)
        async with agent.run_stream_events(script.task, **options) as events:
            async for event in events:
                if isinstance(event, PlanEvent):
                    outcome.events.append(event.plan)
        return self._told(plan, script, outcome, event.result)

    def _told(self, plan: Any, script: Script, outcome: Outcome, result: Any) -> Outcome:
        messages = self._histories[id(plan), script.thread] = result.all_messages()
        outcome.answer, outcome.history = result.output, texts_of(messages)
        outcome.replies = [
            str(part.content)
            for message in messages
            for part in message.parts
            if isinstance(part, ToolReturnPart) and part.tool_name in plan.host.names
        ]
        return outcome


def look() -> str:
    """Look at something."""
    return "seen"


DRIVER = PydanticDriver()
