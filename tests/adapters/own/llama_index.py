"""What only LlamaIndex has: streamed answers, contexts that are saved, handoffs, runs without a memory."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from llama_index.core.agent.workflow import AgentWorkflow
from llama_index.core.memory import Memory
from llama_index.core.tools import FunctionTool
from llama_index.core.workflow import Context

from tests.adapters.driver import Script
from tests.adapters.drivers.llama_index import LlamaDriver, look, scripted
from todowright import UnknownName
from todowright.adapters.llama_index import LlamaPlan, PlanAgent

PLAN = ("plan", {"steps": ["Read", "Fix"]})
DONE = ("done", {"finished": ["Read", "Fix"]})


def test_what_is_given_in_the_wrong_place_is_told_with_the_right_one() -> None:
    llm, _ = scripted(["Done."])
    with pytest.raises(TypeError, match=r"remind_after is a setting of the plan: use LlamaPlan"):
        PlanAgent(plan=LlamaPlan(), tools=[look], llm=llm, remind_after=3)
    with pytest.raises(TypeError, match=r"plan must be a LlamaPlan, not a str: use LlamaPlan\(\)"):
        PlanAgent(plan="thread-1", tools=[look], llm=llm)  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match=r"For a thread: Memory.from_defaults\(session_id"):
        LlamaPlan("thread-1")
    with pytest.raises(
        UnknownName, match="no format is called 'ag-iu': did you mean ag-ui"
    ) as said:
        LlamaPlan(event="ag-iu")
    assert "Memory" not in str(said.value)


def test_a_tool_of_ones_own_has_no_name_of_the_plans() -> None:
    llm, _ = scripted(["Done."])

    def plan() -> str:
        """Plan a party."""
        return "planned"

    for given in (plan, FunctionTool.from_defaults(plan)):
        with pytest.raises(ValueError, match="you have a tool 'plan', and the plan has one"):
            PlanAgent(plan=LlamaPlan(), tools=[given], llm=llm)


def test_a_streamed_run_has_tail_guard_and_events() -> None:
    driver = LlamaDriver()
    driver.streaming = True
    outcome = driver.run(LlamaPlan(), Script([[PLAN], "Finished!", [DONE], "Done."]))
    assert outcome.answer == "Done."
    assert "Plan: 0 of 2 done." in outcome.requests[1].end
    assert "Open steps: 1. Read; 2. Fix." in outcome.requests[2].whole
    assert len(outcome.events) == 2


@pytest.mark.filterwarnings("ignore:Skipping serialization")  # of its own memory
def test_runs_without_a_memory_have_plans_of_their_own_and_a_context_keeps_its_plan() -> None:
    plan = LlamaPlan(ask_again=0)

    async def talk() -> list[Any]:
        first, _ = scripted([[PLAN], "Later."])
        agent = PlanAgent(plan=plan, tools=[look], llm=first, streaming=False)
        ctx = Context(agent)
        await agent.run(user_msg="Go", ctx=ctx)
        saved = json.dumps(ctx.to_dict())
        other, seen_other = scripted(["Hello."])
        await PlanAgent(plan=plan, tools=[look], llm=other, streaming=False).run(user_msg="Hi")
        again, seen_again = scripted([[DONE], "Done."])
        agent = PlanAgent(plan=plan, tools=[look], llm=again, streaming=False)
        await agent.run(user_msg="Go on", ctx=Context.from_dict(agent, json.loads(saved)))
        return [seen_other[0], seen_again[0]]

    other, again = asyncio.run(talk())
    assert "Plan: " not in other.whole, "another run's plan is not shown"
    assert "Plan: 0 of 2 done." in again.end


def test_a_handoff_takes_the_plan_along() -> None:
    plan = LlamaPlan()

    async def talk() -> Any:
        first, _ = scripted([[PLAN], [("handoff", {"to_agent": "second", "reason": "yours"})]])
        second, seen = scripted([[DONE], "Done."])
        common: dict[str, Any] = {"plan": plan, "description": "Works.", "streaming": False}
        agents = [
            PlanAgent(name="first", llm=first, tools=[look], can_handoff_to=["second"], **common),
            PlanAgent(name="second", llm=second, tools=[look], **common),
        ]
        flow = AgentWorkflow(agents=agents, root_agent="first")
        answer = await flow.run(user_msg="Go", memory=Memory.from_defaults(session_id="one"))
        return str(answer), seen

    answer, seen = asyncio.run(talk())
    assert answer == "Done."
    assert "Plan: 0 of 2 done." in seen[0].end


def test_the_plan_is_there_when_the_memory_got_smaller_between_two_runs() -> None:
    plan = LlamaPlan(ask_again=0)

    async def talk() -> Any:
        memory = Memory.from_defaults(
            session_id="one", token_limit=60, token_flush_size=10, chat_history_token_ratio=0.5
        )
        seen: list[Any] = []
        for turns in ([[PLAN], "Later. " * 40], ["Hello."]):
            model, seen = scripted(turns)
            agent = PlanAgent(plan=plan, tools=[look], llm=model, streaming=False)
            await agent.run(user_msg="Go", memory=memory)
        return seen[0]

    seen = asyncio.run(talk())
    assert "OK." not in seen.whole, "the plan call is gone"
    assert "Plan: 0 of 2 done." in seen.end


def test_a_tool_outside_of_a_plan_agent_says_where_it_works() -> None:
    tool = LlamaPlan().tools[0]
    said = asyncio.run(tool.acall(steps=["Read"]))
    assert said.is_error
    assert "inside a PlanAgent" in said.content
