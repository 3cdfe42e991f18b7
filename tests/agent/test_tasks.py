"""Tasks through the real clients of both APIs: offered, made, blocked, finished, kept over a compaction and another agent."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.agent.conftest import Talk
from tests.agent.provider import Say, calls, says
from tests.requirements import requirement
from todowright import TodoWrite
from todowright.agent import Limits, events

Make = Callable[..., Talk]
pytestmark = requirement("003-10")
TOOLS = {"TaskCreate", "TaskUpdate", "TaskGet", "TaskList"}


def tasks(made: Talk) -> list[tuple[str, str]]:
    return [(todo.content, todo.status) for todo in made.agent.todo.plan.todos]


def results(made: Talk) -> list[str]:
    """What the model was told of its calls, in the last request."""
    messages = made.provider.requests[-1]["messages"]
    if not made.is_anthropic:
        return [message["content"] for message in messages if message["role"] == "tool"]
    blocks = [
        block
        for message in messages
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    return [
        block["content"] if isinstance(block["content"], str) else block["content"][0]["text"]
        for block in blocks
    ]


def offered(made: Talk, request: dict[str, Any]) -> set[str]:
    return {
        tool["name"] if made.is_anthropic else tool["function"]["name"] for tool in request["tools"]
    }


def test_a_model_makes_tasks_is_refused_a_blocked_one_and_finishes_both(talk: Make) -> None:
    made = talk(
        says(
            calls(
                ("TaskCreate", {"subject": "Build", "description": "all of it"}),
                ("TaskCreate", {"subject": "Ship", "description": "to the shop"}),
            ),
            calls(("TaskUpdate", {"taskId": "2", "addBlockedBy": ["1"]})),
            calls(("TaskUpdate", {"taskId": "2", "status": "in_progress"})),
            calls(("TaskUpdate", {"taskId": "1", "status": "completed"}), ("TaskList", {})),
            calls(
                ("TaskUpdate", {"taskId": "2", "status": "in_progress"}),
                ("TaskGet", {"taskId": "2"}),
            ),
            calls(("TaskUpdate", {"taskId": "2", "status": "completed"})),
            Say("Both are done."),
        ),
        dialect="tasks",
    )
    made.run("Build and ship")
    assert tasks(made) == [("Build", "completed"), ("Ship", "completed")]
    for request in made.provider.requests:
        names = offered(made, request)
        assert names >= TOOLS
        assert not names & {"TodoWrite", "plan", "done"}
    told = results(made)
    assert told[0].startswith("Task #1 created successfully")
    assert "blocked by #1" in told[3]
    assert told[5].splitlines() == ["#1 [completed] Build", "#2 [pending] Ship"]
    assert "Description: to the shop" in told[7]


def test_tasks_outlive_a_compaction(talk: Make) -> None:
    window, rounds = 12_000, 36
    state = {"round": 0}

    def mind(request: dict[str, Any]) -> Say:
        state["round"] += 1
        if state["round"] == 1:
            return calls(
                *[
                    ("TaskCreate", {"subject": f"Part {n} of it", "description": "x"})
                    for n in range(1, 6)
                ]
            )
        if state["round"] > rounds:
            return (
                calls(("TaskList", {})) if state["round"] == rounds + 1 else Say("Some are left.")
            )
        if state["round"] == 20:
            return calls(("TaskUpdate", {"taskId": "1", "status": "completed"}))
        return calls(("read_file", {"path": "big.txt"}))

    limits = Limits(rounds=rounds + 8, window=window, max_tokens=2000)
    made = talk(mind, window=window, chunk=999, dialect="tasks", limits=limits)
    (made.folder / "big.txt").write_text("some words in a line\n" * 300)
    compacted = [
        len(made.provider.requests)
        for event in made.agent.run("Do the parts")
        if isinstance(event, events.Compaction)
    ]
    assert made.provider.refused == []
    assert compacted
    for index in compacted:
        body = json.dumps(made.provider.requests[index]["messages"], ensure_ascii=False)
        assert "Part 5 of it" in body
    assert tasks(made)[0] == ("Part 1 of it", "completed")
    assert results(made)[-1].count("[pending]") == 4


def test_a_second_agent_takes_the_list_up_where_the_first_left_it(talk: Make) -> None:
    first = talk(
        says(calls(("TaskCreate", {"subject": "Build", "description": "b"})), Say("Later.")),
        todo=TodoWrite("tasks", session="one"),
    )
    first.run("Begin")
    store = first.agent.todo.store
    second = talk(
        says(
            calls(("TaskList", {})),
            calls(("TaskUpdate", {"taskId": "1", "status": "completed"})),
            Say("Done."),
        ),
        todo=TodoWrite("tasks", store=store, session="one"),
    )
    second.run("Go on")
    assert results(second)[0] == "#1 [pending] Build"
    assert tasks(second) == tasks(first) == [("Build", "completed")]


@pytest.mark.parametrize(
    "wrong", [{}, {"taskId": "9", "status": "completed"}, {"taskId": "1", "addBlockedBy": ["1"]}]
)
def test_a_wrong_call_is_told_and_changes_nothing(talk: Make, wrong: dict[str, Any]) -> None:
    made = talk(
        says(
            calls(("TaskCreate", {"subject": "Build", "description": "b"})),
            calls(("TaskUpdate", wrong)),
            Say("Hm."),
            Say("Hm."),
        ),
        dialect="tasks",
    )
    made.run("Begin")
    assert tasks(made) == [("Build", "pending")]
    assert len(results(made)[1].splitlines()) == 1
