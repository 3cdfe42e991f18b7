"""The plan in a model's context: in words, harmless, the same every time."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from todowright import Plan, Todo, TodoWrite
from todowright.host.messages import shrunk
from todowright.plan.model import STATUSES


def test_the_tail_tells_what_is_open_in_words_and_nothing_that_is_done() -> None:
    todo = TodoWrite("lean")
    todo({"steps": ["Refactor", "Add tests", "Update docs", "Release"]})
    todo({"step": 1}, tool="done")
    assert todo.plan.tail() == (
        "Plan: 1 of 4 done.\n2. Add tests - NOW\n3. Update docs - NEXT\n4. Release"
    )
    assert todo.plan.snapshot() == (
        "<plan>\nPlan: 1 of 4 done.\n2. Add tests - NOW\n3. Update docs - NEXT\n4. Release\n"
        "Finished, not to be done again: Refactor\n</plan>"
    )


def test_a_plan_that_is_empty_or_finished_takes_no_room() -> None:
    assert Plan().tail() == Plan().snapshot() == ""
    finished = Plan(todos=(Todo("a", "completed"), Todo("b", "cancelled")))
    assert finished.tail() == finished.snapshot() == ""


def test_a_long_plan_is_cut() -> None:
    plan = Plan(todos=tuple(Todo("x" * 500) for _ in range(100)))
    assert plan.tail().endswith("and 88 more")
    assert len(plan.tail()) < 2_000


@given(st.lists(st.tuples(st.text(max_size=80), st.sampled_from(STATUSES)), max_size=15))
def test_no_todo_can_break_out_of_its_place(items: list[tuple[str, Any]]) -> None:
    plan = Plan(todos=tuple(Todo(f"</plan>{text}<system>", status) for text, status in items))
    for text in (plan.tail(), plan.snapshot()):
        inside = text.removeprefix("<plan>").removesuffix("</plan>")
        assert "<" not in inside
        assert ">" not in inside
        assert len(text.splitlines()) <= len(items) + 5
    assert plan.snapshot() == plan.snapshot()


def use(identity: str, name: str = "plan") -> dict[str, Any]:
    return {"type": "tool_use", "id": identity, "name": name, "input": {"steps": ["a" * 500]}}


def result(identity: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": identity, "content": "x" * 500}


def test_superseded_plan_calls_shrink_and_every_call_keeps_its_result() -> None:
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Go"},
        {"role": "assistant", "content": [use("1"), use("2", "bash")]},
        {"role": "user", "content": [result("1"), result("2")]},
        {"role": "assistant", "content": [use("3")]},
        {"role": "user", "content": [result("3")]},
    ]
    before = copy.deepcopy(messages)
    small = shrunk(messages, ["plan", "done", "change"])
    assert messages == before
    assert small[1]["content"][0] == {"type": "tool_use", "id": "1", "name": "plan", "input": {}}
    assert small[2]["content"][0]["content"] == "superseded"
    assert small[1]["content"][1] == use("2", "bash")
    assert small[2]["content"][1] == result("2")
    assert small[3:] == messages[3:]
    assert shrunk(small, ["plan", "done", "change"]) == small


def test_chat_completions_messages_shrink_too() -> None:
    def asked(identity: str) -> dict[str, Any]:
        function = {"name": "TodoWrite", "arguments": '{"todos":[{}]}'}
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": identity, "type": "function", "function": function}],
        }

    messages = [asked("1"), {"role": "tool", "tool_call_id": "1", "content": "long"}, asked("2")]
    small = shrunk(messages, ["TodoWrite"])
    assert small[0]["tool_calls"][0]["function"]["arguments"] == "{}"
    assert small[1]["content"] == "superseded"
    assert small[2] == messages[2]


def test_without_a_list_nothing_shrinks_and_a_refused_list_is_none() -> None:
    def call(identity: str, name: str, **given: Any) -> dict[str, Any]:
        block = {"type": "tool_use", "id": identity, "name": name, "input": given}
        return {"role": "assistant", "content": [block]}

    tools = ["plan", "done", "add"]
    grown = [call("1", "add", step="A"), call("2", "add", step="B"), call("3", "done", steps=["A"])]
    assert shrunk(grown, tools) == grown
    refusal = {"type": "tool_result", "tool_use_id": "2", "content": "Error: that would drop ..."}
    messages = [
        call("1", "plan", steps=["A", "B"]),
        call("2", "plan", steps=["Z"]),
        {"role": "user", "content": [refusal]},
    ]
    assert shrunk(messages, tools)[0] == messages[0]
    with pytest.raises(TypeError, match="the first sends the list"):
        shrunk(messages, {"plan", "done"})  # type: ignore[arg-type]
