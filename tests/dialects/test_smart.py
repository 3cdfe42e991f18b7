"""Document 000."""

from __future__ import annotations

from typing import Any

import pytest

from tests.requirements import requirement
from tests.support import call, statuses, step, texts
from todowright import Refused, Reply, Todo, TodoWrite
from todowright.cli.workflows import WORKFLOWS


@pytest.fixture
def todo() -> TodoWrite:
    return TodoWrite("smart")


def refusal(todo: TodoWrite, *items: Any, **more: Any) -> str:
    reply = todo({"todos": list(items), **more})
    assert reply.is_error
    assert todo.plan.todos == ()
    return reply.text


@requirement("000-1")
@pytest.mark.parametrize("missing", ["content", "status", "activeForm"])
@pytest.mark.parametrize("status", ["pending", "in_progress", "completed"])
def test_each_field_is_required_whatever_the_status(
    todo: TodoWrite, missing: str, status: str
) -> None:
    item = step("Read", status)
    del item[missing]
    assert refusal(todo, item) == f"Error: todos[0].{missing} is missing: add it"


@requirement("000-1")
@pytest.mark.parametrize("field", ["content", "activeForm"])
@pytest.mark.parametrize("blank", ["", " ", "\t\n", "\u3000"])
def test_a_blank_text_is_refused(todo: TodoWrite, field: str, blank: str) -> None:
    text = refusal(todo, step("Read") | {field: blank})
    assert text.startswith(f"Error: todos[0].{field} is ")


@requirement("000-1")
def test_unknown_keys_are_refused_and_named_and_id_is_one_of_them(todo: TodoWrite) -> None:
    assert "unknown keys ('id')" in refusal(todo, step("Read") | {"id": "t1"})
    assert "input has unknown keys ('merge')" in refusal(todo, step("Read"), merge=True)
    schema = todo.dialect.input_schema()
    assert schema["required"] == ["todos"]
    assert schema["additionalProperties"] is False
    item = schema["properties"]["todos"]["items"]
    assert item["required"] == ["content", "status", "activeForm"]
    assert item["additionalProperties"] is False


@requirement("000-2")
def test_more_than_one_in_progress_is_refused_and_none_is_fine(todo: TodoWrite) -> None:
    text = refusal(todo, step("a", "in_progress"), step("b", "in_progress"))
    assert "only one task can be in progress at a time" in text
    assert not todo({"todos": [step("a"), step("b", "completed")]}).is_error


@requirement("000-2")
def test_the_count_in_progress_is_checked_before_the_items_and_content_before_the_active_form(
    todo: TodoWrite,
) -> None:
    both = refusal(todo, step("", "in_progress"), step("b", "in_progress"))
    assert "only one task" in both
    assert "todos[0].content" in refusal(todo, step("", active=""), step(""))
    assert "todos[1].activeForm" in refusal(todo, step("a"), step("b", active=""), step(""))


@requirement("000-3")
def test_a_host_can_read_that_it_runs_serially_without_permission_and_not_in_plan_mode(
    todo: TodoWrite,
) -> None:
    (tool,) = todo.dialect.tools
    assert (tool.read_only, tool.needs_permission, tool.in_plan_mode) == (False, False, False)
    assert todo.dialect.offered(plan_mode=True) == ()
    assert todo.dialect.offered(plan_mode=False) == (tool,)


@requirement("000-3")
def test_a_batch_runs_in_call_order_one_by_one(todo: TodoWrite) -> None:
    seen: list[list[str]] = []
    todo.on_change(lambda change: seen.append(texts(change.plan)))
    replies = todo.turn([("TodoWrite", {"todos": [step(name)]}) for name in "abc"])
    assert [reply.is_error for reply in replies] == [False] * 3
    assert seen == [["a"], ["b"], ["c"]]


@requirement("000-4")
def test_known_ids_change_only_their_given_fields(todo: TodoWrite) -> None:
    todo({"todos": [step("a", "in_progress"), step("b"), step("c")]})
    first, second, third = todo.plan.todos
    events: list[tuple[Todo, ...]] = []
    todo.on("todos:update", events.append)

    plan = todo.update([{"id": first.id, "status": "completed"}])

    changed = Todo("a", "completed", "Doing a", first.id, first.number)
    assert plan.todos == (changed, second, third)
    assert events == [plan.todos]
    assert todo.plan == plan


@requirement("000-4")
@pytest.mark.parametrize("ids", [["t1", None], ["t1", ""], ["t1", "t99"], [None, None]])
def test_an_id_that_is_missing_empty_or_unknown_makes_it_a_replacement(
    todo: TodoWrite, ids: list[str | None]
) -> None:
    todo({"todos": [step("a"), step("b"), step("c")]})
    rows = [step(f"new {n}") | ({} if name is None else {"id": name}) for n, name in enumerate(ids)]
    plan = todo.update(rows)
    assert texts(plan) == ["new 0", "new 1"]
    assert len({item.id for item in plan.todos}) == 2


