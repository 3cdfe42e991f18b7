"""Every kind of file that an agent writes is read into the plan that it means."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from bench.raw_calls import raw_calls
from tests.importers import agents
from tests.importers.agents import answer, imported, jsonl, shape, todos, use, whole
from todowright import revisions
from todowright.importers.found import Damage, Found
from todowright.importers.readers import READERS, opencode_database
from todowright.importers.reading import calls_in

P, N, C = "pending", "in_progress", "completed"
STEPS = [("Step 1", C), ("Step 2", N)]


def test_a_transcript_of_claude_code_becomes_a_history_with_times_and_models(
    tmp_path: Path,
) -> None:
    path = agents.claude(tmp_path / "s1.jsonl", (P, P), (N, P), (C, N))
    store, report = imported(path)
    history = list(revisions(store, "s1", "main"))
    assert report.new == report.revisions == raw_calls(path).total() == 3
    assert shape(history[-1]) == STEPS
    assert [plan.updated_at for plan in history] == [datetime(2026, 8, 1, 10, 0, n, tzinfo=UTC) for n in (1, 2, 3)]  # fmt: skip
    assert {plan.by.name for plan in history} == {"claude-test"}


def test_a_task_gets_the_id_that_only_the_result_tells(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "s1.jsonl",
        use(1, "TaskCreate", {"subject": "First", "description": "d"}),
        use(2, "TaskCreate", {"subject": "Second", "description": "d"}),
        answer(
            2, "Task #8 created successfully: Second", {"task": {"id": "8", "subject": "Second"}}
        ),
        answer(1, "Task #7 created successfully: First", {"task": {"id": "7", "subject": "First"}}),
        use(3, "TaskUpdate", {"taskId": "8", "status": "completed"}),
        answer(3, "Updated task #8 status"),
    )
    store, report = imported(path)
    assert report.new == 3
    assert shape(store.load("s1", "main")) == [("First", P), ("Second", C)]


def test_a_sub_agent_has_a_list_of_its_own_but_shares_the_tasks(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "s1.jsonl",
        use(1, "TaskCreate", {"subject": "Shared", "description": "d"}),
        answer(1, "Task #1 created successfully: Shared"),
        use(
            2, "TaskUpdate", {"taskId": "1", "status": "completed"}, agentId="a1", isSidechain=True
        ),
        answer(2, "Updated task #1 status"),
    )
    below = jsonl(
        tmp_path / "s1" / "subagents" / "agent-a1.jsonl",
        use(3, "TodoWrite", {"todos": todos(N)}, agentId="a1", isSidechain=True),
    )
    store, _ = imported(path, below)
    assert shape(store.load("s1", "main")) == [("Shared", C)]
    assert shape(store.load("s1", "main/a1")) == [("Step 1", N)]


def test_what_a_sub_agent_tells_its_parent_counts_once(tmp_path: Path) -> None:
    line = use(1, "TodoWrite", {"todos": todos(N)}, agentId="a1")
    told: dict[str, Any] = {
        "type": "progress",
        "sessionId": "s1",
        "data": {"type": "agent_progress", "agentId": "a1", "message": line},
    }
    store, report = imported(jsonl(tmp_path / "a.jsonl", told), jsonl(tmp_path / "b.jsonl", line))
    assert (report.calls, report.new) == (2, 1)
    assert shape(store.load("s1", "main/a1")) == [("Step 1", N)]


def test_a_session_has_the_title_that_its_host_gave_it(tmp_path: Path) -> None:
    title = {"type": "summary", "summary": "Mend the parser", "leafUuid": "u1"}
    path = jsonl(tmp_path / "s1.jsonl", title, use(1, "TodoWrite", {"todos": todos(P)}))
    store, _ = imported(path)
    assert store.load("s1", "main").summary == "Mend the parser"


def test_a_call_that_its_own_agent_refused_changes_nothing(tmp_path: Path) -> None:
    path = agents.claude(tmp_path / "s1.jsonl", (C, N))
    with path.open("a") as file:
        file.write(jsonl(tmp_path / "more", use(5, "TodoWrite", {"todos": todos(P)}), answer(5, "The user doesn't want to proceed", is_error=True)).read_text())  # fmt: skip
    store, report = imported(path)
    assert report.outcomes["failed"] == 1
    assert shape(store.load("s1", "main")) == STEPS


def test_codex_rollouts_and_what_codex_exec_prints(tmp_path: Path) -> None:
    path = agents.codex(tmp_path / "rollout-x.jsonl", (N, P), (C, N))
    printed = jsonl(
        tmp_path / "exec.jsonl",
        {"type": "thread.started", "thread_id": "c2"},
        {"type": "item.started", "item": {"id": "item_1", "type": "todo_list", "items": [{"text": "Step 1", "completed": False}]}},
        {"type": "item.updated", "item": {"id": "item_1", "type": "todo_list", "items": [{"text": "Step 1", "completed": True}]}},
    )  # fmt: skip
    store, report = imported(path, printed)
    assert report.new == raw_calls(path).total() + 2 == 4
    plan = store.load("c1", "main")
    assert (shape(plan), plan.by.name) == (STEPS, "gpt-test")
    assert shape(store.load("c2", "main")) == [("Step 1", C)]


def test_a_codex_sub_agent_stands_below_its_parent(tmp_path: Path) -> None:
    path = agents.codex(tmp_path / "rollout-y.jsonl", (C, N), session="c9")
    text = path.read_text().replace('{"id":"c9"}', '{"id":"c9","source":{"subagent":{"thread_spawn":{"parent_thread_id":"c1"}}}}')  # fmt: skip
    path.write_text(text)
    store, _ = imported(path)
    assert shape(store.load("c1", "main/c9")) == STEPS


def test_opencode_as_storage_database_and_export(tmp_path: Path) -> None:
    messages = [
        {"info": {"role": "assistant", "modelID": "model-test"}, "parts": [agents.tool_part(n, *each)]}
        for n, each in enumerate([(N, P), (C, N)], 1)
    ]  # fmt: skip
    export = {"info": {"id": "ses_1", "title": "The title"}, "messages": messages}
    for path in (
        agents.opencode_storage(tmp_path, (N, P), (C, N)),
        agents.opencode_database(tmp_path / "opencode.db", (N, P), (C, N)),
        whole(tmp_path / "export.json", export),
    ):
        store, report = imported(path)
        plan = store.load("ses_1", "main")
        assert (report.new, report.damage) == (2, [])
        assert (shape(plan), plan.summary, plan.by.name) == (STEPS, "The title", "model-test")
        assert plan.updated_at == datetime(2026, 8, 1, 10, 0, 2, tzinfo=UTC)


def test_hook_logs_have_no_ids_and_may_tell_a_call_before_and_after(tmp_path: Path) -> None:
    def entry(event: str, *statuses: str) -> dict[str, object]:
        shown: dict[str, object] = {"tool_response": {}} if event == "PostToolUse" else {}
        return {
            "session_id": "h1",
            "hook_event_name": event,
            "tool_name": "TodoWrite",
            "tool_input": {"todos": todos(*statuses)},
            **shown,
        }

    lists = [(P, P), (C, N), (P, P), (C, N)]
    after = [entry("PostToolUse", *each) for each in lists]
    both = [entry(event, *each) for each in lists for event in ("PreToolUse", "PostToolUse")]
    for entries in (after, both):
        for path in (
            whole(tmp_path / "log.json", entries),
            jsonl(tmp_path / "log.jsonl", *entries),
        ):
            store, report = imported(path)
            assert (report.new, report.revisions) == (4, 4)
            assert shape(store.load("h1", "main")) == STEPS


def test_qwen_chats_and_lists(tmp_path: Path) -> None:
    items = [{"id": "1", "content": "Step 1", "status": C}, {"id": "2", "content": "Step 2", "status": N}]  # fmt: skip
    call = {"functionCall": {"id": "q1", "name": "todo_write", "args": {"todos": items}}}
    record = {
        "uuid": "u1",
        "sessionId": "q",
        "timestamp": agents.TIME.format(1),
        "type": "assistant",
        "model": "qwen-test",
        "message": {"role": "model", "parts": [call]},
    }
    chat = jsonl(tmp_path / "projects" / "p" / "chats" / "q.jsonl", record)
    listed = whole(tmp_path / "todos" / "q.json", {"todos": items, "sessionId": "q"})
    for path in (chat, listed):
        store, report = imported(path)
        assert (report.new, shape(store.load("q", "main"))) == (1, STEPS)


def test_gemini_chats(tmp_path: Path) -> None:
    items = [{"description": "Step 1", "status": C}, {"description": "Step 2", "status": N}]
    call = {"id": "g1", "name": "write_todos", "args": {"todos": items}, "status": "success"}
    message = {"type": "gemini", "timestamp": agents.TIME.format(1), "model": "gemini-test", "toolCalls": [call]}  # fmt: skip
    chat = {"sessionId": "g", "projectHash": "h", "messages": [message]}
    store, report = imported(whole(tmp_path / "chats" / "session-1.json", chat))
    assert (report.new, shape(store.load("g", "main"))) == (1, STEPS)


def test_kilo_and_roo_folders_in_both_forms_of_a_call(tmp_path: Path) -> None:
    block = {"type": "tool_use", "id": "k1", "name": "update_todo_list", "input": {"todos": "[x] Step 1\n[-] Step 2"}}  # fmt: skip
    text = "<update_todo_list>\n<todos>\n[x] Step 1\n[-] Step 2\n</todos>\n</update_todo_list>"
    for content in ([block], text):
        history = [
            {"role": "user", "content": [{"type": "text", "text": "<task>\nDo it\n</task>"}], "ts": 1_785_578_400_000},
            {"role": "assistant", "content": content, "ts": 1_785_578_401_000},
        ]  # fmt: skip
        path = whole(tmp_path / "tasks" / "k" / "api_conversation_history.json", history)
        store, report = imported(path)
        plan = store.load("k", "main")
        assert (report.new, shape(plan), plan.summary) == (1, STEPS, "Do it")


def test_vs_code_chats_as_one_document_and_as_lines(tmp_path: Path) -> None:
    items = [{"id": 1, "title": "Step 1", "status": "completed"}, {"id": 2, "title": "Step 2", "status": "in-progress"}]  # fmt: skip
    import json

    call = {"id": "v1", "name": "manage_todo_list", "arguments": json.dumps({"todoList": items})}
    shown = {"kind": "toolInvocationSerialized", "toolId": "manage_todo_list", "toolCallId": "x1", "toolSpecificData": {"todoList": items}}  # fmt: skip
    request = {
        "timestamp": 1_785_578_400_000,
        "modelId": "copilot/test",
        "response": [shown],
        "result": {"metadata": {"toolCallRounds": [{"toolCalls": [call]}]}},
    }
    chat = {"requesterUsername": "u", "sessionId": "v", "customTitle": "T", "requests": [request]}
    document = whole(tmp_path / "chatSessions" / "v.json", chat)
    lines = jsonl(
        tmp_path / "chatSessions" / "v.jsonl",
        {"kind": 0, "v": {"sessionId": "v", "customTitle": "T", "requests": []}},
        {
            "kind": 2,
            "k": ["requests"],
            "v": [{"timestamp": 1_785_578_400_000, "modelId": "copilot/test"}],
        },
        {"kind": 2, "k": ["requests", 0, "response"], "v": [shown]},
        {"kind": 1, "k": ["requests", 0, "result"], "v": request["result"]},
    )
    for path in (document, lines):
        store, report = imported(path)
        plan = store.load("v", "main")
        assert (report.new, shape(plan), plan.summary) == (1, STEPS, "T")
        assert plan.by.name == "copilot/test"


def test_langgraph_threads_as_lines_as_a_list_and_as_messages(tmp_path: Path) -> None:
    items = [{"content": "Step 1", "status": C}, {"content": "Step 2", "status": N}]
    said = {
        "type": "ai",
        "content": "",
        "response_metadata": {"model_name": "m"},
        "tool_calls": [{"name": "write_todos", "args": {"todos": items}, "id": "l1", "type": "tool_call"}],
    }  # fmt: skip
    told = {"type": "tool", "content": "Updated todo list", "tool_call_id": "l1", "response_metadata": {}}  # fmt: skip
    thread = {"thread_id": "t", "updated_at": "2026-08-01T10:00:00+00:00", "values": {"messages": [said, told], "title": "T"}}  # fmt: skip
    for path, session in (
        (jsonl(tmp_path / "threads.jsonl", thread), "t"),
        (whole(tmp_path / "threads.json", [thread]), "t"),
        (whole(tmp_path / "thread.json", thread), "t"),
        (jsonl(tmp_path / "messages.jsonl", said, told), "messages"),
    ):
        store, report = imported(path)
        assert (report.new, shape(store.load(session, "main"))) == (1, STEPS)


def test_lists_and_tasks_that_claude_code_keeps_beside_its_transcripts(tmp_path: Path) -> None:
    whole(tmp_path / "todos" / "s1-agent-s1.json", todos(C, N))
    for number, status in ((1, C), (2, N)):
        task = {"id": str(number), "subject": f"Step {number}", "description": "d", "status": status, "blocks": [], "blockedBy": []}  # fmt: skip
        whole(tmp_path / "tasks" / "list-1" / f"{number}.json", task)
    store, report = imported(tmp_path)
    assert report.new == 2
    assert shape(store.load("s1", "main")) == shape(store.load("list-1", "main")) == STEPS


def test_a_list_in_a_file_that_is_older_than_the_plan_changes_nothing(tmp_path: Path) -> None:
    import os

    path = agents.claude(tmp_path / "projects" / "s1.jsonl", (P, P), (C, N))
    old = whole(tmp_path / "todos" / "s1-agent-s1.json", todos(P, P))
    os.utime(old, (1_700_000_000, 1_700_000_000))
    store, report = imported(path, old)
    assert report.outcomes["older"] == 1
    assert shape(store.load("s1", "main")) == STEPS


def test_a_checklist_in_markdown_is_read_where_it_is_named(tmp_path: Path) -> None:
    path = tmp_path / "work.md"
    path.write_text("# Work\n\nSome words.\n\n- [x] Step 1\n- [~] Step 2\n", "utf-8")
    store, report = imported(path)
    assert (report.new, shape(store.load("work", "main"))) == (1, STEPS)
    assert imported(tmp_path)[1].new == 0  # a folder is full of other people's checklists


def test_every_reader_of_the_table_is_there_and_knows_its_own_files_only() -> None:
    for name in READERS:
        module = import_module(f"todowright.importers.readers.{name}")
        assert module.HOST
        assert hasattr(module, "Lines") or hasattr(module, "document")
        assert not module.sees("/a/b/letter.txt", b"Dear reader, this is no transcript.")


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_a_call_knows_how_often_the_model_had_spoken(tmp_path: Path, name: str) -> None:
    path = getattr(agents, name)(tmp_path / "a.jsonl", (P,), (N,), (C,))
    rounds = [found.round for found in calls_in(str(path)) if isinstance(found, Found)]
    assert rounds == sorted(rounds)
    assert len(set(rounds)) == 3


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"


def test_a_database_whose_parts_are_a_view_without_end_is_told_and_left(tmp_path: Path) -> None:
    path = agents.opencode_database(tmp_path / "opencode.db", (N, P))
    columns = "i AS id, '' AS message_id, '' AS session_id, i AS time_created, i AS time_updated, 'x' AS data"
    with closing(sqlite3.connect(path)) as rows:
        rows.executescript(f"DROP TABLE part; CREATE VIEW part AS {ENDLESS} {columns} FROM n")
    _, report = imported(path, agents.claude(tmp_path / "s1.jsonl", (C, N)))
    assert report.new == 1
    assert report.damage == [f"{path}:1: the database has no tables part, message, session"]


def test_a_database_is_asked_only_for_so_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = agents.opencode_database(tmp_path / "opencode.db", (N, P), (C, N))
    with closing(sqlite3.connect(path)) as rows, rows:
        rows.execute(
            f"INSERT INTO part SELECT i, '', '', i, i, '' FROM ({ENDLESS} i FROM n LIMIT 20000)"
        )
    monkeypatch.setattr(opencode_database, "PATIENCE", 0.0)
    _, report = imported(path)
    assert report.damage == [f"{path}:1: the database cannot be read (it takes longer than 0 s)"]


def test_a_part_that_is_too_long_is_left_out_and_the_others_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opencode_database, "LONGEST", 100_000)
    path = agents.opencode_database(tmp_path / "opencode.db", (N, P), (P, N), (C, N))
    with closing(sqlite3.connect(path)) as rows, rows:
        rows.execute("UPDATE part SET data = data || ? WHERE id = 'prt_2'", (" " * 200_000,))
    store, report = imported(path)
    assert (report.new, report.damage) == (2, [])
    assert shape(store.load("ses_1", "main")) == STEPS


def chat_of_vscode(path: Path, *, rounds: bool) -> Path:
    """One request of VS Code with three calls, as its rounds keep them, or only as they were shown."""
    lists = [[{"id": 1, "title": f"Step {n}", "status": "not-started"}] for n in range(3)]
    shown = [{"kind": "toolInvocationSerialized", "invocationMessage": {"value": "{ \" }"},
              "toolId": "manage_todo_list", "toolCallId": f"shown-{n}",
              "toolSpecificData": {"kind": "todoList", "todoList": each}}
             for n, each in enumerate(lists)]  # fmt: skip
    calls = [{"toolCalls": [{"name": "manage_todo_list", "id": f"call-{n}",
                             "arguments": json.dumps({"todoList": each})}]}
             for n, each in enumerate(lists)]  # fmt: skip
    request = {
        "requestId": "r",
        "message": {"text": "Do it"},
        "response": shown,
        "result": {"metadata": {"toolCallRounds": calls if rounds else []}},
    }
    value = {"requesterUsername": "ann", "requests": [request, {"requestId": "last"}]}
    return whole(path, value)


@pytest.mark.parametrize("rounds", [True, False])
def test_the_calls_of_a_damaged_request_of_vs_code_that_are_whole_are_read(
    tmp_path: Path, rounds: bool
) -> None:
    path = chat_of_vscode(tmp_path / "chat.json", rounds=rounds)
    text = path.read_text("utf-8")
    sound = [each.input for each in calls_in(str(path)) if isinstance(each, Found)]
    assert len(sound) == 3
    for damaged in (
        text.replace('"requestId": "r"', '"requestId": r"'),
        text[: text.index('"last"')],
        text.replace('"message": {', '"message": ['),
    ):
        path.write_text(damaged, "utf-8")
        found = list(calls_in(str(path)))
        assert [each for each in found if isinstance(each, Damage)]
        assert [each.input for each in found if isinstance(each, Found)] == sound
