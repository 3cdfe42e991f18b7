"""What only Pydantic AI has."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, RunContext
from pydantic_ai.capabilities import AbstractCapability, ProcessHistory
from pydantic_ai.messages import CachePoint, ModelResponse, ToolCallPart, UserPromptPart
from pydantic_ai.toolsets import FunctionToolset
from pydantic_ai_harness.compaction import SlidingWindowCompaction

from tests.adapters.driver import Request
from tests.adapters.drivers.pydantic_ai import last_messages, look, scripted
from todowright.adapters.pydantic_ai import PlanCapability

PLAN = ("plan", {"steps": ["Read", "Fix"]})
DONE = ("done", {"finished": ["Read", "Fix"]})


def agent_of(
    turns: Any, plan: PlanCapability, seen: list[Request], **more: Any
) -> Agent[None, Any]:
    return Agent(scripted(turns, seen, f"{id(seen)}"), capabilities=[plan], tools=[look], **more)


def test_it_runs_without_an_event_loop() -> None:
    seen: list[Request] = []
    agent = agent_of([[PLAN], "Early.", [DONE], "Done."], PlanCapability(), seen)
    assert agent.run_sync("Do the work").output == "Done."
    assert "Open steps" in seen[2].whole


def test_structured_output_is_held_back_while_steps_are_open() -> None:
    class Report(BaseModel):
        text: str

    seen: list[Request] = []
    early, late = [("final_result", {"text": "early"})], [("final_result", {"text": "late"})]
    agent = agent_of([[PLAN], early, [DONE], late], PlanCapability(), seen, output_type=Report)
    assert agent.run_sync("Do the work").output == Report(text="late")


def test_a_child_that_is_given_the_parents_messages_still_has_a_plan_of_its_own() -> None:
    plan, seen, kids = PlanCapability(), list[Request](), list[Request]()
    turns = [
        [("plan", {"steps": ["Child step"]})],
        [("done", {"finished": ["Child step"]})],
        "Kid done.",
    ]
    kid = agent_of(turns, plan, kids)
    boss = agent_of([[PLAN], [("delegate", {})], [DONE], "Done."], plan, seen)

    @boss.tool
    async def delegate(ctx: RunContext[None]) -> str:
        """Give a piece of work to a sub-agent."""
        history = ctx.messages[:1]  # it names the conversation
        return str((await kid.run("Do this", message_history=history)).output)

    assert boss.run_sync("Do the work", conversation_id="one").output == "Done."
    assert all("Plan: " not in request.whole for request in kids[:1])
    assert "Child step - NOW" in kids[1].end
    plans = {each.agent: each for each in plan.host.store.plans("one")}
    assert [todo.content for todo in plans.pop("main").todos] == ["Read", "Fix"]
    (child,) = plans.values()
    assert child.agent.startswith("main/")
    assert child.ended
    assert child.serves == 1


def test_the_plan_goes_on_with_the_conversation_and_two_runs_without_one_share_nothing() -> None:
    plan = PlanCapability(ask_again=0)
    first = agent_of([[PLAN], "Later."], plan, []).run_sync("Do the work")
    seen: list[Request] = []
    agent_of(["Hello."], plan, seen).run_sync("Go on", message_history=first.all_messages())
    assert seen[0].end.startswith("Plan: 0 of 2 done.")
    seen = []
    agent_of(["Hello."], plan, seen).run_sync("Somebody else")
    assert seen[0].texts == ["Somebody else"]


def test_a_cache_point_stands_before_the_plan_and_the_history_has_neither() -> None:
    parts: list[Any] = []
    seen: list[Request] = []
    model = scripted([[PLAN], "Later."], seen, "c")
    inner = model.function

    def watched(messages: Any, info: Any) -> Any:
        parts.append(messages[-1].parts)
        assert inner is not None
        return inner(messages, info)

    model.function = watched
    result = Agent(model, capabilities=[PlanCapability(ask_again=0)]).run_sync("Do the work")
    tail = parts[1][-1]
    assert isinstance(tail, UserPromptPart)
    point, text = tail.content
    assert isinstance(point, CachePoint)
    assert text.startswith("Plan: ")
    assert not any(
        isinstance(p, UserPromptPart) for m in result.all_messages()[1:] for p in m.parts
    )


SMALLER = {
    "a window of the harness": lambda: SlidingWindowCompaction(max_messages=6, keep_messages=3),
    "a history processor": lambda: ProcessHistory(last_messages),
    "a processor that changes nothing": lambda: ProcessHistory(lambda messages: messages),
}


@pytest.mark.parametrize("name", SMALLER)
def test_what_changes_the_history_neither_keeps_the_plan_in_it_nor_drops_it_from_a_request(
    name: str,
) -> None:
    seen: list[Request] = []
    turns = [[PLAN], *[[("look", {})]] * 6, [DONE], "Done."]
    model = scripted(turns, seen, "smaller")
    plan = PlanCapability(remind_after=3)
    agent = Agent(model, capabilities=[plan, SMALLER[name]()], tools=[look])
    result = agent.run_sync("Do the work")
    assert [each.whole.count("Plan: ") for each in seen] == [0, *[1] * 7, 0]
    assert all(each.end.endswith("2. Fix - NEXT") for each in seen[1:-1])
    assert ["Still on step" in each.end for each in seen].index(True) == 4, "calls are counted"
    assert "Plan: " not in str(result.all_messages())


def test_run_stream_ends_with_the_first_answer_as_the_table_says() -> None:
    agent = agent_of([[PLAN], "Early."], PlanCapability(), [])

    async def streamed() -> Any:
        async with agent.run_stream("Do the work") as result:
            return await result.get_output()

    assert asyncio.run(streamed()) == "Early."


def test_what_the_model_took_stands_beside_the_plan() -> None:
    plan, seen = PlanCapability(), list[Request]()
    agent = agent_of([[PLAN], [DONE], "Done."], plan, seen)
    result: Any = agent.run_sync("Do the work", conversation_id="one")
    told = result.usage() if callable(result.usage) else result.usage
    (usage,) = plan.host.store.usage("one")
    assert (usage.agent, usage.requests) == ("main", 3)
    assert (usage.input, usage.output) == (told.input_tokens, told.output_tokens)


class Others(AbstractCapability[Any]):
    """A capability with tools and instructions of its own, that answers the third request itself."""

    requests = 0

    def get_toolset(self) -> Any:
        return FunctionToolset([look])

    def get_instructions(self) -> str:
        return "Be brief."

    async def wrap_model_request(self, ctx: Any, *, request_context: Any, handler: Any) -> Any:
        self.requests += 1
        if self.requests != 3:
            return await handler(request_context)
        return ModelResponse(parts=[ToolCallPart(*DONE)])


@pytest.mark.parametrize("first", [True, False])
def test_beside_another_capability_it_brings_all_it_has_and_counts_what_the_model_took(
    first: bool,
) -> None:
    plan, others, seen = PlanCapability(), Others(), list[Request]()
    model = scripted([[PLAN], [("look", {})], "Done."], seen, "o")
    both: list[Any] = [plan, others] if first else [others, plan]
    result = Agent(model, capabilities=both).run_sync("Do the work", conversation_id="one")
    assert result.output == "Done."
    assert {"look", "plan", "done"} <= set(seen[0].tools)
    told = str(result.all_messages()[0].instructions)  # type: ignore[union-attr]
    assert "Be brief." in told
    assert plan.host.prompt in told
    (usage,) = plan.host.store.usage("one")
    assert (others.requests, usage.requests) == (4, 3), "the model did not answer the third"
