"""A plan for a model's context: a tail that keeps it in view, and a snapshot for compaction.

State is told in words, since a weak model hardly reads marks; what a todo says cannot break out of
its place; the same plan always gives the same text, and nothing earlier in the context is touched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from todowright.text import clip, harmless

if TYPE_CHECKING:
    from todowright.plan.model import Plan, Todo

_MOST_OPEN = 12
_LONGEST = 120
_SHORT = 200
_ID = re.compile(r"t(\d+)")


def neutral(text: str) -> str:
    """Text on one line that cannot open or close a tag, or pass for a line of its own."""
    return harmless(text).replace("<", "‹").replace(">", "›")


def tail(plan: Plan, *, whole: bool = False) -> str:
    """Where the plan stands, for the end of the context; empty where nothing is open.

    Long texts and long lists are cut, unless the `whole` of it is wanted.
    """
    most, longest = (len(plan.todos), 100_000) if whole else (_MOST_OPEN, _LONGEST)
    left = [todo for todo in plan.todos if not todo.closed]
    if not left:
        return ""
    done, total = plan.progress
    lines = [f"Plan: {done} of {total} done."]
    next_one = True
    for todo in left[:most]:
        state = " - NOW" if todo.status == "in_progress" else ""
        if not state and next_one:
            state, next_one = " - NEXT", False
        lines.append(f"{_numbered(plan, todo)}{clip(neutral(todo.content), longest)}{state}")
    if len(left) > most:
        lines.append(f"and {len(left) - most} more")
    if plan.summary:
        lines.append(f"Note: {clip(neutral(plan.summary), longest)}")
    return "\n".join(lines)


def snapshot(plan: Plan) -> str:
    """The plan for a compacted context: notes about where the work is, not new orders."""
    body = tail(plan, whole=True)
    if not body:
        return ""
    done = [neutral(todo.content) for todo in plan.todos if todo.status == "completed"]
    finished = f"\nFinished, not to be done again: {clip('; '.join(done), 400)}" if done else ""
    return f"<plan>\n{body}{finished}\n</plan>"


def number_of(plan: Plan, todo: Todo) -> int:
    """The number of a step in its plan; 0 or less if it is of an earlier one.

    It is the place of its id among those that its plan has handed out, or taken from a program.
    """
    found = _ID.fullmatch(todo.id)
    place = int(found[1]) if found else todo.number
    return place - plan.numbered_from if place else 0


def _numbered(plan: Plan, todo: Todo) -> str:
    number = number_of(plan, todo)
    return f"{number}. " if number > 0 else "- "


def shrunk(messages: Sequence[dict[str, Any]], tools: Iterable[str]) -> list[dict[str, Any]]:
    """The messages with superseded plan calls made small, for use when a context is compacted.

    The last call that sent a list stays, and all that came after it.

    Takes the Messages form (tool_use and tool_result blocks) and the Chat Completions form
    (tool_calls and tool messages). Every call keeps its id and its result; the input is not changed.
    """
    names = set(tools)
    calls = [call for message in messages for call in _calls(message) if call[1] in names]
    lists = [n for n, (*_, arguments) in enumerate(calls) if _has_list(arguments)]
    old = {identity for identity, *_ in calls[: lists[-1] if lists else -1]}
    return [_small(message, old) for message in messages]


def _has_list(arguments: object) -> bool:
    """Whether a call sent a list of steps, and not only what changes."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return False
    lists = arguments.items() if isinstance(arguments, dict) else ()
    return any(
        isinstance(value, list) and value and key != "text" and not isinstance(value[0], int)
        for key, value in lists
    )


def _calls(message: dict[str, Any]) -> list[tuple[str, str, object]]:
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    uses = [
        block for block in blocks if isinstance(block, dict) and block.get("type") == "tool_use"
    ]
    calls = message.get("tool_calls") or ()
    found = [(use["id"], use["name"], use.get("input")) for use in uses]
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
