"""The Messages API, as Claude Code speaks it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from tests.hosts.conversation import Conversation, Turn, texts

_numbers = itertools.count(1)


def read(request: dict[str, Any], headers: dict[str, str]) -> Conversation:
    said = [("system", texts(request.get("system", "")))]
    results = []
    for message in request["messages"]:
        if message["role"] == "assistant":
            said.append(("model", texts(message["content"])))
            continue
        content = message["content"]
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        for block in blocks:
            is_result = block.get("type") == "tool_result"
            text = texts(block.get("content", "") if is_result else block)
            said.append(("tool" if is_result else message["role"], text))
            if is_result:
                results.append(text)
    tools = request.get("tools", [])
    names = [tool["name"] for tool in tools if not tool.get("defer_loading")]
    return Conversation(names, said, tools, request.get("model", ""), results=results)


def _blocks(turn: Turn, conversation: Conversation) -> list[dict[str, Any]]:
    if isinstance(turn, str):
        return [{"type": "text", "text": turn}]
    return [
        {
            "type": "tool_use",
            "id": f"toolu_{next(_numbers):06}",
            "name": conversation.full_name(call.tool),
            "input": conversation.arguments(call),
        }
        for call in turn
    ]


def whole(turn: Turn, conversation: Conversation) -> dict[str, Any]:
    return {
        "id": f"msg_{next(_numbers):06}",
        "type": "message",
        "role": "assistant",
        "model": conversation.model,
        "content": _blocks(turn, conversation),
        "stop_reason": "end_turn" if isinstance(turn, str) else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": conversation.tokens, "output_tokens": 10},
    }


def stream(turn: Turn, conversation: Conversation) -> Iterator[tuple[str, Any]]:
    import json

    message = whole(turn, conversation)
    blocks, reason = message["content"], message["stop_reason"]
    yield (
        "message_start",
        {
            "type": "message_start",
            "message": {**message, "content": [], "stop_reason": None},
        },
    )
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield "content_block_start", {
            "type": "content_block_start", "index": index, "content_block": empty,
        }  # fmt: skip
        yield "content_block_delta", {
            "type": "content_block_delta", "index": index, "delta": delta,
        }  # fmt: skip
        yield "content_block_stop", {"type": "content_block_stop", "index": index}
    yield (
        "message_delta",
        {
            "type": "message_delta",
            "delta": {"stop_reason": reason, "stop_sequence": None},
            "usage": {"output_tokens": 10},
        },
    )
    yield "message_stop", {"type": "message_stop"}
