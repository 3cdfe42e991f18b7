"""What only LangChain, LangGraph and deepagents have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from deepagents import create_deep_agent
from langchain.agents import create_agent
from langchain.agents.structured_output import ToolStrategy
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from pydantic import BaseModel

from tests.adapters.drivers.langchain import look, scripted
from todowright.adapters.langchain import PlanMiddleware
from todowright.adapters.shapes import LANGCHAIN

ASKED = {"messages": [HumanMessage("Do the work")]}
PLAN = ("plan", {"steps": ["Read", "Fix"]})
DONE = ("done", {"finished": ["Read", "Fix"]})


def config(thread: str = "thread", **more: Any) -> Any:
    return {"configurable": {"thread_id": thread, **more}}


def test_the_state_has_the_todos_as_langchains_own_middleware_has_them() -> None:
    agent = create_agent(
        scripted([[PLAN], [DONE], "Done."], "a"), [look], middleware=[PlanMiddleware()]
    )
    result = agent.invoke(ASKED, config())
    assert result["todos"] == [
        {"content": "Read", "status": "completed"},
        {"content": "Fix", "status": "completed"},
    ]
    assert set(result) == {"messages", "todos"}, "what is private stays so"
    assert [message.type for message in result["messages"]] == [
        "human",
        "ai",
        "tool",
        "ai",
        "tool",
        "ai",
    ]


def test_the_prompt_joins_the_system_prompt_and_can_be_replaced() -> None:
    model = scripted(["Hello."], "a")
    seen: list[Any] = []
    generate = type(model)._generate

    def kept(self: Any, messages: Any, *args: Any, **options: Any) -> Any:
        seen.append(messages)
        return generate(self, messages, *args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(model), "_generate", kept)
        create_agent(model, system_prompt="Be kind.", middleware=[PlanMiddleware()]).invoke(
            ASKED, config()
        )
        model = scripted(["Hello."], "b")
        create_agent(model, middleware=[PlanMiddleware(system_prompt="Plan well.")]).invoke(
            ASKED, config()
        )
    assert seen[0][0].text == "Be kind.\n\n" + PlanMiddleware().host.prompt
    assert seen[1][0].text == "Plan well."


def test_without_a_thread_each_run_has_a_plan_of_its_own() -> None:
    plan = PlanMiddleware()
    first = scripted([[PLAN], "Never mind.", "No.", "No."], "a")
    create_agent(first, [look], middleware=[plan]).invoke(ASKED)
    assert "Read" in first.seen[1].end
    second = scripted(["Hello."], "b")
    create_agent(second, [look], middleware=[plan]).invoke(ASKED)
    assert second.seen[0].texts == ["Do the work"]


def test_the_session_can_be_named_by_more_than_the_thread() -> None:
    plan = PlanMiddleware(
        session=lambda config: f"{config['user']}/{config['thread_id']}", ask_again=0
    )
    for user, ends in (
        ("ann", "Do the work"),
        ("bob", "Do the work"),
        ("ann", "1. Read - NOW\n2. Fix - NEXT"),
    ):
        model = scripted([[PLAN], "Later."] if ends == "Do the work" else ["Hello."], user)
        create_agent(model, [look], middleware=[plan]).invoke(ASKED, config(user=user))
        assert model.seen[0].end.endswith(ends)


def test_structured_output_is_held_back_while_steps_are_open() -> None:
    class Report(BaseModel):
        text: str

    early, late = ("Report", {"text": "early"}), ("Report", {"text": "late"})
    model = scripted([[PLAN], [early], [DONE], [late]], "a")
    agent = create_agent(
        model, [look], middleware=[PlanMiddleware()], response_format=ToolStrategy(Report)
    )
    assert agent.invoke(ASKED, config())["structured_response"] == Report(text="late")
    assert "Open steps" in model.seen[2].whole


def test_a_plan_in_the_state_lives_in_the_checkpoints_and_goes_back_with_them(
    tmp_path: Path,
) -> None:
    with SqliteSaver.from_conn_string(str(tmp_path / "checkpoints.db")) as saver:
        plan = PlanMiddleware(store="state", ask_again=0)
        agent = create_agent(
            scripted([[PLAN], "Later."], "a"), [look], middleware=[plan], checkpointer=saver
        )
        agent.invoke(ASKED, config())
        early = agent.get_state(config()).config
        assert plan.host.store.sessions() == [], "nothing is kept elsewhere"

        model = scripted([[("done", {"finished": ["Read"]})], "So far."], "b")
        plan = PlanMiddleware(store="state", ask_again=0)  # as in another process
        agent = create_agent(model, [look], middleware=[plan], checkpointer=saver)
        assert agent.invoke(ASKED, config())["todos"][0]["status"] == "completed"
        assert "Plan: 0 of 2 done." in model.seen[0].end
        assert "Plan: 1 of 2 done." in model.seen[1].end

        model = scripted([[("done", {"finished": ["Fix"]})], "A fork."], "c")
        agent = create_agent(model, [look], middleware=[plan], checkpointer=saver)
        forked = agent.invoke(ASKED, early)
        assert "Plan: 0 of 2 done." in model.seen[0].end, "a fork has the plan of its checkpoint"
        assert [row["status"] for row in forked["todos"]] == ["in_progress", "completed"]


@pytest.mark.parametrize("agent_name", ["", "boss"])
@pytest.mark.parametrize("store", ["memory:", "state"])
def test_two_sub_agents_of_deepagents_at_once_have_plans_of_their_own(
    store: str, agent_name: str
) -> None:
    plan = PlanMiddleware(store=store, agent=agent_name, ask_again=0)
    turns = [
        [("plan", {"steps": ["Child step"]})],
        [look_call()],
        [("done", {"finished": ["Child step"]})],
        "Over.",
    ]
    kids = [scripted(turns, f"kid-{n}") for n in range(2)]
    subagents = [
        {
            "name": f"kid{n}",
            "description": "a kid",
            "system_prompt": "kid",
            "model": kid,
            "tools": [look],
            "middleware": [plan],
        }
        for n, kid in enumerate(kids)
    ]
    both = [("task", {"description": "do it", "subagent_type": f"kid{n}"}) for n in range(2)]
    main = scripted(
        [
            [("plan", {"steps": ["Delegate"]})],
            both,
            [("done", {"finished": ["Delegate"]})],
            "Done.",
        ],
        "main",
    )
    agent = create_deep_agent(
        model=main, middleware=[plan], subagents=subagents, checkpointer=InMemorySaver()
    )
    result = agent.invoke(ASKED, config("deep"))
    assert result["messages"][-1].text == "Done."
    assert result["todos"] == [{"content": "Delegate", "status": "completed"}]
    for kid in kids:
        assert [
            ("Child step - NOW" in seen.end, "Delegate" in seen.whole) for seen in kid.seen
        ] == [
            (False, False),
            (True, False),
            (True, False),
            (False, False),
        ]
    ended = [each for each in plan.host.store.plans("deep") if "/" in each.agent]
    assert all(each.ended for each in ended)
    assert len(ended) == (2 if store == "memory:" else 0)


def look_call() -> Any:
    return "look", {}


def test_the_cache_breakpoint_stands_before_the_plan() -> None:
    from langchain.agents.middleware import wrap_model_call

    sent: list[Any] = []

    @wrap_model_call
    def caching(request: Any, handler: Any) -> Any:
        return handler(request.override(model_settings={"cache_control": {"type": "ephemeral"}}))

    @wrap_model_call
    def watching(request: Any, handler: Any) -> Any:
        sent.append(request.messages)
        return handler(request.override(model_settings={}))

    model = scripted([[PLAN, look_call()], [DONE], "Done."], "a")
    agent = create_agent(model, [look], middleware=[caching, PlanMiddleware(), watching])
    result = agent.invoke(ASKED, config())
    *before, last, tail = sent[1]
    assert last.content[-1]["cache_control"] == {"type": "ephemeral"}
    assert tail.text.startswith("Plan: ")
    assert "cache_control" not in json.dumps([message.content for message in [*before, tail]])
    assert "cache_control" not in json.dumps([message.content for message in result["messages"]])


def test_a_run_that_was_broken_off_answers_a_call_that_comes_again_as_before(
    tmp_path: Path,
) -> None:
    store = f"sqlite:///{tmp_path}/plans.db"
    adds = [PLAN, ("add", {"step": "Ship", "where": "end"})]
    for _ in range(
        2
    ):  # killed after the plan was saved, before its checkpoint: the turn comes again
        model = scripted([adds, "Later."], "same-ids")
        plan = PlanMiddleware(store=store, ask_again=0)
        result = create_agent(model, [look], middleware=[plan]).invoke(ASKED, config())
        assert [row["content"] for row in result["todos"]] == ["Read", "Fix", "Ship"]


def test_a_server_that_counts_its_calls_anew_in_each_answer_is_not_taken_to_repeat_itself() -> None:
    def planned(*steps: str) -> AIMessage:
        return AIMessage(
            "", tool_calls=[{"name": "plan", "args": {"steps": [*steps]}, "id": "call_0"}]
        )

    model = scripted([], "a")
    other = ["Buy milk"]
    model.messages = iter(
        [planned("Read", "Fix"), planned(*other), planned(*other), AIMessage("Later.")]
    )
    plan = PlanMiddleware(ask_again=0)
    result = create_agent(model, [look], middleware=[plan]).invoke(ASKED, config())
    assert [row["content"] for row in result["todos"]] == other


def test_a_node_of_a_larger_graph_keeps_its_plan_by_its_name() -> None:
    from langgraph.graph import START, MessagesState, StateGraph

    plan = PlanMiddleware(agent="writer", ask_again=0)
    for number, expected in enumerate(
        ["Do the work", "Plan: 0 of 2 done.\n1. Read - NOW\n2. Fix - NEXT"]
    ):
        model = scripted([[PLAN] if not number else "Hello.", "Later."], f"n{number}")
        inner = create_agent(model, [look], middleware=[plan])
        graph = (
            StateGraph(MessagesState).add_node("writer", inner).add_edge(START, "writer").compile()
        )
        graph.invoke(ASKED, config("large"))
        assert model.seen[0].end == expected


def write(*rows: tuple[str, str]) -> Any:
    return "write_todos", {
        "todos": [{"content": content, "status": status} for content, status in rows]
    }


def test_with_langchains_tool_the_state_and_the_messages_are_those_of_its_own_middleware() -> None:
    turns = [[write(("Task 1", status))] for status in ("pending", "in_progress", "completed")]
    agent = create_agent(scripted([*turns, "Done."], "a"), middleware=[PlanMiddleware(LANGCHAIN)])
    result = agent.invoke(ASKED)
    assert result["todos"] == [{"content": "Task 1", "status": "completed"}]
    assert len(result["messages"]) == 8


def test_with_langchains_tool_two_lists_in_a_turn_are_taken_in_their_order() -> None:
    turns = [
        [write(("Task 1", "pending")), write(("Task 1", "completed"), ("Task 2", "completed"))],
        "Done.",
    ]
    result = create_agent(scripted(turns, "a"), middleware=[PlanMiddleware(LANGCHAIN)]).invoke(
        ASKED
    )
    assert [row["status"] for row in result["todos"]] == ["completed", "completed"]
    assert [each.status for each in result["messages"] if each.type == "tool"] == [
        "success",
        "success",
    ]
    assert "this is the one that stands" in result["messages"][3].text


def test_with_langchains_tool_a_bad_status_is_an_answer_to_the_model_and_no_exception() -> None:
    turns = [[write(("Task 1", "finished-ish"))], "I give up."]
    result = create_agent(scripted(turns, "a"), middleware=[PlanMiddleware(LANGCHAIN)]).invoke(
        ASKED
    )
    told = result["messages"][2]
    assert (told.status, told.text) == (
        "error",
        "Error: todos[0].status is 'finished-ish': use one of pending, in_progress, completed",
    )


def test_langchains_own_list_vanishes_with_a_summary_and_ours_does_not() -> None:
    from langchain.agents.middleware import SummarizationMiddleware, TodoListMiddleware
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel

    rows = [(f"Part {n}", "pending") for n in range(8)]
    seen = {}
    for name, middleware in (("theirs", TodoListMiddleware()), ("ours", PlanMiddleware(LANGCHAIN))):
        summary = GenericFakeChatModel(messages=iter([AIMessage("They looked around.")] * 50))
        few: Any = SummarizationMiddleware(summary, trigger=("messages", 6), keep=("messages", 2))
        model = scripted([[write(*rows)], *[[look_call()]] * 8, *["All is well."] * 3], name)
        agent = create_agent(model, [look], middleware=[few, middleware])
        agent.invoke(ASKED, {"recursion_limit": 200})
        seen[name] = ["Part 7" in request.whole for request in model.seen[1:]]
    assert not all(seen["theirs"])
    assert not seen["theirs"][-1]
    assert len(seen["theirs"]) == 9, "it ends with eight of eight open"
    assert seen["ours"] == [True] * 11, "in every later request; and twice it was asked to go on"


def test_the_events_of_the_stream_have_the_form_that_a_program_wants() -> None:
    plan = PlanMiddleware(event=lambda change: {"progress": change.plan.progress})
    agent = create_agent(scripted([[PLAN], [DONE], "Done."], "a"), [look], middleware=[plan])
    events = list(agent.stream(ASKED, config(), stream_mode="custom"))
    assert events == [{"progress": (0, 2)}, {"progress": (2, 2)}]


def test_what_the_model_took_stands_beside_the_plan() -> None:
    model = scripted([[PLAN], [DONE], "Done."], "a")
    generate = type(model)._generate

    def counted(self: Any, *args: Any, **options: Any) -> Any:
        made = generate(self, *args, **options)
        message = made.generations[0].message
        message.usage_metadata = {
            "input_tokens": 100,
            "output_tokens": 7,
            "total_tokens": 107,
            "input_token_details": {"cache_read": 60},
        }
        message.response_metadata = {"model_name": "m"}
        return made

    plan = PlanMiddleware()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(model), "_generate", counted)
        create_agent(model, [look], middleware=[plan]).invoke(ASKED, config())
    (usage,) = plan.host.store.usage("thread")
    assert (usage.agent, usage.model, usage.requests) == ("main", "m", 3)
    assert (usage.input, usage.output, usage.cached) == (300, 21, 180)
