"""The Gemini API, as Gemini CLI speaks it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.hosts.conversation import Conversation, Turn, texts


def read(request: dict[str, Any], headers: dict[str, str]) -> Conversation:
    said = [("system", texts((request.get("systemInstruction") or {}).get("parts", [])))]
    results: list[str] = []
    for content in request["contents"]:
        for part in content.get("parts", []):
            if "functionResponse" in part:
                results.append(json.dumps(part["functionResponse"].get("response")))
                said.append(("tool", results[-1]))
            elif content.get("role") != "model":
                said.append(("user", part.get("text", "")))
        if content.get("role") == "model":
            said.append(("model", texts(content.get("parts", []))))
    declared = [
        each for tool in request.get("tools", []) for each in tool.get("functionDeclarations", [])
    ]
    names = [each["name"] for each in declared]
    return Conversation(names, said, declared, results=results)


def whole(turn: Turn, conversation: Conversation) -> dict[str, Any]:
    if isinstance(turn, str):
        parts: list[dict[str, Any]] = [{"text": turn}]
    else:
        parts = [
            {
                "functionCall": {
                    "name": conversation.full_name(call.tool),
                    "args": conversation.arguments(call),
                }
            }
            for call in turn
        ]
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}


def stream(turn: Turn, conversation: Conversation) -> Iterator[tuple[str, Any]]:
    yield "", whole(turn, conversation)
