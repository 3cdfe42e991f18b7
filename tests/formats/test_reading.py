"""What each agent sends, read by `read_plan` without being told whose it is."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from todowright import Plan, Reading, Todo, UnknownName, Unreadable, read_plan, write_plan
from todowright.formats import formats

AB = [("a", "completed"), ("b", "in_progress"), ("c", "pending")]


def items(reading: Reading) -> list[tuple[str, str]]:
    return [(todo.content, todo.status) for todo in reading.plan.todos]


def rows(
    key: str = "content",
    words: tuple[object, ...] = ("completed", "in_progress", "pending"),
    **more: Any,
) -> list[Any]:
    status = "completed" if isinstance(words[0], bool) else "status"
    return [{key: text, status: word, **more} for text, word in zip("abc", words, strict=True)]


def call(name: str, **arguments: object) -> dict[str, object]:
    return {"name": name, "input": arguments}


@pytest.mark.parametrize(
    ("form", "given"),
    [
        ("claude", call("TodoWrite", todos=rows(activeForm="doing"))),
        ("claude-ids", call("TodoWrite", todos=rows(id="1"))),
        ("claude-priorities", call("TodoWrite", todos=rows(id="1", priority="high"))),
        ("opencode", call("todowrite", todos=rows(priority="low"))),
        ("opencode", {"type": "todo.updated", "properties": {"sessionID": "s", "todos": rows(priority="low")}}),
        ("codex", call("update_plan", plan=rows("step"), explanation="why")),
        ("codex-app-server", {"method": "turn/plan/updated", "params": {"threadId": "t", "plan": rows("step", ("completed", "inProgress", "pending"))}}),
        ("codex", {"type": "event_msg", "payload": {"type": "plan_update", "plan": rows("step")}}),
        ("gemini", call("write_todos", todos=rows("description"))),
        ("qwen", call("todo_write", todos=rows(id="1"))),
        ("cursor", call("todo_write", merge=False, todos=rows(id="1"))),
        ("vscode", call("manage_todo_list", operation="write", todoList=rows("title", ("completed", "in-progress", "not-started"), id=1))),
        ("langchain", call("write_todos", todos=rows())),
        ("pydantic-ai", call("write_todos", todos=rows(active_form="doing"))),
        ("openhands", call("task_tracker", command="plan", task_list=rows("title", ("done", "in_progress", "todo"), notes="n"))),
        ("kimi", call("SetTodoList", todos=rows("title", ("done", "in_progress", "pending")))),
        ("crush", call("todos", todos=rows(active_form="doing"))),
        ("mistral-vibe", call("todo", action="write", todos=rows(id="1", priority="high"))),
        ("learn-claude-code", call("todo", items=rows("text", id="1"))),
        ("hermes", call("todo_list", todos=rows(id="1"), merge=False)),
        ("amp", call("todo_write", todos=rows(words=("completed", "in-progress", "todo"), id="1", priority="high"))),
        ("trae", call("todo_write", todos=rows(id="1", priority="high"))),
        ("roo", call("update_todo_list", todos="[x] a\n[-] b\n[ ] c")),
        ("roo", call("update_todo_list", todos="- [X] a\n- [~] b\n- [ ] c")),
        ("copilot-cli", call("update_todo", todos="# Work\n\n- [x] a\n- [>] b\n- [ ] c")),
        ("goose", call("todo__todo_write", content="1. [x] a\n2. [/] b\n3. [ ] c")),
        ("warp", {"UpdateTodos": 1, **call("UpdateTodos", CreateTodoList={"initial_todos": [{"id": "0", "title": "a"}]})}),
        ("acp", {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": {"sessionUpdate": "plan", "entries": rows(priority="medium")}}}),
        ("acp-2", {"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": "p", "entries": rows(priority="medium")}}),
        ("acp-2", {"sessionUpdate": "plan_update", "plan": {"type": "markdown", "planId": "p", "content": "- [x] a\n- [>] b\n- [ ] c"}}),
        ("ag-ui", {"type": "ACTIVITY_SNAPSHOT", "messageId": "m", "activityType": "PLAN", "content": {"steps": rows("description")}}),
        ("ag-ui-state", {"type": "STATE_SNAPSHOT", "snapshot": {"steps": rows("description"), "other": 1}}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_the_list_of_each_agent_is_found_by_itself(form: str, given: object) -> None:
    reading = read_plan(given)
    assert reading.format == form
    assert items(reading) == (AB if form != "warp" else [("a", "in_progress")])
    assert reading.replaces == "all"
    assert items(read_plan(json.dumps(given))) == items(reading)


@pytest.mark.parametrize(
    ("form", "given"),
    [
        ("codex-exec", {"type": "item.completed", "item": {"id": "i", "type": "todo_list", "items": rows("text", (True, False, False))}}),
        ("codebuff", call("write_todos", todos=rows("task", (True, False, False)))),
        ("cline", call("read_file", path="x", task_progress="- [x] a\n- [ ] b\n- [ ] c")),
    ],
)  # fmt: skip
def test_two_states_are_read_as_two(form: str, given: object) -> None:
    reading = read_plan(given)
    assert (reading.format, items(reading)) == (
        form,
        [("a", "completed"), ("b", "pending"), ("c", "pending")],
    )


TODOS = {"todos": rows(activeForm="x")}


@pytest.mark.parametrize(
    "given",
    [
        {"type": "tool_use", "id": "toolu_1", "name": "TodoWrite", "input": TODOS},
        {"id": "toolu_1", "type": "function", "function": {"name": "TodoWrite", "arguments": json.dumps(TODOS)}},
        {"type": "function_call", "call_id": "toolu_1", "name": "TodoWrite", "arguments": json.dumps(TODOS)},
        {"type": "response_item", "payload": {"type": "function_call", "call_id": "toolu_1", "name": "TodoWrite", "arguments": json.dumps(TODOS)}},
        {"functionCall": {"name": "TodoWrite", "args": TODOS, "id": "toolu_1"}},
        {"name": "TodoWrite", "args": TODOS, "id": "toolu_1", "type": "tool_call"},
        {"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "TodoWrite", "tool_input": TODOS, "tool_use_id": "toolu_1"},
        {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "mcp__plans__TodoWrite", "arguments": TODOS, "id": "toolu_1"}},
        {"type": "tool", "tool": "TodoWrite", "callID": "toolu_1", "state": {"status": "completed", "input": TODOS, "output": "[]"}},
        {"role": "assistant", "content": [{"type": "text", "text": "Let me plan"}, {"type": "tool_use", "id": "toolu_1", "name": "TodoWrite", "input": TODOS}]},
        {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "toolu_1", "name": "TodoWrite", "input": TODOS}]}},
        [{"type": "tool_use", "id": "toolu_0", "name": "Bash", "input": {"command": "ls"}}, {"type": "tool_use", "id": "toolu_1", "name": "TodoWrite", "input": TODOS}],
        {"choices": [{"index": 0, "message": {"role": "assistant", "tool_calls": [{"id": "toolu_1", "type": "function", "function": {"name": "TodoWrite", "arguments": json.dumps(TODOS)}}]}}]},
        {"output": [{"type": "reasoning", "summary": []}, {"type": "function_call", "call_id": "toolu_1", "name": "TodoWrite", "arguments": json.dumps(TODOS)}]},
        {"candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"name": "TodoWrite", "args": TODOS, "id": "toolu_1"}}]}}]},
        {"output": {"message": {"role": "assistant", "content": [{"toolUse": {"toolUseId": "toolu_1", "name": "TodoWrite", "input": TODOS}}]}}, "stopReason": "tool_use"},
    ],
)  # fmt: skip
def test_a_call_is_found_in_whatever_wraps_it(given: object) -> None:
    for each in (given, json.dumps(given), json.dumps(given).encode()):
        reading = read_plan(each)
        assert (reading.format, items(reading)) == ("claude", AB)
        assert reading.call is not None
        assert reading.call.id == "toolu_1"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("TodoWrite", {"todos": json.dumps(rows())}),
        ("TodoWrite", {"todos": str(rows())}),
        ("TodoWrite", {"todos": "- [x] a\n- [>] b\n- [ ] c"}),
        ("TodoWrite", {"items": rows()}),
        ("TodoWrite", {"todos": {"todos": rows()}}),
        ("TodoWrite", {"todos": {"1": rows()[0], "2": rows()[1], "3": rows()[2]}}),
        ("TodoWrite", rows()),
        ("TodoWrite", json.dumps({"todos": rows()})),
        ("TodoWrite", {"todos": rows("title", ("DONE", "In Progress", "to-do"))}),
        ("update_todo_list", {"todos": rows()}),
        (None, {"todos": rows()}),
        (None, rows("step")),
        (None, "- [x] a\n- [ ] **b** (in progress)\n- [ ] c"),
        (None, "Here is the plan:\n\n* [x] a\n* [~] b\n* [ ] c\n\nSo much for that."),
        (None, "```\n[x] a\n[>] b\n[ ] c\n```"),
        (None, "✅ a\n◐ b\n☐ c"),
    ],
)
def test_arguments_are_read_as_they_were_meant(tool: str | None, arguments: object) -> None:
    assert items(read_plan(arguments, tool=tool)) == AB


def test_a_checklist_may_be_numbered_nested_continued_and_interrupted_by_code() -> None:
    text = (
        "# Release\n\n1. [x] Build it\n   for all systems\n   - [ ] Linux\n   - [!] Windows\n"
        "2) [-] Drop the old one\n\n```\n- [ ] not an item\n```\n10. [>] Announce it\n"
    )
    reading = read_plan(text)
    assert [(t.content, t.status, dict(t.extras)) for t in reading.plan.todos] == [
        ("Build it for all systems", "completed", {}),
        ("Linux", "pending", {"level": "1"}),
        ("Windows", "pending", {"level": "1", "state": "blocked"}),
        ("Drop the old one", "cancelled", {}),
        ("Announce it", "in_progress", {}),
    ]
    assert reading.summary == "Release"


def test_a_status_that_is_none_of_ours_is_kept_with_the_item() -> None:
    (todo,) = read_plan({"todos": [{"description": "a", "status": "blocked"}]}).plan.todos
    assert (todo.status, todo.extras) == ("pending", (("state", "blocked"),))
    assert read_plan(write_plan(Plan(todos=(todo,)), "gemini").payload).plan.todos == (todo,)


def test_calls_that_only_look_change_nothing() -> None:
    for given in (
        call("TaskList"),
        call("TaskGet", taskId="1"),
        call("TaskStop", task_id="b1"),
        call("todoread"),
        call("SetTodoList"),
        call("todo", action="read"),
        call("task_tracker", command="view"),
        call("manage_todo_list", operation="read"),
        call("todos_get_all"),
        call("tracker_visualize"),
    ):
        assert not read_plan(given).changes, given


def test_an_empty_list_empties_the_plan() -> None:
    reading = read_plan(call("TodoWrite", todos=[]))
    assert reading.changes
    assert reading.on(Plan(todos=(Todo("a"),))).todos == ()


def test_tasks_are_made_one_by_one_and_get_the_id_that_the_answer_tells() -> None:
    plan = Plan()
    steps: list[tuple[dict[str, object], object]] = [
        (call("TaskCreate", subject="a", description="d"), "Task #7 created successfully: a"),
        (call("TaskCreate", subject="b", activeForm="b-ing"), {"task": {"id": "8", "subject": "b"}}),
        (call("TaskCreate", subject="c"), [{"type": "text", "text": "Task #9 created successfully: c"}]),
        (call("TaskCreate", subject="d"), None),
        (call("TaskUpdate", taskId="8", status="in_progress", owner="ann", addBlockedBy=["7"]), ""),
        (call("TaskUpdate", task_id=9, addBlocks=["10"], metadata={"pr": 5}), ""),
        (call("TaskUpdate", taskId="7", status="deleted"), ""),
    ]  # fmt: skip
    for given, result in steps:
        plan = read_plan(given, result=result).on(plan)
    assert [(t.id, t.content, t.status, dict(t.extras)) for t in plan.todos] == [
        ("8", "b", "in_progress", {"owner": "ann", "blockedBy": "7"}),
        ("9", "c", "pending", {"metadata": '{"pr": 5}'}),
        ("10", "d", "pending", {"blockedBy": "9"}),
    ]


def test_cursor_merges_by_id_and_keeps_what_it_is_not_told() -> None:
    plan = read_plan(call("todo_write", merge=False, todos=rows(id="x"))).plan
    first = call(
        "todo_write",
        merge=False,
        todos=[{"id": n, "content": n, "status": "pending"} for n in "ab"],
    )
    plan = read_plan(first).plan
    later = call("todo_write", merge=True, todos=[{"id": "a", "status": "completed"}, {"id": "c", "content": "c"}, {"id": "b", "content": "B", "dependencies": ["a"]}])  # fmt: skip
    plan = read_plan(later).on(plan)
    assert [(t.id, t.content, t.status) for t in plan.todos] == [
        ("a", "a", "completed"),
        ("b", "B", "pending"),
        ("c", "c", "pending"),
    ]
    assert plan.todos[1].extras == (("blockedBy", "a"),)


def test_warp_has_no_status_and_works_on_the_first_open_item() -> None:
    make = call(
        "UpdateTodos", CreateTodoList={"initial_todos": [{"id": n, "title": n} for n in "abc"]}
    )
    done = call("UpdateTodos", MarkTodosCompleted={"todo_ids": ["a"]})
    other = call("UpdateTodos", UpdatePendingTodos={"updated_pending_todos": [{"id": "d", "title": "d"}, {"id": "b", "title": "b"}]})  # fmt: skip
    plan = read_plan(make).plan
    assert [t.status for t in plan.todos] == ["in_progress", "pending", "pending"]
    plan = read_plan(done).on(plan)
    assert [t.status for t in plan.todos] == ["completed", "in_progress", "pending"]
    plan = read_plan(other).on(plan)
    assert [(t.id, t.status) for t in plan.todos] == [
        ("a", "completed"),
        ("d", "in_progress"),
        ("b", "pending"),
    ]


def test_the_tracker_of_gemini() -> None:
    plan = Plan()
    for given, result in (
        (call("tracker_create_task", title="a", description="d", type="bug"), "Created task 3f2a1c: a"),
        (call("tracker_create_task", title="b", type="task", dependencies=["3f2a1c"]), {"llmContent": "Created task 0b0b0b: b"}),
        (call("tracker_update_task", id="3f2a1c", status="closed"), None),
        (call("tracker_update_task", id="0b0b0b", status="blocked"), None),
        (call("tracker_add_dependency", taskId="3f2a1c", dependencyId="0b0b0b"), None),
    ):  # fmt: skip
        plan = read_plan(given, result=result).on(plan)
    assert [(t.id, t.status, dict(t.extras)) for t in plan.todos] == [
        ("3f2a1c", "completed", {"description": "d", "type": "bug", "blockedBy": "0b0b0b"}),
        ("0b0b0b", "pending", {"type": "task", "blockedBy": "3f2a1c", "state": "blocked"}),
    ]


def test_the_todos_of_agent_framework() -> None:
    plan = Plan()
    answer = json.dumps({"todos": [{"id": 1, "title": "a"}, {"id": 2, "title": "b"}]})
    for given, result in (
        (call("todos_add", todos=[{"title": "a"}, {"title": "b", "description": "d"}]), answer),
        (call("todos_add", todos=[{"title": "c"}]), None),
        (call("todos_complete", items=[{"id": 1, "reason": "tests pass"}]), None),
        (call("todos_remove", ids=[2]), None),
    ):
        plan = read_plan(given, result=result).on(plan)
    assert [(t.id, t.content, t.status, dict(t.extras)) for t in plan.todos] == [
        ("1", "a", "completed", {"reason": "tests pass"}),
        ("3", "c", "pending", {}),
    ]


def test_the_task_list_of_augment() -> None:
    answer = "Added:\n[ ] UUID:u1 NAME:a DESCRIPTION:d\n[ ] UUID:u2 NAME:b DESCRIPTION:e"
    rows = [
        {"name": "a", "description": "d"},
        {"name": "b", "description": "e", "parent_task_id": "u1"},
    ]
    plan = read_plan(call("add_tasks", tasks=rows), result=answer).plan
    plan = read_plan(call("update_tasks", tasks=[{"task_id": "u1", "state": "CANCELLED"}])).on(plan)
    assert [(t.id, t.content, t.status) for t in plan.todos] == [
        ("u1", "a", "cancelled"),
        ("u2", "b", "pending"),
    ]
    text = "[/] UUID:root NAME:All DESCRIPTION:of it\n-[x] UUID:u1 NAME:a DESCRIPTION:d\n-[-] UUID:NEW_UUID NAME:c DESCRIPTION:f"
    reading = read_plan(call("reorganize_tasklist", markdown=text))
    assert [(t.id, t.content, t.status, dict(t.extras).get("level")) for t in reading.todos] == [
        ("root", "All", "in_progress", None),
        ("u1", "a", "completed", "1"),
        ("", "c", "cancelled", "1"),
    ]


def test_the_tables_of_copilot_cli() -> None:
    rows = [
        {"id": "a", "title": "A", "status": "done"},
        {"id": "b", "title": "B", "status": "blocked"},
    ]
    reading = read_plan({"rows": rows, "dependencies": [{"todoId": "b", "dependsOn": "a"}]})
    assert reading.format == "copilot-sql"
    assert [(t.id, t.status, dict(t.extras)) for t in reading.plan.todos] == [
        ("a", "completed", {}),
        ("b", "pending", {"state": "blocked", "blockedBy": "a"}),
    ]


@pytest.mark.parametrize(
    "result",
    [
        "<tool_use_error>Sibling tool call errored</tool_use_error>",
        "Task not found",
        [{"type": "text", "text": "Task #9 not found"}],
        {"success": False, "taskId": "9", "error": "Task not found"},
        {"type": "tool_result", "is_error": True, "content": "no"},
    ],
)
def test_a_call_that_its_agent_refused_says_nothing(result: object) -> None:
    assert not read_plan(call("TaskUpdate", taskId="1", status="completed"), result=result).changes


def test_subgoals_of_codebuff_keep_a_log() -> None:
    plan = read_plan(call("add_subgoal", id="1", objective="a", status="NOT_STARTED")).plan
    for status, log in (("IN_PROGRESS", "began"), ("ABORTED", "gave up")):
        plan = read_plan(call("update_subgoal", id="1", status=status, log=log)).on(plan)
    assert plan.todos == (Todo("a", "cancelled", id="1", extras=(("log", "began\ngave up"),)),)


def test_ag_ui_changes_a_plan_by_patches() -> None:
    snapshot = {"type": "STATE_SNAPSHOT", "snapshot": {"steps": rows("description")}}
    delta = {
        "type": "STATE_DELTA",
        "delta": [
            {"op": "replace", "path": "/steps/1/status", "value": "completed"},
            {"op": "replace", "path": "/steps/2/description", "value": "C"},
            {"op": "add", "path": "/steps/-", "value": {"description": "d", "status": "pending"}},
            {"op": "remove", "path": "/steps/0"},
            {"op": "replace", "path": "/mood", "value": "fine"},
        ],
    }
    reading = read_plan(delta)
    plan = reading.on(read_plan(snapshot).plan)
    assert [(t.content, t.status) for t in plan.todos] == [
        ("b", "completed"),
        ("C", "pending"),
        ("d", "pending"),
    ]
    assert reading.notes == ("a change of '/mood' was left out: it is no item of the list",)
    whole = {"type": "ACTIVITY_DELTA", "messageId": "m", "activityType": "PLAN", "patch": [{"op": "replace", "path": "/steps", "value": rows("description")}]}  # fmt: skip
    assert items(read_plan(whole)) == AB
    with pytest.raises(Unreadable, match="the activity 'SEARCH' is no plan"):
        read_plan({**whole, "activityType": "SEARCH"})


def test_the_plans_of_sub_agents_are_messages_of_their_own_in_ag_ui() -> None:
    plan = read_plan(call("TodoWrite", todos=rows(activeForm="doing"))).plan
    ids = [
        write_plan(replace(plan, agent=agent), "ag-ui").payload["messageId"]
        for agent in ("main", "main/scout", "main/cook")
    ]
    assert ids == ["plan", "plan:main/scout", "plan:main/cook"]


def test_qwen_tells_acp_its_ids_beside_the_entries() -> None:
    meta = {"qwenTodo": {"id": "7", "blockedBy": ["6"]}}
    entries = [{"content": "a", "status": "pending", "priority": "medium", "_meta": meta}]
    (todo,) = read_plan({"sessionUpdate": "plan", "entries": entries}).plan.todos
    assert (todo.id, dict(todo.extras)["blockedBy"]) == ("7", "6")


def test_a_plan_that_acp_takes_away_is_empty() -> None:
    reading = read_plan({"sessionUpdate": "plan_removed", "planId": "main"})
    assert (reading.format, reading.replaces, reading.todos) == ("acp-2", "all", ())


def test_several_calls_are_read_as_one() -> None:
    given = [call("TaskCreate", subject=n) for n in "ab"] + [
        call("TaskUpdate", taskId="2", status="completed")
    ]
    assert items(read_plan(given)) == [("a", "pending"), ("b", "completed")]
    assert items(read_plan([call("TodoWrite", todos=[]), call("TodoWrite", todos=rows())])) == AB


def test_what_is_left_out_is_noted() -> None:
    reading = read_plan(
        {"todos": [*rows(colour="red"), 5, {"status": "pending"}]}, tool="TodoWrite"
    )
    assert items(reading) == AB
    assert reading.notes == (
        "not kept of an item: colour",
        "item 4 was left out: it is number, not an object",
        "item 5 was left out: it has no words",
    )


@pytest.mark.parametrize(
    ("given", "tool", "words"),
    [
        (
            {"name": "Bash", "input": {"command": "ls"}},
            None,
            "no agent's plan tool is called 'Bash'",
        ),
        ({"command": "ls"}, "Bash", "no agent's plan tool is called 'Bash'"),
        ({"command": "ls"}, None, "no plan was found in this object: name its tool with tool="),
        ("Hello", None, "the text holds no plan: neither JSON nor a checklist"),
        (None, None, "no plan was found in this null: name its tool with tool="),
        ({"todos": 5}, "TodoWrite", "'todos' must be a list of items: it is number"),
        ({"todo": []}, "TodoWrite", "'todos' must be a list of items: it is missing"),
        ({"todos": [1, 2]}, "TodoWrite", "item 2 was left out: it is number, not an object"),
        ({"todos": "soon"}, "TodoWrite", "'todos' is a text that is neither JSON nor a checklist"),
        ({"subject": {}}, "TaskCreate", "'subject' must be a text: it is object"),
        ("x", "TaskUpdate", "the arguments must be an object, not string"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_line(
    given: object, tool: str | None, words: str
) -> None:
    with pytest.raises(Unreadable) as caught:
        read_plan(given, tool=tool)
    assert str(caught.value) == words
    assert isinstance(caught.value, ValueError)


def test_a_format_that_is_not_there_is_named() -> None:
    with pytest.raises(
        UnknownName, match=r"no format is called 'codec': did you mean codex\? use acp, "
    ):
        write_plan(Plan(), "codec")
    with pytest.raises(TypeError, match=r"write_plan takes a Plan, not a list: use todo\.plan"):
        write_plan([], "codex")  # type: ignore[arg-type]


def test_losses_are_told_in_words() -> None:
    todos = (Todo("Ship it", "cancelled"), Todo("Test it", "in_progress", id="x"))
    written = write_plan(Plan(todos=todos, summary="Release"), "codex-exec")
    assert [str(loss) for loss in written.losses] == [
        'the summary "Release" is lost',
        'item 1 is left out: "Ship it"',
        'item 2: its status "in_progress" became "pending"',
        'item 2: its id "x" is lost',
    ]
    assert str(write_plan(Plan(todos=todos), "cursor")) == "cursor: nothing is lost"


def test_labels_that_we_gave_ourselves_are_no_loss() -> None:
    plan = Plan(todos=(Todo("a", id="t1", number=1),))
    assert write_plan(plan, "codex").losses == ()


def test_steps_that_wait_for_others_are_named_by_their_numbers_or_their_labels() -> None:
    todos = (
        Todo("a", id="t4", number=4),
        Todo("b", id="t5", number=5, extras=(("blockedBy", "4"),)),
        Todo("c", id="t6", number=6, extras=(("blockedBy", "t5 4"),)),
    )
    calls = write_plan(Plan(todos=todos), "claude-tasks").payload
    assert [each["input"] for each in calls[3:]] == [
        {"taskId": "2", "addBlockedBy": ["1"]},
        {"taskId": "3", "addBlockedBy": ["2", "1"]},
    ]


def test_every_format_has_a_name_an_agent_and_one_line() -> None:
    for name, form in formats().items():
        assert form.name == name
        assert form.agent
        assert "\n" not in form.description
        assert form.tools or name == "markdown"


def test_a_format_of_ones_own_need_not_be_in_the_package() -> None:
    from todowright.formats.list_format import ListFormat

    own = ListFormat(
        name="own",
        agent="Own",
        description="",
        tools=("set_steps",),
        list_key="steps",
        content="words",
    )
    written = write_plan(Plan(todos=(Todo("a", "completed"),)), own)
    assert written.payload == call("set_steps", steps=[{"words": "a", "status": "completed"}])
    assert written.losses == ()
    assert read_plan(written.payload, format=own).todos == (Todo("a", "completed"),)
    with pytest.raises(Unreadable, match="no agent's plan tool is called 'set_steps'"):
        read_plan(written.payload)


def test_a_plan_of_ours_as_json_is_read_too() -> None:
    todos = (Todo("a", "cancelled", "b", "t1", 0, (("priority", "high"),)), Todo("c", id="t2"))
    assert read_plan(Plan(todos=todos, summary="s").to_dict()).plan.todos == todos
    assert read_plan({"name": "plan", "input": {"steps": ["a", "c"]}}).plan.todos == (
        Todo("a"),
        Todo("c"),
    )


def test_ids_with_spaces_are_kept_apart() -> None:
    rows = [{"id": "a b", "content": "x"}, {"id": "c", "content": "y", "blockedBy": ["a b", "c"]}]
    reading = read_plan({"todos": rows}, tool="todo_write")
    assert dict(reading.todos[1].extras)["blockedBy"] == '["a b", "c"]'
    again = write_plan(reading.plan, "qwen")
    assert again.losses == ()
    assert again.payload["input"]["todos"][1]["blockedBy"] == ["a b", "c"]


@pytest.mark.parametrize("prefix", ["mcp__tasks__", "functions.", "tasks:", "server/"])
def test_a_tool_behind_the_name_of_a_server_is_the_same_tool(prefix: str) -> None:
    given = call(f"{prefix}TaskCreate", subject="a")
    assert read_plan(given).plan.todos == (Todo("a", id="1"),)
    bare = read_plan({"subject": "a"}, tool=f"{prefix}TaskCreate")
    assert bare.call is not None
    assert bare.call.tool == "TaskCreate"


def test_the_answer_is_found_beside_the_call() -> None:
    hook = {
        "hook_event_name": "PostToolUse",
        "tool_name": "TaskCreate",
        "tool_input": {"subject": "a", "description": "d"},
        "tool_response": {"task": {"id": "14", "subject": "a"}},
    }
    assert read_plan(hook).plan.todos[0].id == "14"
    part = {
        "type": "tool",
        "tool": "TaskCreate",
        "state": {"input": {"subject": "a"}, "output": "Task #3 created"},
    }
    assert read_plan(part).plan.todos[0].id == "3"


def test_the_tool_calls_of_a_chat_message_are_read_in_their_order() -> None:
    calls = [
        {"id": f"call_{n}", "type": "function", "function": {"name": "TaskCreate", "arguments": json.dumps({"subject": n})}}
        for n in "ab"
    ]  # fmt: skip
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    assert [todo.content for todo in read_plan(message).plan.todos] == ["a", "b"]


@pytest.mark.parametrize(
    "text",
    [
        "```npm test``` runs the tests\n- [ ] a\n- [x] b\n",
        "- [ ] a\n\n```\n~~~\n- [ ] in a block of code\n```\n\n- [x] b\n",
        "```markdown\n- [ ] a\n- [x] b\n```\n",
        "```\n- [ ] a\n- [x] b\n",
    ],
    ids=["code in a line", "a block with another sign in it", "one block", "never closed"],
)
def test_only_what_stands_in_a_block_of_code_is_no_item(text: str) -> None:
    assert items(read_plan(text)) == [("a", "pending"), ("b", "completed")]
