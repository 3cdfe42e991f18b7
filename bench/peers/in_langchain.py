"""LangChain's `TodoListMiddleware` inside `create_agent`, for bench.adapters; deepagents has the same one."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import TodoListMiddleware
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver

from bench.framework_session import MEMORY, Player, Run, lean_turns, list_turns
from tests.adapters.drivers.langchain import look, scripted
from todowright.adapters.langchain import PlanMiddleware

CHECKPOINTS = "SQLite, with the conversation"


def run_with(middleware: Any, saver: Any) -> Run:
    def run(thread: str, turns: list[Any], hooks: Any) -> list[list[str]]:
        model = scripted(turns, thread, hooks)
        agent = create_agent(model, [look], middleware=[middleware], checkpointer=saver)
        config = {"configurable": {"thread_id": thread}, "recursion_limit": 200}
        asked = {"messages": [HumanMessage("Do the work")]}
        list(agent.stream(asked, config, stream_mode="custom"))
        assert agent.get_state(config).values["messages"][-1].text == "Done."
        return [request.texts for request in model.seen]

    return run


def players(folder: Path) -> list[Player]:
    def saver(name: str) -> SqliteSaver:
        return SqliteSaver(sqlite3.connect(folder / f"{name}.db", check_same_thread=False))

    theirs, in_state = TodoListMiddleware(), PlanMiddleware(store="state")
    (tool,) = theirs.tools
    offered = [(tool.name, tool.description, tool.args_schema.model_json_schema())]

    def peer(kept: str, saver: Any) -> Player:
        run = run_with(theirs, saver)
        return Player(
            "TodoListMiddleware",
            kept,
            list_turns(),
            run,
            lambda: offered,
            lambda: theirs.system_prompt,
        )

    return [
        peer(MEMORY, InMemorySaver()),
        Player(
            "ours",
            CHECKPOINTS,
            lean_turns(),
            run_with(in_state, saver("ours")),
            lambda: [(t.name, t.description, t.input_schema) for t in in_state.host.tools],
            lambda: in_state.host.prompt,
        ),
        peer(CHECKPOINTS, saver("theirs")),
    ]
