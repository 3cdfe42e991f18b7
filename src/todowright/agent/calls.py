"""Making the calls that a model wants: of the plan, of a tool, of a sub-agent."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

from todowright.agent.events import Ended, Event, Observation
from todowright.providers import ToolCall, Usage
from todowright.text import shown
from todowright.work.folder import CommandFailed, ToolFault
from todowright.work.tools import checked

if TYPE_CHECKING:
    from todowright.agent.agent import Agent


def made(agent: Agent, call: ToolCall, *, stands: int = 0) -> Observation:
    """Make a call, of the plan or of another tool.

    `stands` is the number of plan calls in the turn, for the last of several: its reply says so.
    """
    text, is_error = _outcome(agent, call, stands)
    return Observation(agent.todo.agent, call.id, call.name, text, is_error)


def _outcome(agent: Agent, call: ToolCall, stands: int) -> tuple[str, bool]:
    name, offered = call.name, [tool.name for tool in agent.offered]
    if call.fault:
        return f"Error: {call.fault}", True
    if name in agent.plan_tools and name in offered:
        reply = agent.todo(call.arguments, tool=name)
        reply = agent.todo.standing(reply, stands) if stands else reply
        return reply.text or "(nothing)", reply.is_error
    if name not in agent.tools:
        told = f"no tool is called '{shown(name)}': use {', '.join(offered)}"
        return f"Error: {told}", True
    tool = agent.tools[name]
    refusal = agent.permissions.refusal(name, call.arguments, read_only=tool.tool.read_only)
    if refusal:
        return f"Error: {refusal}", True
    try:
        return tool.run(**checked(tool.tool, call.arguments)), False
    except CommandFailed as failed:
        return str(failed), True
    except ToolFault as fault:
        return f"Error: {fault}", True


def helped(
    agent: Agent, call: ToolCall, used: Usage, seconds: float
) -> Generator[Event, None, tuple[Observation, Usage]]:
    """Let a sub-agent do a piece of work; its events come up, its plan goes with it."""
    prompt = call.arguments.get("prompt")
    refusal = call.fault or agent.permissions.refusal("task", call.arguments, read_only=False)
    if not refusal and not (isinstance(prompt, str) and prompt.strip()):
        refusal = "'prompt' is missing: say what to do"
    text, is_error, spent = f"Error: {refusal}", True, Usage()
    if not refusal:
        with agent.helper(used, seconds) as helper:
            for event in helper.run(str(prompt)):
                yield event
                if isinstance(event, Ended):
                    text, is_error = event.text or "(no answer)", event.reason != "answer"
                    spent = event.usage
    return Observation(agent.todo.agent, call.id, call.name, text, is_error), spent
