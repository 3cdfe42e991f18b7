"""A call taken out of whatever it came in: the blocks, messages and events of APIs and agents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from todowright.formats.items import from_text, label_of
from todowright.formats.reading import ToolCall

_NAMES = ("name", "tool_name", "toolName", "tool")
_ARGUMENTS = ("input", "arguments", "args", "tool_input", "parameters", "rawInput", "params")
_RESULTS = ("tool_response", "tool_use_result", "toolUseResult", "result", "output", "tool_result")
_IDS = ("tool_use_id", "call_id", "callID", "tool_call_id", "toolCallId", "toolUseID", "id")
_WRAPPERS = (
    *("function", "functionCall", "function_call", "payload", "update", "item", "part"),
    *("message", "params", "event", "msg", "tool_call", "tool_use", "data", "kwargs"),
)
_LISTS = ("content", "parts", "tool_calls", "toolCalls", "calls")
_DEEPEST = 8
_MOST = 10_000
"""How many calls are taken out of one value."""


def calls_in(given: object, known: Mapping[str, object]) -> Iterator[ToolCall]:
    """The calls and messages in a value that are of a known tool or kind, as deep as APIs put them."""
    yield from _calls(given, known, "", None, _DEEPEST)


def _calls(
    given: object, known: Mapping[str, object], label: str, result: object, depth: int
) -> Iterator[ToolCall]:
    if depth == 0:
        return
    if isinstance(given, (list, tuple)):
        for each in given[:_MOST]:
            if isinstance(each, Mapping):
                yield from _calls(each, known, "", None, depth - 1)
        return
    if not isinstance(given, Mapping):
        return
    label = _label(given) or label
    result = _first(given, _RESULTS, result)
    name = _first(given, _NAMES)
    if isinstance(name, str) and tool_name(name, known) is not None:
        state = given.get("state")
        inner = state if isinstance(state, Mapping) else given  # a part of opencode
        arguments = _first(inner, _ARGUMENTS)
        if arguments is not None or not isinstance(given.get("status"), str):
            result = _first(inner, _RESULTS, result)
            yield ToolCall(name, {} if arguments is None else arguments, result, label)
            return
    if isinstance(name, str) and (progress := _progress(given)):
        yield ToolCall("task_progress", {"task_progress": progress}, None, label)
        return
    kind = given.get("sessionUpdate") or given.get("type") or given.get("method")
    if isinstance(kind, str) and kind in known:
        inner = given.get("params", given.get("properties", given))
        yield ToolCall(kind, inner if isinstance(inner, Mapping) else given, result, label)
        return
    for key in _WRAPPERS:
        if isinstance(given.get(key), Mapping):
            yield from _calls(given[key], known, label, result, depth - 1)
    for key in _LISTS:
        if isinstance(given.get(key), (list, tuple)):
            yield from _calls(given[key], known, "", None, depth - 1)


def _progress(given: Mapping[Any, Any]) -> str:
    """The checklist that Cline sends along with a call of any tool."""
    arguments = _first(given, _ARGUMENTS)
    value = from_text(arguments) if isinstance(arguments, str) else arguments
    found = value.get("task_progress") if isinstance(value, Mapping) else None
    return found if isinstance(found, str) else ""


def tool_name(name: str, known: Mapping[str, object]) -> str | None:
    """The tool that is meant, also behind the name of a server: `mcp__plans__TodoWrite`; None for another."""
    if name in known:
        return name
    for mark in ("__", ".", ":", "/"):
        last = name.rpartition(mark)[2]
        if last != name and last in known:
            return last
    return None


def _first(given: Mapping[Any, Any], keys: tuple[str, ...], default: object = None) -> object:
    return next((given[key] for key in keys if given.get(key) is not None), default)


def _label(given: Mapping[Any, Any]) -> str:
    return next((label_of(given[key]) for key in _IDS if given.get(key) is not None), "")


def as_value(given: object) -> object:
    """A value that was given as text or bytes."""
    if isinstance(given, (bytes, bytearray)):
        given = bytes(given).decode("utf-8", "replace")
    return from_text(given.removeprefix("\ufeff")) if isinstance(given, str) else given
