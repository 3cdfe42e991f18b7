"""A tool of forty lines in a plain loop on the OpenAI SDK, for bench.adapters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from openai import OpenAI

from bench.framework_session import Player, Run
from bench.peers import forty_lines
from bench.peers.forty_lines import NAME, SCHEMA, TOLD, Todos
from tests.adapters.driver import Script
from tests.adapters.drivers.openai_sdk import DRIVER
from tests.adapters.scripted_server import mind_of, serving

TOOL = {
    "type": "function",
    "name": NAME,
    "description": TOLD,
    "parameters": SCHEMA,
    "strict": False,
}


def run_with(todos: Todos) -> Run:
    def run(thread: str, turns: list[Any], hooks: Any) -> list[list[str]]:
        mind, seen = mind_of(Script(turns, at_request=hooks))
        items: list[Any] = [{"role": "user", "content": "Do the work"}]
        tools: Any = [*DRIVER.tools("look"), TOOL]
        with serving(mind) as server, OpenAI(base_url=f"{server.url}/v1", api_key="key") as client:
            while True:
                answer = client.responses.create(
                    model="model",
                    input=items,
                    tools=tools,
                    store=False,
                    include=["reasoning.encrypted_content"],
                )
                items += [item.model_dump(exclude_none=True) for item in answer.output]
                calls = [item for item in answer.output if item.type == "function_call"]
                if not calls:
                    break
                for call in calls:
                    text = todos.write(thread, json.loads(call.arguments)["todos"])
                    items.append(
                        {"type": "function_call_output", "call_id": call.call_id, "output": text}
                    )
        assert answer.output_text == "Done."
        return [DRIVER.request(body).texts for body in seen["model"]]

    return run


def players(folder: Path) -> list[Player]:
    return forty_lines.players(run_with, folder)
