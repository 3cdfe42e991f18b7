"""The demo, as a person runs it."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from todowright import Reply, TodoWrite
from todowright.cli import main
from todowright.cli.workflows import WORKFLOWS, Workflow


def test_it_plays_every_dialect_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "--dialect", "all"]) == 0
    out = capsys.readouterr().out
    for text in (
        "no model is running",
        "━━ smart",
        "← Todo list updated: 1 completed, 1 in_progress, 1 pending",
        "[1/3] In progress: 修复重叠检测. Pending: 更新文档. Cancelled: 性能优化脚本.",
        "# task1-",
        "← [>] 补充单元测试 <- 编写 auth 模块测试",
        "❌ 任务更新失败: 无效的任务状态: 'in_progress'，仅支持: pending, completed",
        "revision 2: completed: 重构认证模块; started: 补充单元测试",
    ):
        assert text in out
    assert "\x1b" not in out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda workflow: workflow.dialect)
def test_only_the_calls_that_are_wrong_on_purpose_are_refused(
    workflow: Workflow, monkeypatch: pytest.MonkeyPatch
) -> None:
    replies: list[Reply] = []
    real = TodoWrite.__call__

    def kept(todo: TodoWrite, arguments: object = None, *, tool: str | None = None) -> Reply:
        replies.append(real(todo, arguments, tool=tool))
        return replies[-1]

    monkeypatch.setattr(TodoWrite, "__call__", kept)
    assert main(["demo", "--dialect", workflow.dialect]) == 0
    assert len(replies) == len(workflow.calls)
    refused = [reply.text for reply in replies if reply.is_error]
    assert len(refused) == workflow.refused, refused


def test_lean_adds_a_step_and_says_which_steps_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["demo", "--dialect", "lean"]) == 0
    out = capsys.readouterr().out
    assert '→ add {"step"' in out
    assert "created: Write a changelog" in out
    assert out.count("← Error: ") == 1
    assert (
        "← Error: there is no step 'Deploy'; there are: 2 Add unit tests; 3 Update the README"
        in out
    )


def test_a_scripted_agent_repairs_a_broken_shop_with_real_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(["demo"]) == 0

    out = capsys.readouterr().out
    in_order = [
        "The model is a script.",
        "FAILED (failures=4)",
        "Edited.",
        "FAILED (failures=2)",
        "OK",
        "◆ context full: old results cleared",
        "◆ context full: the past summed up",
        "│     ● Price every order again...",
        "320 orders were charged wrong: 5,132.57 lost",
        "the first on 2026-03-21",
        "◆ somebody at the board (a script, too) adds: Write LOSSES.md for the owner",
        "320 orders were charged wrong since 21 March: 5,132.57 are missing.",
        "the user changed your plan: added 7",
        "4/7 done. Now: Write LOSSES.md for the owner",
        "◆ reminder: Open steps: 5. Update the README; 6. Run all the tests.",
        "7/7 done.",
        "Who was on what, and when:",
        "That was a script. With a model of your own:",
    ]
    at = 0
    for text in in_order:
        at = out.index(text, at)
    assert "Error" not in out.replace("AssertionError", "")
    looks = [line for line in out.splitlines() if line.startswith("→")]
    assert all(looks.count(line) < 2 or "./check" in line for line in looks), looks
    assert sum("orders.log" in line for line in looks) <= 4
    assert "\x1b" not in out
    assert list(tmp_path.iterdir()) == []


def test_one_dialect_can_be_chosen_and_an_unknown_one_is_a_usage_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["demo", "--dialect", "twostate"]) == 0
    assert "checklist" not in capsys.readouterr().out
    with pytest.raises(SystemExit) as stopped:
        main(["demo", "--dialect", "nope"])
    assert stopped.value.code == 2
    assert "invalid choice: 'nope'" in capsys.readouterr().err


def in_a_terminal(**environ: str) -> str:
    """What the demo writes to a real pseudo-terminal."""
    reader, writer = pty.openpty()
    command = [sys.executable, "-m", "todowright", "demo", "--fast", "--dialect", "checklist"]
    process = subprocess.Popen(
        command, stdout=writer, stderr=writer, env={**os.environ, "TERM": "xterm", **environ}
    )
    os.close(writer)
    shown = b""
    while True:
        try:
            part = os.read(reader, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(reader)
    assert process.wait() == 0
    return shown.decode("utf-8")


def test_a_terminal_gets_colours_unless_it_is_dumb_or_nobody_wants_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[36m" in in_a_terminal()
    assert "\x1b" not in in_a_terminal(NO_COLOR="1")
    assert "\x1b" not in in_a_terminal(TERM="dumb")


def test_a_reader_that_has_seen_enough_gets_no_traceback() -> None:
    done = subprocess.run(
        f"{sys.executable} -m todowright demo --fast --dialect all | head -n 1",
        shell=True,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("Scripted calls")
    assert done.stderr == ""
