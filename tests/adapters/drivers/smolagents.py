"""smolagents' `ToolCallingAgent` with a model that plays the script; the sub-agent is a managed agent."""

from __future__ import annotations

import asyncio
from typing import Any

from smolagents import ToolCallingAgent, tool
from smolagents.models import (
    ChatMessage,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
    Model,
)

from tests.adapters.driver import PAGE, Driver, Outcome, Request, Script
from todowright.adapters.smolagents import SmolPlan


class Scripted(Model):  # type: ignore[misc]
    """Plays turns, and keeps what it was sent. Its words are a call of `final_answer`."""

    def __init__(self, turns: Any, hooks: Any = None, names: Any = ()) -> None:
        super().__init__(model_id="scripted")
        self.turns, self.hooks = list(turns), hooks or {}
        self.seen: list[Request] = []
        self.replies: list[str] = []

    def generate(self, messages: Any, tools_to_call_from: Any = None, **_: Any) -> ChatMessage:
        self.hooks.get(len(self.seen), lambda: None)()
        said = [text for message in messages for text in texts(message) if message.role != "system"]
        system = "".join(t for each in messages for t in texts(each) if each.role == "system")
        self.seen.append(Request(said, [each.name for each in tools_to_call_from or ()], system))
        turn = self.turns.pop(0)
        if isinstance(turn, str):
            turn = [("final_answer", {"answer": turn})]
        calls = [
            ChatMessageToolCall(
                id=f"call-{len(self.seen):02}-{at:02}",
                type="function",
                function=ChatMessageToolCallFunction(name=name, arguments=dict(arguments)),
            )
            for at, (name, arguments) in enumerate(turn)
        ]
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=calls)


def texts(message: Any) -> list[str]:
    content = message.content
    return [content] if isinstance(content, str) else [part["text"] for part in content or ()]


@tool
def look() -> str:
    """Look at something."""
    return "seen"


class SmolDriver(Driver):
    name = "smolagents"

    def make(self, store: str, **settings: Any) -> SmolPlan:
        return SmolPlan("settings", store=store, **settings)

    def given_to_pages(self) -> dict[str, Any]:
        return {"model": Scripted(PAGE), "tools": [look]}

    def run(self, plan: SmolPlan, script: Script) -> Outcome:
        main, child = Scripted(script.turns, script.at_request), Scripted(script.child)
        one, options = SmolPlan(script.thread, host=plan.host), {"verbosity_level": -1}
        managed = []
        if script.child:
            kid = ToolCallingAgent([look], child, name="delegate", description="Helps.", **options)
            managed = [one.subagent("helper").added_to(kid)]
        boss = ToolCallingAgent([look], main, managed_agents=managed, max_steps=30, **options)
        agent, answer, events, replies = one.added_to(boss), "", [], []
        for step in agent.run(script.task, stream=True):
            if script.events:
                events += one.changes()
            call = getattr(step, "tool_call", None)
            if call is not None and call.name in one.names:
                replies.append((call.id, step.observation))
            answer = str(getattr(step, "output", answer))
        return Outcome(
            answer=answer,
            requests=main.seen,
            child_requests=child.seen,
            replies=[text for _, text in sorted(replies)],  # as smolagents joins them for the model
            history=[
                text for step in agent.memory.steps for m in step.to_messages() for text in texts(m)
            ],
            events=events,
        )

    async def arun(self, plan: SmolPlan, script: Script) -> Outcome:
        return await asyncio.to_thread(self.run, plan, script)


DRIVER = SmolDriver()
