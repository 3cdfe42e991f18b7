"""Document 004, but for its run."""

from __future__ import annotations

import pytest

from tests.requirements import requirement
from tests.support import texts
from todowright import TodoWrite

PREFIX = "❌ 任务更新失败: "


@pytest.fixture
def todo() -> TodoWrite:
    return TodoWrite("twostate")


@requirement("004-1")
def test_the_schema_has_the_two_statuses_in_order_and_their_description(todo: TodoWrite) -> None:
    assert todo.dialect.tool_name == "todo_write"
    assert todo.dialect.statuses == ("pending", "completed")
    item = todo.dialect.input_schema()["properties"]["todos"]["items"]
    assert item["properties"]["status"] == {
        "type": "string",
        "enum": ["pending", "completed"],
        "description": "任务状态",
    }
    assert item["required"] == ["content"]


@requirement("004-1", "004-3")
def test_a_missing_status_is_pending(todo: TodoWrite) -> None:
    reply = todo({"todos": [{"content": "写测试", "status": "completed"}, {"content": "发布"}]})
    assert reply.text == (
        "📋 当前任务列表：\n"
        "  1. ✅ [completed] 写测试\n"
        "  2. ⬜ [pending] 发布\n"
        "\n"
        "总计: 2 项 | 待处理: 1 | 已完成: 1"
    )


@requirement("004-3")
def test_an_empty_list_says_so(todo: TodoWrite) -> None:
    assert todo({"todos": []}).text == "📋 任务列表为空"


@requirement("004-2")
@pytest.mark.parametrize(
    ("status", "shown"),
    [("in_progress", "in_progress"), ("Pending", "Pending"), ("", ""), (None, "None"), (3, "3")],
)
def test_a_bad_status_is_refused_in_the_documents_words_and_the_old_list_stays(
    todo: TodoWrite, status: object, shown: str
) -> None:
    todo({"todos": [{"content": "旧"}]})
    reply = todo({"todos": [{"content": "新"}, {"content": "a", "status": status}]})
    assert reply.text == f"{PREFIX}无效的任务状态: '{shown}'，仅支持: pending, completed"
    assert reply.is_error
    assert texts(todo.plan) == ["旧"]


@requirement("004-2")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"todos": [{"status": "pending"}]}, "缺少 todos[0].content，请补上"),
        ({"todos": [{"content": "  "}]}, "todos[0].content 不能为空白"),
        (
            {"todos": [{"content": "a", "activeForm": "b"}]},
            "todos[0] 含有未知字段 'activeForm'，请去掉",
        ),
        ({"todos": ["a"]}, "todos[0] 的类型应为 object，收到的是 string"),
        ({"todos": "a"}, "todos 的类型应为 array，收到的是 string"),
        ({}, "缺少 todos，请补上"),
        (None, "input 的类型应为 object，收到的是 null"),
    ],
)
def test_any_other_fault_has_the_same_prefix(
    todo: TodoWrite, arguments: object, words: str
) -> None:
    assert todo(arguments).text == PREFIX + words


def test_its_prompt_does_not_know_a_third_status(todo: TodoWrite) -> None:
    assert "todo_write" in todo.dialect.prompt
    assert "in_progress" not in todo.dialect.prompt
