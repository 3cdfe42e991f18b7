"""Making a full context smaller: old results go first, then the past is summed up. The plan stays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from todowright.context import cleared, neutral
from todowright.model import Plan
from todowright.providers import Message, ModelError, Request, Usage, words
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
    past = "\n".join(_told(request.messages))
    asked = words("user", f"<log>\n{past[-room * 2 :]}\n</log>\nSum it up.")
    try:
        answer = agent.model.answer(Request(_SUMMARISE, [asked], max_tokens=1000), lambda _: None)
        told, usage = clip(answer.text, 6000), answer.usage
    except ModelError:  # nobody sums it up: the end of it, as it was
        told, usage = f"The last calls before this:\n{past[-2000:]}", Usage()
    summary = "\n".join(neutral(line) for line in told.splitlines())
    for recent in (RECENT, 2):
        messages = begun_anew(messages, agent.transcript.asked, summary, agent.todo.plan, recent)
        if count(messages) > room * _COMFORT:
            messages = cleared(messages, names, recent=0)
        if count(messages) <= room * _COMFORT:
            break
    return "summarised", messages, count(messages), usage


def _told(messages: list[Message]) -> Iterator[str]:
    """Messages in plain text, a line for each block."""
    for message in messages:
        for block in message["content"]:
            if block["type"] == "text":
                yield f"{message['role']}: {clip(block['text'], 2000)}"
            elif block["type"] == "tool_use":
                given = json.dumps(block["input"], ensure_ascii=False)
                yield f"call {block['name']}: {clip(given, 300)}"
            elif block["type"] == "tool_result":
                yield f"result: {clip(block['content'], 500)}"


def begun_anew(
    messages: list[Message], asked: list[str], summary: str, plan: Plan, recent: int = RECENT
) -> list[Message]:
    """A context that begins with the user's words, the summary and the plan, and ends as it did."""
    start = max(0, len(messages) - recent)
    while start < len(messages) and messages[start]["role"] != "assistant":
        start += 1
    wanted = [clip(text, 4000) for text in [*asked[:1], *asked[1:][-3:]]]
    parts = [*wanted, f"<summary>\n{summary}\n</summary>", plan.snapshot()]
    return [words("user", *[text for text in parts if text.strip()]), *messages[start:]]


def _planned_anew(messages: list[Message], plan: Plan) -> list[Message]:
    """The messages with the plan as it is now, where they begin with an older state of it."""
    first, *others = messages
    content = [
        block for block in first["content"] if not block.get("text", "").startswith("<plan>")
    ]
    if len(content) < len(first["content"]) and (text := plan.snapshot()):
        content.append({"type": "text", "text": text})
    return [{**first, "content": content}, *others]
