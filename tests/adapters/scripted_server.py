"""A loopback server that plays a script: the Messages API, Responses and Chat Completions, streamed or whole.

For frameworks that talk to an address and have no double of a model. It keeps what it was sent.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Turn = str | list[tuple[str, Any]]
"""What the model says: a final text, or calls with their arguments."""
Mind = Callable[[dict[str, Any]], Turn]
SUMMARY = "They looked around."
"""What a conversation becomes that is to be made smaller."""


class ScriptedServer:
    """Answers each request with what `mind` says to it; `requests` has the bodies, in order."""

    def __init__(self, mind: Mind) -> None:
        self.mind = mind
        self.requests: list[dict[str, Any]] = []
        self.lock = threading.Lock()
        self.ids = 0
        outer = self

        class Handler(_Handler):
            server_of_script = outer

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def said(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        """The blocks of the next answer: a text, or calls with ids that no other call has."""
        with self.lock:
            self.requests.append(body)
            turn = self.mind(body)
            if isinstance(turn, str):
                return [{"type": "text", "text": turn}]
            blocks = []
            for name, arguments in turn:
                self.ids += 1
                blocks.append(
                    {
                        "type": "tool_use",
                        "id": f"toolu_{self.ids:04}",
                        "name": name,
                        "input": arguments,
                    }
                )
            return blocks


@contextmanager
def serving(mind: Mind) -> Iterator[ScriptedServer]:
    server = ScriptedServer(mind)
    try:
        yield server
    finally:
        server.close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_of_script: ScriptedServer

    def log_message(self, *_: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self._send(b"", "application/json")

    def do_GET(self) -> None:
        self.do_HEAD()

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{}")
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens"):
            self._send(b'{"input_tokens": 1}', "application/json")
            return
        if body.get("compaction"):
            self.server_of_script.requests.append(body)
            blocks = [{"type": "compaction", "content": SUMMARY, "signature": "signed"}]
        else:
            blocks = self.server_of_script.said(body)
        number = len(self.server_of_script.requests)
        form = next(form for end, form in _FORMS.items() if path.endswith(end))
        whole, events = form(blocks, number, body)
        if body.get("stream"):
            self._send("".join(events).encode(), "text/event-stream")
        else:
            self._send(json.dumps(whole).encode(), "application/json")

    def _send(self, data: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


Form = tuple[dict[str, Any], list[str]]


def _event(value: dict[str, Any]) -> str:
    return f"event: {value['type']}\ndata: {json.dumps(value)}\n\n"


def _messages(blocks: list[dict[str, Any]], number: int, body: dict[str, Any]) -> Form:
    stop = {"text": "end_turn"}.get(blocks[0]["type"], blocks[0]["type"])
    usage = {"input_tokens": 5, "output_tokens": 5}
    message: dict[str, Any] = {
        "id": f"msg_{number}", "type": "message", "role": "assistant", "model": body["model"], "content": blocks,
        "stop_reason": stop, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    ]
    for index, block in enumerate(blocks):
        is_call = block["type"] == "tool_use"
        start = {**block, "input": {}} if is_call else {"type": "text", "text": ""}
        delta = (
            {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            if is_call
            else {"type": "text_delta", "text": block.get("text", "")}
        )
        events += [
            {"type": "content_block_start", "index": index, "content_block": start},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    end = {"stop_reason": stop, "stop_sequence": None}
    events += [
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]
    return message, [_event(event) for event in events]


def _text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _responses(blocks: list[dict[str, Any]], number: int, body: dict[str, Any]) -> Form:
    output: list[dict[str, Any]] = []
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            said = {"type": "output_text", "text": block["text"], "annotations": []}
            output.append({
                "type": "message", "id": f"m{number}{index}", "role": "assistant", "status": "completed",
                "content": [said],
            })  # fmt: skip
        else:
            output.append({
                "type": "function_call", "id": f"f{number}{index}", "call_id": block["id"], "name": block["name"],
                "arguments": _text(block["input"]), "status": "completed",
            })  # fmt: skip
    response: dict[str, Any] = {
        "id": f"resp_{number}", "object": "response", "created_at": 1, "model": body["model"], "output": output,
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "status": "completed",
    }  # fmt: skip
    return response, []


def _chat(blocks: list[dict[str, Any]], number: int, body: dict[str, Any]) -> Form:
    message: dict[str, Any] = {"role": "assistant", "content": None}
    for block in blocks:
        if block["type"] == "text":
            message["content"] = block["text"]
        else:
            function = {"name": block["name"], "arguments": _text(block["input"])}
            call = {"id": block["id"], "type": "function", "function": function}
            message.setdefault("tool_calls", []).append(call)
    finish = "tool_calls" if message.get("tool_calls") else "stop"
    usage = {"prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 10}
    completion: dict[str, Any] = {
        "id": f"c{number}", "object": "chat.completion", "created": 1, "model": body["model"], "usage": usage,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }  # fmt: skip
    return completion, []


_FORMS: dict[str, Callable[[list[dict[str, Any]], int, dict[str, Any]], Form]] = {
    "/messages": _messages,
    "/responses": _responses,
    "/chat/completions": _chat,
}


def mind_of(script: Any, model: str = "model") -> tuple[Mind, dict[str, list[dict[str, Any]]]]:
    """A mind that plays a script's turns, the child's to the model `child`; and what each was sent."""
    turns = {model: list(script.turns), "child": list(script.child)}
    seen: dict[str, list[dict[str, Any]]] = {model: [], "child": []}

    def mind(body: dict[str, Any]) -> Turn:
        who = body["model"] if body["model"] in seen else model
        if who == model:
            script.at_request.get(len(seen[who]), lambda: None)()
        seen[who].append(body)
        turn = turns[who].pop(0)
        return turn if isinstance(turn, str) else list(turn)

    return mind, seen


def page_server(turns: Any) -> str:
    """The address of a server that plays the turns, for the code of a page; it ends with the process."""
    left = [list(turn) if not isinstance(turn, str) else turn for turn in turns]
    return ScriptedServer(lambda _: left.pop(0)).url
