"""What only Google ADK has: branches, runs one after the other in one task, agents without the tools, streams."""

from __future__ import annotations

import asyncio
from typing import Any

from google.adk.agents import LlmAgent, ParallelAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps import App
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools.agent_tool import AgentTool
from google.genai import types

from tests.adapters.drivers.google_adk import Scripted, look, scripted, texts
from todowright import session_name
from todowright.adapters.google_adk import PlanPlugin

PLAN = ("plan", {"steps": ["Read", "Fix"]})
DONE = ("done", {"finished": ["Read", "Fix"]})


async def said(plan: PlanPlugin, agent: Any, session: str, **options: Any) -> list[Any]:
    service = InMemorySessionService()
    runner = Runner(app=App(name="app", root_agent=agent, plugins=[plan]), session_service=service)
    known = {"user_id": "user", "session_id": session}
    await service.create_session(app_name="app", **known)
    asked = types.Content(role="user", parts=[types.Part(text="Go")])
    return [event async for event in runner.run_async(**known, new_message=asked, **options)]


def agent_of(plan: PlanPlugin, model: Scripted, name: str = "boss", *more: Any) -> LlmAgent:
    return LlmAgent(name=name, description="Works.", model=model, tools=[look, *plan.tools, *more])


def test_runs_one_after_the_other_in_one_task_are_of_two_sessions() -> None:
    plan = PlanPlugin(ask_again=0)

    async def both() -> None:
        for session in ("one", "two"):
            turns = [[PLAN], [("look", {})], "Later."]
            await said(plan, agent_of(plan, scripted(turns)), session)

    asyncio.run(both())
    for session in ("one", "two"):
        found = plan.host.store.plans(session_name(f"app:user:{session}"))
        assert [each.agent for each in found] == ["main"]


def test_the_plan_of_an_agent_that_is_a_tool_stands_below_its_callers_and_ends_with_it() -> None:
    plan = PlanPlugin()
    child = scripted(
        [[("plan", {"steps": ["Part"]})], "Early.", [("done", {"finished": ["Part"]})], "Over."]
    )
    main = scripted([[PLAN], [("kid", {"request": "Do it"})], [DONE], "Done."])
    kid = AgentTool(agent_of(plan, child, "kid"))
    events = asyncio.run(said(plan, agent_of(plan, main, "boss", kid), "one"))
    assert texts(events[-1].content) == ["Done."]
    assert "Open steps: 1. Part." in child.seen[2].whole
    mine, childs = plan.host.store.plans(session_name("app:user:one"))
    assert mine.agent == "main"
    assert childs.agent.startswith("main/kid-")
    assert childs.ended


def test_agents_in_branches_at_once_have_plans_of_their_own() -> None:
    plan = PlanPlugin()
    models = {
        name: scripted(
            [
                [("plan", {"steps": [f"{name} step"]})],
                [("done", {"finished": [f"{name} step"]})],
                "Over.",
            ]
        )
        for name in ("left", "right")
    }
    kids = [agent_of(plan, model, name) for name, model in models.items()]
    asyncio.run(said(plan, ParallelAgent(name="both", sub_agents=kids), "one"))
    for mine, other in (("left", "right"), ("right", "left")):
        assert f"1. {mine} step - NOW" in models[mine].seen[1].end
        assert f"{other} step" not in models[mine].seen[1].whole


def test_an_agent_without_the_tools_gets_no_plan() -> None:
    plan, model = PlanPlugin(), scripted(["Hello."])
    asyncio.run(said(plan, LlmAgent(name="plain", model=model, tools=[look]), "one"))
    assert model.seen[0].whole == "Go"


def test_a_streamed_run_has_tail_and_guard() -> None:
    plan, model = PlanPlugin(), scripted([[PLAN], "Finished!", [DONE], "Done."])
    config = RunConfig(streaming_mode=StreamingMode.SSE)
    events = asyncio.run(said(plan, agent_of(plan, model), "one", run_config=config))
    assert texts(events[-1].content) == ["Done."]
    assert "Plan: 0 of 2 done." in model.seen[1].end
    assert "Open steps: 1. Read; 2. Fix." in model.seen[2].whole
