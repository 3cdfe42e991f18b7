"""pydantic-ai-todo's toolset. Run by bench.tokens in an environment with `pydantic-ai-todo`.

The plan is written once with ids of the model's choice, then statuses are updated by id.
"""

import asyncio
import json
import sys
from itertools import pairwise

import pydantic_ai_todo.types as kinds
from pydantic_ai_todo import TODO_SYSTEM_PROMPT, TodoItem, create_todo_toolset


async def main() -> None:
    toolset = create_todo_toolset()
    tools = toolset.tools
    definition = []
    for tool in tools.values():
        found = tool.tool_def
        schema = found.parameters_json_schema
        definition.append(
            {"name": found.name, "description": found.description, "input_schema": schema}
        )
    states = json.load(sys.stdin)
    rows = [
        {"id": str(number), "content": text, "active_form": active}
        | ({} if status == "pending" else {"status": status})
        for number, (text, status, active) in enumerate(states[0], 1)
    ]
    written = await tools["write_todos"].function(None, [TodoItem(**row) for row in rows])
    calls = [[{"todos": rows}, written]]
    for before, after in pairwise(states):
        changed = [
            {"todo_id": str(number), "status": new[1]}
            for number, (old, new) in enumerate(zip(before, after, strict=True), 1)
            if old[1] != new[1]
        ]
        if len(changed) == 1:
            told = await tools["update_todo_status"].function(None, **changed[0])
            calls.append([changed[0], told])
        else:
            updates = [kinds.TodoStatusUpdate(**each) for each in changed]
            told = await tools["update_todo_statuses"].function(None, updates)
            calls.append([{"updates": changed}, told])
    json.dump({"definition": definition, "prompt": TODO_SYSTEM_PROMPT, "calls": calls}, sys.stdout)


if __name__ == "__main__":
    asyncio.run(main())
