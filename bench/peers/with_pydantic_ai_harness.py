"""pydantic-ai-harness's Planning. Run by bench.tokens in an environment with `pydantic-ai-harness`.

The plan is written once with ids of the model's choice, then statuses are updated by id. All six
of its tools are given, as by default. Not counted: the reminder with the whole plan that it adds
to the end of every request.
"""

import json
import sys
from itertools import pairwise
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai_harness import Planning


def main() -> None:
    said = _said(json.load(sys.stdin))
    seen = []

    def model(messages, info):  # type: ignore[no-untyped-def]
        seen.append(info)
        made = len(seen) - 1
        return ModelResponse([ToolCallPart(*said[made]) if made < len(said) else TextPart("Done")])

    run = Agent(FunctionModel(model), capabilities=[Planning()]).run_sync("Fix the parser")
    results = [
        part.content
        for message in run.all_messages()
        for part in message.parts
        if part.part_kind == "tool-return"
    ]
    calls = [[arguments, text] for (_, arguments), text in zip(said, results, strict=True)]
    definition = [
        {
            "name": tool.name,
            "description": tool.description,
            "input_schema": tool.parameters_json_schema,
        }
        for tool in seen[0].function_tools
    ]
    json.dump(
        {"definition": definition, "prompt": seen[0].instructions, "calls": calls}, sys.stdout
    )


def _said(states: list[Any]) -> list[tuple[str, dict[str, Any]]]:
    """The calls: one step that changed is a call, several are a batch."""
    items = []
    for number, (text, status, _) in enumerate(states[0], 1):
        row = {"id": str(number), "content": text}
        items.append(row if status == "pending" else {**row, "status": status})
    said: list[tuple[str, dict[str, Any]]] = [("write_plan", {"items": items})]
    for before, after in pairwise(states):
        changed = [
            {"task_id": str(number), "status": new[1]}
            for number, (old, new) in enumerate(zip(before, after, strict=True), 1)
            if old[1] != new[1]
        ]
        if len(changed) == 1:
            said.append(("update_task_status", changed[0]))
        else:
            said.append(("update_task_statuses", {"updates": changed}))
    return said


if __name__ == "__main__":
    main()
