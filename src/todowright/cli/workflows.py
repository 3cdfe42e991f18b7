"""A workflow for each dialect: the design documents' own, and one of ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Workflow:
    """The calls a model makes in one document's example, in order."""

    dialect: str
    about: str
    calls: tuple[Any, ...]
    """The arguments of each, behind the name of the tool where the dialect has more than one."""
    refused: int = 0
    """How many of the calls are wrong on purpose."""

    def named_calls(self) -> list[tuple[str | None, Any]]:
        """The name of the tool, if one is told, and the arguments of each call."""
        return [call if isinstance(call, tuple) else (None, call) for call in self.calls]


def _items(key: str, fields: tuple[str, ...], *rows: tuple[str, ...]) -> dict[str, Any]:
    return {key: [dict(zip(fields, row, strict=True)) for row in rows]}


def _smart(*statuses: str) -> dict[str, Any]:
    texts = ("读取 package.json", "分析依赖关系", "生成报告")
    active_forms = ("读取 package.json 中", "分析依赖关系中", "生成报告中")
    rows = zip(texts, statuses, active_forms, strict=True)
    return _items("todos", ("content", "status", "activeForm"), *rows)


def _checklist(*rows: tuple[str, str, str]) -> dict[str, Any]:
    return _items("items", ("content", "status", "activeForm"), *rows)


def _envelope(*rows: tuple[str, str]) -> dict[str, Any]:
    listed = _items("todos", ("content", "status"), *rows)
    return {"summary": "修复 multi_edit 重叠检测并完善文档"} | listed


def _twostate(*rows: tuple[str, str]) -> dict[str, Any]:
    return _items("todos", ("content", "status"), *rows)


SHELL_EXAMPLE = """{"todos":[
  {"content":"Analyze requirements","activeForm":"Analyzing requirements","status":"completed"},
  {"content":"Write implementation","activeForm":"Writing implementation","status":"in_progress"},
  {"content":"Run tests","activeForm":"Running tests","status":"pending"}
]}"""

SHELL_FAULTS = """{"todos":[
  {"activeForm":"Writing implementation","status":"pending"},
  {"content":"Run tests","activeForm":"Running tests","status":"done"}
]}"""

WORKFLOWS = (
    Workflow(
        "lean",
        "ours: the plan once, then what changes, steps by their words; a quarter of the tokens",
        (
            (
                "plan",
                {"steps": ["Refactor the auth module", "Add unit tests", "Update the README"]},
            ),
            ("done", {"finished": ["Refactor the auth module"]}),
            ("add", {"step": "Write a changelog", "where": "end"}),
            ("done", {"finished": ["Deploy"]}),
        ),
        refused=1,
    ),
    Workflow(
        "smart",
        "strict items; programs may update some of them by id; answers in one sentence",
        (
            _smart("pending", "pending", "pending"),
            _smart("in_progress", "pending", "pending"),
            _smart("completed", "in_progress", "pending"),
        ),
    ),
    Workflow(
        "shell",
        "a shell command with stdout, stderr and exit code; reports every fault at once",
        (
            SHELL_EXAMPLE,
            SHELL_FAULTS,
            '{"todos": [',
        ),
        refused=2,
    ),
    Workflow(
        "envelope",
        "a summary beside the list, a JSON envelope with a recap, a log of what was finished",
        (
            _envelope(
                ("修复重叠检测", "in_progress"),
                ("更新文档", "pending"),
                ("性能优化脚本", "cancelled"),
            ),
            _envelope(
                ("修复重叠检测", "completed"),
                ("更新文档", "completed"),
                ("性能优化脚本", "cancelled"),
            ),
        ),
    ),
    Workflow(
        "checklist",
        "lenient about types; answers with the list",
        (
            _checklist(
                ("重构认证模块", "in_progress", "分析认证模块结构"),
                ("补充单元测试", "pending", "编写测试用例"),
                ("更新 README", "pending", "更新文档"),
            ),
            _checklist(
                ("重构认证模块", "completed", "重构认证模块"),
                ("补充单元测试", "in_progress", "编写 auth 模块测试"),
                ("更新 README", "pending", "更新文档"),
            ),
            _checklist(
                ("重构认证模块", "completed", "重构认证模块"),
                ("补充单元测试", "completed", "编写 auth 模块测试"),
                ("更新 README", "in_progress", "更新项目文档"),
            ),
        ),
    ),
    Workflow(
        "twostate",
        "pending or completed, nothing between: half the calls; speaks Chinese",
        (
            _twostate(("整理需求", "pending"), ("编写代码", "pending")),
            _twostate(("整理需求", "in_progress"), ("编写代码", "pending")),
            _twostate(("整理需求", "completed"), ("编写代码", "pending")),
        ),
        refused=1,
    ),
)
