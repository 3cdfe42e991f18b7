"""A tool of forty lines in smolagents, which has none of its own; for bench.adapters."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from smolagents import Tool, ToolCallingAgent

from bench.framework_session import Player, Run
from bench.peers import forty_lines
from bench.peers.forty_lines import NAME, SCHEMA, TOLD, Todos
from tests.adapters.drivers.smolagents import Scripted, look


class TodoWrite(Tool):  # type: ignore[misc]
    name = NAME
    description = TOLD
    inputs: ClassVar[Any] = {"todos": {"description": "The list.", **SCHEMA["properties"]["todos"]}}
    output_type = "string"

    def __init__(self, todos: Todos, thread: str) -> None:
        self.given = todos, thread
        super().__init__()

    def forward(self, todos: Any) -> str:
        lists, thread = self.given
        return lists.write(thread, todos)


def run_with(todos: Todos) -> Run:
    def run(thread: str, turns: list[Any], hooks: Any) -> list[list[str]]:
        model = Scripted(turns, hooks)
        tools = [look, TodoWrite(todos, thread)]
        agent = ToolCallingAgent(tools, model, max_steps=30, verbosity_level=-1)
        answer = ""
        for step in agent.run("Do the work", stream=True):
            answer = str(getattr(step, "output", answer))
        assert answer == "Done."
        return [request.texts for request in model.seen]

    return run


def players(folder: Path) -> list[Player]:
    return forty_lines.players(run_with, folder)
