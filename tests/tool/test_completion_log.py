"""The log of finished plans: when, where, and whole or absent."""

from __future__ import annotations

import fcntl
import json
import multiprocessing
import os
import re
import signal
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.requirements import requirement
from tests.support import Clock
from todowright import MemoryStore, Plan, TodoWrite, open_store
from todowright.tool import completion_log

BLOCK = """\
# task{n}-{stamp}

总任务概述：修复 multi_edit 重叠检测并完善文档与测试

[3/4] Completed: 完成的任务.
- 修复 multi_edit 重叠检测逻辑
- 更新 multi_edit 文档
- 运行相关测试

[1/4] Cancelled: 取消的任务.
- ~~性能优化脚本~~
"""
FINISHED = {
    "summary": "修复 multi_edit 重叠检测并完善文档与测试",
    "todos": [
        {"content": "修复 multi_edit 重叠检测逻辑", "status": "completed"},
        {"content": "更新 multi_edit 文档", "status": "completed"},
        {"content": "性能优化脚本", "status": "cancelled"},
        {"content": "运行相关测试", "status": "completed"},
    ],
}
OPEN: dict[str, Any] = {"summary": "s", "todos": [{"content": "a", "status": "pending"}]}


def stamp(clock: Clock) -> str:
    return clock.now.astimezone().strftime("%Y%m%d-%H%M%S")


def logs(root: Path) -> list[Path]:
    return sorted((root / "memory" / "todos").glob("*"))


@requirement("002-8")
def test_a_finished_list_is_logged_in_the_documents_form(tmp_path: Path) -> None:
    clock = Clock()
    todo = TodoWrite("envelope", root=tmp_path, clock=clock)
    assert todo(FINISHED).data["status"] == "success"
    (log,) = logs(tmp_path)
    assert log.name == f"todoList-{stamp(clock)}.md"
    assert log.read_text("utf-8") == BLOCK.format(n=1, stamp=stamp(clock))
    assert todo.plan.log == log.name


@requirement("002-8")
def test_a_session_appends_to_its_one_file_and_counts_its_blocks(tmp_path: Path) -> None:
    clock = Clock()
    todo = TodoWrite("envelope", root=tmp_path, clock=clock)
    first = stamp(clock)
    todo(FINISHED)
    clock.now += timedelta(minutes=5)
    todo(OPEN)
    todo(FINISHED)
    (log,) = logs(tmp_path)
    assert log.name == f"todoList-{first}.md"
    assert log.read_text("utf-8") == (
        BLOCK.format(n=1, stamp=first) + "\n" + BLOCK.format(n=2, stamp=stamp(clock))
    )


@requirement("002-8")
def test_a_session_that_is_taken_up_again_goes_on_in_its_file(tmp_path: Path) -> None:
    clock, store = Clock(), MemoryStore()
    TodoWrite("envelope", root=tmp_path, clock=clock, store=store)(FINISHED)
    clock.now += timedelta(days=1)
    TodoWrite("envelope", root=tmp_path, clock=clock, store=store)(FINISHED)
    TodoWrite("envelope", root=tmp_path, clock=clock, store=store, agent="second")(FINISHED)
    (log,) = logs(tmp_path)
    assert re.findall(r"^# (task\d+)", log.read_text("utf-8"), re.MULTILINE) == [
        "task1",
        "task2",
        "task3",
    ]


@requirement("002-8")
@pytest.mark.parametrize("store", ["memory:", "sqlite:///{}/plans.db"])
@pytest.mark.parametrize("resumed", [False, True])
def test_the_count_goes_on_when_the_file_is_deleted_in_mid_session(
    tmp_path: Path, store: str, resumed: bool
) -> None:
    clock, kept = Clock(), open_store(store.format(tmp_path))
    root = tmp_path / "project"
    root.mkdir()

    def tool(agent: str = "main") -> TodoWrite:
        return TodoWrite("envelope", root=root, clock=clock, store=kept, agent=agent)

    todo = tool()
    for arguments in (FINISHED, OPEN, FINISHED, FINISHED):
        todo(arguments)
    tool("second")(FINISHED)
    (log,) = logs(root)
    assert titles(log) == [1, 2, 3, 4]
    log.unlink()
    todo = tool() if resumed else todo
    todo(FINISHED)
    todo(OPEN)
    todo(FINISHED)
    assert logs(root) == [log]  # its name is that of the session
    assert titles(log) == [5, 6]
    log.write_text("")
    todo(FINISHED)
    assert titles(log) == [7]
    kept.close()


