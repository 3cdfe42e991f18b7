"""Google ADK with a plan.

python examples/with_google_adk.py                           a scripted model plays
python examples/with_google_adk.py --model gemini-3-flash     a real one
"""

from __future__ import annotations

import argparse
import asyncio
import logging
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from todowright.adapters.google_adk import PlanPlugin

ASKED = "Plan your work. Find the bug in sums.py, and say how to fix it."


def read_file(path: str) -> str:
    """Read a file of the project."""
    return f"{path}: def add(a, b): return a - b"


async def main() -> None:
    options = parsed()
    plan = PlanPlugin(store=options.store)
    model = options.model or scripted()
    agent = LlmAgent(name="worker", model=model, tools=[read_file, *plan.tools])
    sessions, answer = InMemorySessionService(), ""
    runner = Runner(app=App(name="app", root_agent=agent, plugins=[plan]), session_service=sessions)
    await sessions.create_session(app_name="app", user_id="user", session_id="example")
    asked = types.Content(role="user", parts=[types.Part(text=ASKED)])
    async for event in runner.run_async(user_id="user", session_id="example", new_message=asked):
        for change in (event.custom_metadata or {}).get("plan", ()):
            for step in change["changed"]:
                print(f"{', '.join(step['kinds'])}: {step['content']}")
        if event.is_final_response() and event.content:
            answer = event.content.parts[0].text
    print(answer)


class Scripted(BaseLlm):
    """A model that plays turns."""

    model: str = "scripted"
    turns: list[Any] = []  # noqa: RUF012

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
        name, said = self.turns.pop(0)
        call = types.FunctionCall(name=name, args=said) if name else None
        part = types.Part(function_call=call) if call else types.Part(text=said)
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def scripted() -> Scripted:
    """It forgets to finish its plan, and is asked to."""
    logging.disable(logging.WARNING)  # ADK misses a count of tokens
    return Scripted(
        turns=[
            ("plan", {"steps": ["Read sums.py", "Explain the fix"]}),
            ("read_file", {"path": "sums.py"}),
            ("done", {"finished": ["Read sums.py"]}),
            ("", "I am done."),
            ("done", {"finished": ["Explain the fix"]}),
            ("", "add subtracts: write a + b."),
        ]
    )


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", help="a real model")
    parser.add_argument(
        "--store", default="memory:", help="where plans are kept: sqlite:///plans.db"
    )
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main())
