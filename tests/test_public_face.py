"""The face that must stay as it is."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import todowright
import todowright.dialects
from tests.support import call, step
from todowright import BadName, TodoWrite, UnknownName, load_dialect
from todowright.dialects import Dialect, Field, ListDialect, VerbDialect

OWN = ListDialect(name="own", list_key="steps")
NO_DIALECT = 5


def test_the_names_at_the_top_are_these() -> None:
    assert todowright.__all__ == sorted(todowright.__all__)
    assert todowright.__all__ == [
        "Author",
        "BadName",
        "Change",
        "Conflict",
        "Decision",
        "Edit",
        "Issue",
        "ItemChange",
        "Lifeline",
        "MemoryStore",
        "Plan",
        "PlanHost",
        "PlanRun",
        "Reading",
        "Receipt",
        "Refused",
        "Reminders",
        "Reply",
        "Span",
        "StopGuard",
        "Store",
        "StoreError",
        "TextCall",
        "Todo",
        "TodoWrite",
        "TodowrightError",
        "Tool",
        "Turn",
        "UnknownName",
        "Unreadable",
        "WorkReminders",
        "Written",
        "afollow",
        "calls_in_text",
        "cleared",
        "follow",
        "lifelines",
        "load_dialect",
        "open_store",
        "read_plan",
        "revisions",
        "run_command",
        "session_name",
        "shrunk",
        "write_plan",
    ]
    for name in todowright.__all__:
        assert getattr(todowright, name).__name__ == name
        assert name in dir(todowright)
    with pytest.raises(AttributeError, match="has no attribute 'Manager'"):
        todowright.Manager  # noqa: B018


def test_of_the_rooms_only_what_their_init_offers_is_public() -> None:
    offered = {
        "adapters": "",
        "agent": "Agent Answer Event Limits Model ModelError Request ScriptedModel ToolCall Usage as_json "
        "events load_model",
        "dialects": "Call Dialect Draft Extra Field ListDialect Reply Tool Verb VerbDialect load_dialect",
        "documents": "INITIAL_REMINDER NAG_REMINDER Sema TodoItem TodoManager TodoStore TodoWriteHandler "
        "TodoWriteTool VALID_STATUSES todoStore",
        "formats": "Format Holds Loss Op Reading ToolCall Written format_named formats read_plan write_plan",
        "host": "Decision PlanHost PlanRun Reminders StopGuard TextCall WorkReminders calls_in_text cleared "
        "plan_event plan_rows shrunk",
        "plan": "Author Plan Todo",
        "shell": "CommandResult CommandType identify prepared run_command",
        "stores": "Store open_store revisions",
        "tasks": "Claim Claims Ended Fleet FleetTask LostClaim Worker WorkerOptions fleet_of",
        "tool": "",
    }
    folders = [path.parent for path in Path(todowright.__file__).parent.glob("*/__init__.py")]
    offers = {
        path.name for path in folders if "__all__" in (path / "__init__.py").read_text("utf-8")
    }
    assert offers == set(offered)
    for room, names in offered.items():
        module = import_module(f"todowright.{room}")
        assert sorted(module.__all__) == sorted(names.split())
        assert all(hasattr(module, name) for name in module.__all__)


@pytest.mark.parametrize(
    "name", ["Call", "Dialect", "Draft", "Field", "ListDialect", "Verb", "VerbDialect"]
)
def test_what_only_authors_of_dialects_need_is_in_its_own_room(name: str) -> None:
    assert not hasattr(todowright, name)
    assert getattr(todowright.dialects, name).__name__ == name


def test_the_ten_lines_of_the_design_work() -> None:
    todo = TodoWrite("checklist")
    reply = todo({"items": [step("Add tests", "in_progress", "Adding tests")]})
    assert reply.text == "[>] Add tests <- Adding tests\n\n(0/1 completed)"
    assert not reply.is_error
    assert reply.display == reply.text
    assert reply.data == {"items": [step("Add tests", "in_progress", "Adding tests")]}
    assert (todo.plan.revision, todo.plan.summary, todo.plan.finished) == (1, "", False)
    assert todo.plan.count("in_progress") == 1
    assert todo.plan.current == todo.plan.todos[0]
    assert todo.dialect.tool_name == "TodoWrite"
    assert [tool.name for tool in todo.dialect.tools] == ["TodoWrite"]


def test_importing_it_loads_nothing_from_third_parties() -> None:
    code = (
        "import sys; before = set(sys.modules); import todowright; "
        "[todowright.TodoWrite(n) for n in "
        "('smart', 'shell', 'envelope', 'checklist', 'twostate')]; "
        "new = {name.split('.')[0] for name in set(sys.modules) - before}; "
        "print(sorted(new - set(sys.stdlib_module_names) - {'todowright'}))"
    )
    source = str(Path(todowright.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {source!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"


def test_a_dialect_is_found_by_name_value_or_dotted_path() -> None:
    assert load_dialect("smart").name == "smart"
    assert load_dialect(OWN) is OWN
    assert load_dialect(f"{__name__}:OWN") is OWN
    todo = TodoWrite(replace(OWN, max_items=1))
    assert todo({"steps": [{"content": "a", "status": "pending"}]}).text == "[ ] a"
    assert todo({"steps": []}).text == "The list is empty."
    assert todo(call(OWN, "a", "b")).text == (
        "Error: steps has 2 items, the limit is 1: merge or drop some"
    )


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("no_such", "no dialect is called 'no_such': use lean, smart, shell, envelope"),
        ("", "no dialect is called ''"),
        ("no.such.module:NAME", "no dialect at 'no.such.module:NAME'"),
        (f"{__name__}:ABSENT", "no dialect at"),
        (f"{__name__}:NO_DIALECT", "is no Dialect but a int"),
        (":x", "no dialect is called ':x'"),
        ("..:x", "no dialect is called '..:x'"),
    ],
)
def test_an_unknown_dialect_is_told_with_the_names_there_are(name: str, told: str) -> None:
    with pytest.raises(UnknownName) as caught:
        load_dialect(name)
    assert told in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_a_dialect_is_of_one_of_two_kinds() -> None:
    with pytest.raises(TypeError, match="make a ListDialect or a VerbDialect"):
        Dialect(name="neither")


def test_a_status_nobody_understands_is_refused_when_the_dialect_is_made() -> None:
    with pytest.raises(ValueError, match="meanings must map 'doing' to one of pending"):
        ListDialect(name="kanban", statuses=("doing",))


def test_a_dialect_may_spell_fields_and_statuses_its_own_way() -> None:
    kanban = ListDialect(
        name="kanban",
        list_key="cards",
        fields=(Field("content", "title"), Field("status", "column")),
        statuses=("todo", "doing", "done"),
        meanings={"todo": "pending", "doing": "in_progress", "done": "completed"},
    )
    todo = TodoWrite(kanban)
    cards = [{"title": "a", "column": "done"}, {"title": "b", "column": "doing"}]
    assert todo({"cards": cards}).text == "[x] a\n[>] b"
    assert [item.status for item in todo.plan.todos] == ["completed", "in_progress"]
    assert kanban.arguments(todo.plan) == {"cards": cards}
    two = {"cards": [{"title": "a", "column": "doing"}, {"title": "b", "column": "doing"}]}
    assert "2 items in progress" in todo(two).text
    assert (
        "'started': use one of todo, doing, done"
        in todo({"cards": [{"title": "a", "column": "started"}]}).text
    )


def test_all_spellings_of_a_status_count_as_one() -> None:
    kanban = ListDialect(
        name="kanban",
        statuses=("todo", "doing", "wip"),
        meanings={"todo": "pending", "doing": "in_progress", "wip": "in_progress"},
    )
    assert TodoWrite(kanban)(call(kanban, ("a", "doing"), ("b", "wip"))).is_error
    assert kanban.input_schema()["properties"]["todos"]["contains"]["properties"] == {
        "status": {"enum": ["doing", "wip"]}
    }


def test_an_optional_field_may_be_left_out_as_the_schema_says() -> None:
    optional = ListDialect(
        name="optional",
        fields=(
            Field("content"),
            Field("status", required=False),
            Field("active_form", "doing", required=False),
        ),
    )
    todo = TodoWrite(optional)
    assert not todo({"todos": [{"content": "a"}]}).is_error
    assert todo.plan.todos[0].status == "pending"
    assert optional.input_schema()["properties"]["todos"]["items"]["required"] == ["content"]
    assert todo({"todos": [{"content": "a", "doing": " "}]}).is_error


@pytest.mark.parametrize(
    "wrong",
    [
        {"fields": ()},
        {"fields": (Field("content"), Field("content"), Field("status"))},
        {"default_status": "nope"},
        {"phrases": {"mising": "x"}},
        {"order": ("items",)},
    ],
)
def test_a_dialect_that_could_only_fail_later_is_refused_when_it_is_made(wrong: Any) -> None:
    with pytest.raises(ValueError, match="dialect wrong: "):
        ListDialect(name="wrong", **wrong)


def test_a_dialect_of_verbs_has_at_least_one() -> None:
    with pytest.raises(ValueError, match="dialect wrong: verbs must hold at least one"):
        VerbDialect(name="wrong", verbs=(), items=OWN)


def test_mistakes_of_a_program_are_told_to_the_program() -> None:
    with pytest.raises(TypeError, match="store must be a URL or a Store"):
        TodoWrite("smart", store=Path("plans.db"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a dialect is a name or a Dialect"):
        TodoWrite(None)  # type: ignore[arg-type]
    for wrong in (None, 5, "", "../x"):
        with pytest.raises(BadName):
            TodoWrite("smart", agent=wrong)  # type: ignore[arg-type]
        with pytest.raises(BadName):
            TodoWrite("smart", session=wrong)  # type: ignore[arg-type]


def test_the_tools_that_are_offered_show_the_limits_in_force() -> None:
    todo = TodoWrite("shell", environ={"TODO_MAX_ITEMS": "2"})
    assert todo.tools[0].input_schema["properties"]["todos"]["maxItems"] == 2


def test_lean_shows_the_limits_that_it_enforces() -> None:
    todo = TodoWrite(replace(load_dialect("lean"), max_items=2, max_length=9))
    plan, done, add, change, _ = (
        tool["input_schema"]["properties"] for tool in todo.definitions("anthropic")
    )
    words = {"type": "string", "maxLength": 9}
    listed = {"type": "array", "items": words, "maxItems": 2}
    assert plan == {"steps": listed, "now": {"type": "string"}}
    assert done["finished"]["items"] == {"type": "string"}
    assert add["step"] == change["to"] == words
    assert "the limit is 2" in todo({"steps": ["a", "b", "c"]}, tool="plan").text
    assert "the limit is 9" in todo({"steps": ["0123456789"]}, tool="plan").text
    assert "maxItems" not in str(load_dialect("lean").tools)


@pytest.mark.parametrize("name", ["lean", "smart", "shell", "twostate"])
def test_a_limit_that_was_changed_stands_in_the_definition(name: str) -> None:
    dialect = replace(load_dialect(name), max_items=2)
    found = dialect.tools[0].input_schema["properties"][dialect.list_key]
    assert found["maxItems"] == 2


def test_a_sub_agent_that_has_ended_changes_nothing_any_more() -> None:
    todo = TodoWrite("lean")
    with todo.subagent() as child:
        child({"steps": ["a"]})
    assert child({"steps": ["b"]}).is_error
    (ended,) = todo.store.plans("default")
    assert (ended.agent, ended.todos, ended.ended) == (child.agent, (), "unfinished, 0 of 1 done")


def test_an_unknown_event_is_refused() -> None:
    with pytest.raises(UnknownName, match="use todos:update"):
        TodoWrite("smart").on("todos:changed", print)


def test_a_dialect_whose_words_fail_still_keeps_the_plan_and_answers() -> None:
    def broken(*_: object) -> todowright.Reply:
        raise KeyError("words")

    todo = TodoWrite(replace(OWN, accept=broken, reject=broken))
    assert todo(call(OWN, "a")).text == "The list was updated."
    assert todo.plan.revision == 1
    reply = todo({"steps": 5})
    assert reply.is_error
    assert "KeyError" in reply.text
    assert todo.plan.revision == 1
