"""CrewAI: `Agent(…, tools=[…, *plan.tools])` and `Task(…, guardrail=plan.guardrail)`, with `plan = CrewPlan("thread-1", store=…)`."""

from __future__ import annotations

import threading
from typing import Any

from todowright.adapters.conversation import Conversation
from todowright.adapters.frameworks import needed

needed("crewai")
from crewai.hooks import register_after_llm_call_hook, register_before_llm_call_hook
from crewai.tools import BaseTool
from pydantic import BaseModel, ConfigDict, PrivateAttr

MANY = 10**9
"""A tool with a limit makes CrewAI run the calls of a turn one after the other: this limit is never reached."""
_lock = threading.Lock()
_hooked: list[bool] = []


class CrewPlan(Conversation):
    """The plan of one agent in one conversation."""

    framework_name = "crewai"

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.tools = [_tool(self, each) for each in self.host.tools]
        self._tail: dict[str, Any] | None = None
        self._results, self._asked = 0, ""
        with _lock:  # CrewAI's hooks are global: one pair serves all plans
            if not _hooked:
                register_before_llm_call_hook(_before)
                register_after_llm_call_hook(_after)
                _hooked.append(True)

    def guardrail(self, output: Any) -> tuple[bool, Any]:
        """For `Task(guardrail=…)` or `Agent(guardrail=…)`: an answer with open steps is not taken."""
        decision = self.current.at_end()
        self._asked = decision.text if decision.kind == "continue" else ""
        if self._asked:
            return False, self._asked
        self.begin()  # what comes next is another run
        return True, output.raw

    def before_request(self, messages: list[Any], iterations: int = 0) -> None:
        """Put the tail behind the messages, which are CrewAI's own: the last one is taken out again."""
        self.take_out(messages)
        if messages and messages[0].get("role") == "system":  # it is made anew for each task
            messages[0] = {**messages[0], "content": self.host.with_prompt(messages[0]["content"])}
        called = [each.get("name") for each in messages if each.get("role") == "tool"]
        asked = ""
        if not any(each.get("role") in ("assistant", "tool") for each in messages):
            if iterations and not self._asked:
                pass  # CrewAI made a summary of the messages: the run goes on
            elif not self._asked:  # the first request of a task; a guardrail has it start anew
                self.begin()
            elif not any(self._asked in str(each.get("content")) for each in messages):
                asked = self._asked  # without a crew, CrewAI does not say why
            self._results, self._asked = 0, ""
        elif new := [str(name) for name in called[self._results :]]:
            self.current.after_turn(new)
        self._results = len(called)
        if text := "\n".join(each for each in (asked, self.current.before_request()) if each):
            self._tail = {"role": "user", "content": text}
            messages.append(self._tail)

    def take_out(self, messages: list[Any]) -> None:
        """Take the tail out of the messages."""
        messages[:] = [each for each in messages if each is not self._tail]


CrewPlan.guardrail.__annotations__["return"] = tuple[bool, Any]  # CrewAI looks at the type itself


def _plan_of(context: Any) -> CrewPlan | None:
    """The plan of the agent that makes a request, if it has one's tools."""
    tools = getattr(context.agent, "tools", None) or ()
    return next((each.plan for each in tools if isinstance(each, PlanTool)), None)


def _before(context: Any) -> None:
    if plan := _plan_of(context):
        plan.before_request(context.messages, context.iterations)


def _after(context: Any) -> None:
    if plan := _plan_of(context):
        plan.take_out(context.messages)


class PlanTool(BaseTool):
    """A tool of the plan."""

    _plan: Any = PrivateAttr(default=None)

    @property
    def plan(self) -> CrewPlan:
        plan: CrewPlan = self._plan
        return plan

    def _run(self, **arguments: Any) -> str:
        return self.plan.current.call(self.name, arguments).text


def never_cached(*_: Any) -> bool:
    """A plan call is not a question that has one answer."""
    return False


def _tool(plan: CrewPlan, tool: Any) -> PlanTool:
    class Arguments(BaseModel):
        """Takes anything, and shows the schema as it is."""

        model_config = ConfigDict(extra="allow")

        @classmethod
        def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:
            return dict(tool.input_schema)

    made = PlanTool(
        name=tool.name,
        description=tool.description,
        args_schema=Arguments,
        cache_function=never_cached,
        max_usage_count=MANY,
    )
    made._plan = plan
    return made
