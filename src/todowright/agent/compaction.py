"""Making a full context smaller: old results go first, then the past is summed up. The plan stays."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from todowright.agent.events import Compaction, Event
from todowright.agent.progress import Progress
from todowright.agent.providers import Message, ModelError, Request, Usage, asked, words
from todowright.agent.state import AgentState
from todowright.host.messages import cleared
from todowright.plan.model import Plan
from todowright.text import clip, neutral

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


def made_to_fit(run: Progress) -> Iterator[Event]:
    """Make the context smaller where it is too full; the plan comes back with it."""
    agent = run.agent
    before = tokens(run.request(), agent.seen)
    if before <= agent.room:
        return
    run.wrote = False  # the reply that told of the plan may be gone: its tail is needed
    kind, messages, after, usage = smaller(agent, run.request(), agent.room)
    run.spend(usage)
    if after < before:
        agent.transcript.replace(messages)
        yield Compaction(run.name, kind, before, after, usage)
    else:
        agent.room = before  # it will not get smaller: now its provider has the word


def smaller(
    agent: AgentState, request: Request, room: int
) -> tuple[Literal["cleared", "summarised"], list[Message], int, Usage]:
    """A context that fits: how it was made, its messages, its tokens, and what a summary cost.

    What the last message holds was never seen by the model: it is shortened at most.
    """
    plan, asked_for = agent.todo.plan, _in_room(agent.transcript.asked, room)

    def count(messages: list[Message]) -> int:
        return tokens(replace(request, messages=messages), agent.seen)

    messages = _planned_anew(request.messages, plan, agent.transcript.asked)
    messages = cleared(messages, agent.is_plan_call, recent=RECENT)
    if count(messages) <= room * _COMFORT:
        return "cleared", messages, count(messages), Usage()
    summary, usage = _summary(agent, request.messages, room)
    none = lambda *_: False  # noqa: E731
    for recent, kept in ((RECENT, agent.is_plan_call), (2, agent.is_plan_call), (2, none)):
        messages = begun_anew(request.messages, asked_for, summary, plan.snapshot(), recent)
        messages = cleared(messages, kept, recent=1)
        if count(messages) <= room * _COMFORT:
            break
    if count(messages) > room:
        messages = begun_anew(request.messages, asked_for, clip(summary, 2000), plan.tail(), 2)
        over = count(messages := cleared(messages, none, recent=1)) - room
        messages = _shortened(messages, over)
    return "summarised", messages, count(messages), usage


def without_its_tags(log: str) -> str:
    """A text that can stand in `<log>`: that block is ours alone."""
    return re.sub(r"<(\s*+/?\s*+log\s*+)>", r"‹\1›", log, flags=re.IGNORECASE)


def _summary(agent: AgentState, messages: list[Message], room: int) -> tuple[str, Usage]:
    """The past in the model's own words; the end of it as it was where nobody sums it up."""
    first, *others = messages
    begin = "\n".join(block["text"] for block in first["content"] if block["type"] == "text")
    past = "\n".join(_told(others))
    log = f"{begin}\n{past[-max(2000, int(room * 2.5) - len(begin)) :]}"
    log = without_its_tags(log)
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
    """The messages with the long texts of the last one cut in the middle, by so many tokens in all."""
    last = messages[-1]
    keys = {"tool_result": "content", "text": "text"}
    texts = [block[keys[block["type"]]] for block in last["content"] if block["type"] in keys]
    long = [len(text) for text in texts if len(text) > 500]
    if over <= 0 or not long:
        return messages
    left = max(500, sum(long) - over * 3) // len(long)
    content = [
        {**block, key: cut_out(block[key], left)} if (key := keys.get(block["type"])) else block
        for block in last["content"]
    ]
    return [*messages[:-1], {**last, "content": content}]


def cut_out(text: str, left: int) -> str:
    """A text that is too long without its middle, and a word about it."""
    if len(text) <= max(left, 500):
        return text
    half = max(1, left // 2)
    told = f"[{len(text) - 2 * half} characters left out: there is no room]"
    return f"{text[:half]}\n{told}\n{text[-half:]}"


def _in_room(asked_for: list[str], room: int) -> list[str]:
    """What the user wanted, first and last; long texts share two fifths of the room."""
    wanted = [*asked_for[:1], *asked_for[1:][-5:]]
    return [cut_out(text, max(1000, room // max(1, len(wanted)))) for text in wanted]


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
    parts = [*asked_for, f"<summary>\n{summary}\n</summary>", plan]
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
