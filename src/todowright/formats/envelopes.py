"""A call taken out of whatever it came in: the blocks, messages and events of APIs and agents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from todowright.errors import Unreadable
from todowright.formats.items import from_text, label_of
from todowright.formats.reading import ToolCall

_NAMES = ("name", "tool_name", "toolName", "tool")
_ARGUMENTS = ("input", "arguments", "args", "tool_input", "parameters", "rawInput", "params")
_RESULTS = ("tool_response", "tool_use_result", "toolUseResult", "result", "output", "tool_result")
_IDS = (
    "tool_use_id",
    "call_id",
    "callID",
    "tool_call_id",
    "toolCallId",
    "toolUseID",
    "toolUseId",
    "id",
)
_WRAPPERS = (
    *("function", "functionCall", "function_call", "payload", "update", "item", "part"),
    *("message", "params", "event", "msg", "tool_call", "tool_use", "toolUse", "data", "kwargs"),
)
_LISTS = ("content", "parts", "tool_calls", "toolCalls", "calls", "choices", "candidates", "output")
"""Lists of calls, or of what holds some; a few APIs have one object in their place."""
_DEEPEST = 8
_MOST = 20_000
"""How many objects are looked into."""


def calls_in(given: object, known: Mapping[str, object]) -> Iterator[ToolCall]:
    """The calls and messages in a value that are of a known tool or kind, as deep as APIs put them."""
    yield from _Search(known).calls(given, "", None, _DEEPEST)


class _Search:
    """Looks for calls in a value, and gives up where it is too large."""

    def __init__(self, known: Mapping[str, object]) -> None:
        self._known = known
        self._left = _MOST

    def calls(self, given: object, label: str, result: object, depth: int) -> Iterator[ToolCall]:
        """The calls in a value; the id and the result that stood around it are theirs."""
        if depth == 0:
            return
        if isinstance(given, (list, tuple)):
            for each in given:
                if isinstance(each, Mapping):
                    yield from self.calls(each, "", None, depth - 1)
            return
        if not isinstance(given, Mapping):
            return
        self._left -= 1
        if self._left < 0:
            raise Unreadable(f"it has more than {_MOST} objects: read it in parts")
        label, result = _label(given) or label, _first(given, _RESULTS, result)
        call = self._named(given, label, result) or self._of_a_kind(given, label, result)
        if call is not None:
            yield call
            return
        for key in _WRAPPERS:
            if isinstance(given.get(key), Mapping):
                yield from self.calls(given[key], label, result, depth - 1)
        for key in _LISTS:
            if isinstance(given.get(key), (list, tuple, Mapping)):
                yield from self.calls(given[key], "", None, depth - 1)

    def _named(self, given: Mapping[Any, Any], label: str, result: object) -> ToolCall | None:
        """A call of a tool that is known by its name, or of any with a checklist of Cline in it."""
        name = _first(given, _NAMES)
        if not isinstance(name, str):
            return None
        if (tool := tool_name(name, self._known)) is not None:
            state = given.get("state")
            inner = state if isinstance(state, Mapping) else given  # a part of opencode
            arguments = _first(inner, _ARGUMENTS)
            if arguments is not None or not isinstance(given.get("status"), str):
                result = _first(inner, _RESULTS, result)
                return ToolCall(tool, {} if arguments is None else arguments, result, label)
        progress = _progress(given)
        if progress:
            return ToolCall("task_progress", {"task_progress": progress}, None, label)
        return None

    def _of_a_kind(self, given: Mapping[Any, Any], label: str, result: object) -> ToolCall | None:
        """A message that says of itself what it is."""
        kind = given.get("sessionUpdate") or given.get("type") or given.get("method")
        if not isinstance(kind, str) or kind not in self._known:
            return None
        inner = given.get("params", given.get("properties", given))
        return ToolCall(kind, inner if isinstance(inner, Mapping) else given, result, label)


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
