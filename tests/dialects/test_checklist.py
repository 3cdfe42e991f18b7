"""Document 003, but for its agent."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.requirements import requirement
from tests.support import step, texts
from todowright import Todo, TodoWrite
from todowright.cli.workflows import WORKFLOWS

DEFINITION = """{
    "name": "TodoWrite",
    "description": "Update the task list. Use to plan and track progress.",
    "input_schema": {
        "type": "object",
        "properties": {
            "items": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "content": {"type": "string", "description": "Task description"},
                        "status": {
                            "type": "string",
                            "enum": ["pending", "in_progress", "completed"]
                        },
                        "activeForm": {
                            "type": "string",
                            "description": "Present tense action, e.g. 'Reading files'"
                        }
                    },
                    "required": ["content", "status", "activeForm"]
                }
            }
        },
        "required": ["items"]
    }
}"""


@pytest.fixture
def todo() -> TodoWrite:
    return TodoWrite("checklist")


@requirement("003-1")
def test_the_definition_is_the_documents_to_the_order_of_its_keys(todo: TodoWrite) -> None:
    (tool,) = todo.dialect.tools
    definition = {
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.input_schema,
    }
    assert json.dumps(definition) == json.dumps(json.loads(DEFINITION))
    assert todo.dialect.tool_name == "TodoWrite"
    assert todo.dialect.description == tool.description
    assert todo.dialect.input_schema() == tool.input_schema


@requirement("003-2")
@pytest.mark.parametrize(
    ("item", "kept"),
    [
        ({"content": " a ", "activeForm": "\tb\n", "status": "PENDING"}, ("a", "pending", "b")),
        ({"content": 5, "activeForm": 1.5, "status": "Completed"}, ("5", "completed", "1.5")),
        ({"content": True, "activeForm": ["b"]}, ("True", "pending", "['b']")),
        ({"content": "a", "activeForm": "b", "status": None}, ("a", "pending", "b")),
        ({"content": "a", "activeForm": "b", "priority": "high", "id": 3}, ("a", "pending", "b")),
    ],
)
def test_texts_are_made_text_and_trimmed_statuses_lowered_and_extra_keys_dropped(
    todo: TodoWrite, item: dict[str, Any], kept: tuple[Any, ...]
) -> None:
    assert not todo({"items": [item], "merge": False}).is_error
    assert todo.plan.todos == (Todo(kept[0], kept[1], kept[2], "t1", 1),)


@requirement("003-2", "003-3")
@pytest.mark.parametrize("field", ["content", "activeForm"])
@pytest.mark.parametrize("nothing", [None, "", "  ", "missing"])
def test_null_empty_and_blank_count_as_missing(
    todo: TodoWrite, field: str, nothing: str | None
) -> None:
    item: dict[str, Any] = step("a") | {field: nothing}
    if nothing == "missing":
        del item[field]
    assert todo({"items": [item]}).text == f"Error: Item 0: {field} required"


@requirement("003-3")
def test_the_first_faulty_item_is_named_by_its_index_and_the_old_plan_stays(
    todo: TodoWrite,
) -> None:
    todo({"items": [step("keep")]})

    reply = todo({"items": [step("a"), step("", active="b")]})

    assert reply.text == "Error: Item 1: content required"
    assert texts(todo.plan) == ["keep"]


@requirement("003-3")
@pytest.mark.parametrize(
    ("status", "shown"),
    [
        ("done", "done"),
        ("DONE", "done"),
        ("", ""),
        (" pending", " pending"),
        (True, "true"),
        ([], "[]"),
        ({"A": 1}, "{'a': 1}"),
        (5, "5"),
    ],
)
def test_an_unknown_status_is_shown_in_lower_case(
    todo: TodoWrite, status: object, shown: str
) -> None:
    reply = todo({"items": [step("a") | {"status": status}]})
    assert reply.text == f"Error: Item 0: invalid status '{shown}'"


@requirement("003-3")
def test_the_checks_come_in_their_order(todo: TodoWrite) -> None:
    def answer(*items: object) -> str:
        return todo({"items": list(items)}).text

    assert answer(step("", "done", "")) == "Error: Item 0: content required"
    assert answer(step("a", "done", "")) == "Error: Item 0: invalid status 'done'"
    assert answer(step("a", "pending", "")) == "Error: Item 0: activeForm required"
    many = [step(f"{n}", "in_progress") for n in range(21)]
    assert answer(*many[:20], step("")) == "Error: Item 20: content required"
    assert answer(*many) == "Error: Max 20 todos allowed"
    assert answer(*many[:20]) == "Error: Only one task can be in_progress at a time"
    assert answer(step("a", "IN_PROGRESS"), step("b", "In_Progress")).startswith("Error: Only one")
    assert not todo({"items": [step(f"{n}") for n in range(20)]}).is_error


@requirement("003-3")
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "Error: items required"),
        ({"items": None}, "Error: items required"),
        ({"items": "a"}, "Error: items must be a list, not string"),
        ({"items": ["a"]}, "Error: Item 0: must be an object, not string"),
        ([], "Error: the arguments must be an object with the key items, not array"),
    ],
)
def test_a_wrong_shape_is_told_in_the_same_manner(
    todo: TodoWrite, arguments: object, text: str
) -> None:
    assert todo(arguments).text == text


@requirement("003-4")
def test_the_answer_is_the_rendered_list(todo: TodoWrite) -> None:
    reply = todo(
        {
            "items": [
                step("Refactor auth module", "completed"),
                step("Add unit tests", "in_progress", "Adding unit tests for auth module"),
                step("Update documentation"),
            ]
        }
    )
    assert reply.text == (
        "[x] Refactor auth module\n"
        "[>] Add unit tests <- Adding unit tests for auth module\n"
        "[ ] Update documentation\n"
        "\n"
        "(1/3 completed)"
    )
    assert todo({"items": []}).text == "No todos."


@requirement("003-9")
def test_the_workflow_gives_its_three_renderings(todo: TodoWrite) -> None:
    (workflow,) = [flow for flow in WORKFLOWS if flow.dialect == "checklist"]
    assert [todo(arguments).text for arguments in workflow.calls] == [
        "[>] 重构认证模块 <- 分析认证模块结构\n[ ] 补充单元测试\n[ ] 更新 README\n\n(0/3 completed)",
        "[x] 重构认证模块\n[>] 补充单元测试 <- 编写 auth 模块测试\n[ ] 更新 README\n\n(1/3 completed)",
        "[x] 重构认证模块\n[x] 补充单元测试\n[>] 更新 README <- 更新项目文档\n\n(2/3 completed)",
    ]
