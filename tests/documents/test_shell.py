"""Document 001: its TypeScript in Python, by the same names and shapes."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.requirements import requirement
from tests.support import Clock, step
from todowright import Refused, TodoWrite
from todowright.cli.box import box, console
from todowright.documents import shell as names
from todowright.documents.shell import (
    CommandResult,
    CommandType,
    TodoState,
    TodoStore,
    TodoWriteHandler,
    identifyCommandType,
    todoStore,
)

EXAMPLE = """TodoWrite '{"todos":[
  {"content":"Analyze requirements","activeForm":"Analyzing requirements","status":"completed"},
  {"content":"Write implementation","activeForm":"Writing implementation","status":"in_progress"},
  {"content":"Run tests","activeForm":"Running tests","status":"pending"}
]}'"""
TASKS = """\
┌─ Tasks ─────────────────────────────────────────────┐
│ ✓ Analyze requirements                              │
│ ● Writing implementation...                         │
│ ○ Run tests                                         │
│ ○ Update documentation                              │
└─────────────────────────────────────────────────────┘
"""
ITEMS: list[Any] = [
    {"content": "Analyze requirements", "activeForm": "Analyzing requirements", "status": "completed"},
    {"content": "Write implementation", "activeForm": "Writing implementation", "status": "in_progress"},
    {"content": "Run tests", "activeForm": "Running tests", "status": "pending"},
]  # fmt: skip


@pytest.fixture(autouse=True)
def _cleared(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("TODO_MAX_ITEMS", raising=False)
    monkeypatch.delenv("TODO_MAX_CONTENT_LENGTH", raising=False)
    yield
    todoStore.clear()


def execute(args: str, store: TodoStore | None = None) -> CommandResult:
    return asyncio.run(TodoWriteHandler(store).execute(args))


def bash(command: str) -> CommandResult:
    """The document's router: it hands our command to the handler."""
    trimmed = command.strip()
    assert identifyCommandType(trimmed) == CommandType.AGENT_SHELL_COMMAND
    return execute(trimmed.removeprefix("TodoWrite"))


@requirement("001-3", "001-10")
def test_the_printed_call_fills_the_one_store() -> None:
    assert bash(EXAMPLE) == CommandResult(
        stdout="Todo list updated: 1 completed, 1 in_progress, 1 pending", stderr="", exitCode=0
    )
    assert todoStore.get().items == ITEMS


@requirement("001-10")
def test_a_store_is_replaced_whole_read_and_cleared() -> None:
    clock = Clock(step=timedelta(seconds=1))
    store = TodoStore(TodoWrite("shell", clock=clock))
    first = store.get()
    assert first.items == []
    assert isinstance(first.updatedAt, datetime)
    assert store.get() == first
    store.update(ITEMS)
    assert store.get() == TodoState(items=ITEMS, updatedAt=clock.now)
    store.update(ITEMS[:1])
    assert store.get().items == ITEMS[:1]
    store.clear()
    assert store.get() == TodoState(items=[], updatedAt=clock.now)


@requirement("001-10")
def test_listeners_hear_each_change_and_none_at_registration_and_unsubscribe_themselves() -> None:
    store, other = TodoStore(), TodoStore()
    heard: list[TodoState] = []
    stop = store.onChange(heard.append)
    assert heard == []
    store.update(ITEMS)
    assert heard == [store.get()]
    other.update(ITEMS)
    store.clear()
    assert [len(state.items) for state in heard] == [3, 0]
    stop()
    store.update(ITEMS)
    assert len(heard) == 2


@requirement("001-10")
def test_what_was_given_out_changes_nothing_and_a_list_that_breaks_a_rule_is_refused() -> None:
    store = TodoStore()
    store.update(ITEMS)
    store.get().items.clear()
    store.get().items[0]["status"] = "pending"
    with pytest.raises(Refused, match=r"todos\[0\]\.content: Required"):
        store.update([{"activeForm": "Reading", "status": "pending"}])
    assert store.get().items == ITEMS


@requirement("001-4", "001-5", "001-6", "001-9")
@pytest.mark.parametrize(
    ("args", "stderr"),
    [
        ("", "Error: Missing JSON parameter\nUsage: TodoWrite '{\"todos\":[...]}'"),
        (
            " 'todos'",
            (
                "Error: Invalid JSON format\n"
                'Usage: TodoWrite \'{"todos":[{"content":"...","activeForm":"...","status":"pending"}]}\''
            ),
        ),
        (
            """ '{"todos":[{"activeForm":"a","status":"pending"},{"content":"b","activeForm":"b","status":"done"}]}'""",
            (
                "Error: Validation failed\n"
                "- todos[0].content: Required\n"
                "- todos[1].status: Expected 'pending' | 'in_progress' | 'completed', received 'done'"
            ),
        ),
    ],
)
def test_the_printed_errors_come_as_printed_and_the_store_stays(args: str, stderr: str) -> None:
    store = TodoStore()
    store.update(ITEMS)
    assert execute(args, store) == CommandResult(stdout="", stderr=stderr, exitCode=1)
    assert store.get().items == ITEMS


@requirement("001-9")
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_prints_the_document_of_the_command(option: str) -> None:
    result = execute(f" {option}")
    assert result.stdout.startswith("## TodoWrite - Task List Management\n")
    assert result.stdout.endswith(
        "Returns: Todo list updated: 1 completed, 1 in_progress, 1 pending"
    )
    assert (result.stderr, result.exitCode) == ("", 0)


def test_the_handler_starts_no_shell(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = TodoStore()
    for rest in ("&& touch x", "; touch x", "> x", "more"):
        result = execute(f" '{{\"todos\":[]}}' {rest}", store)
        assert result.stderr.startswith("Error: Unexpected text after the JSON parameter\nUsage:")
        assert result.exitCode == 1
    assert store.todo.plan.revision == 0
    assert not (tmp_path / "x").exists()


@requirement("001-1")
def test_commands_are_typed_by_their_first_word() -> None:
    assert identifyCommandType(EXAMPLE) is CommandType.AGENT_SHELL_COMMAND
    assert identifyCommandType("  TodoWrite -h") is CommandType.AGENT_SHELL_COMMAND
    assert identifyCommandType("ls") is CommandType.NATIVE_COMMAND


@requirement("001-11")
def test_the_printed_box_is_drawn_on_each_change() -> None:
    store, terminal = TodoStore(), io.StringIO()

    def renderTodos(_: TodoState) -> None:
        console(terminal).print(box(store.todo.plan))

    store.onChange(renderTodos)
    store.update([*ITEMS, step("Update documentation")])
    assert terminal.getvalue() == TASKS


def test_every_type_of_the_document_has_its_name() -> None:
    for name in ("TodoItem", "TodoState", "TodoWriteInput", "TodoChangeListener"):
        assert name in names.__all__
    assert names.TodoItem.__required_keys__ == {"content", "activeForm", "status"}
