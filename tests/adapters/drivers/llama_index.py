"""LlamaIndex's own fake model in `PlanAgent`; the sub-agent is one that a tool runs."""

from __future__ import annotations

import asyncio
from typing import Any

from llama_index.core.base.llms.types import ToolCallBlock
from llama_index.core.llms import ChatMessage
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.memory import Memory

from tests.adapters.driver import PAGE, Driver, Outcome, Request, Script
from todowright.adapters.llama_index import LlamaPlan, PlanAgent, PlanChanged


def scripted(turns: Any, hooks: Any = None) -> tuple[Any, list[Request]]:
    """A model that plays turns, and what it was sent."""
    left, seen = list(turns), list[Request]()

    def generate(messages: Any, **options: Any) -> ChatMessage:
        (hooks or {}).get(len(seen), lambda: None)()
        texts = [
            str(message.content)
            for message in messages
            if message.role != "system" and message.content
        ]
        names = [tool.metadata.get_name() for tool in options.get("tools") or ()]
        system = "".join(str(each.content) for each in messages if each.role == "system")
        seen.append(Request(texts, names, system))
        turn, number = left.pop(0), len(seen)
        if isinstance(turn, str):
            return ChatMessage(role="assistant", content=turn)
        calls = [
            ToolCallBlock(tool_call_id=f"c{number}-{at}", tool_name=name, tool_kwargs=dict(args))
            for at, (name, args) in enumerate(turn)
        ]
        return ChatMessage(role="assistant", blocks=calls)

    return MockFunctionCallingLLM(response_generator=generate, is_chat_model=True), seen


def look() -> str:
    """Look at something."""
    return "seen"


class LlamaDriver(Driver):
    name = "llama_index"
    streaming = False

    def make(self, store: str, **settings: Any) -> LlamaPlan:
        return LlamaPlan(store=store, **settings)

    def given_to_pages(self) -> dict[str, Any]:
        return {"llm": scripted(PAGE)[0], "tools": [look]}

    def run(self, plan: LlamaPlan, script: Script) -> Outcome:
        return asyncio.run(self.arun(plan, script))

    async def arun(self, plan: LlamaPlan, script: Script) -> Outcome:
        main, seen = scripted(script.turns, script.at_request)
        child, child_seen = scripted(script.child)
        tools: list[Any] = [look]

        async def delegate(task: str) -> str:
            """Give a piece of work to a sub-agent."""
            return str(
                await PlanAgent(plan=plan, tools=[look], llm=child, streaming=False).run(
                    user_msg=task
                )
            )

        if script.child:
            tools.append(delegate)
        agent = PlanAgent(plan=plan, tools=tools, llm=main, streaming=self.streaming)
        memory = Memory.from_defaults(session_id=script.thread, token_limit=40_000)
        handler = agent.run(user_msg=script.task, memory=memory, max_iterations=50)
        events, replies = [], []
        async for event in handler.stream_events():
            if isinstance(event, PlanChanged):
                events.append(event.plan)
        answer = str(await handler)
        history = await memory.aget()
        if (engine := memory.sql_store._async_engine) is not None:
            await engine.dispose()  # else its thread may find the event loop closed
        names = {
            block.tool_call_id: block.tool_name
            for message in history
            for block in message.blocks
            if isinstance(block, ToolCallBlock)
        }
        for message in history:
            if names.get(message.additional_kwargs.get("tool_call_id")) in plan.host.names:
                replies.append(str(message.content))
        return Outcome(
            answer, seen, child_seen, replies, [str(each.content) for each in history], events
        )


DRIVER = LlamaDriver()
