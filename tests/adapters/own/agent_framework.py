"""What only Microsoft Agent Framework has: whole answers, runs without a session, sessions that a server keeps."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from agent_framework import Agent, AgentSession, BaseChatClient, FunctionInvocationLayer

from tests.adapters.drivers.agent_framework import Scripted, look
from todowright.adapters.agent_framework import PlanProvider
from todowright.adapters.frameworks import MissingPart

PLAN = ("plan", {"steps": ["Read", "Fix"]})
DONE = ("done", {"finished": ["Read", "Fix"]})


def talk(plan: PlanProvider, turns: list[Any], **options: Any) -> tuple[Any, Scripted]:
    client = Scripted(turns)
    agent = Agent(client=client, tools=[look], context_providers=[plan], middleware=[plan.loop()])
    return asyncio.run(agent.run("Go", **options)), client


def test_a_whole_answer_is_the_last_one_without_what_the_guard_said() -> None:
    said, _ = talk(PlanProvider(), [[PLAN], "Finished!", [DONE], "Done."], session=AgentSession())
    assert said.text == "Done."


def test_a_run_without_a_session_has_a_plan_of_its_own_and_says_that_nobody_asks() -> None:
    plan = PlanProvider()
    with pytest.warns(MissingPart, match="use agent.run"):
        said, client = talk(plan, [[PLAN], "Finished!"])
    assert said.text == "Finished!"
    assert "Plan: 0 of 2 done." in client.seen[1].end
    with pytest.warns(MissingPart):
        _, other = talk(plan, ["Hello."])
    assert "Plan: " not in other.seen[0].whole, "another run's plan is not shown"


def test_a_session_that_was_saved_and_read_again_has_its_plan() -> None:
    plan, session = PlanProvider(ask_again=0), AgentSession(session_id="one")
    talk(plan, [[PLAN], "Later."], session=session)
    saved = json.dumps(session.to_dict())
    _, client = talk(plan, [[DONE], "Done."], session=AgentSession.from_dict(json.loads(saved)))
    assert "Plan: 0 of 2 done." in client.seen[0].end


def test_a_conversation_that_the_server_keeps_gets_no_tail_and_says_so() -> None:
    session = AgentSession(session_id="one", service_session_id="kept")
    with pytest.warns(MissingPart, match="told in replies only"):
        _, client = talk(PlanProvider(), [[PLAN], [DONE], "Done."], session=session)
    assert not any("Plan: " in request.whole for request in client.seen)


def test_arguments_that_the_framework_would_refuse_are_understood() -> None:
    turns = [
        [("plan", {"todos": ["Read", "Fix"]})],
        [("done", {"finished": "Read"})],
        [DONE],
        "Done.",
    ]
    _, client = talk(PlanProvider(), turns, session=AgentSession())
    assert "Argument parsing failed" not in client.seen[-1].whole


def test_two_sub_agents_at_once_have_two_plans() -> None:
    plan, kids = PlanProvider(), []
    for name in ("left", "right"):
        child = Scripted(
            [
                [("plan", {"steps": [f"{name} step"]})],
                [("done", {"finished": [f"{name} step"]})],
                "Over.",
            ]
        )
        helper = Agent(
            client=child,
            name=name,
            description="Helps.",
            context_providers=[plan],
            middleware=[plan.loop()],
        )
        kids.append((child, helper.as_tool(arg_name="task")))
    both = [("left", {"task": "Do"}), ("right", {"task": "Do"})]
    client = Scripted([[PLAN], both, [DONE], "Done."])
    agent = Agent(
        client=client,
        tools=[tool for _, tool in kids],
        context_providers=[plan],
        middleware=[plan.loop()],
    )
    session = AgentSession(session_id="one")
    assert asyncio.run(agent.run("Go", session=session)).text == "Done."
    for (child, _), mine, other in zip(kids, ("left", "right"), ("right", "left"), strict=True):
        assert f"1. {mine} step - NOW" in child.seen[1].end
        assert other not in child.seen[1].whole
    found = plan.host.store.plans("one")
    assert sorted(each.agent.partition("-")[0] for each in found) == [
        "main",
        "main/left",
        "main/right",
    ]
    assert [bool(each.ended) for each in found] == [False, True, True]


class Bare(FunctionInvocationLayer, BaseChatClient):  # type: ignore[misc]
    """A client whose requests nobody can stand beside."""

    _inner_get_response = Scripted._inner_get_response
    _whole = Scripted._whole

    def __init__(self, turns: list[Any]) -> None:
        super().__init__()
        self.turns: list[Any] = list(turns)
        self.hooks: dict[int, Any] = {}
        self.seen: list[Any] = []


def test_a_client_whose_requests_cannot_end_with_the_plan_is_told() -> None:
    plan, client = PlanProvider(), Bare([[PLAN], [DONE], "Done."])
    agent = Agent(client=client, context_providers=[plan], middleware=[plan.loop()])
    with pytest.warns(MissingPart, match="add that base class"):
        asyncio.run(agent.run("Go", session=AgentSession()))
    assert "Plan: " not in client.seen[1].end
