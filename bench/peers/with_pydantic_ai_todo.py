"""pydantic-ai-todo's toolset. Run by bench.tokens in an environment with `pydantic-ai-todo`."""

import asyncio
import json
import sys

from pydantic_ai_todo import TODO_SYSTEM_PROMPT, TodoItem, create_todo_toolset


async def main() -> None:
    toolset = create_todo_toolset()
    definition = []
    for tool in toolset.tools.values():
        found = tool.tool_def
        schema = found.parameters_json_schema
        definition.append(
            {"name": found.name, "description": found.description, "input_schema": schema}
        )
    write = toolset.tools["write_todos"].function
    calls = []
    for state in json.load(sys.stdin):
        rows = [
            {"content": text, "status": status, "active_form": active}
            for text, status, active in state
        ]
        result = write(
            *([None] if _takes_context(toolset) else []), [TodoItem(**row) for row in rows]
        )
        result = await result if asyncio.iscoroutine(result) else result
        calls.append([{"todos": rows}, result])
    json.dump({"definition": definition, "prompt": TODO_SYSTEM_PROMPT, "calls": calls}, sys.stdout)


def _takes_context(toolset) -> bool:  # type: ignore[no-untyped-def]
    return bool(toolset.tools["write_todos"].takes_ctx)


if __name__ == "__main__":
    asyncio.run(main())
