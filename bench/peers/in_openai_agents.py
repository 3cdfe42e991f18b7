"""A tool of forty lines in the OpenAI Agents SDK, which has none of its own; for bench.adapters."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from agents import Agent, Runner, SQLiteSession, function_tool

from bench.framework_session import Player, Run
from bench.peers import forty_lines
from bench.peers.forty_lines import NAME, TOLD, Item, Todos
from tests.adapters.drivers.openai_agents import look, requests_of, scripted


def run_with(todos: Todos) -> Run:
    async def arun(thread: str, turns: list[Any], hooks: Any) -> list[list[str]]:
        @function_tool(name_override=NAME, description_override=TOLD, strict_mode=False)  # type: ignore[untyped-decorator]
        def write(todos_: list[Item]) -> str:
            return todos.write(thread, todos_)

        named = [
            turn
            if isinstance(turn, str)
            else [(name, {"todos_": args["todos"]}) for name, args in turn]
            for turn in turns
        ]
        model = scripted(named, thread, hooks)
        agent = Agent(name="boss", model=model, tools=[look, write])
        session = SQLiteSession(thread)
        result = Runner.run_streamed(agent, "Do the work", session=session, max_turns=50)
        async for _ in result.stream_events():
            pass
        assert result.final_output == "Done."
        await session.get_items()
        return [request.texts for request in requests_of(model)]

    return lambda *args: asyncio.run(arun(*args))


def players(folder: Path) -> list[Player]:
    return forty_lines.players(run_with, folder)