@requirement("002-8")
def test_the_count_of_a_deleted_file_leaves_out_what_was_never_logged(tmp_path: Path) -> None:
    clock, store = Clock(), MemoryStore()
    envelope = TodoWrite("envelope", root=tmp_path, clock=clock, store=store)
    smart = TodoWrite("smart", root=tmp_path, clock=clock, store=store)
    smart({"todos": [{"content": "a", "status": "completed", "activeForm": "b"}]})
    envelope(FINISHED)
    with envelope.subagent() as child:
        child(FINISHED)
    envelope.reword("t2", "Other words")  # finished already
    (log,) = logs(tmp_path)
    assert titles(log) == [1]
    log.unlink()
    envelope(FINISHED)
    assert titles(log) == [2]


def titles(log: Path) -> list[int]:
    return [int(n) for n in re.findall(r"^# task(\d+)-", log.read_text("utf-8"), re.MULTILINE)]


EDITS: dict[str, Any] = {
    "reworded": lambda todo: todo.reword(1, "Other words"),
    "moved": lambda todo: todo.move(1),
    "one taken off": lambda todo: todo.remove(1),
    "completed instead of cancelled": lambda todo: todo.complete("性能优化脚本"),
    "updated in part": lambda todo: todo.update([{"id": "t1", "content": "Other words"}]),
    "handed back as it is": lambda todo: todo.replace(todo.plan.todos, summary="Other words"),
}


@requirement("002-8")
@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_of_a_plan_that_is_finished_already_is_no_second_completion(
    tmp_path: Path, edit: str
) -> None:
    todo = TodoWrite("envelope", root=tmp_path)
    todo(FINISHED)
    (log,) = logs(tmp_path)
    before = log.read_text("utf-8")
    assert EDITS[edit](todo).finished
    assert todo.plan.revision == 2
    assert log.read_text("utf-8") == before
    assert todo.plan.log == log.name


COMPLETIONS: dict[str, Any] = {
    "the last one completed": lambda todo: todo.complete("b"),
    "the last one cancelled": lambda todo: todo.cancel("b"),
    "the last one taken off": lambda todo: todo.remove("b"),
    "updated in part": lambda todo: todo.update([{"id": "t2", "status": "completed"}]),
}


@requirement("002-8")
@pytest.mark.parametrize("edit", COMPLETIONS)
def test_an_edit_that_finishes_the_plan_is_logged_once(tmp_path: Path, edit: str) -> None:
    todo = TodoWrite("envelope", root=tmp_path)
    rows = [{"content": "a", "status": "completed"}, {"content": "b", "status": "pending"}]
    todo({"summary": "s", "todos": rows})
    assert logs(tmp_path) == []
    COMPLETIONS[edit](todo)
    (log,) = logs(tmp_path)
    assert titles(log) == [1]
    todo.reword("a", "c")
    assert titles(log) == [1]


@requirement("002-8")
def test_other_work_that_a_program_finished_after_the_first_is_another_completion(
    tmp_path: Path,
) -> None:
    todo = TodoWrite("envelope", root=tmp_path)
    todo(FINISHED)
    todo.replace([{"content": "Another", "status": "completed"}], summary="More")
    todo.add("A last one")
    todo.complete("A last one")
    (log,) = logs(tmp_path)
    assert titles(log) == [1, 2, 3]


@requirement("002-8")
def test_every_call_of_the_model_that_leaves_a_finished_list_is_logged_as_the_document_says(
    tmp_path: Path,
) -> None:
    todo = TodoWrite("envelope", root=tmp_path)
    for _ in range(3):
        todo(FINISHED)
    (log,) = logs(tmp_path)
    assert titles(log) == [1, 2, 3]


@requirement("002-8")
def test_two_sessions_that_finish_in_one_second_have_a_file_each(tmp_path: Path) -> None:
    clock = Clock()
    for name in ("one", "two", "three"):
        todo = TodoWrite("envelope", root=tmp_path, clock=clock, session=name)
        todo(FINISHED | {"summary": name})
        todo(FINISHED | {"summary": name})
    found = [re.findall("总任务概述：(.*)", log.read_text("utf-8")) for log in logs(tmp_path)]
    assert found == [["one", "one"], ["two", "two"], ["three", "three"]]
    assert all(re.fullmatch(r"todoList-\d{8}-\d{6}\.md", log.name) for log in logs(tmp_path))


