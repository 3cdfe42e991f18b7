"""Making a full context smaller: old results go first, then the past is summed up. The plan stays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from todowright.context import cleared, neutral
from todowright.model import Plan
from todowright.providers import Message, ModelError, Request, Usage, asked, words
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
    """A context that fits: how it was made, its messages, its tokens, and what a summary cost.

    What the last message holds was never seen by the model: it is shortened at most.
    """
    names, plan, asked_for = agent.plan_tools, agent.todo.plan, agent.transcript.asked

    def count(messages: list[Message]) -> int:
        return tokens(replace(request, messages=messages), agent.seen)

    messages = cleared(_planned_anew(request.messages, plan, asked_for), names, recent=RECENT)
    if count(messages) <= room * _COMFORT:
        return "cleared", messages, count(messages), Usage()
    summary, usage = _summary(agent, request.messages, room)
    for recent, kept in ((RECENT, names), (2, names), (2, ())):
        messages = begun_anew(request.messages, asked_for, summary, plan.snapshot(), recent)
        messages = cleared(messages, kept, recent=1)
        if count(messages) <= room * _COMFORT:
            break
    if count(messages) > room:
        messages = begun_anew(request.messages, asked_for, clip(summary, 2000), plan.tail(), 2)
        over = count(messages := cleared(messages, (), recent=1)) - room
        messages = _shortened(messages, over)
    return "summarised", messages, count(messages), usage


def _summary(agent: Agent, messages: list[Message], room: int) -> tuple[str, Usage]:
    """The past in the model's own words; the end of it as it was where nobody sums it up."""
    first, *others = messages
    begin = "\n".join(block["text"] for block in first["content"] if block["type"] == "text")
    past = "\n".join(_told(others))
    log = f"{begin}\n{past[-max(2000, int(room * 2.5) - len(begin)) :]}"
    request = Request(
        _SUMMARISE, [words("user", f"<log>\n{log}\n</log>\nSum it up.")], max_tokens=2000
    )
    told, usage = "", Usage()
    for wait in (1.0, 4.0, 0.0):
        try:
            answer = asked(agent.model, request, lambda _: None)
        except ModelError as error:
            if not error.transient or not wait:
                break
            agent.sleep(min(agent.limits.wait, wait if error.wait is None else error.wait))
            continue
        told, usage = clip(answer.text.strip(), 6000), answer.usage
        break
    told = told or f"The last calls before this:\n{past[-2000:]}"
    return "\n".join(neutral(line) for line in told.splitlines()), usage


def _shortened(messages: list[Message], over: int) -> list[Message]:
    """The messages with the results of the last one cut in the middle, by so many tokens in all."""
    last = messages[-1]
    results = [block for block in last["content"] if block["type"] == "tool_result"]
    if over <= 0 or not results:
        return messages
    left = max(500, sum(len(block["content"]) for block in results) - over * 2) // len(results)
    content = []
    for block in last["content"]:
        text = block.get("content", "")
        if block["type"] == "tool_result" and len(text) > left:
            half = left // 2
            cut = f"{text[:half]}\n[{len(text) - left} characters left out: there is no room]\n{text[-half:]}"
            block = {**block, "content": cut}
        content.append(block)
    return [*messages[:-1], {**last, "content": content}]


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
    messages: list[Message], asked_for: list[str], summary: str, plan: str, recent: int
) -> list[Message]:
    """A context that begins with the user's words, the summary and the plan, and ends as it did."""
    start = max(0, len(messages) - recent)
    while start < len(messages) and messages[start]["role"] != "assistant":
        start += 1
    wanted = [clip(text, 4000) for text in [*asked_for[:1], *asked_for[1:][-5:]]]
    parts = [*wanted, f"<summary>\n{summary}\n</summary>", plan]
    return [words("user", *[text for text in parts if text.strip()]), *messages[start:]]


def _planned_anew(messages: list[Message], plan: Plan, asked_for: list[str]) -> list[Message]:
    """The messages with the plan as it is now, where they begin with an older state of it."""
    first, *others = messages
    content = []
    for block in first["content"]:
        text = block.get("text", "")
        if not text.startswith("<plan>") or text in asked_for:
            content.append(block)
    if len(content) < len(first["content"]) and (text := plan.snapshot()):
        content.append({"type": "text", "text": text})
    return [{**first, "content": content}, *others]
