"""Hermes Agent's todo tool. Run by bench.tokens in an environment with `hermes-agent`.

The plan is written once, then the rows that changed are merged into it by id; a row carries its
text again, since the tool's schema requires it. Every answer is the whole list.
"""

import json
import os
import sys
import tempfile


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HERMES_HOME"] = folder  # its settings are read from here, so before its imports
        from model_tools import get_tool_definitions
        from tools.registry import registry
        from tools.todo_tool import TodoStore

        found = get_tool_definitions(enabled_toolsets=["todo"], quiet_mode=True)
        store, calls = TodoStore(), []
        before: list[dict[str, str]] = []
        for state in json.load(sys.stdin):
            rows = [
                {"id": str(number), "content": text, "status": status}
                for number, (text, status, _) in enumerate(state, 1)
            ]
            changed = [row for row in rows if row not in before]
            arguments = {"todos": changed, "merge": True} if before else {"todos": changed}
            calls.append([arguments, registry.dispatch("todo", arguments, store=store)])
            before = rows
        assert store.read() == before
    definition = [
        {
            "name": tool["function"]["name"],
            "description": tool["function"]["description"],
            "input_schema": tool["function"]["parameters"],
        }
        for tool in found
    ]
    json.dump({"definition": definition, "prompt": "", "calls": calls}, sys.stdout)


if __name__ == "__main__":
    main()
