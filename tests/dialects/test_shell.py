"""Document 001, but for its router and its box."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.requirements import requirement
from tests.support import Clock, call, step, texts
from todowright import Change, TodoWrite
from todowright.cli.workflows import SHELL_EXAMPLE

MISSING = "Error: Missing JSON parameter\nUsage: TodoWrite '{\"todos\":[...]}'"
INVALID = (
    "Error: Invalid JSON format\n"
    'Usage: TodoWrite \'{"todos":[{"content":"...","activeForm":"...","status":"pending"}]}\''
)


@pytest.fixture
def todo() -> TodoWrite:
    return TodoWrite("shell", environ={})


def failure(stderr: str) -> dict[str, Any]:
    return {"stdout": "", "stderr": stderr, "exitCode": 1}


def faults(todo: TodoWrite, arguments: object) -> list[str]:
    """The fault lines of a refused call."""
    reply = todo(arguments)
    assert reply.is_error
    assert reply.data == failure(reply.text)
    head, *lines = reply.text.split("\n")
    assert head == "Error: Validation failed"
    return lines


@requirement("001-3", "001-12")
def test_case_1_creating_a_list_answers_with_the_summary(todo: TodoWrite) -> None:
    reply = todo(SHELL_EXAMPLE)
    summary = "Todo list updated: 1 completed, 1 in_progress, 1 pending"
    assert reply.text == summary
    assert reply.data == {"stdout": summary, "stderr": "", "exitCode": 0}


@requirement("001-10", "001-12")
def test_case_2_an_update_replaces_the_whole_list(todo: TodoWrite) -> None:
    todo(SHELL_EXAMPLE)
    todo({"todos": [step("Only this", "in_progress")]})
    assert texts(todo.plan) == ["Only this"]


@requirement("001-3", "001-7", "001-12")
def test_cases_3_and_7_an_empty_array_clears_the_list(todo: TodoWrite) -> None:
    todo(SHELL_EXAMPLE)
    reply = todo('{"todos":[]}')
    assert reply.text == "Todo list updated: 0 completed, 0 in_progress, 0 pending"
    assert todo.plan.todos == ()


@requirement("001-5", "001-12")
@pytest.mark.parametrize("text", ["{", "todos", "{'todos': []}", "[" * 100_000, '{"todos":[}'])
def test_case_4_what_is_not_json_gets_the_usage(todo: TodoWrite, text: str) -> None:
    reply = todo(text)
    assert reply.data == failure(INVALID)
    assert reply.text == INVALID


@requirement("001-4")
@pytest.mark.parametrize("nothing", [None, "", "  \n", b""])
def test_no_argument_gets_the_short_usage(todo: TodoWrite, nothing: object) -> None:
    assert todo(nothing).data == failure(MISSING)


@requirement("001-6", "001-12")
def test_cases_5_and_6_every_fault_is_reported_with_its_path(todo: TodoWrite) -> None:
    reply = todo(
        {
            "todos": [
                {"activeForm": "Writing", "status": "pending"},
                {"content": "Test", "activeForm": "Testing", "status": "done"},
            ]
        }
    )
    assert reply.data == failure(
        "Error: Validation failed\n"
        "- todos[0].content: Required\n"
        "- todos[1].status: Expected 'pending' | 'in_progress' | 'completed', received 'done'"
    )


@requirement("001-6")
def test_the_words_for_each_kind_of_fault(todo: TodoWrite) -> None:
    bad = [
        {"content": "", "activeForm": " ", "status": ""},
        {"content": 5, "activeForm": None, "status": 1},
        {"content": "x" * 201, "activeForm": "a", "status": "pending", "id": 1, "prio": 2},
        "write code",
        step("a", "in_progress"),
        step("b", "in_progress"),
    ]
    assert faults(todo, {"todos": bad, "merge": True}) == [
        "- input: Unrecognized key(s): 'merge'",
        "- todos[0].content: Required",
        "- todos[0].activeForm: Cannot be blank",
        "- todos[0].status: Required",
        "- todos[1].content: Expected string, received number",
        "- todos[1].activeForm: Expected string, received null",
        "- todos[1].status: Expected 'pending' | 'in_progress' | 'completed', received 1",
        "- todos[2]: Unrecognized key(s): 'id', 'prio'",
        "- todos[2].content: Must be at most 200 characters",
        "- todos[3]: Expected object, received string",
        "- todos: Too many in_progress items (max 1)",
    ]


@requirement("001-6")
@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("[]", "- input: Expected object, received array"),
        ("5", "- input: Expected object, received number"),
        ("null", "- input: Expected object, received null"),
        ("{}", "- todos: Required"),
        ('{"todos": null}', "- todos: Expected array, received null"),
        ('{"todos": {}}', "- todos: Expected array, received object"),
    ],
)
def test_a_wrong_root_is_reported_at_input_and_a_wrong_list_at_todos(
    todo: TodoWrite, arguments: str, line: str
) -> None:
    assert faults(todo, arguments) == [line]


@requirement("001-7", "001-12", "A6")
def test_case_8_a_text_may_have_200_code_points_and_no_more(todo: TodoWrite) -> None:
    assert not todo({"todos": [step("验" * 200, active="👩‍🔧" * 66)]}).is_error
    too_long = {"todos": [step("验" * 201), step("a", active="b" * 201)]}
    assert faults(todo, too_long) == [
        "- todos[0].content: Must be at most 200 characters",
        "- todos[0].activeForm: Must be at most 200 characters",
        "- todos[1].activeForm: Must be at most 200 characters",
    ]


@requirement("001-7", "001-12")
def test_case_9_fifty_items_and_no_more(todo: TodoWrite) -> None:
    assert not todo({"todos": [step(f"{n}") for n in range(50)]}).is_error
    assert faults(todo, {"todos": [step(f"{n}") for n in range(51)]}) == [
        "- todos: Too many items (max 50)"
    ]


@requirement("001-6")
def test_a_list_far_too_long_does_not_get_a_line_for_each_item(todo: TodoWrite) -> None:
    lines = faults(todo, {"todos": [None] * 1_000_000})
    assert len(lines) == 51


@requirement("001-8")
def test_the_limits_of_the_environment_are_read_at_each_call_and_shown() -> None:
    environ = {"TODO_MAX_ITEMS": "2"}
    todo = TodoWrite("shell", environ=environ)
    three = {"todos": [step(name) for name in "abc"]}
    assert faults(todo, three) == ["- todos: Too many items (max 2)"]
    environ["TODO_MAX_ITEMS"] = "3"
    environ["TODO_MAX_CONTENT_LENGTH"] = "8"
    assert faults(
        todo, three | {"todos": [step("a", active="123456789"), step("123456789", active="b")]}
    ) == [
        "- todos[0].activeForm: Must be at most 8 characters",
        "- todos[1].content: Must be at most 8 characters",
    ]
    del environ["TODO_MAX_CONTENT_LENGTH"]
    assert not todo(three).is_error


@requirement("001-8")
def test_the_process_environment_counts_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    todo = TodoWrite("shell")
    monkeypatch.setenv("TODO_MAX_ITEMS", "1")
    assert faults(todo, {"todos": [step("a"), step("b")]}) == ["- todos: Too many items (max 1)"]
    assert not TodoWrite("checklist")(call("checklist", "a", "b")).is_error


@requirement("001-8", "A1")
@pytest.mark.parametrize("value", ["0", "-1", "ten", "", "1.5", "٣", " 5", "0" * 5000, "1_0"])
@pytest.mark.parametrize("variable", ["TODO_MAX_ITEMS", "TODO_MAX_CONTENT_LENGTH"])
def test_a_limit_that_is_no_positive_integer_is_refused_by_its_name(
    variable: str, value: str
) -> None:
    todo = TodoWrite("shell", environ={variable: value})
    reply = todo(SHELL_EXAMPLE)
    shown = value if len(value) <= 40 else "0" * 39 + "…"
    assert reply.data == failure(
        f"Error: {variable} must be a positive integer, received '{shown}'"
    )
    assert todo.plan.revision == 0


@requirement("001-8")
@pytest.mark.parametrize("value", ["1000000000", "9" * 19, "9" * 20, "9" * 5000])
@pytest.mark.parametrize("variable", ["TODO_MAX_ITEMS", "TODO_MAX_CONTENT_LENGTH"])
def test_a_limit_may_have_any_number_of_digits(variable: str, value: str) -> None:
    todo = TodoWrite("shell", environ={variable: value})
    assert todo({"todos": [step("a" * 200) for _ in range(50)]}).is_error is (
        variable == "TODO_MAX_ITEMS"  # the activeForm is too long
    )
    assert not todo({"todos": [step("a", active="b" * 200)] * 50}).is_error
    assert todo.tools[0].input_schema["properties"]["todos"]["type"] == "array"
    some = {"todos": [step("a" * 300, active="b")] if "LENGTH" in variable else [step("a")] * 60}
    assert not todo(some).is_error


@requirement("001-8")
def test_zeros_before_a_limit_do_not_count() -> None:
    todo = TodoWrite("shell", environ={"TODO_MAX_ITEMS": "0" * 5000 + "2"})
    assert faults(todo, {"todos": [step(name) for name in "abc"]}) == [
        "- todos: Too many items (max 2)"
    ]


@requirement("001-9")
def test_the_commands_document_is_the_prompt_word_for_word(todo: TodoWrite) -> None:
    prompt = todo.dialect.prompt
    assert prompt.startswith("## TodoWrite - Task List Management\n\nA full-replacement task list")
    assert "- Exactly ONE task must be in_progress at any time (not less, not more)\n" in prompt
    assert f"### Example\n\nTodoWrite '{SHELL_EXAMPLE}'\n\n" in prompt
    assert prompt.endswith("Returns: Todo list updated: 1 completed, 1 in_progress, 1 pending")
    assert sha256(prompt.encode()).hexdigest() == OF_THE_DOCUMENT


OF_THE_DOCUMENT = "feb10f8c47228dbe44102ded1d0776643b5df514dcdade458f982f56846d59ef"


@requirement("001-10", "001-12")
def test_case_10_listeners_hear_of_changes_until_they_unsubscribe_and_not_at_registration() -> None:
    clock = Clock()
    todo = TodoWrite("shell", clock=clock, environ={})
    todo(SHELL_EXAMPLE)
    heard: list[Change] = []
    stop = todo.on_change(heard.append)
    assert heard == []
    todo.update([step("b")])
    todo.clear()
    assert [texts(change.plan) for change in heard] == [["b"], []]
    assert heard[0].plan.updated_at == datetime(2025, 1, 2, 17, 42, 33, tzinfo=UTC)
    stop()
    stop()
    todo({"todos": [step("c")]})
    assert len(heard) == 2


@requirement("001-10")
def test_nothing_is_written_to_disk_and_another_tool_starts_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    todo = TodoWrite("shell")
    todo({"todos": [step("a", "completed")]})
    assert list(tmp_path.iterdir()) == []
    assert TodoWrite("shell").plan.todos == ()


@requirement("001-13")
def test_no_item_in_progress_is_accepted(todo: TodoWrite) -> None:
    assert not todo({"todos": [step("a"), step("b")]}).is_error


def test_json_text_and_parsed_arguments_give_the_same_answer(todo: TodoWrite) -> None:
    parsed: Mapping[str, Any] = json.loads(SHELL_EXAMPLE)
    assert todo(parsed).text == todo(SHELL_EXAMPLE).text == todo(SHELL_EXAMPLE.encode()).text
