"""CAMEL's TodoToolkit. Run by bench.tokens in an environment with `camel-ai`.

Its one tool replaces the whole list, and its rows need an active form.
"""

import json
import sys
import tempfile

from camel.toolkits import TodoToolkit


def main() -> None:
    calls = []
    with tempfile.TemporaryDirectory() as folder:  # it keeps the list in two files
        tool = TodoToolkit(working_dir=folder).get_tools()[0]
        found = tool.get_openai_tool_schema()["function"]
        for state in json.load(sys.stdin):
            rows = [
                {"content": text, "active_form": active, "status": status}
                for text, status, active in state
            ]
            calls.append([{"todos": rows}, tool(todos=rows)])
    definition = {
        "name": found["name"],
        "description": found["description"],
        "input_schema": found["parameters"],
    }
    json.dump({"definition": [definition], "prompt": "", "calls": calls}, sys.stdout)


if __name__ == "__main__":
    main()
