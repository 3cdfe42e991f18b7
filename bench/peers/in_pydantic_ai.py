"""The harness's `Planning` and pydantic-ai-todo inside `Agent`, for bench.adapters.

Both are used at their cheapest: the plan once with ids of the model's choice, then statuses by id.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

from pydantic_ai import Agent
from pydantic_ai_harness import Planning
from pydantic_ai_todo import TodoCapability

from bench.adapters import Play, Session, definitions_of, written_in
from bench.tokens import STEPS
from tests.adapters.driver import Request
from tests.adapters.drivers.pydantic_ai import look, scripted


def turns_of(write: str, key: str, update: str, identity: str, *, active: bool) -> list[Any]:
    rows = []
    for number, (text, doing) in enumerate(STEPS, 1):
        row = {"id": str(number), "content": text}
        row |= {"active_form": doing} if active else {}
        rows.append(row | ({"status": "in_progress"} if number == 1 else {}))
    turns: list[Any] = [[(write, {key: rows})]]
    for number in range(1, 9):
        changed = [{identity: str(number), "status": "completed"}]
        if number < 8:
            changed.append({identity: str(number + 1), "status": "in_progress"})
        turns.append([(update, {"updates": changed})])
    return [*turns, "Done."]


def played(make: Any, turns: list[Any]) -> Play:
    def play() -> Session:
        seen: list[Request] = []
        offered: list[Any] = []
        model = scripted(turns, seen, "peer")
        answer = model.stream_function

        async def watched(messages: Any, info: Any) -> Any:
            offered.append(info)
            assert answer is not None
            async for part in answer(messages, info):
                yield part

        model.stream_function = watched

        async def run() -> None:
            agent: Agent[None, str] = Agent(model, tools=[look], capabilities=[make()])
            async with agent.run_stream_events("Do the work") as events:
                async for _ in events:
                    pass

        begun = time.process_time()
        asyncio.run(run())
        spent = time.process_time() - begun
        tools = [
            (tool.name, tool.description, tool.parameters_json_schema)
            for tool in offered[0].function_tools
            if tool.name != "look"
        ]
        each = spent / len(seen) * 1e6
        prompt = offered[0].instructions or ""
        texts = [request.texts for request in seen]
        return Session(definitions_of(tools), prompt, written_in(turns), texts, each)

    return play


PEERS = {
    "harness Planning": played(
        Planning, turns_of("write_plan", "items", "update_task_statuses", "task_id", active=False)
    ),
    "pydantic-ai-todo": played(
        TodoCapability,
        turns_of("write_todos", "todos", "update_todo_statuses", "todo_id", active=True),
    ),
}
