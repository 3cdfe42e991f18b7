"""The Anthropic SDK's tool runner with a plan.

python examples/with_anthropic_sdk.py                             a scripted model plays
python examples/with_anthropic_sdk.py --model claude-sonnet-4-5    a real one
"""

from __future__ import annotations

import argparse
from typing import Any

import httpx2
from anthropic import Anthropic, beta_tool

from todowright.adapters.anthropic_sdk import AnthropicPlan


@beta_tool
def read_file(path: str) -> str:
    """Read a file of the project.

    Args:
        path: Its path.
    """
    return f"{path}: def add(a, b): return a - b"


def main() -> None:
    options = parsed()
    client = Anthropic() if options.model else scripted()
    plan = AnthropicPlan("example", store=options.store)
    asked = "Plan your work. Find the bug in sums.py, and say how to fix it."
    messages = [{"role": "user", "content": asked}]
    model = options.model or "scripted"
    run = plan.run(client, model=model, max_tokens=4000, messages=messages, tools=[read_file])
    answer = ""
    for message in run:
        show(plan)
        answer = "".join(block.text for block in message.content if block.type == "text")
    show(plan)
    print(answer)


def show(plan: AnthropicPlan) -> None:
    for event in plan.changes():
        for step in event["changed"]:
            print(f"{', '.join(step['kinds'])}: {step['content']}")


def scripted() -> Anthropic:
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
        use = {"type": "tool_use", "id": f"toolu_{len(turns)}", "name": name, "input": said}
        body = {
            "id": "msg", "type": "message", "role": "assistant", "model": "scripted",
            "content": [use if name else {"type": "text", "text": said}],
            "stop_reason": "tool_use" if name else "end_turn", "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }  # fmt: skip
        return httpx2.Response(200, json=body)

    return Anthropic(
        api_key="none", http_client=httpx2.Client(transport=httpx2.MockTransport(answer))
    )


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", help="a real model")
    parser.add_argument(
        "--store", default="memory:", help="where plans are kept: sqlite:///plans.db"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
