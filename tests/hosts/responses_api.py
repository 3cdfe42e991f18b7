"""The Responses API, as Codex speaks it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

from tests.hosts.conversation import Conversation, Turn, texts

_numbers = itertools.count(1)


def read(request: dict[str, Any], headers: dict[str, str]) -> Conversation:
    said = [("system", request.get("instructions") or "")]
    results: list[str] = []
    for item in request["input"]:
        kind = item.get("type", "message")
        if kind == "message":
            who = {"assistant": "model", "user": "user"}.get(item["role"], "system")
            said.append((who, texts(item.get("content"))))
        elif kind in ("function_call", "custom_tool_call"):
            said.append(("model", item["name"]))
        elif kind in ("function_call_output", "custom_tool_call_output"):
            results.append(texts(item["output"]))
            said.append(("tool", results[-1]))
    names = []
    for tool in request.get("tools", []):
        within = tool.get("tools") if tool.get("type") == "namespace" else None
        names += [f"{tool['name']}__{each['name']}" for each in within or ()]
        names += [] if within is not None else [tool.get("name") or tool["type"]]
    return Conversation(
        names, said, request.get("tools", []), request.get("model", ""), results=results
    )


def _items(turn: Turn, conversation: Conversation) -> list[dict[str, Any]]:
    if isinstance(turn, str):
        content = [{"type": "output_text", "text": turn, "annotations": []}]
        return [
            {"type": "message", "id": f"msg_{next(_numbers)}", "role": "assistant",
             "status": "completed", "content": content}
        ]  # fmt: skip
    items = []
    for call in turn:
        name, space = conversation.full_name(call.tool), None
        for tool in conversation.definitions:
            if tool.get("type") == "namespace" and name.startswith(f"{tool['name']}__"):
                name, space = name[len(tool["name"]) + 2 :], tool["name"]
        items.append(
            {"type": "function_call", "id": f"fc_{next(_numbers)}", "call_id": f"call_{next(_numbers)}",
             "name": name, "arguments": json.dumps(conversation.arguments(call)), "status": "completed",
             **({"namespace": space} if space else {})}
        )  # fmt: skip
    return items


def whole(turn: Turn, conversation: Conversation) -> dict[str, Any]:
    return {
        "id": f"resp_{next(_numbers)}",
        "object": "response",
        "status": "completed",
        "model": conversation.model,
        "output": _items(turn, conversation),
        "usage": {
            "input_tokens": conversation.tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 10,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": conversation.tokens + 10,
        },
    }


def stream(turn: Turn, conversation: Conversation) -> Iterator[tuple[str, Any]]:
    response = whole(turn, conversation)
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    yield "response.created", {"type": "response.created", "response": begun}
    for index, item in enumerate(response["output"]):
        empty = {**item, "content": []} if "content" in item else item
        yield "response.output_item.added", {
            "type": "response.output_item.added", "output_index": index, "item": empty,
        }  # fmt: skip
        yield "response.output_item.done", {
            "type": "response.output_item.done", "output_index": index, "item": item,
        }  # fmt: skip
    yield "response.completed", {"type": "response.completed", "response": response}
