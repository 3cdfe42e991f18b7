"""Microsoft Agent Framework's own `TodoProvider` with its own loop, which is its guard; for bench.adapters.

It has no status in progress: the plan is added, then completed step by step. Its file is written anew and not synced.
"""

from __future__ import annotations

import asyncio
import warnings
from pathlib import Path
from typing import Any

from agent_framework import (
    Agent,
    AgentLoopMiddleware,
    AgentSession,
    SessionContext,
    TodoFileStore,
    TodoProvider,
    todos_remaining,
    todos_remaining_message,
)

from bench.framework_session import MEMORY, Player
from bench.tokens import STEPS
from tests.adapters.drivers.agent_framework import Scripted, look


def turns_of() -> list[Any]:
    turns: list[Any] = [[("todos_add", {"todos": [{"title": text} for text, _ in STEPS]})]]
    for number in range(1, len(STEPS) + 1):
        items = [{"id": number, "reason": "Finished"}]
        turns.append([("todos_complete", {"items": items})])
    return [*turns, "Done."]


def player(kept: str, store: Any) -> Player:
    provider = TodoProvider(store=store)
    loop = AgentLoopMiddleware(
        todos_remaining(), next_message=todos_remaining_message, return_final_only=True
    )
    given: list[SessionContext] = []

    async def arun(thread: str, turns: list[Any], hooks: Any) -> list[list[str]]:
        model = Scripted(turns, hooks)
        agent = Agent(
            client=model,
            name="boss",
            tools=[look],
            context_providers=[provider],
            middleware=[loop],
        )
        session, said = AgentSession(session_id=thread), []
        async for update in agent.run("Do the work", session=session, stream=True):
            said += [each for each in update.contents if each.type == "text"]
        assert said[-1].text == "Done."
        return [request.texts for request in model.seen]

    async def look_at() -> SessionContext:
        session = AgentSession()
        context = SessionContext(session_id=session.session_id, input_messages=[])
        await provider.before_run(agent=None, session=session, context=context, state={})
        return context

    def context() -> SessionContext:
        if not given:
            given.append(asyncio.run(look_at()))
        return given[0]

    return Player(
        "TodoProvider",
        kept,
        turns_of(),
        lambda *args: asyncio.run(arun(*args)),
        lambda: [(tool.name, tool.description, tool.parameters()) for tool in context().tools],
        lambda: "\n".join(context().instructions),
    )


def players(folder: Path) -> list[Player]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [player(MEMORY, None), player("a file", TodoFileStore(folder / "todos"))]
