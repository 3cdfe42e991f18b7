"""The Chat Completions API, as OpenCode and Qwen Code speak it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

from tests.hosts.conversation import Conversation, Turn, texts

_numbers = itertools.count(1)
_WHO = {"assistant": "model", "user": "user", "tool": "tool"}


def read(request: dict[str, Any], headers: dict[str, str]) -> Conversation:
    said = [
        (_WHO.get(each["role"], "system"), texts(each.get("content")))
        for each in request["messages"]
    ]
    tools = request.get("tools", [])
    names = [tool["function"]["name"] for tool in tools]
    results = [text for who, text in said if who == "tool"]
    return Conversation(names, said, tools, request.get("model", ""), results=results)


def _message(turn: Turn, conversation: Conversation) -> dict[str, Any]:
    if isinstance(turn, str):
        return {"role": "assistant", "content": turn}
    calls = [
        {
            "index": index,
            "id": f"call_{next(_numbers):06}",
            "type": "function",
            "function": {
                "name": conversation.full_name(call.tool),
                "arguments": json.dumps(conversation.arguments(call)),
            },
        }
        for index, call in enumerate(turn)
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def _frame(conversation: Conversation, kind: str, **more: Any) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{next(_numbers)}",
        "object": kind,
        "created": 1_700_000_000,
        "model": conversation.model,
        **more,
    }


def _usage(conversation: Conversation) -> dict[str, int]:
    size = conversation.tokens
    return {"prompt_tokens": size, "completion_tokens": 10, "total_tokens": size + 10}


def whole(turn: Turn, conversation: Conversation) -> dict[str, Any]:
    reason = "stop" if isinstance(turn, str) else "tool_calls"
    choice = {"index": 0, "message": _message(turn, conversation), "finish_reason": reason}
    return _frame(conversation, "chat.completion", choices=[choice], usage=_usage(conversation))


def stream(turn: Turn, conversation: Conversation) -> Iterator[tuple[str, Any]]:
    reason = "stop" if isinstance(turn, str) else "tool_calls"
    parts: list[tuple[dict[str, Any], str | None]] = [
        (_message(turn, conversation), None),
        ({}, reason),
    ]
    for delta, end in parts:
        choice = {"index": 0, "delta": delta, "finish_reason": end}
        yield "", _frame(conversation, "chat.completion.chunk", choices=[choice])
    yield "", _frame(conversation, "chat.completion.chunk", choices=[], usage=_usage(conversation))
    yield "", "[DONE]"
