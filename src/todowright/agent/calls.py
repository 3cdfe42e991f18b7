"""Making the calls that a model wants: of the plan, of a tool, of a sub-agent."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from todowright.agent.events import Action, Ended, Event, Observation
from todowright.agent.progress import Progress
from todowright.agent.providers import Answer, Message, ToolCall, Usage
from todowright.agent.state import AgentState
from todowright.agent.work.folder import CommandFailed, ToolFault
from todowright.agent.work.tools import checked
from todowright.host.text_calls import calls_in_text
from todowright.text import shown

HOW_TO_CALL = "<reminder>You wrote this call as text. Make the next one as a tool call.</reminder>"
NO_CALL = (
    "<reminder>That was no tool call, so nothing was done. Call one tool at a time, as "
    '{"name": "bash", "arguments": {"command": "ls"}} and nothing else.</reminder>'
)
SAID_NOTHING = (
    "<reminder>You said nothing. Is every part of the task done? If not, call the tool for the next part. "
    "Else say in a sentence what you did.</reminder>"
)
"""To a model whose answer is a call that nobody can read."""


def read_from_text(agent: AgentState, answer: Answer) -> Answer:
    """The answer as if its calls had been made, where it has none but is a text of nothing but calls."""
    if answer.calls or answer.stop not in ("end", "tools"):
        return answer
    offered = {tool.name: tool.input_schema for tool in agent.offered}
    found = calls_in_text(answer.text, offered, seen=_seen(agent.messages))
    calls = tuple(ToolCall("", call.name, call.arguments) for call in found)
    return replace(answer, text="", calls=calls, stop="tools") if calls else answer


def is_broken_call(agent: AgentState, text: str) -> bool:
    """Whether an answer without a call was meant to be one: it names a tool in the form of a call, of its own accord."""
    names = "|".join(re.escape(tool.name) for tool in agent.offered)
    form = re.compile(rf"""<(?:{names}|tool_call)[\s/>]|["']name["']: ?["'](?:{names})["']""")
    told = (seen for seen in _seen(agent.messages) if seen != NO_CALL)
    return bool(form.search(text)) and not any(map(form.search, told))


def _seen(messages: Sequence[Message]) -> Iterator[str]:
    """The texts that the model may quote: what it was told or given, and what it wrote into files."""
    for message in messages:
        for block in message["content"]:
            if block["type"] == "text" and message["role"] == "user":
                yield block["text"]
            elif block["type"] == "tool_result":
                yield block["content"]
            elif block["type"] == "tool_use":
                yield from (text for text in block["input"].values() if isinstance(text, str))


def performed(
    run: Progress, calls: Sequence[ToolCall], outcomes: list[Observation]
) -> Iterator[Event]:
    """Make the calls of a turn: side by side if all only read, else one by one in their order."""
    agent, tools = run.agent, run.agent.tools
    actions = [Action(run.name, call.id, call.name, call.arguments) for call in calls]
    if len(calls) > 1 and all(c.name in tools and tools[c.name].tool.read_only for c in calls):
        yield from actions
        with ThreadPoolExecutor(min(8, len(calls))) as pool:
            outcomes += pool.map(lambda call: made(agent, call), calls)
        yield from outcomes
        return
    replies: list[range] = []  # for each outcome, the plan's replies that are in it
    with agent.todo.turn() as turn:
        for call, action in zip(calls, actions, strict=True):
            yield action
            said = len(turn.replies)
            if not run.left():
                text = "Error: not run, the time is up"
                outcome = Observation(agent.todo.agent, call.id, call.name, text, is_error=True)
            elif call.name == "task" and not agent.is_helper:
                outcome, spent = yield from helped(agent, call, run.usage)
                run.usage += spent
            else:
                outcome = made(agent, call)
            if call.fault:
                turn.count_unreadable(call.name)
            replies.append(range(said, len(turn.replies)))
            outcomes.append(outcome)
            yield outcome
            yield from run.news()
    for at, said_there in enumerate(replies):  # now the one that stands says so
        if turn.stands is not None and turn.stands in said_there:
            ours = outcomes[at].tool in agent.plan_tools
            text = turn.replies[turn.stands].text if ours else f"{outcomes[at].text}\n{turn.note}"
            outcomes[at] = replace(outcomes[at], text=text)


def made(agent: AgentState, call: ToolCall) -> Observation:
    """Make a call, of the plan or of another tool."""
    text, is_error = _outcome(agent, call)
    return Observation(agent.todo.agent, call.id, call.name, text, is_error)


def _outcome(agent: AgentState, call: ToolCall) -> tuple[str, bool]:
    name, offered = call.name, [tool.name for tool in agent.offered]
    if call.fault:
        return f"Error: {call.fault}", True
    if name in agent.plan_tools and name in offered:
        reply = agent.todo(call.arguments, tool=name)
        return reply.text or "(nothing)", reply.is_error
    if name not in agent.tools:
        told = f"no tool is called '{shown(name)}': use {', '.join(offered)}"
        return f"Error: {told}", True
    tool = agent.tools[name]
    try:
        asks_nothing = tool.tool.read_only or agent.is_plan_only(name, call.arguments)
        refusal = agent.permissions.refusal(name, call.arguments, read_only=asks_nothing)
        if refusal:
            return f"Error: {refusal}", True
        return tool.run(**checked(tool.tool, call.arguments)), False
    except CommandFailed as failed:
        return str(failed), True
    except ToolFault as fault:
        return f"Error: {fault}", True
    except Exception as error:  # a full disk, a folder that is gone: for the model to know
        return f"Error: {type(error).__name__}: {shown(error, 200)}", True


def helped(
    agent: AgentState, call: ToolCall, used: Usage
) -> Generator[Event, None, tuple[Observation, Usage]]:
    """Let a sub-agent do a piece of work; its events come up, its plan goes with it."""
    prompt = call.arguments.get("prompt")
    refusal = call.fault or agent.permissions.refusal("task", call.arguments, read_only=False)
    if not refusal and not (isinstance(prompt, str) and prompt.strip()):
        refusal = "'prompt' is missing: say what to do"
    text, is_error, spent = f"Error: {refusal}", True, Usage()
    if not refusal:
        with agent.helper(used) as helper:
            for event in helper.run(str(prompt)):
                yield event
                if isinstance(event, Ended):
                    text, is_error = event.text or "(no answer)", event.reason != "answer"
                    spent = event.usage
    return Observation(agent.todo.agent, call.id, call.name, text, is_error), spent
