"""Document 003: its Python runs against our names, and beside them."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.documents import printed
from tests.documents.running import run
from tests.requirements import requirement
from tests.support import step
from todowright import TodoWrite
from todowright.documents.checklist import INITIAL_REMINDER, NAG_REMINDER, TodoManager
from todowright.host import Reminders

render = run(printed.RENDER).render
Document: Any = type("TodoManager", (run(printed.TODO_MANAGER).TodoManager,), {"render": render})
"""The class of the document, with its `render`, which is printed apart from it."""
Both: Any = type(
    "TodoManager", (TodoManager,), {"update": Document.update, "render": Document.render}
)
"""The methods of the document on our class."""

plain = st.text(
    st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"]), max_size=8
)  # the rest may not stand in a line, and is replaced
values = st.one_of(
    plain, st.sampled_from(["Read", " Write ", "写测试"]), st.integers(), st.floats(), st.booleans(),
    st.lists(st.integers(0, 9), max_size=3),
)  # fmt: skip
spellings = [
    "pending",
    "in_progress",
    "completed",
    "PENDING",
    "In_Progress",
    "done",
    " pending",
    "",
]
items = st.fixed_dictionaries(
    {},
    optional={
        "content": values,
        "status": st.sampled_from(spellings) | plain | st.integers() | st.booleans(),
        "activeForm": values,
        "id": st.integers(),
    },
)
sound = st.builds(
    step,
    st.text("abc写 ", min_size=1).map(lambda text: f"-{text}"),
    st.sampled_from(["pending", "completed", "pending", "in_progress"]),
)
updates = st.lists(
    st.lists(sound, max_size=5) | st.lists(sound | items, max_size=4) | st.lists(sound, min_size=19, max_size=22),
    min_size=1, max_size=4,
)  # fmt: skip


def outcome(manager: Any, update: list[Any]) -> tuple[Any, ...]:
    """All that can be seen of a manager after an update: the answer or the error, the list, its rendering."""
    try:
        answer = manager.update(update)
    except ValueError as error:
        answer = f"ValueError: {error}"
    return answer, manager.items, manager.render()


@requirement("003-2", "003-3", "003-4")
@given(updates)
def test_it_does_what_the_class_of_the_document_does(updates: list[Any]) -> None:
    document, ours, both = Document(), TodoManager(), Both()
    for update in updates:
        expected = outcome(document, update)
        assert outcome(ours, update) == expected
        assert outcome(both, update) == expected


@requirement("003-2")
@given(st.lists(sound, max_size=3), st.lists(st.sampled_from(["content", "status", "activeForm"])))
def test_null_is_read_as_the_document_reads_what_is_missing(
    rows: list[Any], keys: list[str]
) -> None:
    missing = [{key: value for key, value in row.items() if key not in keys} for row in rows]
    assert outcome(TodoManager(), [row | dict.fromkeys(keys) for row in rows]) == outcome(
        Document(), missing
    )


@pytest.mark.parametrize(
    ("update", "told"),
    [
        (["Read"], "Item 0: must be an object, not string"),
        ("Read", "items must be a list, not string"),
        (None, "items required"),
        ([step("\ud800")], "Item 0: content is not valid Unicode"),
    ],
)
def test_what_the_document_fails_at_or_could_not_keep_is_a_value_error_in_one_line(
    update: Any, told: str
) -> None:
    manager = TodoManager()
    manager.update([step("Keep")])
    with pytest.raises(ValueError) as caught:
        manager.update(update)
    assert str(caught.value) == told
    assert manager.render() == "[ ] Keep\n\n(0/1 completed)"


@requirement("003-4")
def test_the_printed_rendering_comes_out_as_printed() -> None:
    assert TodoManager().render() == "No todos."
    manager = TodoManager()
    shown = manager.update(
        [
            step("Refactor auth module", "completed"),
            step("Add unit tests", "in_progress", "Adding unit tests for auth module..."),
            step("Update documentation"),
        ]
    )
    assert shown == (
        "[x] Refactor auth module\n"
        "[>] Add unit tests <- Adding unit tests for auth module...\n"
        "[ ] Update documentation\n"
        "\n"
        "(1/3 completed)"
    )
    assert shown == manager.render() == render(manager)


def test_the_list_is_assigned_whole_and_what_was_given_out_changes_nothing() -> None:
    manager = TodoManager()
    manager.items = [step("Read")]
    manager.items.append(step("Write"))
    manager.items[0]["status"] = "completed"
    assert manager.items == [step("Read")]


@requirement("003-1")
def test_the_printed_definition_is_offered() -> None:
    (tool,) = TodoManager().todo.tools
    offered = {
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.input_schema,
    }
    assert json.dumps(offered) == json.dumps(eval(printed.DEFINITION))


@requirement("003-5", "003-6")
def test_the_printed_reminders_are_ours() -> None:
    reminders = run(printed.REMINDERS)
    assert (reminders.INITIAL_REMINDER, reminders.NAG_REMINDER) == (INITIAL_REMINDER, NAG_REMINDER)


@requirement("003-5")
@pytest.mark.parametrize("first", [True, False])
def test_the_first_message_of_the_document_gets_the_reminder_that_ours_gets(first: bool) -> None:
    made = run(
        printed.FIRST_MESSAGE, first_message=first, content=[], INITIAL_REMINDER=INITIAL_REMINDER
    )
    ours = Reminders()
    if not first:
        ours.at_start()
    assert [block["text"] for block in made.content] == [text for text in [ours.at_start()] if text]
    assert made.first_message is False


@requirement("003-6")
@given(st.lists(st.booleans() | st.just(False), max_size=40))
def test_the_rounds_are_counted_as_the_document_counts_them(uses: list[bool]) -> None:
    asked = iter(uses)
    rounds: list[list[Any]] = []

    def next_round() -> tuple[bool, list[Any]]:
        rounds.append([])
        return next(asked), rounds[-1]

    placeholder = "# ... API 调用和工具执行 ..."
    assert placeholder in printed.COUNTING
    code = printed.COUNTING.replace(placeholder, "used_todo, results = next_round()")
    with pytest.raises(StopIteration):
        run(code, next_round=next_round, NAG_REMINDER=NAG_REMINDER).agent_loop([])
    ours = Reminders()
    assert [[block["text"] for block in results] for results in rounds[:-1]] == [
        [text for text in [ours.after_round(wrote=wrote)] if text] for wrote in uses
    ]


class ScriptedClient:
    """Answers the loop of the document with one message after the other."""

    def __init__(self, *answers: list[SimpleNamespace]) -> None:
        self.answers = iter(answers)
        self.messages = self
        self.requests: list[dict[str, Any]] = []

    def create(self, **request: Any) -> SimpleNamespace:
        self.requests.append(request)
        content = next(self.answers)
        calls = any(block.type == "tool_use" for block in content)
        return SimpleNamespace(content=content, stop_reason="tool_use" if calls else "end_turn")


def tool_use(name: str, arguments: dict[str, Any]) -> list[SimpleNamespace]:
    return [SimpleNamespace(type="tool_use", id=name, name=name, input=arguments)]


@requirement("003-6", "003-7")
def test_the_printed_loop_runs_with_ours_as_with_the_class_of_the_document() -> None:
    def talk(manager: Any) -> list[Any]:
        def execute_tool(name: str, arguments: dict[str, Any]) -> str:
            if name != "TodoWrite":
                return "ok"
            try:
                return str(manager.update(arguments["items"]))
            except ValueError as error:
                return f"Error: {error}"

        (tool,) = TodoManager().todo.tools
        client = ScriptedClient(
            tool_use("TodoWrite", {"items": [step("Read", "in_progress"), step("Write")]}),
            *[tool_use("bash", {"command": "true"})] * 12,
            tool_use("TodoWrite", {"items": [step("Read", "doing")]}),
            tool_use("bash", {"command": "true"}),
            [SimpleNamespace(type="text", text="Done.")],
        )
        placeholder = "# ... 打印文本、收集工具调用 ..."
        assert placeholder in printed.AGENT_LOOP
        collect = "tool_calls = [block for block in response.content if block.type == 'tool_use']"
        loop = run(
            "rounds_without_todo = 0\n" + printed.AGENT_LOOP.replace(placeholder, collect),
            client=client, MODEL="scripted", SYSTEM="Work.", NAG_REMINDER=NAG_REMINDER,
            TOOLS=[{"name": tool.name, "input_schema": tool.input_schema}], execute_tool=execute_tool,
        )  # fmt: skip
        messages: list[Any] = loop.agent_loop([{"role": "user", "content": "Go"}])
        assert {request["max_tokens"] for request in client.requests} == {8000}
        return messages

    messages = talk(TodoManager())
    assert messages == talk(Document())
    results = [message["content"] for message in messages if message["role"] == "user"][1:]
    assert results[0][0]["content"] == "[>] Read <- Doing Read\n[ ] Write\n\n(0/2 completed)"
    assert [each[0].get("text") == NAG_REMINDER for each in results] == [
        *[False] * 11, True, True, False, False,
    ]  # fmt: skip
    assert results[13][0]["content"] == "Error: Item 0: invalid status 'doing'"


@requirement("003-9")
def test_the_printed_workflow_renders_as_printed() -> None:
    manager = TodoManager()
    assert manager.update([
      {"content": "重构认证模块", "status": "in_progress", "activeForm": "分析认证模块结构"},
      {"content": "补充单元测试", "status": "pending", "activeForm": "编写测试用例"},
      {"content": "更新 README", "status": "pending", "activeForm": "更新文档"}
    ]) == "[>] 重构认证模块 <- 分析认证模块结构\n[ ] 补充单元测试\n[ ] 更新 README\n\n(0/3 completed)"  # fmt: skip
    assert manager.update([
      {"content": "重构认证模块", "status": "completed", "activeForm": "重构认证模块"},
      {"content": "补充单元测试", "status": "in_progress", "activeForm": "编写 auth 模块测试"},
      {"content": "更新 README", "status": "pending", "activeForm": "更新文档"}
    ]) == "[x] 重构认证模块\n[>] 补充单元测试 <- 编写 auth 模块测试\n[ ] 更新 README\n\n(1/3 completed)"  # fmt: skip


def test_it_stands_on_a_tool_of_yours_and_is_one_of_many_writers() -> None:
    todo = TodoWrite("checklist", session="auth")
    manager = TodoManager(todo)
    heard: list[int] = []
    todo.on_change(lambda change: heard.append(change.plan.revision))
    manager.update([step("Read"), step("Write")])
    todo.complete("Read")
    assert manager.render() == "[x] Read\n[ ] Write\n\n(1/2 completed)"
    assert heard == [1, 2]
    with pytest.raises(TypeError, match="give a TodoWrite of the dialect checklist, not lean"):
        TodoManager(TodoWrite("lean"))
