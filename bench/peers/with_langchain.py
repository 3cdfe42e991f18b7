"""LangChain's TodoListMiddleware. Run by bench.tokens in an environment with `langchain`."""

import json
import sys

from langchain.agents.middleware import TodoListMiddleware


def main() -> None:
    middleware = TodoListMiddleware()
    tool = middleware.tools[0]
    definition = {
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.args_schema.model_json_schema(),
    }
    calls = []
    for state in json.load(sys.stdin):
        todos = [{"content": text, "status": status} for text, status, _ in state]
        arguments = {"todos": todos}
        call = {"name": tool.name, "args": arguments, "id": "call", "type": "tool_call"}
        command = tool.func(todos=todos, runtime=_Runtime(call["id"]))
        calls.append([arguments, command.update["messages"][0].content])
    json.dump(
        {"definition": [definition], "prompt": middleware.system_prompt, "calls": calls}, sys.stdout
    )


class _Runtime:
    """What the tool reads of LangChain's runtime: the id of its call."""

    def __init__(self, tool_call_id: str) -> None:
        self.tool_call_id = tool_call_id


if __name__ == "__main__":
    main()
