"""What only smolagents has: agents that write code, its check of arguments, its state, its stream."""

from __future__ import annotations

from typing import Any

from smolagents import CodeAgent, ToolCallingAgent
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
