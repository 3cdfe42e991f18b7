"""The checker of real calls counts by hand, and sees what is read wrongly."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.formats.real_calls import Row, main, misses


def row(tool: str, given: object, result: str | None = None, *, is_error: bool = False) -> Row:
    return {
        "tool": tool,
        "input": given,
        "result": result,
        "is_error": is_error,
        "source": "made/up",
        "session": "s",
        "chain": "main",
    }


ROWS = [
    row("TodoWrite", {"todos": [{"content": "a", "status": "pending", "activeForm": "x"}]}),
    row("update_plan", {"plan": [{"step": "a", "status": "in_progress"}]}),
    row("manage_todo_list", {"todoList": [{"id": 1, "title": "a", "status": "not-started"}]}),
    row("update_todo_list", {"todos": "[x] a\n[-] b\n[ ] c"}),
    row("TaskCreate", {"subject": "a", "description": ""}, "Task #3 created successfully: a"),
    row("TaskCreate", {"subject": "b", "description": ""}, '{"task": {"id": "7"}}'),
    row("TaskUpdate", {"taskId": "3", "status": "completed"}, "Updated task #3 status"),
    row("TaskUpdate", {"taskId": "7", "status": "completed"}, "Task not found", is_error=True),
    row("TaskUpdate", {"taskId": "7", "status": "deleted"}, "Updated task #7 deleted"),
    row("TaskList", {}, "#3 [completed] a"),
]


def test_calls_of_every_kind_are_read_as_they_were_counted() -> None:
    assert list(misses(ROWS)) == []


def test_the_checker_tells_what_was_missed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = row("TodoWrite", {"todos": [{"content": "a", "status": "unheard-of"}]})
    path = tmp_path / "calls.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, [*ROWS, wrong])).encode()))
    assert main(str(path)) == 1
    out = capsys.readouterr().out
    assert "line 11, TodoWrite of made/up: 1 items {'unheard-of': 1}, read 1 {'pending': 1}" in out
    assert "10 of 11 calls are read as they are meant: 90.91%" in out
