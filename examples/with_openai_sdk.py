"""The OpenAI SDK with a plan: Responses. `ChatPlan` does the same for Chat Completions.

python examples/with_openai_sdk.py                    a scripted model plays
python examples/with_openai_sdk.py --model gpt-5.5    a real one
"""

from __future__ import annotations

import argparse
import json
from typing import Any

import httpx2
from openai import OpenAI

from todowright.adapters.openai_sdk import ResponsesPlan

READ_FILE = {
    "type": "function",
    "name": "read_file",
    "description": "Read a file of the project.",
    "parameters": {
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
    },
    "strict": False,
}


def call(name: str, arguments: str) -> str:
    """Run a tool of our own."""
    return f"{json.loads(arguments)['path']}: def add(a, b): return a - b"


def main() -> None:
    options = parsed()
    client = OpenAI() if options.model else scripted()
    plan = ResponsesPlan("example", store=options.store)
    asked = "Plan your work. Find the bug in sums.py, and say how to fix it."
    model = options.model or "scripted"
    answer = ""
    for response in plan.run(client, model=model, input=asked, tools=[READ_FILE], call=call):
        show(plan)
        answer = response.output_text
    show(plan)
    print(answer)


def show(plan: ResponsesPlan) -> None:
    for event in plan.changes():
        for step in event["changed"]:
            print(f"{', '.join(step['kinds'])}: {step['content']}")


def scripted() -> OpenAI:
    """A client whose answers are written here; the model forgets to finish its plan, and is asked to."""
    turns: list[tuple[str, Any]] = [
        ("plan", {"steps": ["Read sums.py", "Explain the fix"]}),
        ("read_file", {"path": "sums.py"}),
        ("done", {"finished": ["Read sums.py"]}),
        ("", "I am done."),
        ("done", {"finished": ["Explain the fix"]}),
        ("", "add subtracts: write a + b."),
    ]

    def answer(request: Any) -> Any:
        name, said = turns.pop(0)
        known = {"id": f"item_{len(turns)}", "status": "completed"}
        if name:
            made: dict[str, Any] = {
                "type": "function_call",
                "call_id": f"call_{len(turns)}",
                "name": name,
                "arguments": json.dumps(said),
            }
        else:
            words = [{"type": "output_text", "text": said, "annotations": []}]
            made = {"type": "message", "role": "assistant", "content": words}
        body = {
            "id": f"resp_{len(turns)}", "object": "response", "created_at": 1, "model": "scripted",
            "output": [{**known, **made}], "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
            "status": "completed",
        }  # fmt: skip
        return httpx2.Response(200, json=body)

    return OpenAI(api_key="none", http_client=httpx2.Client(transport=httpx2.MockTransport(answer)))


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", help="a real model")
    parser.add_argument(
        "--store", default="memory:", help="where plans are kept: sqlite:///plans.db"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
