"""What the design documents say of an agent, through the official clients."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.agent.conftest import Talk
from tests.agent.provider import Say, calls, says
from tests.requirements import requirement
from tests.support import edit
from todowright.agent import Limits, events
from todowright.host.reminders import INITIAL_REMINDER, NAG_REMINDER

Make = Callable[..., Talk]
AUTH = [
    ("重构认证模块", "分析认证模块结构"),
    ("补充单元测试", "编写测试用例"),
    ("更新 README", "更新文档"),
]


def items(*statuses: str, actives: dict[int, str] | None = None) -> dict[str, Any]:
    return {
        "items": [
            {"content": text, "status": status, "activeForm": (actives or {}).get(n, active)}
            for n, ((text, active), status) in enumerate(zip(AUTH, statuses, strict=True))
        ]
    }


def texts(request: dict[str, Any]) -> list[list[str]]:
    """The texts of each message but the system's, in either API's form; results marked by `=`."""
    found = []
    for message in request["messages"]:
        content = message.get("content") or ""
        if message["role"] == "system":
            continue
        blocks = [{"text": content}] if isinstance(content, str) else content
        mark = "=" if message["role"] == "tool" else ""
        shown = []
        for block in blocks:
            text = block.get("text") or block.get("content") or ""
            shown.append(("=" if block.get("type") == "tool_result" else mark) + text)
        found.append(shown)
    return found


def kinds(happened: list[events.Event]) -> list[str]:
    return [event.name for event in happened]


@requirement("003-9", "003-7")
def test_the_workflow_of_document_003_gives_its_three_renderings(talk: Make) -> None:
    actives = {1: "编写 auth 模块测试"}
    made = talk(
        says(
            calls(("TodoWrite", items("in_progress", "pending", "pending"))),
            calls(("bash", {"command": "echo looking"})),
            calls(("TodoWrite", items("completed", "in_progress", "pending", actives=actives))),
            calls(
                (
                    "TodoWrite",
                    items("completed", "completed", "in_progress", actives={2: "更新项目文档"}),
                )
            ),
            "好了",
        ),
        dialect="checklist",
    )

    happened = made.run("帮我重构认证模块, 补充测试, 更新文档")

    told = [event.text for event in happened if isinstance(event, events.Observation)]
    assert told == [
        "[>] 重构认证模块 <- 分析认证模块结构\n[ ] 补充单元测试\n[ ] 更新 README\n\n(0/3 completed)",
        "looking",
        "[x] 重构认证模块\n[>] 补充单元测试 <- 编写 auth 模块测试\n[ ] 更新 README\n\n(1/3 completed)",
        "[x] 重构认证模块\n[x] 补充单元测试\n[>] 更新 README <- 更新项目文档\n\n(2/3 completed)",
    ]
    assert happened[-1] == events.Ended(
        agent="main",
        reason="answer",
        text="好了",
        plan=made.agent.todo.plan,
        usage=happened[-1].usage,
        rounds=4,
    )


@requirement("003-7")
def test_every_call_is_answered_once_in_order_and_no_call_ends_the_loop(talk: Make) -> None:
    made = talk(
        says(
            calls(
                ("bash", {"command": "echo one"}), ("bash", {"command": "echo two"}), text="Both."
            ),
            "Done.",
        ),
        dialect="checklist",
    )

    happened = made.run()

    first, second = made.provider.requests
    limit = first.get("max_tokens") or first.get("max_completion_tokens")
    assert limit == 8000
    told = [text for message in texts(second)[1:] for text in message]
    assert told == (
        ["Both.", "", "", "=one", "=two"] if made.is_anthropic else ["Both.", "=one", "=two"]
    )
    assert kinds(happened) == [
        "start", "reminder", "thought", "action", "observation", "action", "observation", "thought", "end",
    ]  # fmt: skip


@requirement("003-7")
def test_a_call_that_was_cut_off_is_answered_with_an_error(talk: Make) -> None:
    long = {"path": "a.txt", "content": "x" * 400}
    made = talk(says(Say("", (("write_file", long),), cut=True), "I give up."), reminders=False)

    happened = made.run()

    assert isinstance(happened[3], events.Observation)
    assert happened[3].is_error
    assert "cut off" in happened[3].text
    assert not (made.folder / "a.txt").exists()
    assert happened[-1].reason == "answer"


@requirement("003-5")
def test_the_initial_reminder_stands_before_the_users_first_text_and_nowhere_else(
    talk: Make,
) -> None:
    made = talk(says("Hello.", "Again."), dialect="checklist")

    made.run("First task")
    made.run("Second task")

    last = [text for message in texts(made.provider.requests[-1]) for text in message]
    joined = "\n".join(last)
    assert joined.count(INITIAL_REMINDER) == 1
    assert joined.index(INITIAL_REMINDER) < joined.index("First task")


@requirement("003-6")
def test_the_nag_comes_with_the_11th_round_without_a_plan_call_and_with_every_one_after(
    talk: Make,
) -> None:
    bash = calls(("bash", {"command": "true"}))
    plan = calls(("TodoWrite", {"items": "wrong"}))
    made = talk(says(*[bash] * 6, "Half.", *[bash] * 6, plan, bash, "Done."), dialect="checklist")

    made.run("First")
    happened = made.run("Second")

    nagged = [
        [block.get("text") for block in message["content"]].count(NAG_REMINDER)
        for message in made.agent.messages
        if message["role"] == "user"
    ]
    assert nagged == [
        0,
        *[0] * 6,
        0,
        0,
        0,
        0,
        0,
        1,
        1,
        0,
        0,
    ]  # tasks and twelve rounds, then a call
    eleventh = next(m for m in made.agent.messages if NAG_REMINDER in json.dumps(m))
    assert eleventh["content"][0] == {
        "type": "text",
        "text": NAG_REMINDER,
    }  # first, as the document says
    assert kinds(happened).count("reminder") == 2
    on_the_wire = texts(made.provider.requests[-1])
    for message in on_the_wire:
        if NAG_REMINDER in message and made.is_anthropic:
            assert message == ["=(no output)", NAG_REMINDER]  # that API wants results first


@requirement("002-10")
def test_the_recap_of_the_envelope_is_at_the_end_of_every_context_and_not_kept(talk: Make) -> None:
    plan = {
        "summary": "Overlaps",
        "todos": [
            {"content": "修复重叠检测", "status": "in_progress"},
            {"content": "更新文档", "status": "pending"},
            {"content": "性能优化脚本", "status": "cancelled"},
        ],
    }
    made = talk(
        says(
            calls(("TodoWrite", plan)),
            calls(("bash", {"command": "true"})),
            calls(("bash", {"command": "true"})),
            *["Done."] * 3,
        ),
        dialect="envelope",
    )

    made.run()

    recap = "[1/3] In progress: 修复重叠检测. Pending: 更新文档. Cancelled: 性能优化脚本."
    third, fourth = made.provider.requests[2:4]
    assert texts(third)[-1][-1].endswith(recap)
    assert texts(fourth)[-1][-1].endswith(recap)
    ends = [text for message in texts(fourth) for text in message if text.endswith(recap)]
    assert len(ends) == 1
    assert recap not in json.dumps(
        [m["content"] for m in made.agent.messages[4:]], ensure_ascii=False
    )


@requirement("004-4")
def test_the_twostate_agent_never_speaks_of_in_progress_and_its_plan_lives_for_one_run(
    talk: Make,
) -> None:
    plan = {
        "todos": [{"content": "一", "status": "pending"}, {"content": "二", "status": "completed"}]
    }
    bash = calls(("bash", {"command": "true"}))
    made = talk(says(calls(("todo_write", plan)), bash, *["好"] * 3, "再见"), dialect="twostate")

    made.run("第一")
    assert made.agent.todo.plan.count("completed") == 1
    made.run("第二")

    assert not made.agent.todo.plan.todos
    assert not any("in_progress" in json.dumps(request) for request in made.provider.requests)


@requirement("004-5")
def test_a_run_yields_its_events_in_order_and_a_failed_write_shows_as_such(talk: Make) -> None:
    bad = {"todos": [{"content": "一", "status": "in_progress"}]}
    good = {"todos": [{"content": "一", "status": "completed"}]}
    made = talk(
        says(
            calls(("todo_write", bad), text="先计划"),
            calls(("todo_write", good), text="再来"),
            "完成",
        ),
        dialect="twostate",
    )

    happened = made.run()

    assert kinds(happened) == [
        "start", "thought", "action", "observation",
        "thought", "action", "observation", "todo_update", "thought", "end",
    ]  # fmt: skip
    failed, fine = [event for event in happened if isinstance(event, events.Observation)]
    assert failed.is_error
    assert failed.text.startswith("❌ 任务更新失败")
    assert not fine.is_error


@requirement("000-3")
def test_in_plan_mode_only_reading_is_offered_and_the_plan_comes_back_after_it(talk: Make) -> None:
    made = talk(
        says(
            calls(("TodoWrite", {"todos": []}), ("bash", {"command": "touch x"})),
            "I would do this.",
            "Working.",
        ),
        dialect="smart",
        mode="plan",
    )

    happened = made.run("Look")
    made.agent.permissions.mode = "auto"
    made.run("Now do it")

    offered = [
        [tool.get("name") or tool["function"]["name"] for tool in r["tools"]]
        for r in made.provider.requests
    ]
    assert offered[0] == ["read_file"]
    assert offered[-1] == ["bash", "read_file", "write_file", "edit_file", "TodoWrite", "task"]
    refused = [event for event in happened if isinstance(event, events.Observation)]
    assert [event.is_error for event in refused] == [True, True]
    assert not (made.folder / "x").exists()
    assert made.agent.todo.plan.revision == 0


@requirement("000-3")
def test_a_batch_with_a_tool_that_writes_runs_one_by_one_in_call_order(talk: Make) -> None:
    made = talk(
        says(
            calls(
                ("write_file", {"path": "a.txt", "content": "new"}),
                ("read_file", {"path": "a.txt"}),
                (
                    "TodoWrite",
                    {"todos": [{"content": "x", "status": "pending", "activeForm": "y"}]},
                ),
            ),
            *["Done."] * 3,
        ),
        dialect="smart",
    )

    happened = made.run()

    assert kinds(happened)[2:9] == ["action", "observation"] * 3 + ["todo_update"]
    assert [e.text for e in happened if isinstance(e, events.Observation)][1] == "new"


@requirement("000-6")
def test_a_sub_agent_has_its_own_plan_says_nothing_to_todos_update_and_leaves_nothing(
    talk: Make,
) -> None:
    def plan(text: str, status: str) -> tuple[str, Any]:
        return "TodoWrite", {"todos": [{"content": text, "status": status, "activeForm": text}]}

    made = talk(
        says(
            calls(plan("The whole", "in_progress")),
            calls(("task", {"prompt": "Look into it"})),
            calls(plan("A part", "in_progress")),
            calls(plan("A part", "completed")),
            "It is fine.",
            calls(plan("The whole", "completed")),
            "Done.",
        ),
        dialect="smart",
    )
    heard: list[Any] = []
    made.agent.todo.on("todos:update", heard.append)

    happened = made.run()

    assert [[todo.content for todo in todos] for todos in heard] == [["The whole"], ["The whole"]]
    inner = [e for e in happened if isinstance(e, events.TodoUpdate) and e.agent != "main"]
    assert [e.plan.todos[0].status for e in inner] == ["in_progress", "completed"]
    assert {e.plan.serves for e in inner} == {made.agent.todo.plan.todos[0].number}
    _, ended = made.agent.todo.store.plans("default")
    assert (ended.agent, ended.todos, ended.ended) == (inner[0].agent, (), "finished, 1 of 1 done")
    fresh = texts(made.provider.requests[2])
    assert [text for message in fresh for text in message] == ["Look into it"]
    told = [e.text for e in happened if isinstance(e, events.Observation) and e.tool == "task"]
    assert told == ["It is fine."]


@requirement("000-6")
@pytest.mark.parametrize("way", ["error", "rounds", "closed"])
def test_a_sub_agents_plan_is_gone_however_it_ends(talk: Make, way: str) -> None:
    plan = ("plan", {"steps": ["Inner"]})
    bash = calls(("bash", {"command": "true"}))
    after: list[Any] = [Say(status=400, text="no")] if way == "error" else [bash] * 60
    made = talk(says(calls(("task", {"prompt": "x"})), calls(plan), *after, *["Over."] * 3))

    run = made.agent.run("Go")
    for event in run:
        if way == "closed" and isinstance(event, events.TodoUpdate):
            run.close()
        if way == "rounds" and isinstance(event, events.Observation) and event.tool == "task":
            assert event.is_error
            assert event.text == "stopped after 50 rounds"

    (ended,) = made.agent.todo.store.plans("default")
    assert ended.todos == ()
    how = "failed" if way == "closed" else "unfinished"
    assert ended.ended == f"{how}, 0 of 1 done"


@requirement("003-8")
def test_it_runs_commands_and_reads_writes_and_edits_files_in_a_folder_it_cannot_leave(
    talk: Make,
) -> None:
    made = talk(
        says(
            calls(("bash", {"command": "pwd; echo hello > said.txt"})),
            calls(("read_file", {"path": "said.txt"}), ("read_file", {"path": "."})),
            calls(
                ("edit_file", {"path": "said.txt", "old": "hello", "new": "goodbye"}),
                ("write_file", {"path": "deep/er/new.txt", "content": "fresh"}),
                ("read_file", {"path": "../../../../../../etc/passwd"}),
                ("write_file", {"path": "/tmp/outside.txt", "content": "x"}),
            ),
            "Done.",
        ),
        reminders=False,
    )

    told = [event for event in made.run() if isinstance(event, events.Observation)]

    assert told[0].text == str(made.folder)
    assert [each.text for each in told[1:3]] == ["hello\n", "said.txt"]
    assert [each.is_error for each in told[3:]] == [False, False, True, True]
    assert all("outside of the work folder" in each.text for each in told[5:])
    assert (made.folder / "said.txt").read_text() == "goodbye\n"
    assert (made.folder / "deep" / "er" / "new.txt").read_text() == "fresh"


def test_an_edit_of_a_person_while_a_tool_runs_is_told_with_the_next_request(talk: Make) -> None:
    made = talk(
        says(
            calls(("plan", {"steps": ["One", "Two"]})),
            calls(("bash", {"command": "touch began; while [ ! -e edited ]; do sleep 0.02; done"})),
            calls(("done", {"step": [1, 2]})),
            "Done.",
        )
    )

    def person() -> None:
        deadline = time.monotonic() + 60
        while not (made.folder / "began").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        store = made.agent.todo.store
        edit(store, store.load("default", "main"), [{"do": "add", "text": "Deploy NEVER"}])
        (made.folder / "edited").touch()

    editor = threading.Thread(target=person)
    editor.start()
    happened = made.run()
    editor.join()

    note = '<reminder>On the board, the user changed your plan: added 3. "Deploy NEVER".</reminder>'
    assert note in [event.text for event in happened if isinstance(event, events.Reminder)]
    last = texts(made.provider.requests[2])[-1]
    assert any(note in words for words in last)
    assert any("Deploy NEVER" in words and "Plan: 0 of 3 done." in words for words in last)


APOSTROPHES = '{"todos":[{"content":"Don\'t break login","activeForm":"x","status":"pending"}]}'


@pytest.mark.parametrize(
    ("command", "asked"),
    [
        ("TodoWrite '{\"todos\": []}'", 0),
        ("TodoWrite '{\"todos\": []}'; touch x", 1),
        ('TodoWrite "$(touch x)"', 1),
        ("TodoWrite < $(touch x)", 1),
        ("TodoWrite '{\"todos\": []}' > x", 1),
        ("TodoWrite '{\"todos\": []}' # touch x", 0),
        (f"TodoWrite '{APOSTROPHES}'", 0),
        (f"TodoWrite '{APOSTROPHES}' && touch \"x\"", 1),
        (f"TodoWrite '{APOSTROPHES}' ; touch 'x'", 1),
        (f"TodoWrite '{APOSTROPHES}' && TodoWrite '{APOSTROPHES}' && touch \"x\"", 1),
        (f"TodoWrite <<E#\n{APOSTROPHES}\nE#\ntouch x\nE", 1),
        (f"TodoWrite <<E\n{APOSTROPHES}\nE#\ntouch x\nE", 0),
        ("TodoWrite <<< $((0*$(touch x)))", 1),
        ("TodoWrite <<E\n$(touch x)\nE", 1),
        ("TodoWrite '{\"todos\":[it's; touch x; it's", 0),
        ("TodoWrite -h", 0),
        ("TodoWrite '[]'\ntouch x", 1),
        ("TodoWrite $'\\u0027' `touch x`", 1),
    ],
)
def test_a_plan_that_is_a_command_needs_no_permission_and_nothing_beside_it_slips_through(
    talk: Make, command: str, asked: int
) -> None:
    questions: list[str] = []

    def ask(tool: str, arguments: dict[str, Any], why: str) -> bool:
        questions.append(tool)
        return False

    made = talk(
        says(calls(("bash", {"command": command})), *["Done."] * 3),
        dialect="shell",
        mode="ask",
        ask=ask,
    )
    made.run()
    assert len(questions) == asked
    assert not (made.folder / "x").exists()


@requirement("A12")
def test_a_list_that_was_written_before_a_person_edited_the_plan_is_refused(talk: Make) -> None:
    made = talk(
        says(
            calls(("plan", {"steps": ["One", "Two"]})),
            calls(("bash", {"command": "true"}), ("plan", {"steps": ["One", "Two", "Three"]})),
            "Done.",
            "Done.",
            "Done.",
        )
    )
    bash = made.agent.tools["bash"]

    def edited(command: str) -> str:  # the person is at it while the command runs
        store = made.agent.todo.store
        edit(store, store.load("default", "main"), [{"do": "add", "text": "The user's own"}])
        return "ok"

    made.agent.tools["bash"] = replace(bash, run=edited)
    happened = made.run()

    told = [event.text for event in happened if isinstance(event, events.Observation)]
    assert told[2].startswith(
        'Error: On the board, the user changed your plan: added 3. "The user\'s own". Nothing'
    )
    assert [step.status for step in made.agent.todo.plan.todos] == [
        "in_progress",
        "pending",
        "pending",
    ]


def test_an_edit_at_the_end_of_a_run_is_told_in_the_next(talk: Make) -> None:
    made = talk(says(calls(("plan", {"steps": ["One"]})), *["Yes."] * 9), limits=Limits(rounds=1))
    assert made.run("One")[-1].reason == "rounds"
    store = made.agent.todo.store
    edit(store, store.load("default", "main"), [{"do": "add", "text": "Two"}])
    made.agent.limits = Limits()
    made.run("Two")
    assert 'added 2. "Two"' in str(made.provider.requests[1]["messages"][-1])


def test_an_edit_of_a_person_is_told_in_one_line_with_the_next_request(talk: Make) -> None:
    scripted = says(
        calls(("plan", {"steps": ["One", "Two"]})),
        calls(("bash", {"command": "true"})),
        calls(("done", {"step": [1, 2]})),
        "Done.",
    )

    def mind(request: dict[str, Any]) -> Say:
        if len(made.provider.requests) == 2:  # while the model thinks
            store = made.agent.todo.store
            reword = {"do": "reword", "step": "t2", "text": "Two, <b>bold</b>"}
            edit(store, store.load("default", "main"), [reword])
        return scripted(request)

    made = talk(mind)

    happened = made.run()

    note = '<reminder>On the board, the user changed your plan: reworded 2. "Two, ‹b›bold‹/b›".</reminder>'
    assert [event.text for event in happened if isinstance(event, events.Reminder)] == [note]
    told = [
        any(note in words for message in texts(request) for words in message)
        for request in made.provider.requests
    ]
    assert told == [False, False, True, False]
