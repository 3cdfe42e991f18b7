"""Claude's own task tools inside the Claude Agent SDK, for bench.adapters.

The command line keeps the tasks in files. Each task is a call of its own; a turn has several.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    ResultMessage,
    create_sdk_mcp_server,
)

from bench.framework_session import Player
from bench.tokens import STEPS
from tests.adapters.driver import Script
from tests.adapters.drivers.claude_agent import Mind, environ, look
from tests.adapters.scripted_server import Turn, serving

ALL_TOOLS = "SQLite or files, with all of Claude's tools"
OWN = ("TaskCreate", "TaskGet", "TaskList", "TaskUpdate")


def turns_of() -> list[Any]:
    made = [("TaskCreate", {"subject": text, "description": text}) for text, _ in STEPS]
    turns: list[Any] = [made]
    for number in range(1, 9):
        turn = [("TaskUpdate", {"taskId": str(number), "status": "completed"})]
        if number < 8:
            turn.append(("TaskUpdate", {"taskId": str(number + 1), "status": "in_progress"}))
        turns.append(turn)
    return [*turns, "Done."]


class OwnMind(Mind):
    """Plays the script with Claude's own tools."""

    def __init__(self, script: Script) -> None:
        super().__init__(script, frozenset(OWN))

    def __call__(self, body: dict[str, Any]) -> Turn:
        if not any(each["name"] == OWN[0] for each in body.get("tools", ())):
            return "ok"
        self.script.at_request.get(len(self.seen["main"]), lambda: None)()
        self.seen["main"].append(body)
        turn = self.turns["main"].pop(0)
        return turn if isinstance(turn, str) else list(turn)


def players(folder: Path) -> list[Player]:
    """With no more tools than in the other frameworks, and with all that Claude has: then there may be sub-agents."""
    from bench.adapters import ours

    mine = ours("claude_agent", f"sqlite:///{folder}/all.db", ALL_TOOLS, bare=False)
    return [_own("files", bare=True), mine, _own(ALL_TOOLS, bare=False)]


def _own(kept: str, *, bare: bool) -> Player:
    offered: list[Any] = []

    async def arun(thread: str, turns: list[Any], hooks: Any) -> list[list[str]]:
        mind, answer = OwnMind(Script(turns, at_request=hooks)), ""
        with (
            serving(mind) as server,
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home,
        ):
            options = ClaudeAgentOptions(
                mcp_servers={"work": create_sdk_mcp_server("work", tools=[look])},
                allowed_tools=["mcp__work__look", *OWN],
                tools=[*OWN] if bare else None,
                verbatim_prompts=bare,
                env=environ(server.url, home),
                cwd=home,
                model="claude-sonnet-4-5",
                max_turns=30,
                setting_sources=[],
                stderr=lambda _: None,
            )
            async with ClaudeSDKClient(options) as client:
                await client.query("Do the work")
                async for message in client.receive_response():
                    if isinstance(message, ResultMessage):
                        answer = str(message.result)
        assert answer == "Done.", answer
        tools = [tool for tool in mind.seen["main"][0]["tools"] if tool["name"] in OWN]
        offered[:] = [(each["name"], each["description"], each["input_schema"]) for each in tools]
        return [request.texts for request in mind.requests("main")]

    return Player(
        "Claude's own tasks",
        kept,
        turns_of(),
        lambda *args: asyncio.run(arun(*args)),
        lambda: offered,
    )
