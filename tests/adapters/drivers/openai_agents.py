"""The SDK's own `ScriptedModel` and sessions; the sub-agent is an agent called as a tool."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

from agents import (
    Agent,
    OpenAIResponsesCompactionSession,
    SQLiteSession,
    function_tool,
    set_tracing_disabled,
)
from agents.testing import ScriptedModel, assistant_message, function_call

from tests.adapters.driver import PAGE, Driver, Outcome, Request, Script
from todowright.adapters.openai_agents import AgentsPlan, PlanStreamEvent

set_tracing_disabled(True)


class Scripted(ScriptedModel):
    """Calls a hook before it answers."""

    hooks: dict[int, Any]

    async def get_response(self, *args: Any, **options: Any) -> Any:
        self.hooks.get(len(self.calls), lambda: None)()
        return await super().get_response(*args, **options)

    async def stream_response(self, *args: Any, **options: Any) -> Any:
        self.hooks.get(len(self.calls), lambda: None)()
        async for event in super().stream_response(*args, **options):
            yield event


def scripted(turns: Any, prefix: str, hooks: Any = None) -> Scripted:
    outputs = []
    for at, turn in enumerate(turns):
        if isinstance(turn, str):
            outputs.append([assistant_message(turn)])
        else:
            outputs.append(
                [
                    function_call(name, args, call_id=f"{prefix}-{at}-{n}")
                    for n, (name, args) in enumerate(turn)
                ]
            )
    model = Scripted(outputs)
    model.hooks = hooks or {}
    return model


def requests_of(model: Scripted) -> list[Request]:
    requests = []
    for call in model.calls:
        items = [call.input] if isinstance(call.input, str) else call.input
        names = [tool.name for tool in call.tools]
        system = str(call.system_instructions)
        requests.append(Request([text_of(item) for item in items], names, system))
    return requests


def text_of(item: Any) -> str:
    if isinstance(item, str):
        return item
    content = item.get("output", item.get("content", ""))
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content)
    return str(content)


@function_tool
def look() -> str:
    """Look at something."""
    return "seen"


class Summing:
    """What OpenAI's server does with a conversation that is to be made smaller."""

    async def compact(self, **_: Any) -> Any:
        said = {"role": "user", "content": "They looked around.", "type": "message"}
        return SimpleNamespace(output=[said], usage=None)


class AgentsDriver(Driver):
    name = "openai_agents"

    def __init__(self) -> None:
        self._sessions: dict[tuple[int, str], SQLiteSession] = {}
        self._lock = threading.Lock()
        self._runs = 0

    def make(self, store: str, **settings: Any) -> AgentsPlan:
        return AgentsPlan(store=store, **settings)

    def _parts(self, plan: AgentsPlan, script: Script) -> tuple[Any, Scripted, Scripted, Any]:
        with self._lock:
            self._runs += 1
            prefix = f"{self._runs}"
            key = id(plan), script.thread
            session: Any = self._sessions.setdefault(key, SQLiteSession(script.thread))
        if script.compact:
            client: Any = SimpleNamespace(responses=Summing())
            session = OpenAIResponsesCompactionSession(
                script.thread, session, client=client, compaction_mode="input"
            )
        main = scripted(script.turns, prefix, script.at_request)
        child = scripted(script.child, f"{prefix}-child")
        tools = [look, *plan.tools]
        if script.child:
            kid = Agent(name="kid", model=child, tools=[look, *plan.tools])
            tools.append(kid.as_tool("delegate", "Give a piece of work to a sub-agent."))
        return Agent(name="boss", model=main, tools=tools), main, child, session

    def given_to_pages(self) -> dict[str, Any]:
        return {"model": scripted(PAGE, "page"), "tools": [look]}

    def run(self, plan: AgentsPlan, script: Script) -> Outcome:
        boss, main, child, session = self._parts(plan, _adapted(script))
        import asyncio

        async def streamed() -> Any:
            result = plan.run_streamed(boss, script.task, session=session, max_turns=50)
            events = [
                e.plan async for e in result.stream_events() if isinstance(e, PlanStreamEvent)
            ]
            return result, events, await session.get_items()

        result, events, items = asyncio.run(streamed())
        return _outcome(plan, result, main, child, events, items)

    async def arun(self, plan: AgentsPlan, script: Script) -> Outcome:
        boss, main, child, session = self._parts(plan, _adapted(script))
        result = await plan.run(boss, script.task, session=session, max_turns=50)
        return _outcome(plan, result, main, child, [], await session.get_items())


def _adapted(script: Script) -> Script:
    """`as_tool` calls its argument `input`."""
    for turn in script.turns:
        for name, arguments in () if isinstance(turn, str) else turn:
            if name == "delegate" and "task" in arguments:
                arguments["input"] = arguments.pop("task")
    return script


def _outcome(plan: Any, result: Any, main: Any, child: Any, events: Any, items: Any) -> Outcome:
    names = {item["call_id"]: item["name"] for item in items if item.get("type") == "function_call"}
    results = [item for item in items if item.get("type") == "function_call_output"]
    return Outcome(
        answer=str(result.final_output),
        requests=requests_of(main),
        child_requests=requests_of(child),
        replies=[str(i["output"]) for i in results if names[i["call_id"]] in plan.host.names],
        history=[text_of(item) for item in items],
        events=events,
    )


DRIVER = AgentsDriver()
