"""LangChain with a plan.

python examples/with_langchain.py                                    a scripted model plays
python examples/with_langchain.py --model anthropic:claude-sonnet-4-5    a real one
"""

from __future__ import annotations

import argparse
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from todowright.adapters.langchain import PlanMiddleware


def read_file(path: str) -> str:
    """Read a file of the project."""
    return f"{path}: def add(a, b): return a - b"


def main() -> None:
    options = parsed()
    plan = PlanMiddleware(store=options.store)
    agent = create_agent(options.model or scripted(), [read_file], middleware=[plan])
    asked = {
        "messages": [("user", "Plan your work. Find the bug in sums.py, and say how to fix it.")]
    }
    thread: Any = {"configurable": {"thread_id": "example"}}
    answer = ""
    for mode, event in agent.stream(asked, thread, stream_mode=["custom", "values"]):
        if mode == "custom":  # a change of the plan
            for step in event["changed"]:
                print(f"{', '.join(step['kinds'])}: {step['content']}")
        else:
            answer = event["messages"][-1].text
    print(answer)


def scripted() -> Any:
    """LangChain's own fake model; it forgets to finish its plan, and is asked to."""

    class Scripted(GenericFakeChatModel):
        def bind_tools(self, tools: Any, **_: Any) -> Any:
            return self

    def call(number: int, tool: str, **arguments: Any) -> AIMessage:
        return AIMessage("", tool_calls=[{"name": tool, "args": arguments, "id": f"call-{number}"}])

    turns = [
        call(1, "plan", steps=["Read sums.py", "Explain the fix"]),
        call(2, "read_file", path="sums.py"),
        call(3, "done", finished=["Read sums.py"]),
        AIMessage("I am done."),
        call(4, "done", finished=["Explain the fix"]),
        AIMessage("add subtracts: write a + b."),
    ]
    return Scripted(messages=iter(turns), disable_streaming=True)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", help="a real model, as init_chat_model names it")
    parser.add_argument(
        "--store", default="memory:", help="where plans are kept: sqlite:///plans.db"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
