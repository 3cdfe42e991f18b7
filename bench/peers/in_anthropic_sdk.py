"""A tool of forty lines in the Anthropic SDK's tool runner, for bench.adapters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anthropic import Anthropic, beta_tool

from bench.framework_session import Player, Run
from bench.peers import forty_lines
from bench.peers.forty_lines import NAME, SCHEMA, TOLD, Todos
from tests.adapters.driver import Script
from tests.adapters.drivers.anthropic_sdk import COMMON, as_request, look
from tests.adapters.scripted_server import mind_of, serving


def run_with(todos: Todos) -> Run:
    def run(thread: str, turns: list[Any], hooks: Any) -> list[list[str]]:
        def write(**given: Any) -> str:
            return todos.write(thread, given["todos"])

        tool = beta_tool(write, name=NAME, description=TOLD, input_schema=SCHEMA)
        mind, seen = mind_of(Script(turns, at_request=hooks))
        with serving(mind) as server, Anthropic(base_url=server.url, api_key="key") as client:
            runner = client.beta.messages.tool_runner(
                model="model",
                messages=[{"role": "user", "content": "Do the work"}],
                tools=[beta_tool(look), tool],
                thread=False,
                **COMMON,
            )
            answers = list(runner)
        assert answers[-1].content[0].text == "Done."
        return [as_request(body).texts for body in seen["model"]]

    return run


def players(folder: Path) -> list[Player]:
    return forty_lines.players(run_with, folder)
