"""The rules of the two APIs, as strict as the real ones: what is wrong with a request, if anything."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
BLOCKS = {
    "text": {"type", "text", "cache_control"},
    "tool_use": {"type", "id", "name", "input", "cache_control"},
    "tool_result": {"type", "tool_use_id", "content", "is_error", "cache_control"},
}
FIELDS = {"model", "max_tokens", "messages", "system", "tools", "stream", "tool_choice"}
CHAT_FIELDS = {
    "model", "messages", "max_tokens", "max_completion_tokens", "tools", "stream", "stream_options",
}  # fmt: skip


def messages_api(body: dict[str, Any], headers: Mapping[str, str]) -> str:
    """What the Messages API would refuse."""
    key = headers.get("x-api-key") or headers.get("authorization")
    if not key or not headers.get("anthropic-version"):
        return "a key and anthropic-version are required"
    if extra := body.keys() - FIELDS:
        return f"unknown fields: {extra}"
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        return "max_tokens must be a positive integer"
    messages = body["messages"]
    if not messages or messages[0]["role"] != "user":
        return "the first message must be the user's"
    if messages[-1]["role"] != "user":
        return "the last message must be the user's"
    marks = json.dumps(body).count('"cache_control"')
    if marks > 4:
        return f"{marks} blocks with cache_control; 4 are allowed"
    for tool in body.get("tools", ()):
        if fault := _tool(tool, {"name", "description", "input_schema"}, "input_schema"):
            return fault
    return next(filter(None, (_message(messages, n, body) for n in range(len(messages)))), "")


def _tool(tool: dict[str, Any], fields: set[str], schema: str) -> str:
    if extra := tool.keys() - fields:
        return f"unknown fields of a tool: {extra}"
    if not NAME.fullmatch(tool["name"]):
        return f"tool name {tool['name']!r}"
    if tool[schema].get("type") != "object":
        return "a tool's schema must be of type object"
    return ""


def _message(messages: list[dict[str, Any]], index: int, body: dict[str, Any]) -> str:
    message = messages[index]
    if message.keys() != {"role", "content"}:
        return f"messages.{index}: fields {set(message)}"
    if index and message["role"] == messages[index - 1]["role"]:
        return f"messages.{index}: roles must alternate"
    content = message["content"]
    if not isinstance(content, list) or not content:
        return f"messages.{index}: content must not be empty"
    for block in content:
        if block["type"] not in BLOCKS or block.keys() - BLOCKS[block["type"]]:
            return f"messages.{index}: unknown block or field: {block}"
        if block["type"] == "text" and not block["text"].strip():
            return f"messages.{index}: text must not be blank"
        if block["type"] == "tool_use" and not isinstance(block["input"], dict):
            return f"messages.{index}: input must be an object"
        if block["type"] == "tool_use" and not NAME.fullmatch(block["name"]):
            return f"messages.{index}: tool name {block['name']!r}"
    uses = [block["id"] for block in content if block["type"] == "tool_use"]
    if uses and (message["role"] != "assistant" or not body.get("tools")):
        return f"messages.{index}: tool_use out of place"
    if len(set(uses)) != len(uses):
        return f"messages.{index}: tool_use ids must be unique"
    before = messages[index - 1]["content"] if index else []
    wanted = [block["id"] for block in before if block["type"] == "tool_use"]
    kinds = [block["type"] for block in content]
    results = [block["tool_use_id"] for block in content if block["type"] == "tool_result"]
    if message["role"] == "user" and sorted(results) != sorted(wanted):
        return f"messages.{index}: tool_use {wanted} must each have one result, got {results}"
    if results and kinds[: len(results)] != ["tool_result"] * len(results):
        return f"messages.{index}: results come first"
    return ""


def chat_completions(body: dict[str, Any], headers: Mapping[str, str]) -> str:
    """What the Chat Completions API would refuse."""
    if not headers.get("authorization", "").startswith("Bearer "):
        return "a key is required"
    if extra := body.keys() - CHAT_FIELDS:
        return f"unknown fields: {extra}"
    for tool in body.get("tools", ()):
        if fault := _tool(tool["function"], {"name", "description", "parameters"}, "parameters"):
            return fault
    waiting: list[str] = []
    for index, message in enumerate(body["messages"]):
        role = message["role"]
        if (role == "system") != (index == 0):
            return f"messages.{index}: the system message comes first, once"
        if role == "tool":
            if message["tool_call_id"] not in waiting:
                return f"messages.{index}: no call waits for this result"
            waiting.remove(message["tool_call_id"])
        elif waiting:
            return f"messages.{index}: calls without a result: {waiting}"
        if not message.get("content") and not (role == "assistant" and message.get("tool_calls")):
            return f"messages.{index}: content must not be empty"
        for call in message.get("tool_calls", ()):
            if not isinstance(json.loads(call["function"]["arguments"]), dict):
                return f"messages.{index}: arguments must be an object"
            if not NAME.fullmatch(call["function"]["name"]):
                return f"messages.{index}: name {call['function']['name']!r}"
            waiting.append(call["id"])
    return f"calls without a result: {waiting}" if waiting else ""


def prefix_blocks(body: dict[str, Any]) -> Iterable[tuple[str, bool]]:
    """The blocks of a request in the order in which they are cached, and whether each is marked."""
    yield json.dumps(body.get("tools", [])), False
    system = body.get("system", [])
    messages = [{"role": "system", "content": system}, *body["messages"]]
    for message in messages:
        content = message.get("content")
        for block in content if isinstance(content, list) else [{"text": str(content)}]:
            bare = {key: value for key, value in block.items() if key != "cache_control"}
            yield message["role"] + json.dumps(bare), "cache_control" in block
