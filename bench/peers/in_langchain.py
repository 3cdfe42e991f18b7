"""LangChain's `TodoListMiddleware` inside `create_agent`, for bench.adapters."""

from __future__ import annotations

import time

from langchain.agents import create_agent
from langchain.agents.middleware import TodoListMiddleware
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from bench.adapters import Session, definitions_of, list_turns, written_in
from tests.adapters.drivers.langchain import look, scripted


def play() -> Session:
    turns, middleware = list_turns(), TodoListMiddleware()
    begun = time.process_time()
    model = scripted(turns, "peer")
    agent = create_agent(model, [look], middleware=[middleware], checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "peer"}, "recursion_limit": 200}
    list(agent.stream({"messages": [HumanMessage("Do the work")]}, config, stream_mode="custom"))
    agent.get_state(config)
    spent = time.process_time() - begun
    (tool,) = middleware.tools
    offered = [(tool.name, tool.description, tool.args_schema.model_json_schema())]
    requests = [request.texts for request in model.seen]
    each = spent / len(requests) * 1e6
    return Session(
        definitions_of(offered), middleware.system_prompt, written_in(turns), requests, each
    )


PEERS = {"TodoListMiddleware": play}