@requirement("002-8", "A1")
@pytest.mark.parametrize(
    "arguments", [OPEN, {"summary": "s", "todos": []}, FINISHED | {"summary": ""}]
)
def test_an_open_an_empty_and_a_refused_list_leave_no_file_and_no_folder(
    tmp_path: Path, arguments: object
) -> None:
    todo = TodoWrite("envelope", root=tmp_path)
    todo(arguments)
    assert list(tmp_path.iterdir()) == []


@requirement("002-8")
def test_an_empty_section_is_left_out_and_newlines_are_folded(tmp_path: Path) -> None:
    clock = Clock()
    todo = TodoWrite("envelope", root=tmp_path, clock=clock)
    forged = "a\n# task9-20250101-000000"
    todo({"summary": "x\ny", "todos": [{"content": forged, "status": "cancelled"}]})
    todo({"summary": "s", "todos": [{"content": "b", "status": "completed"}]})
    (log,) = logs(tmp_path)
    assert log.read_text("utf-8") == (
        f"# task1-{stamp(clock)}\n\n总任务概述：x y\n\n"
        "[1/1] Cancelled: 取消的任务.\n- ~~a # task9-20250101-000000~~\n\n"
        f"# task2-{stamp(clock)}\n\n总任务概述：s\n\n[1/1] Completed: 完成的任务.\n- b\n"
    )


@requirement("002-8")
def test_a_sub_agent_that_passes_away_leaves_no_log(tmp_path: Path) -> None:
    todo = TodoWrite("envelope", root=tmp_path)
    with todo.subagent() as child:
        assert child(FINISHED).data["status"] == "success"
    assert logs(tmp_path) == []


@requirement("002-4", "002-8")
@pytest.mark.parametrize("obstacle", ["no root", "a file in the way", "a folder in the way"])
def test_a_log_that_cannot_be_written_makes_the_answer_partial_and_the_plan_is_kept(
    tmp_path: Path, obstacle: str
) -> None:
    clock, root = Clock(), tmp_path
    if obstacle == "no root":
        root = tmp_path / "gone"
    elif obstacle == "a file in the way":
        (tmp_path / "memory").write_text("")
    else:
        draft = tmp_path / "memory" / "todos" / f".todoList-{stamp(clock)}.md.draft"
        (draft / "x").mkdir(parents=True)
    todo = TodoWrite("envelope", root=root, clock=clock)
    reply = todo(FINISHED)
    envelope = json.loads(reply.text)
    assert not reply.is_error
    assert envelope["status"] == "partial"
    assert "error" not in envelope
    assert "The completion log could not be written: " in envelope["text"]
    assert todo.plan.finished
    assert not list(tmp_path.rglob("*.md"))


