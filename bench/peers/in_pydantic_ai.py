"""The harness's `Planning` and pydantic-ai-todo inside `Agent`, for bench.adapters.

Both are used at their cheapest: the plan once with ids of the model's choice, then statuses by id.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic_ai import Agent
from pydantic_ai_harness import Planning
from pydantic_ai_harness.planning import SqlitePlanStore
from pydantic_ai_todo import TodoCapability

from bench.framework_session import MEMORY, SQLITE, Player
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


def player(title: str, kept: str, turns: list[Any], make: Any) -> Player:
    offered: list[Any] = []

    def run(thread: str, turns: list[Any], hooks: Any) -> list[list[str]]:
        seen: list[Request] = []
        model = scripted(turns, seen, thread, hooks)
        answer = model.stream_function

        async def watched(messages: Any, info: Any) -> Any:
            offered[:] = [info]
            assert answer is not None
            model.stream_function = answer  # from the second request on, nobody stands between
            async for part in answer(messages, info):
                yield part

        async def watch(ctx: Any, events: Any) -> None:
            async for _ in events:
                pass

        model.stream_function = watched
        agent: Agent[None, str] = Agent(model, tools=[look], capabilities=[make(thread)])
        said = agent.run_sync("Do the work", event_stream_handler=watch)
        assert said.output == "Done."
        return [request.texts for request in seen]

    def tools() -> list[Any]:
        found = [tool for tool in offered[0].function_tools if tool.name != "look"]
        return [(tool.name, tool.description, tool.parameters_json_schema) for tool in found]

    return Player(title, kept, turns, run, tools, lambda: offered[0].instructions or "")


def players(folder: Path) -> list[Player]:
    planning = turns_of("write_plan", "items", "update_task_statuses", "task_id", active=False)
    todos = turns_of("write_todos", "todos", "update_todo_statuses", "todo_id", active=True)

    def in_file(thread: str) -> Any:
        return Planning(store=SqlitePlanStore(str(folder / "harness.db"), session=thread))

    return [
        player("harness Planning", MEMORY, planning, lambda _: Planning()),
        player("harness Planning", SQLITE, planning, in_file),
        player("pydantic-ai-todo", MEMORY, todos, lambda _: TodoCapability()),
    ]
