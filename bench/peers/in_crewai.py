"""A tool of forty lines in CrewAI, for bench.adapters.

CrewAI has plans of its own, which its planner makes beforehand; it has no tool by which a model keeps one.
"""

from pathlib import Path
from typing import Any

from bench.framework_session import Player, Run
from bench.peers import forty_lines
from bench.peers.forty_lines import NAME, TOLD, Item, Todos
from tests.adapters.drivers.crewai import Look, scripted

# isort: split
from crewai import Agent, Crew, Task
from crewai.tools import BaseTool


def run_with(lists: Todos) -> Run:
    def run(thread: str, turns: list[Any], hooks: Any) -> list[list[str]]:
        class TodoWrite(BaseTool):  # type: ignore[misc]
            name: str = NAME
            description: str = TOLD

            def _run(self, todos: list[Item]) -> str:
                return lists.write(thread, todos)

        model = scripted(turns, hooks)
        about = {"goal": "Work", "backstory": "A worker.", "verbose": False, "max_iter": 30}
        boss = Agent(role="boss", llm=model, tools=[Look(), TodoWrite()], **about)
        task = Task(description="Do the work", expected_output="Done.", agent=boss)
        said = Crew(agents=[boss], tasks=[task], verbose=False).kickoff()
        assert str(said.raw) == "Done."
        return [request.texts for request in model.seen]

    return run


def players(folder: Path) -> list[Player]:
    return forty_lines.players(run_with, folder)
