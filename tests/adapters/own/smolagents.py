"""What only smolagents has: agents that write code, its check of arguments, its state, its stream."""

from __future__ import annotations

from typing import Any

import pytest
from smolagents import CodeAgent, ToolCallingAgent, tool
from smolagents.memory import ActionStep
from smolagents.models import ChatMessage, MessageRole

from tests.adapters.drivers.smolagents import Scripted, look
from todowright.adapters.smolagents import SmolPlan

PLAN = ("plan", {"steps": ["Read", "Fix"]})
DONE = ("done", {"finished": ["Read", "Fix"]})
QUIET = {"verbosity_level": -1}


class Writing(Scripted):
    """A model that writes code."""

    def generate(self, messages: Any, tools_to_call_from: Any = None, **_: Any) -> ChatMessage:
        super().generate(messages)
        return ChatMessage(role=MessageRole.ASSISTANT, content=self.codes.pop(0))

    def __init__(self, *codes: str) -> None:
        super().__init__(["unused"] * len(codes))
        self.codes = [f"<code>\n{code}\n</code>" for code in codes]


def test_an_agent_that_writes_code_plans_in_its_code() -> None:
    model = Writing(
        "print(plan(steps=['Read', 'Fix']))\nprint(done(finished=['Read']))",
        "final_answer('Early')",
        "print(done(finished=['Fix']))\nfinal_answer('Over')",
    )
    plan = SmolPlan("one")
    agent = plan.added_to(CodeAgent([look], model, **QUIET))
    assert agent.run("Go") == "Over"
    assert plan.todo.plan.progress == (2, 2)
    assert "Plan: 1 of 2 done." in model.seen[1].end
    assert "Open steps: 2. Fix." in model.seen[2].whole


def test_code_may_call_the_plan_without_names() -> None:
    model = Writing(
        "print(plan(['Read', 'Fix'], 'Fix'))",
        "print(done(['Fix']))",
        "print(done(['Read'], finished=['Read']))",
        "print(done(['Read'], None, 3, 4))",
        "final_answer('Over')",
    )
    plan = SmolPlan("two", ask_again=0)
    agent = plan.added_to(CodeAgent([look], model, **QUIET))
    assert agent.run("Go") == "Over"
    assert plan.todo.plan.progress == (1, 2)
    said = [str(step.observations) for step in agent.memory.steps if isinstance(step, ActionStep)]
    assert "Error: call done(finished=…" in said[2]
    assert "Error: call done(finished=…" in said[3]


def test_the_answer_of_the_last_step_stands() -> None:
    model = Scripted([[PLAN], "Early."])
    agent = SmolPlan("three").added_to(ToolCallingAgent([look], model, max_steps=2, **QUIET))
    assert agent.run("Go") == "Early."


@pytest.mark.parametrize("streamed", [False, True])
def test_so_it_does_where_the_run_says_how_many_steps_it_has(streamed: bool) -> None:
    model = Scripted([[PLAN], "Early.", [PLAN], "Again."])
    agent = SmolPlan("four").added_to(ToolCallingAgent([look], model, **QUIET))
    if streamed:
        *_, last = agent.run("Go", max_steps=2, stream=True)
        assert last.output == "Early."
    else:
        assert agent.run("Go", max_steps=2) == "Early."
    assert agent.run("Go on", False, True, None, None, 2) == "Again."


def test_an_agent_has_one_plan_and_a_plan_has_one_agent() -> None:
    plan = SmolPlan()
    agent = plan.added_to(ToolCallingAgent([look], Scripted(["Done."]), **QUIET))
    with pytest.raises(ValueError, match="this agent has a plan already: make another agent"):
        SmolPlan().added_to(agent)
    other = ToolCallingAgent([look], Scripted(["Done."]), **QUIET)
    with pytest.raises(ValueError, match="this plan has an agent already: make another SmolPlan"):
        plan.added_to(other)
    with pytest.raises(TypeError, match="added_to takes a ToolCallingAgent or a CodeAgent, not"):
        SmolPlan().added_to(ToolCallingAgent)


def test_a_tool_of_ones_own_has_no_name_of_the_plans() -> None:
    @tool
    def done() -> str:
        """Say that it is done."""
        return "done"

    with pytest.raises(ValueError, match="you have a tool 'done', and the plan has one"):
        SmolPlan().added_to(ToolCallingAgent([done], Scripted(["Done."]), **QUIET))


def test_a_store_is_no_name_of_a_conversation() -> None:
    for url in ("sqlite:///plans.db", "memory:"):
        with pytest.raises(TypeError, match=f"'{url}' is a store, not a conversation"):
            SmolPlan(url)
    assert SmolPlan("https://forum.example/thread/1").session


def observations(*turns: Any, **state: Any) -> list[str]:
    agent = SmolPlan("one").added_to(ToolCallingAgent([look], Scripted(turns), **QUIET))
    agent.state.update(state)
    agent.run("Go")
    return [str(step.observations) for step in agent.memory.steps if isinstance(step, ActionStep)]


def test_arguments_that_smolagents_would_refuse_are_understood() -> None:
    said = observations(
        [("plan", {"todos": ["Read", "Fix"]})], [("done", {"finished": "Read"})], [DONE], "Done."
    )
    assert said[0].startswith("OK.")
    assert said[1].startswith("1/2 done.")


def test_a_call_without_arguments_is_answered_once() -> None:
    said = observations([PLAN], [("plan", {})], [DONE], "Done.")
    assert said[1].splitlines() == ["- Read - NOW", "- Fix"]


def test_words_that_are_the_name_of_a_variable_stay_words() -> None:
    said = observations(
        [PLAN],
        [("change", {"step": "Read", "to": "notes"})],
        [("done", {"finished": ["notes", "Fix"]})],
        "Done.",
        notes="x" * 99,
    )
    assert "x" * 99 not in "".join(said)


def test_the_answer_after_the_last_step_is_given_without_asking() -> None:
    model = Scripted([[PLAN], "Early"])
    agent = SmolPlan("one").added_to(ToolCallingAgent([look], model, max_steps=1, **QUIET))
    model.turns[1:] = ["I ran out of steps."]
    agent.run("Go")
    assert len(model.seen) == 2
