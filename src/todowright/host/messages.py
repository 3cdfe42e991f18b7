"""Messages made smaller when a context is compacted: superseded plan calls, old results.

Takes the Messages form (tool_use and tool_result blocks); `shrunk` takes Chat Completions, too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from todowright.text import clip

_SHORT = 200


def shrunk(messages: Sequence[dict[str, Any]], tools: Sequence[str]) -> list[dict[str, Any]]:
    """The messages with superseded plan calls made small, for use when a context is compacted.

    The last call that sent a list stays, and all that came after it. `tools` are the names of the plan tools,
    as `todo.tools` has them: the first is the one that sends the list.

    Takes the Messages form (tool_use and tool_result blocks) and the Chat Completions form
    (tool_calls and tool messages). Every call keeps its id and its result; the input is not changed.
    """
    if isinstance(tools, (str, set, frozenset)):
        raise TypeError(
            "tools is a list of names in the order of `todo.tools`: the first sends the list"
        )
    names = set(tools)
    calls = [call for message in messages for call in _calls(message) if call[1] in names]
    whole = next(iter(tools), None)
    refused = {identity for message in messages for identity in _refused(message)}
    lists = [
        n
        for n, (identity, name, arguments) in enumerate(calls)
        if name == whole and identity not in refused and _has_list(arguments)
    ]
    old = {identity for identity, *_ in calls[: lists[-1] if lists else 0]}
    return [_small(message, old) for message in messages]


def _has_list(arguments: object) -> bool:
    """Whether a call sent a list of steps, and not only what changes."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return False
    lists = arguments.items() if isinstance(arguments, dict) else ()
    return any(isinstance(value, list) and value for _, value in lists)


def _refused(message: dict[str, Any]) -> list[str]:
    """The ids of the calls that a message answers with an error."""
    content = message.get("content")
    if message.get("role") == "tool":
        failed = str(content or "").startswith("Error:")
        return [message.get("tool_call_id", "")] if failed else []
    blocks = (
        [each for each in content if isinstance(each, dict)] if isinstance(content, list) else []
    )
    results = [block for block in blocks if block.get("type") == "tool_result"]
    return [
        block.get("tool_use_id", "")
        for block in results
        if block.get("is_error") or str(block.get("content") or "").startswith("Error:")
    ]


def _calls(message: dict[str, Any]) -> list[tuple[str, str, object]]:
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    uses = [
        block for block in blocks if isinstance(block, dict) and block.get("type") == "tool_use"
    ]
    calls = message.get("tool_calls") or ()
    found: list[tuple[str, str, object]] = [
        (use["id"], use["name"], use.get("input")) for use in uses
    ]
    for call in calls:
        function = call.get("function") or {}  # other kinds of calls have none
        found.append((call.get("id", ""), function.get("name", ""), function.get("arguments")))
    return found


def _small(message: dict[str, Any], old: set[str]) -> dict[str, Any]:
    small = dict(message)
    if isinstance(message.get("content"), list):
        small["content"] = [_small_block(block, old) for block in message["content"]]
    if message.get("tool_calls"):
        small["tool_calls"] = [
            {**call, "function": {**call["function"], "arguments": "{}"}}
            if call.get("id") in old
            else call
            for call in message["tool_calls"]
        ]
    if message.get("role") == "tool" and message.get("tool_call_id") in old:
        small["content"] = "superseded"
    return small


def _small_block(block: Any, old: set[str]) -> Any:
    if not isinstance(block, dict):
        return block
    if block.get("type") == "tool_use" and block.get("id") in old:
        return {**block, "input": {}}
    if block.get("type") == "tool_result" and block.get("tool_use_id") in old:
        return {**block, "content": "superseded"}
    return block


def cleared(
    messages: Sequence[dict[str, Any]], keeps: Callable[[str, Any], bool], *, recent: int
) -> list[dict[str, Any]]:
    """The messages with old results, and long old arguments, taken out.

    Calls that it `keeps`, by tool and arguments, stay, and so do the `recent` last messages. Takes the
    Messages form; the input is not changed.
    """
    ours = {
        identity
        for each in messages
        for identity, name, arguments in _calls(each)
        if keeps(name, arguments)
    }
    old = len(messages) - recent
    return [
        {**message, "content": [_emptied(block, ours) for block in message["content"]]}
        if index < old
        else message
        for index, message in enumerate(messages)
    ]


def _emptied(block: dict[str, Any], ours: set[str]) -> dict[str, Any]:
    if block["type"] == "tool_result" and block["tool_use_id"] not in ours:
        length = len(block["content"])
        if length > _SHORT:
            told = f"[{length} characters cleared; call again if you need them]"
            return {**block, "content": told}
    if block["type"] == "tool_use" and block["id"] not in ours:
        given = block["input"].items()
        return {**block, "input": {key: _clipped(value) for key, value in given}}
    return block


def _clipped(value: Any) -> Any:
    """An argument with its long texts cut, however deep they are."""
    if isinstance(value, str):
        return clip(value, _SHORT)
    if isinstance(value, list):
        return [_clipped(each) for each in value]
    if isinstance(value, dict):
        return {key: _clipped(each) for key, each in value.items()}
    return value
