"""Document 002: what it prints, by the name of its tool."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.dialects.test_envelope import FUNCTION
from tests.requirements import requirement
from tests.support import Clock
from todowright import TodoWrite
from todowright.documents.envelope import TodoWriteTool

SUMMARY = "修复 multi_edit 重叠检测并完善文档"


def run(tool: TodoWriteTool, *todos: tuple[str, str], summary: str = SUMMARY) -> Any:
    rows = [{"content": content, "status": status} for content, status in todos]
    return json.loads(tool.run({"summary": summary, "todos": rows}))


@requirement("002-1")
def test_the_printed_definition_is_offered() -> None:
    tool = TodoWriteTool()
    offered = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    assert json.dumps(offered) == json.dumps(json.loads(FUNCTION))


@requirement("002-3", "002-4", "002-6", "002-7")
def test_the_printed_call_gives_the_printed_envelope(tmp_path: Path) -> None:
    tool = TodoWriteTool(tmp_path)
    todos = [
        {"content": "修复重叠检测", "status": "in_progress"},
        {"content": "更新文档", "status": "pending"},
        {"content": "性能优化脚本", "status": "cancelled"},
    ]
    envelope = json.loads(tool.run({"summary": SUMMARY, "todos": todos}))
    assert list(envelope) == ["status", "data", "text", "stats", "context"]
    assert envelope["status"] == "success"
    assert envelope["data"] == json.loads("""{
    "todos": [
      {"id": "t1", "content": "修复重叠检测", "status": "in_progress"},
      {"id": "t2", "content": "更新文档", "status": "pending"},
      {"id": "t3", "content": "性能优化脚本", "status": "cancelled"}
    ],
    "recap": "[1/3] In progress: 修复重叠检测. Pending: 更新文档. Cancelled: 性能优化脚本.",
    "summary": "修复 multi_edit 重叠检测并完善文档"
  }""")
    assert envelope["text"] == (
        "--- TODO UPDATE ---\n[▶] 修复重叠检测\n[ ] 更新文档\n[~] 性能优化脚本\n-------------------"
    )
    time = envelope["stats"].pop("time_ms")
    assert time >= 0
    assert envelope["stats"] == json.loads(
        """{"total": 3, "pending": 1, "in_progress": 1, "completed": 0, "cancelled": 1}"""
    )
    assert envelope["context"] == {
        "cwd": ".",
        "params_input": {"summary": SUMMARY, "todos": todos},
    }
    assert not list(tmp_path.iterdir())


@requirement("002-5")
@pytest.mark.parametrize(
    "parameters",
    [
        {"summary": "s", "todos": [{"content": c, "status": "in_progress"} for c in "ab"]},
        {"summary": "s", "todos": [{"content": "a", "status": "done"}]},
        {"todos": []},
        {},
    ],
)
def test_what_is_wrong_is_answered_as_an_invalid_parameter(parameters: Any) -> None:
    tool = TodoWriteTool()
    envelope = json.loads(tool.run(parameters))
    assert (envelope["status"], envelope["data"]) == ("error", {})
    assert envelope["error"]["code"] == "INVALID_PARAM"
    assert tool.todo.plan.revision == 0


@requirement("002-8")
def test_the_third_task_of_a_session_is_logged_as_printed(tmp_path: Path) -> None:
    clock = Clock(datetime(2025, 1, 2, 17, 42, 33).astimezone())
    tool = TodoWriteTool(todo=TodoWrite("envelope", root=tmp_path, clock=clock))
    for name in ("一", "二"):
        run(tool, (name, "completed"))
    run(
        tool,
        ("修复 multi_edit 重叠检测逻辑", "completed"),
        ("更新 multi_edit 文档", "completed"),
        ("运行相关测试", "completed"),
        ("性能优化脚本", "cancelled"),
        summary="修复 multi_edit 重叠检测并完善文档与测试",
    )
    (log,) = (tmp_path / "memory" / "todos").iterdir()
    assert log.name == "todoList-20250102-174233.md"
    assert log.read_text("utf-8").endswith(
        """
# task3-20250102-174233

总任务概述：修复 multi_edit 重叠检测并完善文档与测试

[3/4] Completed: 完成的任务.
- 修复 multi_edit 重叠检测逻辑
- 更新 multi_edit 文档
- 运行相关测试

[1/4] Cancelled: 取消的任务.
- ~~性能优化脚本~~
"""
    )


@requirement("002-9")
def test_the_printed_fragment_for_the_system_prompt_is_ours() -> None:
    assert (
        TodoWriteTool().todo.dialect.prompt
        == """\
Tool: TodoWrite
Use this tool only for multi-step tasks. Maintain a single in_progress item.
Always submit the full current list. Mark completed immediately, cancelled if no longer needed.
Always provide a concise overall summary in `summary`."""
    )
