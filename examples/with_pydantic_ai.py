"""Pydantic AI with a plan.

python examples/with_pydantic_ai.py                                    a scripted model plays
python examples/with_pydantic_ai.py --model anthropic:claude-sonnet-4-5    a real one
"""

from __future__ import annotations

import argparse
import asyncio
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel

from todowright.adapters.pydantic_ai import PlanCapability, PlanEvent


def read_file(path: str) -> str:
    """Read a file of the project."""
    return f"{path}: def add(a, b): return a - b"


async def main() -> None:
    options = parsed()
    plan = PlanCapability(store=options.store)
    agent = Agent(options.model or scripted(), tools=[read_file], capabilities=[plan])
    asked = "Plan your work. Find the bug in sums.py, and say how to fix it."
    async with agent.run_stream_events(asked, conversation_id="example") as events:
        async for event in events:
            if isinstance(event, PlanEvent):
                for step in event.plan["changed"]:
                    print(f"{', '.join(step['kinds'])}: {step['content']}")
    print(event.result.output)


def scripted() -> Any:
    """Pydantic AI's own fake model; it forgets to finish its plan, and is asked to."""
    turns = iter(
        [
            ToolCallPart("plan", {"steps": ["Read sums.py", "Explain the fix"]}, "call-1"),
            ToolCallPart("read_file", {"path": "sums.py"}, "call-2"),
            ToolCallPart("done", {"finished": ["Read sums.py"]}, "call-3"),
            TextPart("I am done."),
            ToolCallPart("done", {"finished": ["Explain the fix"]}, "call-4"),
            TextPart("add subtracts: write a + b."),
        ]
    )

    def answer(messages: Any, info: Any) -> ModelResponse:
        return ModelResponse(parts=[next(turns)])

    async def stream(messages: Any, info: Any) -> Any:
        part = next(turns)
        if isinstance(part, TextPart):
            yield part.content
        else:
            yield {
                0: DeltaToolCall(
                    part.tool_name, part.args_as_json_str(), tool_call_id=part.tool_call_id
                )
            }

    return FunctionModel(answer, stream_function=stream)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", help="a real model, as Pydantic AI names it")
    parser.add_argument(
        "--store", default="memory:", help="where plans are kept: sqlite:///plans.db"
    )
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main())
