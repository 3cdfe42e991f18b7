"""The Claude Agent SDK with its real command line, against a server that plays the script."""

from __future__ import annotations

import asyncio
import os
import tempfile
from typing import Any

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    ResultMessage,
    create_sdk_mcp_server,
    tool,
)

from tests.adapters.driver import PAGE, Driver, Outcome, Request, Script
from tests.adapters.scripted_server import ScriptedServer, Turn, serving
from todowright.adapters.claude_agent import ClaudePlan

PREFIXES = ("mcp__plan__", "mcp__work__")
CHILD = "Look into it"


def short(name: str) -> str:
    return next((name.removeprefix(each) for each in PREFIXES if name.startswith(each)), name)


@tool("look", "Look at something.", {})
async def look(_: Any) -> Any:
    return {"content": [{"type": "text", "text": "seen"}]}


def texts(content: Any) -> list[str]:
    """The texts of a message's content, without the count of tokens that the command line adds."""
    if isinstance(content, str):
        return [] if "<total_tokens>" in content[:60] else [content]
    told = [block.get("text", block.get("content")) for block in content]
    return [each for one in told if one is not None for each in texts(one)]


class Mind:
    """Plays the script to the agent and to its sub-agent. Other requests, for a title say, get any answer."""

    def __init__(self, script: Script, names: frozenset[str]) -> None:
        self.script, self.names = script, names
        self.turns = {"main": list(script.turns), "child": list(script.child)}
        self.seen: dict[str, list[dict[str, Any]]] = {"main": [], "child": []}

    def __call__(self, body: dict[str, Any]) -> Turn:
        if not any(each["name"].startswith(PREFIXES[0]) for each in body.get("tools", ())):
            return "ok"
        if "Respond with TEXT ONLY" in str(body["messages"][-1]):  # its own compaction
            return "<summary>They looked around.</summary>"
        who = "child" if CHILD in str(body["messages"][0]) else "main"
        if who == "main":
            self.script.at_request.get(len(self.seen[who]), lambda: None)()
        self.seen[who].append(body)
        turn = self.turns[who].pop(0)
        return turn if isinstance(turn, str) else [self._call(*call) for call in turn]

    def _call(self, name: str, arguments: dict[str, Any]) -> tuple[str, Any]:
        if name == "delegate":
            given = {
                "description": "Helper",
                "prompt": arguments["task"],
                "run_in_background": False,
            }
            return "Agent", {**given, "subagent_type": "general-purpose"}
        return (PREFIXES[0] if name in self.names else PREFIXES[1]) + name, arguments

    def requests(self, who: str) -> list[Request]:
        return [
            Request(
                [text for message in body["messages"] for text in texts(message["content"])],
                [short(each["name"]) for each in body["tools"]],
                str(body.get("system")),
            )
            for body in self.seen[who]
        ]

    def replies(self) -> list[str]:
        messages = self.seen["main"][-1]["messages"]
        blocks = [
            b for each in messages if isinstance(each["content"], list) for b in each["content"]
        ]
        ours = {
            b["id"] for b in blocks if b["type"] == "tool_use" and short(b["name"]) in self.names
        }
        results = [b for b in blocks if b["type"] == "tool_result" and b["tool_use_id"] in ours]
        told = [texts(each["content"])[0] for each in results]
        return [
            text.partition("\n\n<system-reminder>")[0] for text in told
        ]  # what the command line adds


def environ(url: str, folder: str) -> dict[str, str]:
    """What the command line needs to talk to nobody but the server."""
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "key",
        "CLAUDE_CONFIG_DIR": f"{folder}/config",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "ENABLE_TOOL_SEARCH": "false",
        "HOME": folder,
        "IS_SANDBOX": "1",
        "PATH": os.environ["PATH"],
    }


class ClaudeDriver(Driver):
    name = "claude_agent"

    def make(self, store: str, **settings: Any) -> ClaudePlan:
        return ClaudePlan(store=store, **settings)

    def given_to_pages(self) -> dict[str, Any]:
        folder, mind = (
            tempfile.mkdtemp(),
            Mind(Script(PAGE), ClaudePlan(without=["tail"]).host.names),
        )
        more = {
            "mcp_servers": {"work": create_sdk_mcp_server("work", tools=[look])},
            "allowed_tools": ["mcp__work__look"],
            "env": environ(ScriptedServer(mind).url, folder),
            "cwd": folder,
            "setting_sources": [],
        }
        return {"model": "claude-sonnet-4-5", "more": more}

    def run(self, plan: ClaudePlan, script: Script) -> Outcome:
        return asyncio.run(self.arun(plan, script))

    def options(
        self, plan: ClaudePlan, script: Script, url: str, folder: str
    ) -> ClaudeAgentOptions:
        return plan.options(
            script.thread,
            mcp_servers={"work": create_sdk_mcp_server("work", tools=[look])},
            allowed_tools=["mcp__work__look"],
            tools=[] if self.bare else None,
            verbatim_prompts=self.bare,
            env=environ(url, folder),
            cwd=folder,
            model="claude-sonnet-4-5",
            max_turns=30,
            setting_sources=[],
            stderr=lambda _: None,
        )

    async def arun(self, plan: ClaudePlan, script: Script) -> Outcome:
        mind, answer, events = Mind(script, plan.host.names), "", []
        with (
            serving(mind) as server,
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        ):
            async with ClaudeSDKClient(self.options(plan, script, server.url, folder)) as client:
                await client.query(script.task)
                async for message in client.receive_response():
                    if script.events:
                        events += plan.changes(script.thread)
                    if isinstance(message, ResultMessage):
                        answer = str(message.result)
        return Outcome(
            answer=answer,
            requests=mind.requests("main"),
            child_requests=mind.requests("child"),
            replies=mind.replies(),
            events=events,
        )


DRIVER = ClaudeDriver()
