"""A loopback server that speaks the two APIs, and refuses what the real ones refuse.

What it answers is scripted; what it is sent comes from the official clients and is checked by
`rules`: roles, results, fields, the size of the context. Answers are streamed a few bytes at a time.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from bench.tokens import tokens
from tests.agent import rules


@cache
def counted(text: str) -> int:
    return tokens(text)


@dataclass(frozen=True)
class Say:
    """One answer of the model behind the server."""

    text: str = ""
    calls: tuple[tuple[str, Any], ...] = ()
    """Tools and their arguments; arguments that are a text are sent as they are, JSON or not."""
    cut: bool = False
    """Out of tokens in the middle of the last block."""
    stop: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    drop: bool = False
    """The connection breaks in mid-stream."""
    error_in_stream: str = ""
    error: str = ""
    """What kind of error it is, where the status does not say so."""
    raw: str = ""
    """Sent as it is, in place of a stream made of the above."""


Mind = Callable[[dict[str, Any]], Say]


def says(*answers: Say | str) -> Mind:
    """A mind that gives these answers, one after the other."""
    left = iter(answers)

    def mind(_: dict[str, Any]) -> Say:
        answer = next(left)
        return Say(answer) if isinstance(answer, str) else answer

    return mind


def calls(*made: tuple[str, Any], text: str = "") -> Say:
    return Say(text, tuple(made))


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that are killed hang up: that is what some tests are about."""


