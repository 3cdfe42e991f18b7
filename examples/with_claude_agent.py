"""The Claude Agent SDK with a plan.

python examples/with_claude_agent.py                             a scripted model plays
python examples/with_claude_agent.py --model claude-sonnet-4-5    a real one
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from claude_agent_sdk import ClaudeSDKClient, ResultMessage, create_sdk_mcp_server, tool

from todowright.adapters.claude_agent import ClaudePlan

ASKED = "Plan your work. Find the bug in sums.py, and say how to fix it."


@tool("read_file", "Read a file of the project.", {"path": str})
async def read_file(given: Any) -> Any:
    text = f"{given['path']}: def add(a, b): return a - b"
    return {"content": [{"type": "text", "text": text}]}


async def main() -> None:
    options = parsed()
    plan = ClaudePlan(store=options.store, without=["tail"])
    environ = {} if options.model else scripted()
    chosen = plan.options(
        "example",
        model=options.model or "claude-sonnet-4-5",
        mcp_servers={"work": create_sdk_mcp_server("work", tools=[read_file])},
        allowed_tools=["mcp__work__read_file"],
        env=environ,
        setting_sources=[],
    )
    answer = ""
    async with ClaudeSDKClient(chosen) as client:
        await client.query(ASKED)
        async for message in client.receive_response():
            for event in plan.changes("example"):
                for step in event["changed"]:
                    print(f"{', '.join(step['kinds'])}: {step['content']}")
            if isinstance(message, ResultMessage):
                answer = str(message.result)
    print(answer)


TURNS: list[tuple[str, Any]] = [
    ("mcp__plan__plan", {"steps": ["Read sums.py", "Explain the fix"]}),
    ("mcp__work__read_file", {"path": "sums.py"}),
    ("mcp__plan__done", {"finished": ["Read sums.py"]}),
    ("", "I am done."),
    ("mcp__plan__done", {"finished": ["Explain the fix"]}),
    ("", "add subtracts: write a + b."),
]
"""What the scripted model says; it forgets to finish its plan, and is asked to."""


class Handler(BaseHTTPRequestHandler):
    """Plays the turns to Claude Code, which has the SDK's agent in it and talks to an address."""

    def log_message(self, *_: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        is_ours = "mcp__plan__plan" in [each["name"] for each in body.get("tools", ())]
        name, said = TURNS.pop(0) if is_ours else ("", "ok")
        start: Any = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": said}
        if name:
            start = {"type": "tool_use", "id": f"toolu_{len(TURNS)}", "name": name, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(said)}
        message = {
            "id": f"msg_{len(TURNS)}", "type": "message", "role": "assistant", "model": body["model"], "content": [],
            "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
        }  # fmt: skip
        end = {"stop_reason": "tool_use" if name else "end_turn", "stop_sequence": None}
        events: list[Any] = [
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": start},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": end, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        ]
        data = "".join(
            f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events
        ).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def scripted() -> dict[str, str]:
    """A server that plays the turns, and what Claude Code needs to talk to nobody else."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    folder = tempfile.mkdtemp()
    return {
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_port}",
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CONFIG_DIR": folder,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "ENABLE_TOOL_SEARCH": "false",
        "HOME": folder,
        "IS_SANDBOX": "1",
        "PATH": os.environ["PATH"],
    }


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", help="a real model")
    parser.add_argument(
        "--store", default="memory:", help="where plans are kept: sqlite:///plans.db"
    )
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main())
