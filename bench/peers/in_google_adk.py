"""A tool of forty lines in Google ADK, which has none of its own; for bench.adapters."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from bench.framework_session import Player, Run
from bench.peers import forty_lines
from bench.peers.forty_lines import TOLD, Item, Todos
from tests.adapters.drivers.google_adk import look, scripted, texts


def run_with(todos_of: Todos) -> Run:
    async def arun(thread: str, turns: list[Any], hooks: Any) -> list[list[str]]:
        def TodoWrite(todos: list[Item]) -> str:  # noqa: N802  a tool has its function's name
            return todos_of.write(thread, todos)

        TodoWrite.__doc__ = TOLD
        model = scripted(turns, hooks)
        agent = LlmAgent(name="boss", model=model, tools=[look, TodoWrite])
        service = InMemorySessionService()
        runner = Runner(app=App(name="app", root_agent=agent), session_service=service)
        known = {"user_id": "user", "session_id": thread}
        await service.create_session(app_name="app", **known)
        asked = types.Content(role="user", parts=[types.Part(text="Do the work")])
        events = [event async for event in runner.run_async(**known, new_message=asked)]
        await service.get_session(app_name="app", **known)
        assert texts(events[-1].content)[-1] == "Done."
        return [request.texts for request in model.seen]

    return lambda *args: asyncio.run(arun(*args))


def players(folder: Path) -> list[Player]:
    return forty_lines.players(run_with, folder)
