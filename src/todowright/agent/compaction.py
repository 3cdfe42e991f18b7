"""Making a full context smaller: old results go first, then the past is summed up. The plan stays."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from todowright.agent.events import Usage
from todowright.agent.models import Message, ModelError, Request
from todowright.context import cleared
from todowright.model import Plan
from todowright.text import clip

if TYPE_CHECKING:
    from todowright.agent.agent import Agent

RECENT = 6
"""Messages at the end of the context that are left as they are."""
_COMFORT = 0.6
"""The share of the room that a context may fill after it was made smaller."""
_SUMMARISE = (
    "You sum up the work of a coding agent for the agent itself, which will go on from your words alone. In at most "
    "300 words: what was found out, what was changed in which files, what failed and why, what is to be done next. "
    "Facts only. Say nothing about the plan: it is kept elsewhere."
)


def size(request: Request) -> int:
    """The bytes of a request."""
    tools = [[tool.name, tool.description, tool.input_schema] for tool in request.tools]
    parts = [request.system, request.messages, tools, request.tail]
    return len(json.dumps(parts, ensure_ascii=False).encode("utf-8", "replace"))


def tokens(request: Request, seen: tuple[int, int]) -> int:
    """About how many tokens a request has, rather too many than too few.

    `seen` are the bytes of the last one that was answered, and its tokens by the provider's count.
    """
    now, (before, counted) = size(request), seen
    if counted and now >= before:
        return counted + int((now - before) / 1.5)
    return int(now * (counted / before or 0.4))


def smaller(
    agent: Agent, request: Request, room: int
) -> tuple[Literal["cleared", "summarised"], list[Message], int, Usage]:
    """A context that fits: how it was made, its messages, its tokens, and what a summary cost."""
    names = agent.plan_tools

    def count(messages: list[Message]) -> int:
        return tokens(replace(request, messages=messages), agent.seen)

    messages = cleared(_planned_anew(request.messages, agent.todo.plan), names, recent=RECENT)
    if count(messages) <= room * _COMFORT:
        return "cleared", messages, count(messages), Usage()
    try:
        answer = agent.model.answer(request_for_summary(request.messages, room), lambda _: None)
        summary, usage = clip(answer.text, 6000), answer.usage
    except ModelError:
        summary, usage = told_mechanically(request.messages), Usage()
    for recent in (RECENT, 2):
        messages = begun_anew(messages, agent.transcript.asked, summary, agent.todo.plan, recent)
        if count(messages) > room * _COMFORT:
            messages = cleared(messages, names, recent=0)
        if count(messages) <= room * _COMFORT:
            break
    return "summarised", messages, count(messages), usage


def request_for_summary(messages: list[Message], room: int) -> Request:
    """What to ask a model for, so that it sums up these messages; they are told in plain text."""
    lines = []
    for message in messages:
        for block in message["content"]:
            if block["type"] == "text":
                lines.append(f"{message['role']}: {clip(block['text'], 2000)}")
            elif block["type"] == "tool_use":
                lines.append(
                    f"call {block['name']}: {clip(json.dumps(block['input'], ensure_ascii=False), 300)}"
                )
            elif block["type"] == "tool_result":
                lines.append(f"result: {clip(block['content'], 500)}")
    text = "\n".join(lines)[-room * 2 :]
    asked = [
        {
            "role": "user",
            "content": [{"type": "text", "text": f"<log>\n{text}\n</log>\nSum it up."}],
        }
    ]
    return Request(_SUMMARISE, asked, max_tokens=1000)


def begun_anew(
    messages: list[Message], asked: list[str], summary: str, plan: Plan, recent: int = RECENT
) -> list[Message]:
    """A context that begins with the user's words, the summary and the plan, and ends as it did."""
    start = max(0, len(messages) - recent)
    while start < len(messages) and messages[start]["role"] != "assistant":
        start += 1
    words = [clip(text, 4000) for text in [*asked[:1], *asked[1:][-3:]]]
    parts = [*words, f"<summary>\n{summary}\n</summary>", plan.snapshot()]
    first = {
        "role": "user",
        "content": [{"type": "text", "text": text} for text in parts if text.strip()],
    }
    return [first, *messages[start:]]


def _planned_anew(messages: list[Message], plan: Plan) -> list[Message]:
    """The messages with the plan as it is now, where they begin with an older state of it."""
    first, *others = messages
    content = [
        block for block in first["content"] if not block.get("text", "").startswith("<plan>")
    ]
    if len(content) < len(first["content"]) and (text := plan.snapshot()):
        content.append({"type": "text", "text": text})
    return [{**first, "content": content}, *others]


def told_mechanically(messages: list[Message]) -> str:
    """What was done, where no model could be had to sum it up."""
    calls = [
        f"{block['name']} {clip(json.dumps(block['input'], ensure_ascii=False), 100)}"
        for message in messages
        for block in message["content"]
        if block["type"] == "tool_use"
    ]
    return "The last calls before this: " + "; ".join(calls[-20:])
