"""CrewAI with a plan.

python examples/with_crewai.py                            a scripted model plays
python examples/with_crewai.py --model openai/gpt-5.5      a real one
"""

from __future__ import annotations

import argparse
from typing import Any

from crewai import Agent, Crew, Task
from crewai.llms.base_llm import BaseLLM
from crewai.tools import tool

from todowright.adapters.crewai import CrewPlan


@tool("read_file")
def read_file(path: str) -> str:
    """Read a file of the project."""
    return f"{path}: def add(a, b): return a - b"


def main() -> None:
    options = parsed()
    plan = CrewPlan("example", store=options.store)
    about = {"role": "worker", "goal": "Find bugs", "backstory": "A careful reader."}
    agent = Agent(**about, llm=options.model or scripted(), tools=[read_file, *plan.tools])
    task = Task(
        description="Plan your work. Find the bug in sums.py, and say how to fix it.",
        expected_output="One line.",
        agent=agent,
        guardrail=plan.guardrail,
    )
    said = Crew(agents=[agent], tasks=[task], verbose=False).kickoff()
    for event in plan.changes():
        for step in event["changed"]:
            print(f"{', '.join(step['kinds'])}: {step['content']}")
    print(said.raw)


class Scripted(BaseLLM):
    """A model that plays turns."""

    turns: list[Any] = []  # noqa: RUF012

    def supports_function_calling(self) -> bool:
        return True

    def call(self, messages: Any, *args: Any, **options: Any) -> Any:
        name, said = self.turns.pop(0)
        if not name:
            return said
        function = {"name": name, "arguments": said}
        return [{"id": f"call-{len(self.turns)}", "type": "function", "function": function}]

    async def acall(self, *args: Any, **options: Any) -> Any:
        return self.call(*args, **options)


def scripted() -> Scripted:
    """It forgets to finish its plan, and is asked to."""
    turns: list[tuple[str, Any]] = [
        ("plan", {"steps": ["Read sums.py", "Explain the fix"]}),
        ("read_file", {"path": "sums.py"}),
        ("done", {"finished": ["Read sums.py"]}),
        ("", "I am done."),
        ("done", {"finished": ["Explain the fix"]}),
        ("", "add subtracts: write a + b."),
    ]
    return Scripted(model="scripted", turns=turns)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", help="a real model")
    parser.add_argument(
        "--store", default="memory:", help="where plans are kept: sqlite:///plans.db"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