@requirement("002-8")
def test_a_failure_while_writing_leaves_the_blocks_of_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    todo = TodoWrite("envelope", root=tmp_path)
    todo(FINISHED)
    (log,) = logs(tmp_path)
    before = log.read_bytes()

    def full_disk(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    reply = todo(FINISHED)
    assert reply.data["status"] == "partial"
    assert reply.data["text"].endswith("could not be written: No space left on device")
    assert logs(tmp_path) == [log]
    assert log.read_bytes() == before


@requirement("002-4", "002-8", "A1")
def test_a_log_that_somebody_spoilt_makes_the_answer_partial_and_is_left_alone(
    tmp_path: Path,
) -> None:
    todo = TodoWrite("envelope", root=tmp_path)
    heard: list[object] = []
    todo.on_change(heard.append)
    todo(FINISHED)
    (log,) = logs(tmp_path)
    log.write_bytes(log.read_bytes() + b"\xff")
    spoilt = log.read_bytes()
    assert todo(FINISHED).data["status"] == "partial"
    assert todo.plan.revision == len(heard) == 2
    assert log.read_bytes() == spoilt


@requirement("002-8")
def test_a_session_whose_first_log_failed_does_not_end_up_in_anothers_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    one = TodoWrite("envelope", root=tmp_path, clock=clock, session="one")
    two = TodoWrite("envelope", root=tmp_path, clock=clock, session="two")

    def full_disk(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", full_disk)
        assert one(FINISHED | {"summary": "one"}).data["status"] == "partial"
    two(FINISHED | {"summary": "two"})
    one(FINISHED | {"summary": "one"})
    found = [re.findall("总任务概述：(.*)", log.read_text("utf-8")) for log in logs(tmp_path)]
    assert found == [["two"], ["one"]]


@requirement("002-8")
def test_a_log_that_somebody_keeps_locked_is_given_up_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(completion_log, "PATIENCE", 0.1)
    holder = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(holder, fcntl.LOCK_EX)
    todo = TodoWrite("envelope", root=tmp_path)
    assert todo(FINISHED).data["status"] == "partial"
    os.close(holder)
    assert todo(FINISHED).data["status"] == "success"


def finish_for_ever(root: Path, session: str, started: Any) -> None:
    todo = TodoWrite("envelope", root=root, session=session)
    rows = [{"content": f"{n}" * 50, "status": "completed"} for n in range(10)]
    while True:
        todo({"summary": "s" * 5_000, "todos": rows})
        started.set()


@requirement("002-8")
@pytest.mark.slow
def test_a_writer_killed_at_any_moment_leaves_only_whole_blocks(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    for attempt in range(6):
        started = spawn.Event()
        writer = spawn.Process(
            target=finish_for_ever, args=(tmp_path, f"s{attempt}", started), daemon=True
        )
        writer.start()
        assert started.wait(30)
        time.sleep(0.03 + 0.017 * attempt)
        assert writer.pid is not None
        os.kill(writer.pid, signal.SIGKILL)
        writer.join()
    whole = re.compile(
        r"(# task\d+-\d{8}-\d{6}\n\n总任务概述：s{5000}\n\n"
        r"\[10/10\] Completed: 完成的任务\.\n(- \d{50}\n){10}\n?)+"
    )
    found = sorted((tmp_path / "memory" / "todos").glob("todoList-*.md"))
    assert len(found) == 6
    for log in found:
        assert whole.fullmatch(log.read_text("utf-8"))
        numbers = re.findall(r"^# task(\d+)-", log.read_text("utf-8"), re.MULTILINE)
        assert numbers == [str(n + 1) for n in range(len(numbers))]


def finish_often(root: Path, session: str, times: int) -> None:
    todo = TodoWrite("envelope", root=root, session=session)
    for _ in range(times):
        assert todo(FINISHED).data["status"] == "success"


@requirement("002-8")
def test_processes_that_finish_at_once_never_share_a_file_and_lose_no_block(
    tmp_path: Path,
) -> None:
    spawn = multiprocessing.get_context("spawn")
    writers = [spawn.Process(target=finish_often, args=(tmp_path, f"s{n}", 20)) for n in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
        assert writer.exitcode == 0
    found = logs(tmp_path)
    assert len(found) == 4
    assert [log.read_text("utf-8").count("# task") for log in found] == [20] * 4


def test_a_draft_that_is_a_link_is_not_written_through(tmp_path: Path) -> None:
    clock, other = Clock(), tmp_path / "precious.txt"
    other.write_text("mine")
    folder = tmp_path / "memory" / "todos"
    folder.mkdir(parents=True)
    (folder / f".todoList-{stamp(clock)}.md.draft").symlink_to(other)
    TodoWrite("envelope", root=tmp_path, clock=clock)(FINISHED)
    assert other.read_text() == "mine"
    assert [log.name for log in logs(tmp_path)] == [f"todoList-{stamp(clock)}.md"]


def test_a_name_of_a_log_that_is_a_path_is_not_followed(tmp_path: Path) -> None:
    store, root = MemoryStore(), tmp_path / "project"
    root.mkdir()
    evil = "../../../evil.md"
    store.save(replace(Plan(), revision=1, dialect="envelope", log=evil))
    TodoWrite("envelope", root=root, store=store)(FINISHED)
    assert not (tmp_path / "evil.md").exists()
    assert re.fullmatch(r"todoList-\d{8}-\d{6}\.md", store.load("default", "main").log)


@pytest.mark.parametrize("place", ["memory", "memory/todos", "memory/todos/{log}"])
def test_a_log_is_not_written_or_read_through_a_link(tmp_path: Path, place: str) -> None:
    """A repository may hold such a link: it decides neither where a file is made nor what is copied from elsewhere."""
    clock, root, elsewhere = Clock(), tmp_path / "project", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "secret").write_text("the key")
    log = f"todoList-{stamp(clock)}.md"
    link = root / place.format(log=log)
    link.parent.mkdir(parents=True)
    store = MemoryStore()
    store.save(replace(Plan(), revision=1, dialect="envelope", log=log))
    link.symlink_to(elsewhere / "secret" if "{log}" in place else elsewhere)
    todo = TodoWrite("envelope", root=root, store=store, clock=clock)
    reply = todo(FINISHED)
    assert "is a symbolic link" in reply.text
    assert not reply.is_error
    assert todo.plan.finished
    assert [each.name for each in elsewhere.iterdir()] == ["secret"]
    assert (elsewhere / "secret").read_text() == "the key"
    assert link.is_symlink()
