"""A model that follows a script, at an address of its own: it speaks the APIs of the five hosts.

A prompt names its script as `[[name]]`. A script is a list of turns, a turn is a text or a list of
calls. The turn that is due is found in the conversation alone: how often the model has spoken since the
prompt. So a host may ask twice, resume, compact or run agents side by side.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.hosts import anthropic_api, chat_api, gemini_api, responses_api
from tests.hosts.conversation import Call, Conversation, Turn

_MARK = re.compile(r"\[\[([a-z0-9-]+)\]\]")
_APIS = {
    "/messages": anthropic_api,
    "/responses": responses_api,
    "/chat/completions": chat_api,
    ":generateContent": gemini_api,
    ":streamGenerateContent": gemini_api,
}


@dataclass
class Model:
    """The scripts, and every conversation that was sent."""

    scripts: dict[str, list[Turn]] = field(default_factory=dict)
    seen: list[Conversation] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    """Paths that were asked for, and are none of ours."""
    long: int = 0
    """How many more answers say that the conversation is long: then a host compacts it."""

    def __post_init__(self) -> None:
        self._waits = threading.Event()
        self._ends = threading.Event()

    def __enter__(self) -> Model:
        model = self

        class Handler(_Handler):
            owner = model

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def named(self, script: str) -> list[Conversation]:
        """The conversations that follow a script, in the order in which they came."""
        return [each for each in self.seen if each.script == script]

    def waited(self, seconds: float) -> bool:
        """Wait until a script has come to `WAIT`, where the model says nothing any more."""
        return self._waits.wait(seconds)

    def turn(self, conversation: Conversation) -> Turn:
        """What the model says now."""
        spoken, script = 0, ""
        for who, text in conversation.said:
            if who == "user" and (found := _MARK.findall(text)):
                script, spoken = found[-1], 0
            elif who == "model":
                spoken += 1
        conversation.script, conversation.spoken = script, spoken
        conversation.last = conversation.said[-1][1] if conversation.said else ""
        self.seen.append(conversation)
        if self.long and not conversation.sums_up and script:
            self.long -= 1
            conversation.tokens = 190_000
        if conversation.sums_up:
            return "The summary of the work so far."
        turns = self.scripts.get(script, [])
        if spoken >= len(turns):
            return "All said."
        turn = turns[spoken]
        if turn == "WAIT":
            self._waits.set()
            self._ends.wait(300)
        if isinstance(turn, str):
            return turn
        return [call for call in turn if self._known(conversation, call)] or "It has no such tool."

    @staticmethod
    def _known(conversation: Conversation, call: Call) -> bool:
        return bool(conversation.full_name(call.tool))


class _Handler(BaseHTTPRequestHandler):
    owner: Model
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.owner.other.append(f"GET {self.path}")
        self._send(b'{"data": [], "models": []}', "application/json")

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Content-Encoding") == "zstd":  # asked not to, and not needed
            self.send_error(415)
            return
        path = self.path.partition("?")[0]
        api = next((api for end, api in _APIS.items() if path.endswith(end)), None)
        if api is None:
            self.owner.other.append(f"POST {path}")
            self._send(b'{"input_tokens": 1, "totalTokens": 1}', "application/json")
            return
        request = json.loads(body)
        conversation = api.read(request, dict(self.headers))
        turn = self.owner.turn(conversation)
        streams = request.get("stream", False) or "streamGenerateContent" in path
        if streams:
            self._stream(api.stream(turn, conversation))
        else:
            self._send(json.dumps(api.whole(turn, conversation)).encode(), "application/json")

    def _stream(self, events: Iterator[tuple[str, Any]]) -> None:
        parts = []
        for name, value in events:
            head = f"event: {name}\n" if name else ""
            data = value if isinstance(value, str) else json.dumps(value)
            parts.append(f"{head}data: {data}\n\n")
        self._send("".join(parts).encode(), "text/event-stream")

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object, **__: object) -> None:
        """Nothing is printed."""
