"""LlamaIndex with a plan.

python examples/with_llama_index.py                    a scripted model plays
python examples/with_llama_index.py --model gpt-5.5    a real one; needs llama-index-llms-openai
"""

from __future__ import annotations

import argparse
import asyncio
from typing import Any

from llama_index.core.base.llms.types import ToolCallBlock
from llama_index.core.llms import ChatMessage
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.memory import Memory

from todowright.adapters.llama_index import LlamaPlan, PlanAgent, PlanChanged

ASKED = "Plan your work. Find the bug in sums.py, and say how to fix it."


def read_file(path: str) -> str:
    """Read a file of the project."""
    return f"{path}: def add(a, b): return a - b"


async def main() -> None:
    options = parsed()
    plan = LlamaPlan(store=options.store)
    llm = real(options.model) if options.model else scripted()
    agent = PlanAgent(plan=plan, tools=[read_file], llm=llm, streaming=False)
    handler = agent.run(user_msg=ASKED, memory=Memory.from_defaults(session_id="example"))
    async for event in handler.stream_events():
        if isinstance(event, PlanChanged):
            for step in event.plan["changed"]:
                print(f"{', '.join(step['kinds'])}: {step['content']}")
    print(await handler)


def real(model: str) -> Any:
    from llama_index.llms.openai import OpenAI

    return OpenAI(model=model)


def scripted() -> Any:
    """LlamaIndex's own fake model; it forgets to finish its plan, and is asked to."""
    turns: list[tuple[str, Any]] = [
        ("plan", {"steps": ["Read sums.py", "Explain the fix"]}),
        ("read_file", {"path": "sums.py"}),
        ("done", {"finished": ["Read sums.py"]}),
        ("", "I am done."),
        ("done", {"finished": ["Explain the fix"]}),
        ("", "add subtracts: write a + b."),
    ]

    def answer(messages: Any, **_: Any) -> ChatMessage:
        name, said = turns.pop(0)
        if not name:
            return ChatMessage(role="assistant", content=said)
        call = ToolCallBlock(tool_call_id=f"call-{len(turns)}", tool_name=name, tool_kwargs=said)
        return ChatMessage(role="assistant", blocks=[call])

    return MockFunctionCallingLLM(response_generator=answer, is_chat_model=True)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", help="a real model")
    parser.add_argument(
        "--store", default="memory:", help="where plans are kept: sqlite:///plans.db"
    )
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main())
