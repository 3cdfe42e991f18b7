"""smolagents: `agent = SmolPlan("thread-1", store=…).added_to(ToolCallingAgent(…))`, and so with a `CodeAgent`."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from inspect import signature
from typing import Any

from todowright.adapters.conversation import Conversation
from todowright.adapters.frameworks import check_names, needed
from todowright.dialects.dialect import Tool as Definition
from todowright.text import a_kind

needed("smolagents")
from smolagents import MultiStepAgent, Tool
from smolagents.memory import ActionStep, TaskStep
from smolagents.models import ChatMessage, MessageRole


class SmolPlan(Conversation):
    """The plan of one conversation, for one agent object."""

    framework_name = "smolagents"

    def added_to(self, agent: Any) -> Any:
        """The agent, with the plan's tools, the tail in each request and a check of its final answer.

        smolagents has hooks for the last two, and methods of the agent are replaced for the rest.
        """
        _check_agent(agent, self.names)
        if hasattr(self, "_agent"):
            raise ValueError("this plan has an agent already: make another SmolPlan")
        self._task: object = None
        self._most: int = agent.max_steps
        self._replies: list[tuple[str, Any, str]] = []
        self._agent = agent
        agent.tools.update({each.name: PlanTool(self, each) for each in self.host.tools})
        self._write, agent.write_memory_to_messages = agent.write_memory_to_messages, self._written
        if hasattr(agent, "process_tool_calls"):  # a CodeAgent calls its tools in its code
            self._process, agent.process_tool_calls = agent.process_tool_calls, self._processed
            self._execute, agent.execute_tool_call = agent.execute_tool_call, self._executed
        agent.instructions = self.host.with_prompt(agent.instructions) or None
        self._run, agent.run = agent.run, self._ran
        agent.final_answer_checks.append(self.open_steps)
        agent.step_callbacks.register(ActionStep, self._after_step)
        return agent

    def _ran(self, *args: Any, **options: Any) -> Any:
        """A run; how many steps it may have is kept by smolagents for itself."""
        given = signature(self._run).bind(*args, **options).arguments
        self._most = given.get("max_steps") or self._agent.max_steps
        return self._run(*args, **options)

    def _written(self, *args: Any, **options: Any) -> list[Any]:
        """The memory as messages, and the tail behind them; the memory does not have it."""
        tasks = [step for step in self._agent.memory.steps if isinstance(step, TaskStep)]
        if tasks and tasks[-1] is not self._task:
            self._task = tasks[-1]
            self.begin()
        messages: list[Any] = self._write(*args, **options)
        text = self.current.before_request()
        if not text:
            return messages
        tail = ChatMessage(role=MessageRole.USER, content=[{"type": "text", "text": text}])
        return [*messages, tail]

    def _processed(self, message: Any, step: Any) -> Iterator[Any]:
        """Answer the plan calls of a step in their order: smolagents runs the calls of a step in threads."""
        calls = [
            (call.function.name, call.function.arguments or {}, call.id)
            for call in message.tool_calls
            if call.function.name in self.names
        ]
        replies = self.current.answer(calls)
        self._replies = [
            (*call[:2], reply.text) for call, reply in zip(calls, replies, strict=True)
        ]
        yield from self._process(message, step)

    def _executed(self, name: str, arguments: Any) -> Any:
        """The answer that a plan call has already; its arguments are not for smolagents to check or to fill in."""
        if name not in self.names:
            return self._execute(name, arguments)
        ready = [each for each in self._replies if each[0] == name and each[1] == arguments]
        same = [each for each in ready if each[1] is arguments]
        return (same or ready)[0][2]

    def open_steps(self, answer: Any, memory: Any, agent: Any = None) -> bool:
        """The check of a final answer: its error tells the model what is open."""
        is_last = self._agent.step_number >= self._most  # else a summary would be the answer
        decision = self.current.at_end()
        if decision.kind == "continue" and not is_last:
            raise ValueError(decision.text)
        return True

    def _after_step(self, step: Any, agent: Any = None) -> None:
        self.current.after_turn([call.name for call in step.tool_calls or ()])


class PlanTool(Tool):  # type: ignore[misc]
    """A tool of the plan. smolagents takes a part of JSON Schema: what is not required is `nullable`."""

    skip_forward_signature_validation = True
    output_type = "string"

    def __init__(self, plan: SmolPlan, tool: Definition) -> None:
        self.name, self.description, self._plan = tool.name, tool.description, plan
        needs, fields = tool.input_schema.get("required", ()), tool.input_schema["properties"]
        self.inputs = {
            name: {"description": name, **field, **({} if name in needs else {"nullable": True})}
            for name, field in fields.items()
        }
        super().__init__()

    def forward(self, *given: Any, **named: Any) -> str:
        """Called from the code of a `CodeAgent`, with names or in the order of the inputs."""
        names = list(self.inputs)
        if len(given) > len(names) or not named.keys().isdisjoint(names[: len(given)]):
            return f"Error: call {self.name}({', '.join(f'{name}=…' for name in names)})"
        return self._plan.current.call(
            self.name, dict(zip(names, given, strict=False)) | named
        ).text


def _check_agent(agent: object, names: Collection[str]) -> None:
    """Refuse what cannot be given a plan, or has one."""
    if not isinstance(agent, MultiStepAgent):
        raise TypeError(
            f"added_to takes a ToolCallingAgent or a CodeAgent, not {a_kind(agent)}: make the agent first"
        )
    if any(isinstance(tool, PlanTool) for tool in agent.tools.values()):
        raise ValueError("this agent has a plan already: make another agent")
    check_names(names, agent.tools.values())
