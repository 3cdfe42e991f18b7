"""Google ADK's `Runner` with a model that plays the script; the sub-agent is an `AgentTool`."""

from __future__ import annotations

import asyncio
import warnings
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.apps.app import EventsCompactionConfig
from google.adk.apps.base_events_summarizer import BaseEventsSummarizer
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions, EventCompaction
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools.agent_tool import AgentTool
from google.genai import types

from tests.adapters.driver import PAGE, Driver, Outcome, Request, Script
from todowright import session_name
from todowright.adapters.google_adk import PlanPlugin


class Scripted(BaseLlm):
    """Plays turns, and keeps what it was sent."""

    model: str = "scripted"
    turns: list[Any] = []
    hooks: dict[int, Any] = {}
    seen: list[Any] = []

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
        self.hooks.get(len(self.seen), lambda: None)()
        said = [text for content in llm_request.contents for text in texts(content)]
        system = str(llm_request.config.system_instruction)
        self.seen.append(Request(said, list(llm_request.tools_dict), system))
        turn = self.turns.pop(0)
        if isinstance(turn, str):
            parts = [types.Part(text=turn)]
        else:
            calls = [types.FunctionCall(name=name, args=args) for name, args in turn]
            parts = [types.Part(function_call=call) for call in calls]
        yield LlmResponse(content=types.Content(role="model", parts=parts))


def texts(content: Any) -> list[str]:
    told = []
    for part in content.parts or ():
        if part.text:
            told.append(part.text)
        elif part.function_response:
            told += [str(value) for value in part.function_response.response.values()]
    return told


def look() -> str:
    """Look at something."""
    return "seen"


def scripted(turns: Any, hooks: Any = None) -> Scripted:
    return Scripted(turns=list(turns), hooks=hooks or {}, seen=[])


class Summing(BaseEventsSummarizer):  # type: ignore[misc]
    """Makes one short event of many."""

    async def maybe_summarize_events(self, *, events: list[Any]) -> Any:
        said = types.Content(role="model", parts=[types.Part(text="They looked around.")])
        known = {"start_timestamp": events[0].timestamp, "end_timestamp": events[-1].timestamp}
        smaller = EventCompaction(compacted_content=said, **known)
        return Event(
            author="user", actions=EventActions(compaction=smaller), invocation_id=Event.new_id()
        )


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # that it is experimental
    SMALLER = EventsCompactionConfig(
        summarizer=Summing(), token_threshold=1, event_retention_size=2
    )


class AdkDriver(Driver):
    name = "google_adk"

    def session(self, thread: str) -> str:
        return session_name(f"app:user:{thread}")

    def make(self, store: str, **settings: Any) -> PlanPlugin:
        return PlanPlugin(store=store, **settings)

    def given_to_pages(self) -> dict[str, Any]:
        return {"model": scripted(PAGE), "tools": [look]}

    def run(self, plan: PlanPlugin, script: Script) -> Outcome:
        return asyncio.run(self.arun(plan, script))

    async def arun(self, plan: PlanPlugin, script: Script) -> Outcome:
        main, child = scripted(script.turns, script.at_request), scripted(script.child)
        tools: list[Any] = [look, *plan.tools]
        if script.child:
            helper = LlmAgent(name="delegate", description="Helps.", model=child, tools=tools)
            tools = [*tools, AgentTool(helper)]
        agent = LlmAgent(name="boss", model=main, tools=tools)
        service = InMemorySessionService()
        app = App(name="app", root_agent=agent, plugins=[plan])
        if script.compact:
            app.events_compaction_config = SMALLER
        runner = Runner(app=app, session_service=service)
        known = {"user_id": "user", "session_id": script.thread}
        await service.create_session(app_name="app", **known)
        asked = types.Content(role="user", parts=[types.Part(text=script.task)])
        events = [event async for event in runner.run_async(**known, new_message=asked)]
        kept = await service.get_session(app_name="app", **known)
        return Outcome(
            answer=texts(events[-1].content)[-1],
            requests=main.seen,
            child_requests=child.seen,
            replies=replies(kept.events, plan),
            history=[
                text for event in kept.events if event.content for text in texts(event.content)
            ],
            events=[
                each for event in events for each in (event.custom_metadata or {}).get("plan", ())
            ],
        )


def replies(events: list[Any], plan: PlanPlugin) -> list[str]:
    results = [each for event in events for each in event.get_function_responses()]
    return [
        str(v) for each in results if each.name in plan.host.names for v in each.response.values()
    ]


DRIVER = AdkDriver()
