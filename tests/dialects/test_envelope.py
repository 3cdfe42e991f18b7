"""Document 002; its completion log is proven in test_completion_log.py."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.requirements import requirement
from tests.support import texts
from todowright import MemoryStore, Plan, Todo, TodoWrite, load_dialect
from todowright.cli.workflows import WORKFLOWS
from todowright.dialects.render import recap
from todowright.plan.model import STATUSES

FUNCTION = """{
  "name": "TodoWrite",
  "description": "Overwrite the todo list with the current complete list. Framework persists and returns the updated list and recap.",
  "parameters": {
    "type": "object",
    "properties": {
      "summary": {
        "type": "string",
        "description": "Overall task summary (required by the model)."
      },
      "todos": {
        "type": "array",
        "description": "The full todo list (overwrites existing list).",
        "items": {
          "type": "object",
          "properties": {
            "content": {
              "type": "string",
              "description": "Todo text."
            },
            "status": {
              "type": "string",
              "enum": ["pending", "in_progress", "completed", "cancelled"],
              "description": "Todo status."
            },
            "id": {
              "type": "string",
              "description": "Optional todo id (framework may assign/reuse)."
            }
          },
          "required": ["content", "status"],
          "additionalProperties": false
        }
      }
    },
    "required": ["summary", "todos"]
  }
}"""


@pytest.fixture
def todo(tmp_path: Path) -> TodoWrite:
    return TodoWrite("envelope", root=tmp_path)


def ask(*items: tuple[str, str], summary: str = "修复并完善文档", **more: Any) -> dict[str, Any]:
    rows = [{"content": content, "status": status} for content, status in items]
    return {"summary": summary, "todos": rows, **more}


def message(todo: TodoWrite, arguments: object) -> str:
    """What a refused call is told."""
    reply = todo(arguments)
    envelope = json.loads(reply.text)
    assert reply.is_error
    assert envelope["status"] == "error"
    assert envelope["error"]["code"] == "INVALID_PARAM"
    return str(envelope["error"]["message"])


@requirement("002-1")
def test_the_function_schema_is_the_documents_to_the_order_of_its_keys() -> None:
    (tool,) = load_dialect("envelope").tools
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.input_schema,
    }
    assert json.dumps(function) == json.dumps(json.loads(FUNCTION))


@requirement("002-1")
def test_root_keys_beyond_the_schema_are_tolerated_and_item_keys_refused(todo: TodoWrite) -> None:
    assert not todo(ask(("a", "pending"), merge=True)).is_error
    bad = ask(("a", "pending"))
    bad["todos"][0]["priority"] = "high"
    assert message(todo, bad) == "todos[0] has unknown keys ('priority'): leave them out"


@requirement("002-1", "002-3")
@pytest.mark.parametrize("given_id", ["mine", "", 7, None, ["x"]])
def test_a_given_id_is_accepted_and_ignored(todo: TodoWrite, given_id: object) -> None:
    arguments = ask(("a", "pending"))
    arguments["todos"][0]["id"] = given_id
    assert todo(arguments).data["data"]["todos"][0]["id"] == "t1"


@requirement("002-2")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (ask(("a", "pending"), summary=""), "summary is missing: add it"),
        (ask(("a", "pending"), summary=" \n"), "summary is blank: say what to do"),
        ({"todos": []}, "summary is missing: add it"),
        ({"summary": 5, "todos": []}, "summary must be string, not number"),
        ({"summary": "s"}, "todos is missing: add it"),
        (
            ask(*[(f"{n}", "pending") for n in range(11)]),
            "todos has 11 items, the limit is 10: merge or drop some",
        ),
        (
            ask(("a", "pending"), ("验" * 61, "pending")),
            "todos[1].content has 61 characters, the limit is 60: shorten it",
        ),
        (
            ask(("a", "in_progress"), ("b", "in_progress")),
            "todos has 2 items in_progress, the limit is 1: keep one and set the others to pending",
        ),
        (
            ask(("a", "done")),
            "todos[0].status is 'done': use one of pending, in_progress, completed, cancelled",
        ),
    ],
)
@requirement("002-5")
def test_a_refusal_names_field_index_and_limit_and_says_what_to_do(
    todo: TodoWrite, arguments: object, told: str
) -> None:
    assert message(todo, arguments) == told
    assert todo.plan.revision == 0


@requirement("002-2", "A6")
def test_texts_are_measured_and_kept_trimmed_and_the_input_is_returned_untouched(
    todo: TodoWrite,
) -> None:
    arguments = ask((f"  {'验' * 60}\n", "pending"), summary=" 概述 ", extra=[1, {"a": None}])
    envelope = todo(arguments).data
    assert envelope["data"]["todos"] == [{"id": "t1", "content": "验" * 60, "status": "pending"}]
    assert envelope["data"]["summary"] == "概述"
    assert envelope["context"]["params_input"] == arguments
    assert not todo(ask(*[(f"{n}", "pending") for n in range(10)])).is_error


@requirement("002-3")
def test_ids_are_counted_through_the_session_and_never_reused(todo: TodoWrite) -> None:
    ids = []
    for _ in range(3):
        data = todo(ask(("a", "pending"), ("b", "pending"))).data["data"]
        ids += [item["id"] for item in data["todos"]]
    assert ids == ["t1", "t2", "t3", "t4", "t5", "t6"]


@requirement("002-3")
def test_agents_of_one_session_never_get_the_same_id(tmp_path: Path) -> None:
    store = MemoryStore()
    ids = []
    for agent in ("main", "second", "main"):
        todo = TodoWrite("envelope", root=tmp_path, store=store, agent=agent)
        ids += [item["id"] for item in todo(ask(("a", "pending"))).data["data"]["todos"]]
    assert ids == ["t1", "t2", "t3"]


@requirement("002-4", "002-6", "002-7")
def test_the_documents_example_gives_its_envelope(todo: TodoWrite) -> None:
    (workflow,) = [flow for flow in WORKFLOWS if flow.dialect == "envelope"]
    reply = todo(workflow.calls[0])
    envelope = json.loads(reply.text)
    assert isinstance(envelope["stats"].pop("time_ms"), int)
    assert envelope == {
        "status": "success",
        "data": {
            "todos": [
                {"id": "t1", "content": "修复重叠检测", "status": "in_progress"},
                {"id": "t2", "content": "更新文档", "status": "pending"},
                {"id": "t3", "content": "性能优化脚本", "status": "cancelled"},
            ],
            "recap": "[1/3] In progress: 修复重叠检测. Pending: 更新文档. Cancelled: 性能优化脚本.",
            "summary": "修复 multi_edit 重叠检测并完善文档",
        },
        "text": (
            "--- TODO UPDATE ---\n[▶] 修复重叠检测\n[ ] 更新文档\n[~] 性能优化脚本\n"
            "-------------------"
        ),
        "stats": {"total": 3, "pending": 1, "in_progress": 1, "completed": 0, "cancelled": 1},
        "context": {"cwd": ".", "params_input": workflow.calls[0]},
    }
    assert "修复重叠检测" in reply.text
    assert reply.display == envelope["text"]


@requirement("002-4")
def test_an_error_has_empty_data_and_the_stats_of_the_plan_that_stands(todo: TodoWrite) -> None:
    todo(ask(("a", "pending")))
    arguments = ask(("a", "nope"))
    envelope = json.loads(todo(arguments).text)
    assert list(envelope) == ["status", "data", "text", "stats", "context", "error"]
    assert envelope["data"] == {}
    assert envelope["stats"]["total"] == 1
    assert set(envelope["stats"]) == {"total", *STATUSES, "time_ms"}
    assert set(envelope["error"]) == {"code", "message"}
    assert envelope["context"] == {"cwd": ".", "params_input": arguments}


@requirement("002-4", "A2")
def test_the_answer_is_json_that_can_be_written_whatever_was_sent(todo: TodoWrite) -> None:
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    for odd in (float("nan"), float("inf"), "\ud800", {1: {2: b"x"}}, deep, object(), 10**5000):
        for arguments in (odd, ask(("a", "pending"), extra=odd), ask(("a", "nope"), extra=odd)):
            text = todo(arguments).text
            json.loads(text.encode("utf-8"), parse_constant=pytest.fail)


@requirement("002-4")
def test_a_refused_call_of_any_size_is_answered_briefly(todo: TodoWrite) -> None:
    reply = todo(ask(("x" * 10_000_000, "pending")))
    assert reply.data["context"]["params_input"] == "(too long to repeat)"
    assert len(reply.text) < 600


@requirement("002-5")
def test_an_unexpected_exception_is_an_internal_error_and_never_escapes(
    todo: TodoWrite, monkeypatch: pytest.MonkeyPatch
) -> None:
    todo(ask(("a", "pending")))

    def broken(plan: Plan) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(todo.store, "save", broken)
    envelope = json.loads(todo(ask(("b", "pending"))).text)
    assert envelope["status"] == "error"
    assert envelope["error"]["code"] == "INTERNAL_ERROR"
    assert texts(todo.plan) == ["a"]


def listed(*items: tuple[str, int, str]) -> Plan:
    """A plan of so many items of each status, their texts numbered."""
    return Plan(
        todos=tuple(
            Todo(f"{text}{number}", status)  # type: ignore[arg-type]
            for status, count, text in items
            for number in range(count)
        )
    )


@requirement("002-6")
@pytest.mark.parametrize(
    ("plan", "line"),
    [
        (Plan(), "[0/0] In progress: None."),
        (listed(("completed", 2, "c")), "[2/2] In progress: None."),
        (listed(("pending", 5, "p")), "[0/5] In progress: None. Pending: p0; p1; p2."),
        (
            listed(("completed", 1, "c"), ("cancelled", 3, "x"), ("in_progress", 1, "i")),
            "[4/5] In progress: i0. Cancelled: x0; x1.",
        ),
        (Plan(todos=(Todo("two\nlines", "in_progress"),)), "[0/1] In progress: two lines."),
    ],
)
def test_the_recap_counts_all_that_is_done_and_lists_the_rest_in_part(
    plan: Plan, line: str
) -> None:
    assert recap(plan) == line


@requirement("002-6")
def test_a_long_recap_shortens_the_cancelled_first_then_the_pending_and_keeps_the_current() -> None:
    full = listed(
        ("in_progress", 1, "现" * 59), ("pending", 3, "待" * 59), ("cancelled", 2, "消" * 59)
    )
    line = recap(full)
    assert len(line) < 300
    assert f"[2/6] In progress: {'现' * 59}0. " in line
    assert f"Pending: {'待' * 59}0; {'待' * 59}1; {'待' * 59}2." in line
    assert line.endswith(f" Cancelled: {'消' * 10}….")
    longer = listed(
        ("in_progress", 1, "现" * 90), ("pending", 3, "待" * 90), ("cancelled", 2, "消" * 90)
    )
    line = recap(longer)
    assert len(line) < 300
    assert f"In progress: {'现' * 90}0. Pending: 待" in line
    assert line.count("待…;") == 2


@requirement("002-6")
@given(
    st.lists(st.tuples(st.sampled_from(STATUSES), st.text(min_size=1, max_size=80)), max_size=12)
)
def test_the_recap_is_always_one_line_under_300_characters(
    items: list[tuple[Any, str]],
) -> None:
    plan = Plan(todos=tuple(Todo(text, status) for status, text in items))
    line = recap(plan)
    done = sum(status in ("completed", "cancelled") for status, _ in items)
    assert line.startswith(f"[{done}/{len(items)}] In progress: ")
    assert len(line) < 300
    assert len(line.splitlines()) == 1


@requirement("002-7")
def test_the_text_marks_all_four_statuses_in_list_order(todo: TodoWrite) -> None:
    arguments = ask(("a", "completed"), ("b", "cancelled"), ("c", "in_progress"), ("d", "pending"))
    assert todo(arguments).data["text"] == (
        "--- TODO UPDATE ---\n[✓] a\n[~] b\n[▶] c\n[ ] d\n-------------------"
    )


@requirement("002-9")
def test_the_prompt_fragment_is_the_documents_word_for_word(todo: TodoWrite) -> None:
    assert todo.dialect.prompt == (
        "Tool: TodoWrite\n"
        "Use this tool only for multi-step tasks. Maintain a single in_progress item.\n"
        "Always submit the full current list. Mark completed immediately, cancelled if no longer needed.\n"
        "Always provide a concise overall summary in `summary`."
    )


def test_limits_may_be_widened_by_a_variant(tmp_path: Path) -> None:
    wide = replace(load_dialect("envelope"), max_items=12, max_length=100)
    todo = TodoWrite(wide, root=tmp_path)
    assert not todo(ask(*[(f"{n:0100}", "pending") for n in range(12)])).is_error
    assert message(todo, ask(("x" * 101, "pending"))).startswith("todos[0].content has 101")


def test_a_program_keeps_the_summary_unless_it_gives_another(todo: TodoWrite) -> None:
    todo(ask(("a", "pending")))
    update: Callable[..., Plan] = todo.update
    plan = update([{"id": "t1", "status": "in_progress"}])
    assert (plan.summary, plan.todos) == (
        "修复并完善文档",
        (Todo("a", "in_progress", "", "t1", 1),),
    )
    assert update([{"content": "b", "status": "pending"}], summary="新").summary == "新"
    assert todo.clear().todos == ()
