"""Document 004: its Python runs against our names, and beside them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.documents import printed
from tests.documents.running import run
from tests.requirements import requirement
from todowright import TodoWrite
from todowright.documents.twostate import VALID_STATUSES, TodoItem, TodoStore

document = run(printed.TODO_ITEM, dataclass=dataclass)
write = run(printed.WRITE, TodoItem=document.TodoItem).write


class Document:
    """The store of the document, as far as it is printed; how a list is shown is not."""

    def __init__(self) -> None:
        self._todos: list[Any] = []

    def _format_output(self) -> str:
        return ""

    def write(self, todos: list[Any]) -> str:
        return str(write(self, todos))


Both: Any = type("TodoStore", (TodoStore,), {"write": run(printed.WRITE, TodoItem=TodoItem).write})
"""The `write` of the document on our class."""

words = st.text("abc写测试 ", min_size=1).map(lambda text: f"-{text}")
statuses = st.sampled_from(
    [*VALID_STATUSES] * 4 + ["in_progress", "Pending", "done", ""]
) | st.one_of(
    st.text("abc'写", max_size=40),
    st.none(),
    st.booleans(),
    st.integers(-(2**90), 2**90),
    st.floats(),
)
updates = st.lists(
    st.lists(
        st.fixed_dictionaries({"content": words}, optional={"status": statuses}), max_size=5
    ),
    min_size=1, max_size=4,
)  # fmt: skip


@requirement("004-1", "004-2")
@given(updates)
def test_it_does_what_the_printed_write_does(updates: list[Any]) -> None:
    theirs, ours, both = Document(), TodoStore(), Both()
    for update in updates:
        answer = theirs.write(update)
        assert ours.write(update) == (answer or ours._format_output())
        assert both.write(update) == (answer or both._format_output())
        for store in (ours, both):
            assert [asdict(item) for item in store.todos] == [
                asdict(item) for item in theirs._todos
            ]


@requirement("004-1", "004-2")
@given(words, statuses)
def test_an_item_is_made_or_refused_as_the_printed_one(content: str, status: Any) -> None:
    def made(kind: Any) -> Any:
        try:
            return asdict(kind(content, status))
        except ValueError as error:
            return str(error)

    assert made(TodoItem) == made(document.TodoItem)


@requirement("004-1")
def test_the_printed_constant_and_default_are_ours() -> None:
    assert VALID_STATUSES == document.VALID_STATUSES == ("pending", "completed")
    assert asdict(TodoItem("写测试")) == asdict(document.TodoItem("写测试"))
    with pytest.raises(ValueError) as caught:
        TodoItem("写测试", "in_progress")
    assert str(caught.value) == "无效的任务状态: 'in_progress'，仅支持: pending, completed"


@requirement("004-1")
def test_the_printed_schema_of_a_status_is_offered() -> None:
    (tool,) = TodoStore().todo.tools
    fields = tool.input_schema["properties"]["todos"]["items"]["properties"]
    assert {"status": fields["status"]} == eval(f"{{{printed.STATUS_SCHEMA}}}")


@requirement("004-2", "004-3")
def test_a_write_answers_with_the_list_or_with_what_is_wrong_and_the_old_list_stays() -> None:
    store = TodoStore()
    assert store.write([]) == "📋 任务列表为空"
    listed = (
        "📋 当前任务列表：\n  1. ✅ [completed] 写测试\n  2. ⬜ [pending] 发布\n\n"
        "总计: 2 项 | 待处理: 1 | 已完成: 1"
    )
    assert (
        store.write([{"content": "写测试", "status": "completed"}, {"content": "发布"}]) == listed
    )
    assert store.write([{"content": "新"}, {"content": "a", "status": "in_progress"}]) == (
        "❌ 任务更新失败: 无效的任务状态: 'in_progress'，仅支持: pending, completed"
    )
    assert store.todos == [TodoItem("写测试", "completed"), TodoItem("发布")]


@requirement("004-2")
@pytest.mark.parametrize(
    ("todos", "told"),
    [
        ([{"status": "pending"}], "缺少 todos[0].content，请补上"),
        ([{"content": "a", "id": "1"}], "todos[0] 含有未知字段 'id'，请去掉"),
        (["a"], "todos[0] 的类型应为 object，收到的是 string"),
        (None, "todos 的类型应为 array，收到的是 null"),
    ],
)
def test_where_the_printed_write_would_raise_ours_answers(todos: Any, told: str) -> None:
    with pytest.raises(TypeError):
        Document().write(todos)
    assert TodoStore().write(todos) == f"❌ 任务更新失败: {told}"


def test_what_was_given_out_changes_nothing_and_the_tool_behind_it_is_yours() -> None:
    todo = TodoWrite("twostate")
    store = TodoStore(todo)
    store.write([{"content": "一"}])
    store.todos[0].status = "completed"
    store.todos.clear()
    assert store.todos == [TodoItem("一")]
    todo.complete("一")
    assert store.todos == [TodoItem("一", "completed")]