class Provider:
    """The server: `requests` are those that kept the rules, `refused` says which were broken."""

    def __init__(self, mind: Mind, *, window: int = 200_000, chunk: int = 7) -> None:
        self.mind, self.window, self.chunk = mind, window, chunk
        self.requests: list[dict[str, Any]] = []
        self.refused: list[str] = []
        self.sizes: list[int] = []
        self.summaries = 0
        self.known: set[int] = set()
        """Prefixes that a client marked for the cache."""
        self.ids = 0
        provider = self

        class Handler(_Handler):
            def __init__(self, *args: Any) -> None:
                self.provider = provider
                super().__init__(*args)

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def asked_of(self, model: str) -> list[dict[str, Any]]:
        """The requests to one model."""
        return [request for request in self.requests if request["model"] == model]

    def environ(self, api: str) -> dict[str, str]:
        """What a client needs to find this server."""
        if api == "anthropic":
            return {"ANTHROPIC_API_KEY": "key", "ANTHROPIC_BASE_URL": self.url}
        return {"OPENAI_API_KEY": "key", "OPENAI_BASE_URL": f"{self.url}/v1"}

    def read(self, body: dict[str, Any]) -> tuple[int, int]:
        """The tokens of a request, and how many of them are in the cache."""
        blocks = list(rules.prefix_blocks(body))
        whole = sum(counted(text) for text, _ in blocks)
        hashes, marks = [], []
        running = 0
        for text, marked in blocks:
            running = hash((running, text))
            hashes.append(running)
            if marked:
                marks.append(len(hashes) - 1)
        hit = max(
            (
                n
                for mark in marks
                for n in range(max(0, mark - 20), mark + 1)
                if hashes[n] in self.known
            ),
            default=-1,
        )
        self.known.update(hashes[mark] for mark in marks)
        cached = sum(counted(text) for text, _ in blocks[: hit + 1])
        return whole, cached


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each answer waits 40 ms for the client's word
    provider: Provider

    def log_message(self, *args: Any, **more: Any) -> None:
        pass

    def do_GET(self) -> None:
        key = self.headers.get("x-api-key") or self.headers.get("authorization", "")[7:]
        if key != "key":
            self._error(401, "authentication_error", "invalid key")
        elif self.path.startswith("/v1/models"):
            self._json(200, {"data": [], "has_more": False, "object": "list"})
        else:
            self._error(404, "not_found_error", "no such page")

    def do_POST(self) -> None:
        provider = self.provider
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        anthropic = self.path == "/v1/messages"
        checks = rules.messages_api if anthropic else rules.chat_completions
        fault = checks(body, {key.lower(): text for key, text in self.headers.items()})
        size, cached = provider.read(body)
        room = body.get("max_tokens") or body.get("max_completion_tokens") or 0
        if not fault and size + room > provider.window:
            fault = f"prompt is too long: {size} tokens > {provider.window - room} maximum"
        if fault:
            provider.refused.append(fault)
            self._error(400, "invalid_request_error", fault)
            return
        if body.get("tools"):
            provider.requests.append(body)
            provider.sizes.append(size + room)
            say = provider.mind(body)
        else:
            provider.summaries += 1
            say = Say("A summary of the work.")
        if say.status != 200:
            kinds = {400: "invalid_request_error", 429: "rate_limit_error", 529: "overloaded_error"}
            kind = kinds.get(say.status, "api_error")
            self._error(say.status, say.error or kind, say.text or "try later", say.headers)
            return
        if not body.get("stream"):
            self._json(200, (whole_message if anthropic else whole_completion)(say, provider, size))
            return
        stream = anthropic_stream if anthropic else openai_stream
        data = say.raw.encode() or b"".join(stream(say, provider, size, cached))
        self._stream(data, say)

    def _stream(self, data: bytes, say: Say) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        if say.drop:
            data = data[: len(data) // 2]
        size = max(self.provider.chunk, len(data) // 400)  # a long answer in 400 pieces at most
        for start in range(0, len(data), size):
            piece = data[start : start + size]
            self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        if say.drop:
            self.close_connection = True
            self.connection.shutdown(2)
            return
        self.wfile.write(b"0\r\n\r\n")

    def _error(
        self, status: int, kind: str, text: str, headers: dict[str, str] | None = None
    ) -> None:
        error = {"type": kind, "message": text}
        self._json(status, {"type": "error", "error": error}, headers)

    def _json(self, status: int, value: Any, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for name, text in (headers or {}).items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(data)


def _arguments(given: Any) -> str:
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def _pieces(text: str) -> Iterable[str]:
    size = max(5, len(text) // 60)
    return (text[start : start + size] for start in range(0, len(text), size))


def whole_message(say: Say, provider: Provider, size: int) -> dict[str, Any]:
    """An answer of the Messages API in one piece."""
    content: list[dict[str, Any]] = [{"type": "text", "text": say.text}] if say.text else []
    for name, given in say.calls:
        provider.ids += 1
        use = {"type": "tool_use", "id": f"toolu_{provider.ids:04}", "name": name, "input": given}
        content.append(use)
    stop = "tool_use" if say.calls else "end_turn"
    usage = {"input_tokens": size, "output_tokens": 9}
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content,
        "stop_reason": stop, "stop_sequence": None, "usage": usage,
    }  # fmt: skip


def whole_completion(say: Say, provider: Provider, size: int) -> dict[str, Any]:
    """An answer of the Chat Completions API in one piece."""
    message: dict[str, Any] = {"role": "assistant", "content": say.text or None}
    for name, given in say.calls:
        provider.ids += 1
        function = {"name": name, "arguments": _arguments(given)}
        call = {"id": f"call_{provider.ids:04}", "type": "function", "function": function}
        message.setdefault("tool_calls", []).append(call)
    finish = "tool_calls" if say.calls else "stop"
    usage = {"prompt_tokens": size, "completion_tokens": 9, "total_tokens": size + 9}
    return {
        "id": "c1", "object": "chat.completion", "created": 1, "model": "m", "usage": usage,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }  # fmt: skip


def anthropic_stream(say: Say, provider: Provider, size: int, cached: int) -> Iterable[bytes]:
    """The events of the Messages API."""

    def event(kind: str, **values: Any) -> bytes:
        data = json.dumps({"type": kind, **values}, ensure_ascii=False)
        return f"event: {kind}\ndata: {data}\n\n".encode()

    usage = {
        "input_tokens": size - cached,
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": 0,
        "output_tokens": 1,
    }
    message: dict[str, Any] = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    yield event("message_start", message=message)
    yield event("ping")
    if say.error_in_stream:
        yield event("error", error={"type": say.error_in_stream, "message": "too busy"})
        return
    blocks: list[tuple[dict[str, Any], str]] = []
    if say.text:
        blocks.append(({"type": "text", "text": ""}, say.text))
    for name, given in say.calls:
        provider.ids += 1
        use = {"type": "tool_use", "id": f"toolu_{provider.ids:04}", "name": name, "input": {}}
        blocks.append((use, _arguments(given)))
    for index, (start, text) in enumerate(blocks):
        cut = say.cut and index == len(blocks) - 1
        sent = text[: len(text) // 2] if cut else text
        yield event("content_block_start", index=index, content_block=start)
        for piece in _pieces(sent):
            delta = (
                {"type": "text_delta", "text": piece}
                if start["type"] == "text"
                else {"type": "input_json_delta", "partial_json": piece}
            )
            yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    stop = say.stop or ("max_tokens" if say.cut else "tool_use" if say.calls else "end_turn")
    end = {"stop_reason": stop, "stop_sequence": None}
    yield event("message_delta", delta=end, usage={"output_tokens": 9})
    yield event("message_stop")


def openai_stream(say: Say, provider: Provider, size: int, cached: int) -> Iterable[bytes]:
    """The chunks of the Chat Completions API."""

    def chunk(delta: dict[str, Any] | None, finish: str | None = None, usage: Any = None) -> bytes:
        choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
        data = {
            "id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": choices, "usage": usage,
        }  # fmt: skip
        return f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()

    yield chunk({"role": "assistant", "content": ""})
    if say.error_in_stream:
        error = {"error": {"type": say.error_in_stream, "message": "too busy"}}
        yield f"data: {json.dumps(error)}\n\n".encode()
        return
    text = say.text[: len(say.text) // 2] if say.cut and not say.calls else say.text
    for piece in _pieces(text):
        yield chunk({"content": piece})
    for index, (name, given) in enumerate(say.calls):
        provider.ids += 1
        sent = _arguments(given)
        if say.cut and index == len(say.calls) - 1:
            sent = sent[: len(sent) // 2]
        start = {"name": name, "arguments": ""}
        head = {
            "index": index,
            "id": f"call_{provider.ids:04}",
            "type": "function",
            "function": start,
        }
        yield chunk({"tool_calls": [head]})
        for piece in _pieces(sent):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    stop = "length" if say.cut else "tool_calls" if say.calls else "stop"
    yield chunk({}, {"refusal": "content_filter"}.get(say.stop, say.stop) or stop)
    details = {"cached_tokens": cached}
    usage = {"prompt_tokens": size, "completion_tokens": 9, "total_tokens": size + 9}
    yield chunk(None, usage=usage | {"prompt_tokens_details": details})
    yield b"data: [DONE]\n\n"
