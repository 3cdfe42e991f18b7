"""Document 000: its examples in Python, by the same names and shapes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.requirements import requirement
from tests.support import step
from todowright import Refused, TodoWrite, UnknownName
from todowright.documents.smart import Sema, TodoItem


@requirement("000-6", "000-7")
def test_the_three_printed_calls_are_taken_and_the_event_carries_the_list() -> None:
    sema = Sema()
    TodoWrite = sema.TodoWrite
    rendered: list[list[TodoItem]] = []

    def renderTodoList(todos: list[TodoItem]) -> None:
        rendered.append(todos)

    sema.on("todos:update", lambda todos: renderTodoList(todos))

    # 1. 创建任务列表
    TodoWrite([
      { "content": "读取 package.json", "status": "pending", "activeForm": "读取 package.json 中" },
      { "content": "分析依赖关系", "status": "pending", "activeForm": "分析依赖关系中" },
      { "content": "生成报告", "status": "pending", "activeForm": "生成报告中" },
    ])  # fmt: skip

    # 2. 开始第一个任务
    TodoWrite([
      { "content": "读取 package.json", "status": "in_progress", "activeForm": "读取 package.json 中" },
      { "content": "分析依赖关系", "status": "pending", "activeForm": "分析依赖关系中" },
      { "content": "生成报告", "status": "pending", "activeForm": "生成报告中" },
    ])  # fmt: skip

    # 3. 完成并进入下一个
    answer = TodoWrite([
      { "content": "读取 package.json", "status": "completed", "activeForm": "读取 package.json 中" },
      { "content": "分析依赖关系", "status": "in_progress", "activeForm": "分析依赖关系中" },
      { "content": "生成报告", "status": "pending", "activeForm": "生成报告中" },
    ])  # fmt: skip

    assert answer == "The todo list has been updated; go on with it."
    assert [[todo["status"] for todo in todos] for todos in rendered] == [
        ["pending", "pending", "pending"],
        ["in_progress", "pending", "pending"],
        ["completed", "in_progress", "pending"],
    ]
    assert rendered[2][1] == {
        "content": "分析依赖关系", "status": "in_progress", "activeForm": "分析依赖关系中",
    }  # fmt: skip
    assert TodoItem.__required_keys__ == set(rendered[2][1])


@requirement("000-2", "000-6")
def test_a_list_that_breaks_a_rule_is_answered_with_an_error_and_emits_nothing() -> None:
    sema = Sema()
    heard: list[Any] = []
    stop = sema.on("todos:update", heard.append)
    two: list[Any] = [step("a", "in_progress"), step("b", "in_progress")]
    assert sema.TodoWrite(two).startswith("Error: only one task can be in progress at a time")
    assert heard == []
    sema.TodoWrite(two[:1])
    stop()
    sema.TodoWrite(two[1:])
    assert heard == [two[:1]]
    with pytest.raises(UnknownName, match="use todos:update"):
        sema.on("todos:changed", heard.append)


@requirement("000-3")
def test_the_printed_attributes_can_be_read() -> None:
    sema = Sema()
    (tool,) = sema.todo.tools
    assert (sema.isReadOnly, tool.needs_permission) == (False, False)
    assert sema.todo.dialect.offered(plan_mode=True) == ()


@requirement("000-4")
def test_the_smart_update_changes_known_ids_and_replaces_the_list_otherwise() -> None:
    sema = Sema()
    rows: list[Any] = [step("a"), step("b"), step("c")]
    sema.TodoWrite(rows)
    names = [todo.id for todo in sema.todo.plan.todos]
    updated = sema.update([{"id": names[1], "status": "completed"}])
    assert updated == [step("a"), step("b", "completed"), step("c")]
    assert sema.update([step("d")]) == [step("d")]
    with pytest.raises(Refused):
        sema.update([step("d", "done")])


@requirement("000-6")
def test_a_sub_agent_has_its_own_list_and_emits_nothing() -> None:
    sema = Sema(TodoWrite("smart"))
    heard: list[Any] = []
    with sema.todo.subagent() as child:
        inner = Sema(child)
        inner.on("todos:update", heard.append)
        mine: list[Any] = [step("a")]
        inner.TodoWrite(mine)
        assert len(child.plan.todos) == 1
    assert (heard, sema.todo.plan.todos) == ([], ())
