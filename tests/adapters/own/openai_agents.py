"""What only the OpenAI Agents SDK has."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from agents import Agent, RunConfig, Runner, Usage, handoff
from openai.types.responses.response_usage import InputTokensDetails
from pydantic import BaseModel

from tests.adapters.drivers.openai_agents import look, requests_of, scripted
from todowright.adapters.openai_agents import AgentsPlan

PLAN = ("plan", {"steps": ["Read", "Fix"]})
DONE = ("done", {"finished": ["Read", "Fix"]})


def boss(plan: AgentsPlan, turns: Any, prefix: str, *others: Any, **more: Any) -> tuple[Any, Any]:
    model = scripted(turns, prefix)
    return Agent(name="boss", model=model, tools=[look, *plan.tools, *others], **more), model


def test_without_a_session_the_guard_goes_on_with_the_whole_conversation() -> None:
    plan = AgentsPlan()
    agent, model = boss(plan, [[PLAN], "Early.", [DONE], "Done."], "a")
    assert plan.run_sync(agent, "Do the work", thread="one").final_output == "Done."
    requests = requests_of(model)
    assert requests[2].texts[0] == "Do the work"
    assert "Open steps" in requests[2].whole


def test_two_children_at_once_have_plans_of_their_own_and_one_without_the_tools_has_none() -> None:
    plan = AgentsPlan(ask_again=0)
    turns = [
        [("plan", {"steps": ["Child step"]})],
        [("look", {})],
        [("done", {"finished": ["Child step"]})],
        "Over.",
    ]
    kids = [scripted(turns, f"kid{n}") for n in range(2)]
    kid_tools = [
        Agent(name="kid", model=kid, tools=[look, *plan.tools]).as_tool(f"kid{n}", "A kid.")
        for n, kid in enumerate(kids)
    ]
    bare = scripted(["I have no plan."], "bare")
    bare_tool = Agent(name="bare", model=bare).as_tool("bare", "A child without a plan.")
    calls = [(name, {"input": "Do it"}) for name in ("kid0", "kid1", "bare")]
    agent, _ = boss(plan, [[PLAN], calls, [DONE], "Done."], "boss", *kid_tools, bare_tool)
    assert asyncio.run(plan.run(agent, "Do the work", thread="one")).final_output == "Done."
    for kid in kids:
        requests = requests_of(kid)
        assert ["Child step - NOW" in each.end for each in requests] == [False, True, True, False]
        assert not any("Read" in each.whole for each in requests)
    assert requests_of(bare)[0].texts == ["Do it"]
    plans = plan.host.store.plans("one")
    assert [(each.agent == "main", bool(each.ended)) for each in plans] == [
        (True, False),
        (False, True),
        (False, True),
    ]
    assert [todo.content for todo in plans[0].todos] == ["Read", "Fix"]


def test_a_child_with_its_parents_name_still_has_a_plan_of_its_own() -> None:
    plan = AgentsPlan(ask_again=0)
    kid = scripted([[("plan", {"steps": ["Child step"]})], "Kid done."], "kid")
    tool = Agent(name="boss", model=kid, tools=[*plan.tools]).as_tool("kid", "A kid.")
    agent, _ = boss(plan, [[PLAN], [("kid", {"input": "Do it"})], [DONE], "Done."], "boss", tool)
    plan.run_sync(agent, "Do the work", thread="one")
    assert not any("Read" in each.whole for each in requests_of(kid))
    assert [todo.content for todo in plan.host.store.plans("one")[0].todos] == ["Read", "Fix"]


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_handoff_takes_the_plan_along(wrapped: bool) -> None:
    plan = AgentsPlan()
    second = scripted([[DONE], "Done by the second."], "second")
    other = Agent(name="second", model=second, tools=[look, *plan.tools])
    agent, _ = boss(
        plan,
        [[PLAN], [("transfer_to_second", {})]],
        "first",
        handoffs=[handoff(other) if wrapped else other],
    )
    assert plan.run_sync(agent, "Do the work", thread="one").final_output == "Done by the second."
    assert "Read - NOW" in requests_of(second)[0].end
    assert [each.agent for each in plan.host.store.plans("one")] == ["main"]


@pytest.mark.parametrize("streamed", [False, True])
def test_after_a_handoff_the_guard_asks_the_agent_that_answered(streamed: bool) -> None:
    plan = AgentsPlan()
    second = scripted(["Early.", [DONE], "Done by the second."], "second")
    other = Agent(name="second", model=second, tools=[look, *plan.tools])
    turns = [[PLAN], [("transfer_to_second", {})]]
    agent, first = boss(plan, turns, "first", handoffs=[other])

    async def run() -> Any:
        if not streamed:
            return (await plan.run(agent, "Do the work", thread="one")).final_output
        result = plan.run_streamed(agent, "Do the work", thread="one")
        async for _ in result.stream_events():
            pass
        return result.final_output

    assert asyncio.run(run()) == "Done by the second."
    assert len(requests_of(first)) == 2
    assert "Open steps" in requests_of(second)[1].whole


def test_a_filter_of_ones_own_is_kept() -> None:
    plan = AgentsPlan(ask_again=0)
    agent, model = boss(plan, [[PLAN], "Later."], "a")

    def mine(data: Any) -> Any:
        return replace(
            data.model_data,
            input=[{"role": "user", "content": "Filtered."}, *data.model_data.input],
        )

    plan.run_sync(agent, "Do the work", run_config=RunConfig(call_model_input_filter=mine))
    requests = requests_of(model)
    assert requests[1].texts[0] == "Filtered."
    assert requests[1].end.startswith("Plan: ")


def test_where_the_server_keeps_the_conversation_there_is_no_tail_to_pile_up() -> None:
    plan = AgentsPlan()
    agent, model = boss(plan, [[PLAN], "Early.", [DONE], "Done."], "a")
    result = plan.run_sync(agent, "Do the work", thread="one", conversation_id="conv_1")
    assert result.final_output == "Done."
    assert not any("Plan: " in each.whole for each in requests_of(model))
    assert "Open steps" in requests_of(model)[2].end


def test_structured_output_is_held_back_while_steps_are_open() -> None:
    class Report(BaseModel):
        text: str

    plan = AgentsPlan()
    agent, _ = boss(
        plan, [[PLAN], '{"text": "early"}', [DONE], '{"text": "late"}'], "a", output_type=Report
    )
    assert plan.run_sync(agent, "Do the work").final_output == Report(text="late")


def test_an_agent_that_is_run_without_the_plan_says_what_to_do() -> None:
    plan = AgentsPlan()
    agent, _ = boss(plan, [[PLAN], "Later."], "a")
    with pytest.raises(Exception, match="is run by plan"):
        Runner.run_sync(agent, "Do the work")


def test_optional_fields_stay_optional() -> None:
    schemas = {tool.name: tool.params_json_schema for tool in AgentsPlan().tools}
    assert schemas["plan"].get("required", []) != ["steps", "now"]


def test_what_the_model_took_stands_beside_the_plan() -> None:
    plan = AgentsPlan()
    agent, model = boss(plan, [[PLAN], "Early.", [DONE], "Done."], "a")
    get, number = model.get_response, iter(range(9))

    async def counted(*args: Any, **options: Any) -> Any:
        made = await get(*args, **options)
        details = InputTokensDetails(cached_tokens=60, cache_write_tokens=0)
        usage = Usage(requests=1, input_tokens=100, output_tokens=7, input_tokens_details=details)
        return replace(made, usage=usage, response_id=f"resp_{next(number)}")

    model.get_response = counted
    plan.run_sync(agent, "Do the work", thread="one")
    (usage,) = plan.host.store.usage("one")
    assert (usage.agent, usage.requests) == ("main", 4)
    assert (usage.input, usage.output, usage.cached) == (400, 28, 240)
