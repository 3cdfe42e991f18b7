"""What only CrewAI has: hooks that all agents share, agents without a crew, models that write calls as text."""

from __future__ import annotations

from typing import Any

from crewai import Agent, Crew, Task

from tests.adapters.drivers.crewai import Look, Scripted, scripted
from todowright.adapters.crewai import CrewPlan

PLAN = ("plan", {"steps": ["Read", "Fix"]})
DONE = ("done", {"finished": ["Read", "Fix"]})
ABOUT: dict[str, Any] = {"role": "worker", "goal": "Work", "backstory": "A worker.", "max_iter": 20}


def test_an_agent_without_a_crew_is_asked_about_open_steps() -> None:
    plan, model = CrewPlan("one"), scripted([[PLAN], "Early.", [DONE], "Done."])
    agent = Agent(llm=model, tools=[Look(), *plan.tools], guardrail=plan.guardrail, **ABOUT)
    assert agent.kickoff("Go").raw == "Done."
    assert "Open steps: 1. Read; 2. Fix." in model.seen[2].whole


def test_an_agent_of_the_same_role_without_the_tools_gets_no_plan() -> None:
    plan, with_plan = CrewPlan("one", ask_again=0), scripted([[PLAN], "Later."])
    Agent(llm=with_plan, tools=[Look(), *plan.tools], **ABOUT).kickoff("Go")
    model = scripted([[("look", {})], "Done."])
    Agent(llm=model, tools=[Look()], **ABOUT).kickoff("Go")
    assert not any("Plan: " in request.whole for request in model.seen)


def test_a_sub_agent_whose_messages_were_summed_up_goes_on_with_its_plan() -> None:
    turns = [[PLAN], [("look", {})], [("look", {})], [DONE], "Done."]
    plan, model = CrewPlan("one"), scripted(turns)
    model.full = [2]
    with plan.subagent("kid") as child:
        tools = [Look(), *child.tools]
        agent = Agent(llm=model, tools=tools, guardrail=child.guardrail, **ABOUT)
        assert agent.kickoff("Go").raw == "Done."
    assert "They looked around." in model.seen[2].whole
    assert ["1. Read - NOW" in each.end for each in model.seen] == [False, True, True, True, False]


class Writing(Scripted):
    """A model that has no calls, and writes them as CrewAI asks it to."""

    def supports_function_calling(self) -> bool:
        return False


def test_a_model_that_writes_its_calls_is_asked_twice_and_not_for_ever() -> None:
    plan = CrewPlan("one")
    call = 'Thought: I plan.\nAction: plan\nAction Input: {"steps": ["Read"]}'
    early = "Thought: I now know.\nFinal Answer: Early."
    model = Writing(model="scripted", turns=[call, *[early] * 4], hooks={}, seen=[], bodies=[])
    agent = Agent(llm=model, tools=[Look(), *plan.tools], **ABOUT)
    task = Task(description="Go", expected_output="Done", agent=agent, guardrail=plan.guardrail)
    assert Crew(agents=[agent], tasks=[task]).kickoff().raw == "Early."
    assert len(model.seen) == 4
    assert "Plan: 0 of 1 done." in model.seen[1].end
