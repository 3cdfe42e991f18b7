"""Google ADK: `App(…, plugins=[plan])` and `LlmAgent(…, tools=[…, *plan.tools])`, with `plan = PlanPlugin(store=…)`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from functools import partial
from typing import Any
from uuid import uuid4

from todowright.adapters.frameworks import host_of, needed, say_what_is_missing
from todowright.adapters.parents import PARENT, Parent, begun
from todowright.dialects.dialect import Dialect, Tool
from todowright.host import PlanRun
from todowright.plan.model import MAIN

needed("google_adk")
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.genai import types

MOST_RUNS = 1_000


class PlanPlugin(BasePlugin):
    """One for a program. A plan belongs to a session of ADK; an agent that is a tool or a branch has its own."""

    def __init__(
        self,
        dialect: str | Dialect = "lean",
        *,
        name: str = "plan",
        without: Collection[str] = (),
        **settings: Any,
    ) -> None:
        say_what_is_missing(needed("google_adk"), without)
        super().__init__(name=name)
        self.host = host_of(self, dialect, **settings)
        self.tools = [PlanTool(self, each) for each in self.host.tools]
        """For the agents that are to plan."""
        self.asked: dict[str, str] = {}
        """What to answer to the calls that the guard put in."""
        self._runs: OrderedDict[tuple[str, str], PlanRun] = OrderedDict()

    def run_of(self, context: Any) -> PlanRun:
        """The run of the agent that a callback or a tool belongs to."""
        key = (context.invocation_id, context.branch or "")
        if key not in self._runs:
            session = context.session
            name = f"{session.app_name}:{session.user_id}:{session.id}"
            agent = f"{MAIN}/{key[1].replace('/', '-')}" if key[1] else MAIN
            parent = PARENT.get()
            if parent is not None and parent.run not in self._runs.values():
                parent = None  # its run is over, and left its context behind
            label = context.agent_name
            self._runs[key] = begun(self.host, name, agent, label=label, parent=parent)
            while len(self._runs) > MOST_RUNS:  # of invocations that failed
                self._runs.popitem(last=False)
        return self._runs[key]

    async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> None:
        """Put the tail behind what is sent, and nowhere else."""
        if not self.host.names & set(llm_request.tools_dict):
            return  # an agent without the plan's tools has no plan
        run, contents = self.run_of(callback_context), llm_request.contents
        last = (contents[-1].parts if contents else None) or []
        called = [part.function_response.name for part in last if part.function_response]
        if called:
            run.after_turn(called)
        if self.host.prompt:
            llm_request.append_instructions([self.host.prompt])
        text = await run.aside(run.before_request)
        if text:
            tail = types.Content(role="user", parts=[types.Part(text=text)])
            llm_request.contents = [*contents, tail]

    async def after_model_callback(self, *, callback_context: Any, llm_response: Any) -> Any:
        """Put a call behind a final answer with open steps: ADK has no other way back to the model."""
        parts = (llm_response.content.parts if llm_response.content else None) or []
        run = self._runs.get((callback_context.invocation_id, callback_context.branch or ""))
        is_answer = parts and not any(part.function_call for part in parts)
        if run is None or llm_response.partial or llm_response.error_code or not is_answer:
            return None
        decision = await run.aside(run.at_end)
        if decision.kind != "continue":
            return None
        call = types.FunctionCall(id=f"plan-{uuid4()}", name=self.tools[0].name, args={})
        self.asked[str(call.id)] = decision.text
        content = types.Content(role="model", parts=[*parts, types.Part(function_call=call)])
        return llm_response.model_copy(update={"content": content})

    async def before_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any) -> None:
        """Remember whose tool this is, for an agent that runs inside it."""
        run = self._runs.get((tool_context.invocation_id, tool_context.branch or ""))
        PARENT.set(Parent(run) if run else None)

    async def on_event_callback(self, *, invocation_context: Any, event: Any) -> None:
        """Put what became of the plan into ADK's own events: `event.custom_metadata["plan"]`."""
        runs = [
            run for key, run in self._runs.items() if key[0] == invocation_context.invocation_id
        ]
        changes = [self.host.event(change) for run in runs for change in run.changes()]
        if changes:
            event.custom_metadata = {**(event.custom_metadata or {}), "plan": changes}

    async def after_run_callback(self, *, invocation_context: Any) -> None:
        mine = [key for key in self._runs if key[0] == invocation_context.invocation_id]
        for run in [self._runs.pop(key) for key in mine]:
            await run.aside(partial(self.host.end, run.todo.session, run.todo.agent))


class PlanTool(BaseTool):
    """A tool of the plan."""

    def __init__(self, plan: PlanPlugin, tool: Tool) -> None:
        super().__init__(name=tool.name, description=tool.description)
        self._plan = plan
        self._declared = types.FunctionDeclaration(
            name=tool.name, description=tool.description, parameters_json_schema=tool.input_schema
        )

    def _get_declaration(self) -> Any:
        return self._declared.model_copy()

    async def run_async(self, *, args: dict[str, Any], tool_context: Any) -> Any:
        call_id = tool_context.function_call_id
        if told := self._plan.asked.pop(call_id or "", ""):
            return {"result": told}
        reply = await self._plan.run_of(tool_context).acall(self.name, args, call_id)
        return {"error" if reply.is_error else "result": reply.text}
