"""Models behind the Chat Completions API, by OpenAI's own client: theirs, and any compatible server."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from todowright.agent.providers import Answer, Message, ModelError, OnText, Request, Usage
from todowright.agent.providers.failures import addressed, broken, in_time, read_call, told, tried
from todowright.agent.redaction import without_password
from todowright.dialects.definitions import definitions

_STOPS = {"stop": "end", "length": "cut", "tool_calls": "tools", "content_filter": "refusal"}


class OpenAIModel:
    """Streams its answers."""

    def __init__(self, name: str, client: Any, place: str, *, own_server: bool) -> None:
        self.name = name
        self._client = client
        self._place = place
        self._limit = "max_tokens" if own_server else "max_completion_tokens"
        """Servers of one's own mostly know the older name only."""

    def answer(self, request: Request, on_text: OnText) -> Answer:
        import openai

        body: dict[str, Any] = {
            "model": self.name,
            "messages": list(_messages(request)),
            self._limit: request.max_tokens,
            "stream_options": {"include_usage": True},
        }
        if request.tools:
            body["tools"] = definitions(request.tools, "openai")
        if request.seconds is not None:
            body["timeout"] = request.seconds
        create = self._client.chat.completions.create
        with told(openai, self._place), create(**body, stream=True) as stream:
            return _read(in_time(stream, request.seconds), on_text)


def _messages(request: Request) -> Iterator[Message]:
    """The conversation in this API's form: each result a message, texts behind the results."""
    yield {"role": "system", "content": request.system}
    last = len(request.messages) - 1
    for index, message in enumerate(request.messages):
        blocks = message["content"]
        texts = [block["text"] for block in blocks if block["type"] == "text"]
        if message["role"] == "assistant":
            yield _assistant("\n".join(texts), blocks)
            continue
        for block in blocks:
            if block["type"] == "tool_result":
                content = block["content"]
                yield {"role": "tool", "tool_call_id": block["tool_use_id"], "content": content}
        texts += request.tail if index == last else ()
        if texts:
            yield {"role": "user", "content": "\n\n".join(texts)}


def _assistant(text: str, blocks: list[Message]) -> Message:
    message: Message = {"role": "assistant", "content": text or None}
    calls = []
    for block in blocks:
        if block["type"] == "tool_use":
            arguments = json.dumps(block["input"], ensure_ascii=False)
            function = {"name": block["name"], "arguments": arguments}
            calls.append({"id": block["id"], "type": "function", "function": function})
    return message | {"tool_calls": calls} if calls else message


def _read(stream: Any, on_text: OnText) -> Answer:
    text, stop, usage, began = "", None, Usage(), False
    calls: list[dict[str, str]] = []
    places: dict[Any, dict[str, str]] = {}
    for chunk in stream:
        began = True
        if chunk.usage is not None:
            usage = _usage(chunk.usage)
        for choice in (chunk.choices or ())[:1]:
            stop = choice.finish_reason or stop
            delta = choice.delta
            words = (delta.content or getattr(delta, "refusal", None)) if delta else None
            if words:
                text += words
                on_text(words)
            for part in (delta.tool_calls if delta else None) or ():
                _extend(calls, places, part)
    ended = stop is not None or usage.total > 0  # the count comes behind the end
    if not ended and (calls or not text):  # some servers never say that a text has ended
        raise broken(began=began)
    found = tuple(
        read_call(
            call["id"], call["name"], call["json"], cut=stop == "length" and call is calls[-1]
        )
        for call in calls
    )
    return Answer(text, found, usage, _STOPS.get(stop or "stop", "end"))


def _extend(calls: list[dict[str, str]], places: dict[Any, dict[str, str]], part: Any) -> None:
    """Add a piece of a call; some servers give all calls one index, or none, but an id of its own."""
    call = places.get(part.index)
    if call is None or (part.id and call["id"] and part.id != call["id"]):
        call = {"id": "", "name": "", "json": ""}
        calls.append(call)
        places[part.index] = call
    call["id"] = part.id or call["id"]
    if part.function is not None:
        call["name"] = call["name"] or part.function.name or ""
        call["json"] += part.function.arguments or ""


def _usage(told: Any) -> Usage:
    details = getattr(told, "prompt_tokens_details", None)
    cached = getattr(details, "cached_tokens", None) or 0
    return Usage(told.prompt_tokens or 0, told.completion_tokens or 0, cached)


def connect(name: str, environ: Mapping[str, str]) -> OpenAIModel:
    """A model of this name; says at once if the key is missing or nobody answers."""
    key, base = environ.get("OPENAI_API_KEY"), environ.get("OPENAI_BASE_URL") or None
    if not key and not base:
        raise ModelError(
            "OPENAI_API_KEY is not set: put your key there, or a server of your own in OPENAI_BASE_URL"
        )
    import openai

    with addressed("OPENAI_BASE_URL", base):
        client = openai.OpenAI(api_key=key or "none", base_url=base, max_retries=0)
    place = f"{without_password(base)} (OPENAI_BASE_URL)" if base else str(client.base_url.host)
    tried(openai, client, place, "OPENAI_API_KEY")
    return OpenAIModel(name, client, place, own_server=base is not None)