@requirement("000-4")
def test_the_merged_list_is_checked_before_it_is_kept(todo: TodoWrite) -> None:
    todo({"todos": [step("a", "in_progress"), step("b")]})
    before = todo.plan
    with pytest.raises(Refused, match="only one task can be in progress") as caught:
        todo.update([{"id": before.todos[1].id, "status": "in_progress"}])
    assert [issue.code for issue in caught.value.issues] == ["focus"]
    with pytest.raises(Refused, match=r"todos\[0\]\.content is missing"):
        todo.update([{"id": before.todos[0].id, "content": ""}])
    with pytest.raises(ValueError, match="unknown keys"):
        todo.update([{"id": before.todos[0].id, "priority": "high"}])
    assert todo.plan == before


@requirement("000-4")
def test_of_two_entries_with_one_id_the_later_wins(todo: TodoWrite) -> None:
    todo({"todos": [step("a"), step("b")]})
    first = todo.plan.todos[0].id
    plan = todo.update(
        [{"id": first, "status": "in_progress"}, {"id": first, "status": "completed"}]
    )
    assert statuses(plan) == ["completed", "pending"]
    plan = todo.update([step("x") | {"id": "k"}, step("y"), step("z") | {"id": "k"}])
    assert texts(plan) == ["z", "y"]


@requirement("000-4")
def test_an_empty_update_clears_the_list(todo: TodoWrite) -> None:
    todo({"todos": [step("a")]})
    assert todo.update([]).todos == ()
    assert todo.plan.revision == 2


@requirement("000-4")
def test_a_program_may_hand_back_todos_and_its_own_ids_are_never_issued_again(
    todo: TodoWrite,
) -> None:
    todo({"todos": [step("a"), step("b")]})
    plan = todo.update(todo.plan.todos[:1])
    assert texts(plan) == ["a", "b"]
    plan = todo.update([step("a") | {"id": "t7"}, step("b"), step("new")])
    assert [item.id for item in plan.todos] == ["t7", "t2", "t8"]


@requirement("000-5")
def test_a_program_may_give_texts_for_new_todos() -> None:
    plan = TodoWrite("lean").update(["One", "Two"])
    assert [(todo.content, todo.status) for todo in plan.todos] == [
        ("One", "pending"),
        ("Two", "pending"),
    ]
    assert TodoWrite("smart").update(["One"]).todos == (Todo("One", "pending", "One", "t1", 1),)


def test_the_tool_never_updates_a_subset_whatever_the_model_sends(todo: TodoWrite) -> None:
    todo({"todos": [step("a"), step("b")]})
    before = todo.plan
    assert todo({"todos": [step("a", "completed") | {"id": before.todos[0].id}]}).is_error
    assert todo.plan == before
    assert not todo({"todos": [step("a", "completed")]}).is_error
    assert texts(todo.plan) == ["a"]


@requirement("000-6")
def test_the_main_agent_emits_the_whole_list_after_every_accepted_call_only(
    todo: TodoWrite,
) -> None:
    events: list[tuple[Todo, ...]] = []
    stop = todo.on("todos:update", events.append)
    todo({"todos": [step("a"), step("b")]})
    todo({"todos": "no list"})
    todo({"todos": [step("a"), step("b")]})
    assert [[item.content for item in event] for event in events] == [["a", "b"], ["a", "b"]]
    stop()
    todo({"todos": []})
    assert len(events) == 2


@requirement("000-6", "A9")
def test_a_sub_agent_is_silent_has_its_own_list_and_loses_it_however_it_ends(
    todo: TodoWrite,
) -> None:
    todo({"todos": [step("parent's")]})
    events: list[object] = []
    todo.on("todos:update", events.append)

    with pytest.raises(RuntimeError), todo.subagent("research") as child:
        child.on("todos:update", events.append)
        assert child.plan.todos == ()
        assert not child({"todos": [step("child's")]}).is_error
        assert texts(child.plan) == ["child's"]
        assert texts(todo.plan) == ["parent's"]
        raise RuntimeError("the sub-agent crashed")

    assert events == []
    assert child.plan.todos == ()
    parent, ended = todo.store.plans(todo.session)
    assert (parent.agent, ended.agent, ended.todos) == ("main", child.agent, ())
    assert ended.ended == "failed, 0 of 1 done"
    assert list(todo.store.history(todo.session, child.agent)) == [ended]


@requirement("000-7")
def test_the_documents_three_calls_succeed_with_three_events_of_three_items(
    todo: TodoWrite,
) -> None:
    events: list[tuple[Todo, ...]] = []
    todo.on("todos:update", events.append)
    (workflow,) = [flow for flow in WORKFLOWS if flow.dialect == "smart"]
    for arguments in workflow.calls:
        assert not todo(arguments).is_error
    assert [[item.status for item in event] for event in events] == [
        ["pending", "pending", "pending"],
        ["in_progress", "pending", "pending"],
        ["completed", "in_progress", "pending"],
    ]
    assert events[2][0] == Todo("读取 package.json", "completed", "读取 package.json 中", "t1", 1)


@requirement("000-8")
def test_the_answer_is_one_sentence(todo: TodoWrite) -> None:
    reply = todo(call("smart", "a", ("b", "completed")))
    assert reply == Reply(
        "The todo list has been updated; go on with it.",
        display="[ ] a\n[x] b",
        structured=reply.structured,
    )
    assert reply.data == call("smart", "a", ("b", "completed"))
