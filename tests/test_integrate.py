"""The loops of docs/integrate.md, through the official clients against a strict server."""

from __future__ import annotations

import types
from typing import Any

import pytest

from docs.examples import blocks
from tests.agent.provider import Provider, calls, says
from todowright import TodoWrite

BASH: dict[str, Any] = {
    "type": "object",
    "properties": {"command": {"type": "string"}},
    "required": ["command"],
}


def loop(name: str) -> Any:
    (code,) = [code for code in blocks("docs/integrate.md") if code.startswith(f"# {name}.py")]
    module = types.ModuleType(name)
    exec(compile(code, name, "exec"), module.__dict__)
    return module.work


@pytest.mark.parametrize("api", ["anthropic", "openai"])
def test_the_loop_plans_works_and_ends(api: str) -> None:
    provider = Provider(
        says(
            calls(("plan", {"steps": ["Look", "Answer"]})),
            calls(("bash", {"command": "ls"}), ("done", {"step": 1})),
            calls(("done", {"step": 2})),
            "All done.",
        )
    )
    environ = provider.environ(api)
    todo = TodoWrite()
    ran: list[str] = []

    def run(name: str, arguments: object) -> str:
        ran.append(name)
        return "a.txt"

    try:
        if api == "anthropic":
            import anthropic

            tool = {"name": "bash", "description": "Runs a command.", "input_schema": BASH}
            with anthropic.Anthropic(api_key="key", base_url=environ["ANTHROPIC_BASE_URL"]) as one:
                said = loop("messages_loop")(one, "m", "Go", [tool], run, todo)
        else:
            import openai

            about = {"name": "bash", "description": "Runs a command.", "parameters": BASH}
            tools = [{"type": "function", "function": about}]
            with openai.OpenAI(api_key="key", base_url=environ["OPENAI_BASE_URL"]) as other:
                said = loop("chat_loop")(other, "m", "Go", tools, run, todo)
    finally:
        provider.close()
    assert provider.refused == []
    assert (said, ran) == ("All done.", ["bash"])
    assert todo.plan.progress == (2, 2)
    assert "Plan: 1 of 2 done." in str(provider.requests[2]["messages"])


def test_the_loop_asks_once_more_for_what_is_left_open() -> None:
    import anthropic

    provider = Provider(
        says(calls(("plan", {"steps": ["Look"]})), "", calls(("fly", {})), "No.", "Leave it.")
    )
    address = provider.environ("anthropic")["ANTHROPIC_BASE_URL"]
    try:
        with anthropic.Anthropic(api_key="key", base_url=address) as client:
            assert loop("messages_loop")(client, "m", "Go") == "Leave it."
    finally:
        provider.close()
    assert "Open steps: 1. Look" in str(provider.requests[2]["messages"])
