"""A tool of forty lines in LlamaIndex, which has none of its own; for bench.adapters."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.memory import Memory
from llama_index.core.tools import FunctionTool

from bench.framework_session import Player, Run
from bench.peers import forty_lines
from bench.peers.forty_lines import NAME, TOLD, Item, Todos
from tests.adapters.drivers.llama_index import look, scripted


def run_with(lists: Todos) -> Run:
    async def arun(thread: str, turns: list[Any], hooks: Any) -> list[list[str]]:
        def write(todos: list[Item]) -> str:
            return lists.write(thread, todos)

        tool = FunctionTool.from_defaults(write, name=NAME, description=TOLD)
        model, seen = scripted(turns, hooks)
        agent = FunctionAgent(tools=[look, tool], llm=model, streaming=False)
        memory = Memory.from_defaults(session_id=thread, token_limit=40_000)
        handler = agent.run(user_msg="Do the work", memory=memory, max_iterations=50)
        async for _ in handler.stream_events():
            pass
        assert str(await handler) == "Done."
        await memory.aget()
        return [request.texts for request in seen]

    return lambda *args: asyncio.run(arun(*args))


def players(folder: Path) -> list[Player]:
    return forty_lines.players(run_with, folder)
