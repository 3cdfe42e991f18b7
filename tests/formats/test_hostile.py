"""Whatever is given is read, or refused in one short line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from todowright import MemoryStore, Plan, Unreadable, read_plan
from todowright.formats import formats
from todowright.importers.mirror import mirror

TOOLS = sorted({tool for form in formats().values() for tool in form.tools})
KEYS = [
    *("todos", "plan", "items", "content", "status", "id", "title", "merge", "name", "input"),
    *("type", "path", "op", "delta", "patch", "steps", "entries", "subject", "taskId", "metadata"),
    *("sessionUpdate", "params", "addBlockedBy", "dependencies", "UpdatePendingTodos", "operation"),
]
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["\ud800", "[[[", "- [ ] a", "{'a': 1}", "in_progress", "/steps/0", "\x00"]),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(value=values, tool=st.one_of(st.none(), st.sampled_from(TOOLS)), result=values)
def test_anything_is_read_or_refused_in_one_line(value: Any, tool: str | None, result: Any) -> None:
    store = MemoryStore()
    made = mirror(value, tool=tool, result=result, store=store, session="other")
    if made.outcome == "unreadable":
        with pytest.raises(Unreadable) as caught:
            read_plan(value, tool=tool, result=result)
        assert 0 < len(str(caught.value)) < 300
        assert "\n" not in str(caught.value)
        return
    reading = read_plan(value, tool=tool, result=result)
    for todo in reading.on(reading.plan).todos:
        assert todo.content.strip()
        assert json.dumps(todo.to_dict()).encode()
        todo.content.encode()
    made = mirror(reading, store=store, session="s")
    assert made.outcome in ("changed", "same", "looked"), made.line


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = {"payload": [value], "todos": [value]}
    return value


@pytest.mark.parametrize(
    "value",
    [
        nested(5_000),
        json.dumps({"todos": []})[:-1] + "[" * 100_000,
        "[" * 150_000,
        "{'a':" * 30_000,
        {"todos": [{"content": "x" * 100_001, "status": "pending"}]},
        {"todos": [{"content": "x"}] * 10_001},
        {"todos": [{"content": {"a": nested(2_000)}}]},
        "- [ ] a\n" * 10_001,
        "x\n" * 100_001,
        {"plan": "a" * 1_000_000},
        b"\xff\xfe\x00",
        object(),
    ],
    ids=range(12),
)
def test_what_is_too_deep_too_large_or_strange_is_one_line(value: object) -> None:
    with pytest.raises(Unreadable) as caught:
        read_plan(value)
    assert 0 < len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)


def test_a_value_that_holds_itself_over_and_over_is_given_up() -> None:
    value: dict[str, Any] = {"content": [{"a": 1}]}
    for _ in range(7):
        value = dict.fromkeys(
            ("payload", "update", "item", "part", "message", "params", "event"), value
        )
    with pytest.raises(Unreadable, match="more than 20000 objects"):
        read_plan(value)


def test_long_but_honest_lists_are_read() -> None:
    rows = [{"content": f"Step {n}", "status": "pending"} for n in range(10_000)]
    assert len(read_plan({"todos": rows}, tool="TodoWrite").todos) == 10_000
    text = "\n".join(f"- [ ] Step {n}" for n in range(10_000))
    assert len(read_plan(text).todos) == 10_000


def test_many_edits_take_time_by_their_number_not_its_square() -> None:
    adds = [{"name": "TaskCreate", "input": {"subject": f"Step {n}"}} for n in range(2_000)]
    gone = [
        {"name": "TaskUpdate", "input": {"taskId": str(n), "status": "deleted"}}
        for n in range(1, 2_001)
    ]
    plan = read_plan([*adds, *gone[:-1]]).on(Plan())
    assert [todo.content for todo in plan.todos] == ["Step 1999"]


def test_odd_texts_are_kept_so_that_they_can_be_written() -> None:
    sent = {
        "todos": [{"content": "half \ud83d", "status": "\ud800", "id": 10**5000, "priority": 1e400}]
    }
    (todo,) = read_plan(sent, tool="TodoWrite").plan.todos
    assert todo.content == "half \ufffd"
    assert todo.id == "a huge number"
    assert dict(todo.extras)["priority"] == "inf"
    json.dumps(todo.to_dict()).encode()
