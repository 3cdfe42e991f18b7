"""Microsoft Agent Framework with a chat client that plays the script; the sub-agent is `agent.as_tool()`."""

from __future__ import annotations

import asyncio
import json
import warnings
from typing import Any

from agent_framework import (
    Agent,
    AgentSession,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    Message,
    ResponseStream,
    SlidingWindowStrategy,
)

from tests.adapters.driver import PAGE, Driver, Outcome, Request, Script
from todowright.adapters.agent_framework import PlanProvider


class Scripted(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):  # type: ignore[misc]
    """Plays turns, and keeps what it was sent."""

    def __init__(self, turns: Any, hooks: Any = None) -> None:
        super().__init__()
        self.turns, self.hooks = list(turns), hooks or {}
        self.seen: list[Request] = []

    def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **_: Any) -> Any:
        self.hooks.get(len(self.seen), lambda: None)()
        told = [text for message in messages if message.role != "system" for text in texts(message)]
        system = str(options.get("instructions"))
        system += "".join(t for m in messages if m.role == "system" for t in texts(m))
        self.seen.append(Request(told, [tool.name for tool in options.get("tools") or ()], system))
        turn, number = self.turns.pop(0), len(self.seen)
        if isinstance(turn, str):
            contents = [Content.from_text(turn)]
        else:
            contents = [
                Content.from_function_call(
                    call_id=f"c{id(self)}-{number}-{at}", name=name, arguments=json.dumps(args)
                )
                for at, (name, args) in enumerate(turn)
            ]
        if not stream:
            return self._whole(contents)

        async def updates() -> Any:
            yield ChatResponseUpdate(role="assistant", contents=contents)

        return ResponseStream(updates(), finalizer=ChatResponse.from_updates)

    async def _whole(self, contents: Any) -> ChatResponse:
        return ChatResponse(messages=[Message("assistant", contents)])


def texts(message: Any) -> list[str]:
    told = []
    for each in message.contents:
        if each.type == "text":
            told.append(each.text)
        elif each.type == "function_result":
            told.append(str(each.result))
    return told


def look() -> str:
    """Look at something."""
    return "seen"


with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    PlanProvider().loop()  # the framework warns once in a process that its loop is experimental


class FrameworkDriver(Driver):
    name = "agent_framework"

    def make(self, store: str, **settings: Any) -> PlanProvider:
        return PlanProvider(store=store, **settings)

    def given_to_pages(self) -> dict[str, Any]:
        return {"client": Scripted(PAGE), "tools": [look]}

    def run(self, plan: PlanProvider, script: Script) -> Outcome:
        return asyncio.run(self.arun(plan, script))

    async def arun(self, plan: PlanProvider, script: Script) -> Outcome:
        main, child = Scripted(script.turns, script.at_request), Scripted(script.child)
        tools: list[Any] = [look]
        common: dict[str, Any] = {"context_providers": [plan], "middleware": [plan.loop()]}
        if script.child:
            helper = Agent(
                client=child, name="delegate", description="Helps.", tools=[look], **common
            )
            tools.append(helper.as_tool(arg_name="task"))
        if script.compact:
            common["compaction_strategy"] = SlidingWindowStrategy(keep_last_groups=3)
        agent = Agent(client=main, name="boss", tools=tools, **common)
        session, events, said = AgentSession(session_id=script.thread), [], []
        async for update in agent.run(script.task, session=session, stream=True):
            if script.events and update.role == "tool":
                events += plan.changes(session)
            said += [(update.role, each) for each in update.contents]
        answers = [each.text for role, each in said if role != "user" and each.type == "text"]
        names = {each.call_id: each.name for _, each in said if each.type == "function_call"}
        return Outcome(
            answer=answers[-1],
            requests=main.seen,
            child_requests=child.seen,
            replies=[
                str(each.result)
                for _, each in said
                if each.type == "function_result" and names.get(each.call_id) in plan.host.names
            ],
            history=[json.dumps(session.to_dict(), default=str)],
            events=[*events, *plan.changes(session)],
        )


DRIVER = FrameworkDriver()
