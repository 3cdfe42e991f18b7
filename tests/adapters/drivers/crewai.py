"""CrewAI's `Crew` with a model that plays the script; the sub-agent is an `Agent` that a tool kicks off."""

from __future__ import annotations

import os

os.environ.update(
    CREWAI_DISABLE_TELEMETRY="true",
    OTEL_SDK_DISABLED="true",
    CREWAI_TRACING_ENABLED="false",
    CREWAI_TESTING="true",
)
from typing import Any

from crewai import Agent, Crew, Task
from crewai.llms.base_llm import BaseLLM
from crewai.tools import BaseTool
from crewai.utilities.exceptions.context_window_exceeding_exception import (
    LLMContextLengthExceededError,
)
from pydantic import PrivateAttr

from tests.adapters.driver import PAGE, Driver, Outcome, Request, Script
from todowright.adapters.crewai import CrewPlan


class Scripted(BaseLLM):  # type: ignore[misc]
    """Plays turns, and keeps what it was sent."""

    turns: list[Any] = []
    hooks: dict[int, Any] = {}
    seen: list[Any] = []
    bodies: list[Any] = []
    full: list[int] = []
    """The requests that do not fit into the model's window; what is then asked is a summary."""
    is_summing: bool = False

    def supports_function_calling(self) -> bool:
        return True

    def call(self, messages: Any, tools: Any = None, *args: Any, **options: Any) -> Any:
        if self.is_summing:
            self.is_summing = False
            return "<summary>They looked around.</summary>"
        if len(self.seen) in self.full:
            self.full.remove(len(self.seen))
            self.is_summing = True
            raise LLMContextLengthExceededError("the window is full")
        self.hooks.get(len(self.seen), lambda: None)()
        kept = [dict(message) for message in messages]
        texts = [str(m["content"]) for m in kept if m["role"] != "system" and m.get("content")]
        system = "".join(str(m["content"]) for m in kept if m["role"] == "system")
        names = [tool["function"]["name"] for tool in tools or ()]
        self.seen.append(Request(texts, names, system))
        self.bodies.append(kept)
        turn, number = self.turns.pop(0), len(self.seen)
        if isinstance(turn, str):
            return turn
        return [
            {
                "id": f"c{number}-{at}",
                "type": "function",
                "function": {"name": name, "arguments": dict(given)},
            }
            for at, (name, given) in enumerate(turn)
        ]

    async def acall(self, *args: Any, **options: Any) -> Any:
        return self.call(*args, **options)


def scripted(turns: Any, hooks: Any = None) -> Scripted:
    return Scripted(model="scripted", turns=list(turns), hooks=hooks or {}, seen=[], bodies=[])


class Look(BaseTool):  # type: ignore[misc]
    name: str = "look"
    description: str = "Look at something."

    _count: int = PrivateAttr(default=0)

    def _run(self) -> str:
        self._count += 1  # CrewAI stops an agent that gets the same answer five times
        return f"seen {self._count}"


class CrewDriver(Driver):
    name = "crewai"

    def make(self, store: str, **settings: Any) -> CrewPlan:
        return CrewPlan("settings", store=store, **settings)

    def given_to_pages(self) -> dict[str, Any]:
        return {"llm": scripted(PAGE), "tools": [Look()]}

    def crew(self, plan: CrewPlan, script: Script, main: Any, child: Any) -> Crew:
        about = {"goal": "Work", "backstory": "A worker.", "verbose": False, "max_iter": 30}
        look = Look()

        class Delegate(BaseTool):  # type: ignore[misc]
            name: str = "delegate"
            description: str = "Give a piece of work to a sub-agent."

            def _run(self, task: str) -> str:
                with plan.subagent("helper") as inner:
                    tools = [look, *inner.tools]
                    kid = Agent(
                        role="kid", llm=child, tools=tools, guardrail=inner.guardrail, **about
                    )
                    return str(kid.kickoff(task).raw)

        tools = [look, *plan.tools, *([Delegate()] if script.child else [])]
        boss = Agent(role="boss", llm=main, tools=tools, **about)
        task = Task(
            description=script.task,
            expected_output="Done.",
            agent=boss,
            guardrail=plan.guardrail,
            guardrail_max_retries=3,
        )
        return Crew(agents=[boss], tasks=[task], verbose=False)

    def run(self, plan: CrewPlan, script: Script) -> Outcome:
        main, child = scripted(script.turns, script.at_request), scripted(script.child)
        one = CrewPlan(script.thread, host=plan.host)
        main.full = [4, 9] if script.compact else []
        said = self.crew(one, script, main, child).kickoff()
        return self.outcome(one, said, main, child)

    async def arun(self, plan: CrewPlan, script: Script) -> Outcome:
        main, child = scripted(script.turns, script.at_request), scripted(script.child)
        one = CrewPlan(script.thread, host=plan.host)
        said = await self.crew(one, script, main, child).akickoff()
        return self.outcome(one, said, main, child)

    def outcome(self, plan: CrewPlan, said: Any, main: Scripted, child: Scripted) -> Outcome:
        last = main.bodies[-1]
        return Outcome(
            answer=str(said.raw),
            requests=main.seen,
            child_requests=child.seen,
            replies=[
                str(m["content"])
                for m in last
                if m["role"] == "tool" and m.get("name") in plan.names
            ],
            history=[],
            events=plan.changes(),
        )


DRIVER = CrewDriver()
