"""Making the calls that a model wants: of the plan, of a tool, of a sub-agent."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, NamedTuple

from todowright.agent.events import Ended, Event, Usage
from todowright.agent.models import ToolCall
from todowright.text import shown
from todowright.work.folder import CommandFailed, ToolFault
from todowright.work.tools import checked

if TYPE_CHECKING:
    from todowright.agent.agent import Agent


class Outcome(NamedTuple):
    """What the model is told of a call."""

    text: str
    is_error: bool = False
    usage: Usage = Usage()
    """What a sub-agent used for it."""


def made(agent: Agent, call: ToolCall, *, stands: int = 0) -> Outcome:
    """Make a call, of the plan or of another tool.

    `stands` is the number of plan calls in the turn, for the last of several: its reply says so.
    """
    name, offered = call.name, [tool.name for tool in agent.offered]
    if call.fault:
        return Outcome(f"Error: {call.fault}", is_error=True)
    if name in agent.plan_tools and name in offered:
        reply = agent.todo(call.arguments, tool=name)
        reply = agent.todo.standing(reply, stands) if stands else reply
        return Outcome(reply.text or "(nothing)", reply.is_error)
    if name not in agent.tools:
        told = f"no tool is called '{shown(name)}': use {', '.join(offered)}"
        return Outcome(f"Error: {told}", is_error=True)
    tool = agent.tools[name]
    refusal = agent.permissions.refusal(name, call.arguments, read_only=tool.tool.read_only)
    if refusal:
        return Outcome(f"Error: {refusal}", is_error=True)
    try:
        return Outcome(tool.run(**checked(tool.tool, call.arguments)))
    except CommandFailed as failed:
        return Outcome(str(failed), is_error=True)
    except ToolFault as fault:
        return Outcome(f"Error: {fault}", is_error=True)


def helped(
    agent: Agent, call: ToolCall, used: Usage, seconds: float
) -> Generator[Event, None, Outcome]:
    """Let a sub-agent do a piece of work; its events come up, its plan goes with it."""
    prompt = call.arguments.get("prompt")
    refusal = call.fault or agent.permissions.refusal("task", call.arguments, read_only=False)
    if refusal or not isinstance(prompt, str) or not prompt.strip():
        told = refusal or "'prompt' is missing: say what to do"
        return Outcome(f"Error: {told}", is_error=True)
    with agent.helper(used, seconds) as helper:
        for event in helper.run(prompt):
            yield event
            if isinstance(event, Ended):
                told = event.text or "(no answer)"
                return Outcome(told, event.reason != "answer", event.usage)
    raise AssertionError("a run ends with an end")
