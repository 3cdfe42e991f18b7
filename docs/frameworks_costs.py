"""The tables of what a plan costs in each framework, drawn from the figures that `bench.adapters` kept.

python -m bench.adapters --json docs/adapters/costs.json     measures
python -m docs.frameworks_costs                              writes the tables into both pages
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from todowright.adapters.frameworks import FRAMEWORKS

ROOT = Path(__file__).parent
FIGURES = ROOT / "adapters" / "costs.json"
BEGIN, END = "<!-- {} -->", "<!-- end of {} -->"
HEADS = {
    "en": {
        "shares": "| in | beside | kept in | CPU of a request | CPU of the session | fresh | sent |",
        "figures": "| in | tool | kept in | CPU of a request, ms | CPU of the session, ms | written | fresh | sent |",
    },
    "zh": {
        "shares": "| 框架 | 与谁相比 | 保存在 | 每次请求的 CPU | 整个会话的 CPU | 新内容 | 发送总量 |",
        "figures": "| 框架 | 工具 | 保存在 | 每次请求的 CPU，毫秒 | 整个会话的 CPU，毫秒 | 写出 | 新内容 | 发送总量 |",
    },
}
CHINESE = {
    "memory": "内存",
    "SQLite": "SQLite",
    "SQLite, with the conversation": "SQLite，与对话一起",
    "SQLite or files, with all of Claude's tools": "SQLite 或文件，带 Claude 的全部工具",
    "a file": "文件",
    "files": "文件",
    "ours": "我们的",
    "ours, whole lists": "我们的，整表",
    "forty lines": "四十行",
    "Claude's own tasks": "Claude 自己的任务工具",
}
Row = dict[str, Any]


def figures() -> dict[str, Any]:
    """What was measured, by framework."""
    found: dict[str, Any] = json.loads(FIGURES.read_text("utf-8"))
    return found


def pairs(rows: list[Row]) -> Iterator[tuple[Row, Row]]:
    """Each tool of others, and ours that keeps its plan in the same place, or else as durably."""
    ours = [row for row in rows if row["title"] == "ours"]
    for row in rows:
        if not row["title"].startswith("ours"):
            same = [mine for mine in ours if mine["kept"] == row["kept"]]
            alike = [mine for mine in ours if (mine["kept"] == "memory") == (row["kept"] == "memory")]  # fmt: skip
            yield (same or alike)[0], row


def shares(language: str) -> str:
    """What ours takes of what the other takes."""
    lines = [HEADS[language]["shares"], "|---|---|---|---:|---:|---:|---:|"]
    for framework, found in _in_order():
        for mine, theirs in pairs(found["rows"]):
            cells = [
                f"{mine[part] / theirs[part]:.2f}"
                for part in ("request_us", "session_us", "fresh", "sent")
            ]
            kept = _said(theirs["kept"], language)
            lines.append(
                f"| {framework} | {_said(theirs['title'], language)} | {kept} | {' | '.join(cells)} |"
            )
    return "\n".join(lines)


def table(language: str) -> str:
    """All figures."""
    lines = [HEADS[language]["figures"], "|---|---|---|---:|---:|---:|---:|---:|"]
    for _, found in _in_order():
        for at, row in enumerate(found["rows"]):
            told = found["package"] if at == 0 else ""
            times = [f"{row[part] / 1000:.1f}" for part in ("request_us", "session_us")]
            counts = [f"{row[part]:,}" for part in ("written", "fresh", "sent")]
            names = [_said(row[part], language) for part in ("title", "kept")]
            lines.append(f"| {' | '.join([told, *names, *times, *counts])} |")
    days = sorted({found["day"] for _, found in _in_order()})
    machines = "; ".join(sorted({found["machine"] for _, found in _in_order()}))
    when = " / ".join(days)
    return "\n".join([*lines, "", f"{when}, {machines}."])


def _in_order() -> list[tuple[str, Any]]:
    known = figures()
    return [(row.title.split(",")[0], known[row.name]) for row in FRAMEWORKS if row.name in known]


def _said(text: str, language: str) -> str:
    return text if language == "en" else CHINESE.get(text, text)


def page(language: str) -> Path:
    """The page with the tables."""
    return ROOT / ("adapters" if language == "en" else "zh/adapters") / "costs.md"


def with_tables(text: str, language: str) -> str:
    """The text of a page with the tables as they are now."""
    for name, drawn in (("shares", shares(language)), ("figures", table(language))):
        begin, end = BEGIN.format(name), END.format(name)
        before, _, rest = text.partition(begin)
        _, _, after = rest.partition(end)
        text = f"{before}{begin}\n{drawn}\n{end}{after}"
    return text


def main() -> None:
    for language in HEADS:
        path = page(language)
        path.write_text(with_tables(path.read_text("utf-8"), language), "utf-8")


if __name__ == "__main__":
    main()
