"""The OpenAI Agents SDK with a plan.

python examples/with_openai_agents.py                    a scripted model plays
python examples/with_openai_agents.py --model gpt-5.5    a real one
"""

from __future__ import annotations

import argparse
import asyncio
from typing import Any

from agents import Agent, function_tool, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message, function_call

from todowright.adapters.openai_agents import AgentsPlan, PlanStreamEvent


@function_tool
def read_file(path: str) -> str:
    """Read a file of the project."""
    return f"{path}: def add(a, b): return a - b"


async def main() -> None:
    options = parsed()
    plan = AgentsPlan(store=options.store)
    model = options.model or scripted()
    agent = Agent(name="worker", model=model, tools=[read_file, *plan.tools])
    asked = "Plan your work. Find the bug in sums.py, and say how to fix it."
    result = plan.run_streamed(agent, asked, thread="example")
    async for event in result.stream_events():
        if isinstance(event, PlanStreamEvent):
            for step in event.plan["changed"]:
                print(f"{', '.join(step['kinds'])}: {step['content']}")
    print(result.final_output)


def scripted() -> Any:
    """The SDK's own fake model; it forgets to finish its plan, and is asked to."""
    set_tracing_disabled(True)
    turns = [
        function_call("plan", {"steps": ["Read sums.py", "Explain the fix"]}, call_id="call-1"),
        function_call("read_file", {"path": "sums.py"}, call_id="call-2"),
        function_call("done", {"finished": ["Read sums.py"]}, call_id="call-3"),
        assistant_message("I am done."),
        function_call("done", {"finished": ["Explain the fix"]}, call_id="call-4"),
        assistant_message("add subtracts: write a + b."),
    ]
    return ScriptedModel([[turn] for turn in turns])


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", help="a real model")
    parser.add_argument(
        "--store", default="memory:", help="where plans are kept: sqlite:///plans.db"
    )
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main())
