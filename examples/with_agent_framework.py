"""Microsoft Agent Framework with a plan.

python examples/with_agent_framework.py                    a scripted model plays
python examples/with_agent_framework.py --model gpt-5.5    a real one; needs agent-framework-openai
"""

from __future__ import annotations

import argparse
import asyncio
import json
from typing import Any

from agent_framework import (
    Agent,
    AgentSession,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    Message,
    ResponseStream,
)

from todowright.adapters.agent_framework import PlanProvider

ASKED = "Plan your work. Find the bug in sums.py, and say how to fix it."


def read_file(path: str) -> str:
    """Read a file of the project."""
    return f"{path}: def add(a, b): return a - b"


async def main() -> None:
    options = parsed()
    plan = PlanProvider(store=options.store)
    client = real(options.model) if options.model else Scripted()
    agent = Agent(
        client=client, tools=[read_file], context_providers=[plan], middleware=[plan.loop()]
    )
    session, answer = AgentSession(session_id="example"), ""
    async for update in agent.run(ASKED, session=session, stream=True):
        for event in plan.changes(session):
            for step in event["changed"]:
                print(f"{', '.join(step['kinds'])}: {step['content']}")
        answer = update.text or answer
    print(answer)


def real(model: str) -> Any:
    from agent_framework.openai import OpenAIChatClient

    return OpenAIChatClient(model)


class Scripted(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    """A client that plays turns; the model forgets to finish its plan, and is asked to."""

    def __init__(self) -> None:
        super().__init__()
        self.turns: list[tuple[str, Any]] = [
            ("plan", {"steps": ["Read sums.py", "Explain the fix"]}),
            ("read_file", {"path": "sums.py"}),
            ("done", {"finished": ["Read sums.py"]}),
            ("", "I am done."),
            ("done", {"finished": ["Explain the fix"]}),
            ("", "add subtracts: write a + b."),
        ]

    def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **_: Any) -> Any:
        name, said = self.turns.pop(0)
        call = {"call_id": f"call-{len(self.turns)}", "name": name, "arguments": json.dumps(said)}
        content = Content.from_function_call(**call) if name else Content.from_text(said)

        async def whole() -> ChatResponse:
            return ChatResponse(messages=[Message("assistant", [content])])

        async def updates() -> Any:
            yield ChatResponseUpdate(role="assistant", contents=[content])

        return ResponseStream(updates(), finalizer=ChatResponse.from_updates) if stream else whole()


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", help="a real model")
    parser.add_argument(
        "--store", default="memory:", help="where plans are kept: sqlite:///plans.db"
    )
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main())
