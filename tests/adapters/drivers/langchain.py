"""LangChain's own fake chat model, in `create_agent` with a checkpointer; the sub-agent is one of deepagents."""

from __future__ import annotations

import threading
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver

from tests.adapters.driver import PAGE, Driver, Outcome, Request, Script, Turn
from todowright.adapters.langchain import PlanMiddleware


class Scripted(GenericFakeChatModel):
    """Plays turns, and keeps what it was sent."""

    seen: list[Any] = []
    hooks: dict[int, Any] = {}
    offered: list[str] = []

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        self.__dict__["offered"] = [getattr(tool, "name", None) or tool["name"] for tool in tools]
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> Any:
        self.hooks.get(len(self.seen), lambda: None)()
        texts = [str(each.text) for each in messages if each.type != "system"]
        system = "".join(str(each.text) for each in messages if each.type == "system")
        self.seen.append(Request(texts, list(self.offered), system))
        return super()._generate(messages, *args, **options)


def scripted(turns: Any, prefix: str, hooks: Any = None) -> Scripted:
    return Scripted(
        messages=iter([_message(turn, f"{prefix}-{at}") for at, turn in enumerate(turns)]),
        seen=[],
        hooks=hooks or {},
        disable_streaming=True,
    )


def _message(turn: Turn, name: str) -> AIMessage:
    if isinstance(turn, str):
        return AIMessage(turn, id=name)
    calls = [
        {"name": tool, "args": args, "id": f"{name}-{n}"} for n, (tool, args) in enumerate(turn)
    ]
    return AIMessage("", tool_calls=calls, id=name)


def look() -> str:
    """Look at something."""
    return "seen"


class LangChainDriver(Driver):
    name = "langchain"

    def __init__(self) -> None:
        self._savers: dict[int, InMemorySaver] = {}
        self._lock = threading.Lock()
        self._runs = 0

    def make(self, store: str, **settings: Any) -> PlanMiddleware:
        return PlanMiddleware(store=store, **settings)

    def _agent(self, plan: PlanMiddleware, script: Script) -> tuple[Any, Scripted, Scripted]:
        with self._lock:
            self._runs += 1
            saver = self._savers.setdefault(id(plan), InMemorySaver())
        main = scripted(script.turns, f"{self._runs}-main", script.at_request)
        child = scripted(script.child, f"{self._runs}-child")
        tools: list[Any] = [look]
        if script.child:
            inner = create_agent(child, [look], middleware=[plan])

            def delegate(task: str) -> str:
                """Give a piece of work to a sub-agent."""
                return str(inner.invoke({"messages": [HumanMessage(task)]})["messages"][-1].text)

            tools.append(delegate)
        middleware: list[Any] = [plan]
        if script.compact:
            summary = GenericFakeChatModel(messages=iter([AIMessage("They looked around.")] * 50))
            few = SummarizationMiddleware(summary, trigger=("messages", 6), keep=("messages", 2))
            middleware.insert(0, few)
        return create_agent(main, tools, middleware=middleware, checkpointer=saver), main, child

    def given_to_pages(self) -> dict[str, Any]:
        return {"model": scripted(PAGE, "page"), "tools": [look]}

    def run(self, plan: PlanMiddleware, script: Script) -> Outcome:
        agent, main, child = self._agent(plan, script)
        config = {"configurable": {"thread_id": script.thread}, "recursion_limit": 200}
        asked = {"messages": [HumanMessage(script.task)]}
        events = list(agent.stream(asked, config, stream_mode="custom"))
        return _outcome(agent.get_state(config).values, main, child, events, plan)

    async def arun(self, plan: PlanMiddleware, script: Script) -> Outcome:
        agent, main, child = self._agent(plan, script)
        config = {"configurable": {"thread_id": script.thread}, "recursion_limit": 200}
        asked = {"messages": [HumanMessage(script.task)]}
        events = [event async for event in agent.astream(asked, config, stream_mode="custom")]
        return _outcome((await agent.aget_state(config)).values, main, child, events, plan)


def _outcome(
    state: Any, main: Scripted, child: Scripted, events: Any, plan: PlanMiddleware
) -> Outcome:
    messages = state["messages"]
    names = plan.host.names
    return Outcome(
        answer=str(messages[-1].text),
        requests=main.seen,
        child_requests=child.seen,
        replies=[str(m.text) for m in messages if isinstance(m, ToolMessage) and m.name in names],
        history=[str(message.text) for message in messages],
        events=events,
    )


DRIVER = LangChainDriver()
