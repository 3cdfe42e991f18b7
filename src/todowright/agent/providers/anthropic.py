"""Models behind the Messages API, by Anthropic's own client."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from todowright.agent.providers import Answer, Message, ModelError, OnText, Request, Usage
from todowright.agent.providers.failures import addressed, broken, in_time, read_call, told, tried
from todowright.agent.redaction import without_password
from todowright.dialects.definitions import definitions

_STOPS = {"tool_use": "tools", "max_tokens": "cut", "refusal": "refusal"}
_STOPS |= {"model_context_window_exceeded": "full"}
_CACHED = {"cache_control": {"type": "ephemeral"}}


class AnthropicModel:
    """Streams its answers. What stands fast in the context is marked for the provider's cache."""

    def __init__(self, name: str, client: Any, place: str) -> None:
        self.name = name
        self._client = client
        self._place = place

    def answer(self, request: Request, on_text: OnText) -> Answer:
        import anthropic

        create = self._client.messages.create
        with (
            told(anthropic, self._place),
            create(**_body(self.name, request), stream=True) as stream,
        ):
            return _read(in_time(stream, request.seconds), on_text)


def _body(name: str, request: Request) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": name,
        "max_tokens": request.max_tokens,
        "system": [{"type": "text", "text": request.system, **_CACHED}],
        "messages": _messages(request),
    }
    if request.tools:
        body["tools"] = definitions(request.tools, "anthropic")
    if request.seconds is not None:
        body["timeout"] = request.seconds
    return body


def _messages(request: Request) -> list[Message]:
    """The conversation: results first in their message, the last two of the user marked for the cache.

    The texts of this one request come behind the mark, so that what is cached never changes.
    """
    messages = [
        {**message, "content": sorted(message["content"], key=lambda b: b["type"] != "tool_result")}
        for message in request.messages
    ]
    marked = [message for message in messages if message["role"] == "user"][-2:]
    for message in marked:
        message["content"][-1] = {**message["content"][-1], **_CACHED}
    if request.tail:
        messages[-1]["content"] += [{"type": "text", "text": text} for text in request.tail]
    return messages


def _read(stream: Any, on_text: OnText) -> Answer:
    blocks: dict[int, dict[str, Any]] = {}
    usage, stop, whole, began = Usage(), None, False, False
    for event in stream:
        began = True
        if event.type == "message_start":
            usage = _usage(event.message.usage)
        elif event.type == "content_block_start":
            blocks[event.index] = {**event.content_block.to_dict(), "json": ""}
        elif event.type == "content_block_delta":
            _extend(blocks[event.index], event.delta, on_text)
        elif event.type == "message_delta":
            stop = event.delta.stop_reason or stop
            written = getattr(event.usage, "output_tokens", None) or usage.written
            usage = Usage(usage.read, written, usage.cached)
        elif event.type == "message_stop":
            whole = True
    if not whole or stop is None:
        raise broken(began=began)
    ordered = [blocks[index] for index in sorted(blocks)]
    text = "\n".join(block["text"] for block in ordered if block["type"] == "text")
    uses = [block for block in ordered if block["type"] == "tool_use"]
    calls = tuple(
        read_call(
            use["id"],
            use["name"],
            use["json"] or json.dumps(use.get("input") or {}),
            cut=stop == "max_tokens" and use is ordered[-1],
        )
        for use in uses
    )
    kept = tuple(
        {key: value for key, value in block.items() if key != "json"}
        for block in ordered
        if block["type"] in ("thinking", "redacted_thinking")
    )
    return Answer(text, calls, usage, _STOPS.get(stop, "end"), kept)


def _usage(told: Any) -> Usage:
    if told is None:
        return Usage()
    cached = told.cache_read_input_tokens or 0
    fresh = (told.input_tokens or 0) + (told.cache_creation_input_tokens or 0)
    return Usage(fresh + cached, told.output_tokens or 0, cached)


def _extend(block: dict[str, Any], delta: Any, on_text: OnText) -> None:
    if delta.type == "text_delta":
        block["text"] += delta.text
        on_text(delta.text)
    elif delta.type == "input_json_delta":
        block["json"] += delta.partial_json
    elif delta.type == "thinking_delta":
        block["thinking"] += delta.thinking
    elif delta.type == "signature_delta":
        block["signature"] = delta.signature


def connect(name: str, environ: Mapping[str, str]) -> AnthropicModel:
    """A model of this name; says at once if the key is missing or nobody answers."""
    key, token = environ.get("ANTHROPIC_API_KEY"), environ.get("ANTHROPIC_AUTH_TOKEN")
    if not key and not token:
        raise ModelError("ANTHROPIC_API_KEY is not set: put your key there")
    import anthropic

    base = environ.get("ANTHROPIC_BASE_URL") or None
    with addressed("ANTHROPIC_BASE_URL", base):
        client = anthropic.Anthropic(api_key=key, auth_token=token, base_url=base, max_retries=0)
    place = f"{without_password(base)} (ANTHROPIC_BASE_URL)" if base else str(client.base_url.host)
    tried(anthropic, client, place, "ANTHROPIC_API_KEY" if key else "ANTHROPIC_AUTH_TOKEN")
    return AnthropicModel(name, client, place)
