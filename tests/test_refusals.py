"""What a refusal says: the true fault, in one line, with the bad value as it was sent."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.requirements import requirement
from tests.support import FIVE, call, list_dialect, step
from todowright import Reply, TodoWrite
from todowright.names import DIALECTS

SAME_AGAIN = "Same again: nothing changed. Go on, or call plan without steps to read the plan."


def status_refused(dialect: str, status: Any) -> str:
    arguments = call(dialect, "a")
    arguments[list_dialect(dialect).list_key][0]["status"] = status
    reply = TodoWrite(dialect, environ={})(arguments)
    assert reply.is_error
    return str(reply.data["error"]["message"]) if dialect == "envelope" else reply.text


@requirement("A13")
@pytest.mark.parametrize("dialect", FIVE)
@pytest.mark.parametrize(
    ("status", "quoted"),
    [
        (5, "5"),
        (-1.5, "-1.5"),
        (True, "True"),
        (["done"], "['done']"),
        ({"state": "done", "by": None}, "{'state': 'done', 'by': None}"),
        ([[], {}, [1, {"a": "b"}]], "[[], {}, [1, {'a': 'b'}]]"),
        ("d" * 40, "d" * 40),
        ("d" * 41, "d" * 39 + "…"),
        (["d" * 1000], "['" + "d" * 37 + "…"),
        ([1] * 1_000_000, "[" + "1, " * 12 + "1,…"),
        ({"k": {"k": {"k": {"k": {"k": {"k": 1}}}}}}, "{'k': {'k': {'k': {'k': {'k': {'k': 1}}…"),
        (10**60, "1" + "0" * 38 + "…"),
        (["\x1b[31m"], "['\\x1b[31m']"),
        ("\x1b[31m", "␛[31m"),
    ],
)
def test_a_bad_status_is_quoted_as_python_shows_it_and_cut_at_forty_characters(
    dialect: str, status: Any, quoted: str
) -> None:
    told = status_refused(dialect, status)
    shown = quoted.lower() if dialect == "checklist" else quoted
    if dialect == "shell" and not isinstance(status, str):
        assert told.endswith(f", received {shown}")
    else:
        assert f"'{shown}'" in told
    for name in ("array", "object", "number", "boolean", "list", "dict"):
        assert name not in told.replace("Todo list", "")


@requirement("A13")
def test_what_lean_cannot_do_is_quoted_as_it_was_sent() -> None:
    todo = TodoWrite("lean")
    todo({"steps": ["a"]}, tool="plan")
    for given, quoted in ((7, "7"), ("jump", "'jump'")):
        told = todo({"steps": [given]}, tool="drop").text
        assert told.startswith(f"Error: there is no step {quoted}")


def broken(dialect: str) -> list[str]:
    whole = json.dumps({"steps": ["a", "b"]} if dialect == "lean" else call(dialect, "a", "b"))
    return [whole[:-1], whole[: len(whole) // 2], whole + "}", "<todos><todo>a</todo></todos>", "a"]


@requirement("A2")
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("as_bytes", [False, True])
@pytest.mark.parametrize("repair", [False, True])
def test_text_that_is_no_json_is_called_invalid_json_in_every_dialect(
    dialect: str, as_bytes: bool, repair: bool
) -> None:
    todo = TodoWrite(replace(TodoWrite(dialect).dialect, repair=repair), environ={})
    for text in broken(dialect):
        reply = todo(text.encode() if as_bytes else text)
        assert reply.is_error
        words = "无效的 JSON" if dialect == "twostate" else "invalid JSON"
        assert words.lower() in reply.text.lower()
        assert todo.plan.revision == 0


@requirement("A2")
@pytest.mark.parametrize("dialect", [name for name in FIVE if name != "shell"])
def test_sound_json_text_is_told_that_it_is_text_where_an_object_is_wanted(dialect: str) -> None:
    reply = TodoWrite(dialect)(json.dumps(call(dialect, "a")))
    assert reply.is_error
    assert "string" in reply.text
    assert "nvalid JSON" not in reply.text


@requirement("A11")
@pytest.mark.parametrize("dialect", ["smart", "twostate", "lean"])
def test_where_a_dialect_names_no_limit_the_ceilings_of_the_house_hold(dialect: str) -> None:
    def send(texts: list[str]) -> Reply:
        arguments = {"steps": texts} if dialect == "lean" else call(dialect, *texts)
        return TodoWrite(dialect)(arguments)

    many = [f"step {n}" for n in range(10_001)]
    refused = send(many)
    assert refused.issues[0].code == "too_many"
    assert "10001" in refused.text
    assert "10000" in refused.text
    for texts in (["x" * 99_991], many[:-1]):  # the active form is a little longer
        assert not send(texts).is_error
    refused = send(["x" * 100_001])
    assert refused.issues[0].code == "too_long"
    assert "100000" in refused.text


@requirement("003-3")
@pytest.mark.parametrize("key", ["todos", "tasks", "items"])
def test_a_list_that_is_too_long_is_told_so_under_whichever_key_it_came(key: str) -> None:
    todo = TodoWrite(replace(list_dialect("checklist"), repair=True))
    assert todo({key: [step(f"{n}") for n in range(21)]}).text == "Error: Max 20 todos allowed"
    text = json.dumps([step(f"{n}") for n in range(21)])
    assert todo({key: text}).text == "Error: Max 20 todos allowed"
    assert not todo({key: [step(f"{n}") for n in range(20)]}).is_error


@requirement("003-3")
def test_without_repair_a_list_under_another_key_is_told_which_key_it_needs() -> None:
    todo = TodoWrite("checklist")
    for count in (1, 21):
        told = todo({"todos": [step(f"{n}") for n in range(count)]}).text
        assert told == "Error: items required: the list came as todos"
    assert todo({"tasks": "a"}).text == "Error: items required"


def test_each_dialect_tells_under_which_key_a_list_came() -> None:
    rows = [step("a")]
    assert TodoWrite("smart")({"items": rows}).text == (
        "Error: todos is missing: the list came as items"
    )
    assert TodoWrite("twostate")({"items": rows}).text == (
        "❌ 任务更新失败: 缺少 todos，列表误放在 items 中"
    )
    assert TodoWrite("shell", environ={})({"items": rows}).text == (
        "Error: Validation failed\n- todos: Required"
    )
    envelope = TodoWrite("envelope")({"items": rows, "summary": "s"})
    assert envelope.data["error"]["message"] == "todos is missing: the list came as items"


@pytest.fixture
def lean() -> TodoWrite:
    todo = TodoWrite("lean")
    todo({"steps": ["a", "b"]}, tool="plan")
    return todo


def test_only_a_call_that_equals_the_one_before_is_answered_same_again(lean: TodoWrite) -> None:
    empty = [{"steps": ""}, {"steps": [""]}, {"steps": None}]
    told = [lean(arguments, tool="add").text for arguments in empty * 3]
    assert SAME_AGAIN not in told
    assert [lean(empty[0], tool="add").text for _ in range(4)][2:] == [SAME_AGAIN] * 2


def test_the_same_arguments_to_another_tool_are_another_call(lean: TodoWrite) -> None:
    told = [lean({"step": 9}, tool=tool).text for tool in ("done", "drop", "plan") * 3]
    assert SAME_AGAIN not in told


def test_a_call_between_two_that_are_equal_makes_the_second_one_new(lean: TodoWrite) -> None:
    told = []
    for _ in range(4):
        told.append(lean({"step": 9}, tool="done").text)
        assert lean({}, tool="plan").text.startswith("- a - NOW")  # it looks at the plan
    assert SAME_AGAIN not in told


def test_arguments_that_were_changed_in_place_are_another_call(lean: TodoWrite) -> None:
    arguments: dict[str, Any] = {"step": 9}
    lean(arguments, tool="done")
    lean(arguments, tool="done")
    arguments["step"] = "nine"
    assert "nine" in lean(arguments, tool="done").text


def test_arguments_that_cannot_be_shown_are_compared_without_a_fault(lean: TodoWrite) -> None:
    class Speechless:
        def __repr__(self) -> str:
            raise ValueError("no words")

    told = [lean({"step": Speechless()}, tool="done") for _ in range(4)]
    assert all(reply.is_error for reply in told)
