"""Plans, todos, changes and replies leave the process and come back: pickled, copied, as JSON."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import anything, call, step
from todowright import Author, Change, Issue, MemoryStore, Plan, Reply, Todo, TodoWrite
from todowright.names import DIALECTS
from todowright.plan.data import as_data

TODO = Todo("Écrire", "in_progress", "En train", "t7", 7)
PLAN = Plan(
    "s",
    "main/x-1",
    4,
    (TODO, Todo("B", "completed", "", "t2", 2)),
    "Why",
    datetime(2025, 1, 2, 3, 4, 5, 678901, UTC),
    9,
    "todoList-1.md",
    Author("person", "Ada"),
    "lean",
    3,
    "finished, 1 of 2 done",
    True,
)


def replies() -> list[Reply]:
    """A reply of each kind of every dialect."""
    found = []
    for name in DIALECTS:
        todo = TodoWrite(name, environ={})
        sound: Any = {"steps": ["A"]} if name == "lean" else call(name, "A")
        found += [todo(sound), todo({"nonsense": 5})]
    return found


def change() -> Change:
    heard: list[Change] = []
    todo = TodoWrite()
    todo.on_change(heard.append)
    todo.add("A")
    todo.complete(1)
    assert heard[1].of("completed")  # what was worked out already goes along
    return heard[1]


VALUES: list[Any] = [TODO, PLAN, Plan(), change(), *replies(), change().items[0]]


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("way", [pickled, copy.copy, copy.deepcopy])
@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_comes_back_equal(value: Any, way: Callable[[Any], Any]) -> None:
    again = way(value)
    assert again == value
    assert type(again) is type(value)
    if isinstance(value, Reply):
        assert again.data == value.data


@pytest.mark.parametrize("value", VALUES[:-1], ids=lambda value: type(value).__name__)
def test_a_value_goes_to_json_and_back(value: Any) -> None:
    text = json.dumps(value.to_dict(), allow_nan=False)
    again = type(value).from_dict(json.loads(text))
    assert again == value
    assert again.to_dict() == value.to_dict()


@pytest.mark.parametrize("kind", [Todo, Plan])
def test_nothing_of_a_value_is_left_out(kind: Any) -> None:
    assert {*kind("A").to_dict()} == {part.name for part in fields(kind)}


def test_what_people_are_shown_of_a_plan_is_read_back_too() -> None:
    shown = as_data(PLAN)
    again = Plan.from_dict(shown)
    assert (again.todos, again.issued) == (PLAN.todos, 7)
    assert as_data(again) == shown


def test_a_plan_that_came_back_can_be_saved_and_goes_on(tmp_path: Path) -> None:
    todo = TodoWrite()
    todo({"steps": ["A", "B"]}, tool="plan")
    todo.remove(2)
    store = MemoryStore()
    store.save(Plan.from_dict(json.loads(json.dumps(todo.plan.to_dict())) | {"revision": 1}))
    other = TodoWrite(store=store)
    assert other.add("C").todos[-1].number == 3  # no number is given twice


def test_a_reply_whose_data_json_cannot_say_is_told_as_text() -> None:
    odd: Any = {"when": datetime(2025, 1, 2, tzinfo=UTC), 5: {1, 2} and (1, None), "deep": []}
    odd["deep"].append(odd)
    found = json.loads(json.dumps(Reply("x", structured=odd).to_dict()))["data"]
    assert found["when"] == "datetime.datetime(2025, 1, 2, 0, 0, tzinfo=datetime.timezone.utc)"
    assert found["5"] == [1, None]


def test_replies_are_equal_by_what_they_say() -> None:
    one = Reply("x", structured=lambda: {"a": 1})
    assert one == Reply("x", structured={"a": 1})
    assert one != Reply("x", structured={"a": 2})
    assert one != "x"


def changed(value: Any, **keys: object) -> dict[str, Any]:
    return {**value.to_dict(), **keys}


REPLY = Reply("x", issues=(Issue("missing", 0, "content"),))
ISSUE = REPLY.to_dict()["issues"][0]  # type: ignore[index]


@pytest.mark.parametrize(
    ("kind", "data", "told"),
    [
        (Todo, [], "a Todo is made from a dict, not a list: use what to_dict() gave"),
        (Todo, {}, "a Todo needs 'content': use what to_dict() gave"),
        (Todo, changed(TODO, content=5), "'content' of a Todo must be a str, not an int"),
        (Todo, changed(TODO, number=True), "'number' of a Todo must be an int, not a bool"),
        (Todo, changed(TODO, number=-1), "'number' of a Todo must be 0 or more, not -1"),
        (Todo, changed(TODO, id=None), "'id' of a Todo must be a str, not None"),
        (
            Todo,
            changed(TODO, status="complete"),
            "'status' of a Todo is 'complete': did you mean completed? use pending, in_progress, completed, cancelled",
        ),
        (
            Todo,
            changed(TODO, conten="x"),
            "a Todo has no 'conten': did you mean content? it has number, id, content, status, active_form",
        ),
        (Plan, None, "a Plan is made from a dict, not None: use what to_dict() gave"),
        (Plan, {}, "a Plan needs 'todos': use what to_dict() gave"),
        (Plan, changed(PLAN, todos={}), "'todos' of a Plan must be a list, not a dict"),
        (
            Plan,
            changed(PLAN, todos=["A"]),
            "a Todo is made from a dict, not a str: use what to_dict() gave",
        ),
        (Plan, changed(PLAN, revision="4"), "'revision' of a Plan must be an int, not a str"),
        (Plan, changed(PLAN, by="Ada"), "'by' of a Plan must be a dict, not a str"),
        (
            Plan,
            changed(PLAN, by={"kind": "robot"}),
            "'kind' of the author of a Plan is 'robot': use agent, person, program",
        ),
        (
            Plan,
            changed(PLAN, updated_at="2025-01-02T03:04:05"),
            "'updated_at' of a Plan is '2025-01-02T03:04:05': use a time like 2025-01-31T12:00:00+00:00",
        ),
        (Plan, changed(PLAN, updated_at=5), "'updated_at' of a Plan must be a str, not an int"),
        (Plan, changed(PLAN, verified=1), "'verified' of a Plan must be True or False, not an int"),
        (Change, {"plan": PLAN.to_dict()}, "a Change needs 'before': use what to_dict() gave"),
        (Reply, "x", "a Reply is made from a dict, not a str: use what to_dict() gave"),
        (Reply, changed(REPLY, data=[]), "'data' of a Reply must be a dict, not a list"),
        (
            Reply,
            changed(REPLY, issues=[5]),
            "an Issue is made from a dict, not an int: use what to_dict() gave",
        ),
        (
            Reply,
            changed(REPLY, issues=[{**ISSUE, "code": "mising"}]),
            "'code' of an Issue is 'mising': did you mean missing? use no_argument, not_json, tool",
        ),
        (
            Reply,
            changed(REPLY, issues=[{**ISSUE, "index": "0"}]),
            "'index' of an Issue must be an int, not a str",
        ),
    ],
)
def test_nonsense_is_refused_with_one_line(kind: Any, data: Any, told: str) -> None:
    with pytest.raises(ValueError) as caught:
        kind.from_dict(data)
    said = str(caught.value)
    assert said.startswith(told)
    assert "\n" not in said
    assert len(said) <= 200


@given(st.sampled_from([Todo, Plan, Change, Reply]), st.data())
def test_whatever_json_brings_is_a_value_or_one_line(kind: Any, data: st.DataObject) -> None:
    sample: dict[Any, Any] = {Todo: TODO, Plan: PLAN, Change: change(), Reply: REPLY}
    sound = sample[kind].to_dict()
    keys = data.draw(st.sets(st.sampled_from(sorted(sound))))
    spoilt = {**sound, **{key: data.draw(anything) for key in keys}}
    brought = data.draw(st.sampled_from([spoilt, spoilt, data.draw(anything)]))
    told = ""
    try:
        made = kind.from_dict(brought)
        assert kind.from_dict(made.to_dict()) == made
    except ValueError as error:
        told = str(error)
    assert "\n" not in told
    assert len(told) <= 200


def test_the_keys_of_a_models_item_are_not_those_of_a_todo() -> None:
    with pytest.raises(ValueError, match="a Todo has no 'activeForm': did you mean active_form"):
        Todo.from_dict(step("A"))
