"""smolagents with a plan.

python examples/with_smolagents.py                                    a scripted model plays
python examples/with_smolagents.py --model Qwen/Qwen3-Next-80B-A3B     a real one, of Hugging Face
"""

from __future__ import annotations

import argparse
from typing import Any

from smolagents import InferenceClientModel, ToolCallingAgent, tool
from smolagents.models import (
    ChatMessage,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
    Model,
)

from todowright.adapters.smolagents import SmolPlan


@tool
def read_file(path: str) -> str:
    """Read a file of the project.

    Args:
        path: Its path.
    """
    return f"{path}: def add(a, b): return a - b"


def main() -> None:
    options = parsed()
    plan = SmolPlan("example", store=options.store)
    model = InferenceClientModel(options.model) if options.model else Scripted()
    agent = plan.added_to(ToolCallingAgent([read_file], model, verbosity_level=-1))
    asked, answer = "Plan your work. Find the bug in sums.py, and say how to fix it.", ""
    for step in agent.run(asked, stream=True):
        answer = getattr(step, "output", answer)
        for event in plan.changes():
            for changed in event["changed"]:
                print(f"{', '.join(changed['kinds'])}: {changed['content']}")
    print(answer)


class Scripted(Model):
    """A model that plays turns; it forgets to finish its plan, and is asked to."""

    def __init__(self) -> None:
        super().__init__(model_id="scripted")
        self.turns: list[tuple[str, Any]] = [
            ("plan", {"steps": ["Read sums.py", "Explain the fix"]}),
            ("read_file", {"path": "sums.py"}),
            ("done", {"finished": ["Read sums.py"]}),
            ("final_answer", {"answer": "I am done."}),
            ("done", {"finished": ["Explain the fix"]}),
            ("final_answer", {"answer": "add subtracts: write a + b."}),
        ]

    def generate(self, messages: Any, **_: Any) -> ChatMessage:
        name, arguments = self.turns.pop(0)
        function = ChatMessageToolCallFunction(name=name, arguments=arguments)
        call = ChatMessageToolCall(id=f"call-{len(self.turns)}", type="function", function=function)
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=[call])


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", help="a real model")
    parser.add_argument(
        "--store", default="memory:", help="where plans are kept: sqlite:///plans.db"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
