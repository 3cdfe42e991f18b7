"""The table of what each framework allows, drawn from `todowright.adapters.frameworks`.

python -m docs.frameworks_table    writes it into both pages
"""

from __future__ import annotations

from pathlib import Path

from todowright.adapters.frameworks import FRAMEWORKS, PARTS, Framework

ROOT = Path(__file__).parent
BEGIN, END = "<!-- table -->", "<!-- end -->"
HEADS = {
    "en": "| framework | tail | guard | durable | sub-agents | without an event loop | in an event loop | events in its stream |",
    "zh": "| 框架 | 末尾的计划 | 结束检查 | 持久 | 子智能体 | 不用事件循环 | 在事件循环里 | 它自己流里的事件 |",
}
ORDER = ("tail", "guard", "durable", "subagents", "plain", "awaited", "streaming")
NOT = {"en": "not", "zh": "不能"}
CHINESE = {
    "`run_stream` ends with the first answer; `run`, `iter` and `run_stream_events` have it": "`run_stream` 在第一个答案处结束；`run`、`iter` 和 `run_stream_events` 有",
    "not where the server keeps the conversation, since there it would pile up": "由服务器保存对话时没有，否则会越积越多",
    "in `plan.run` and `plan.run_streamed`, which go round the SDK's `Runner`": "在 `plan.run` 和 `plan.run_streamed` 里，它们包在 SDK 的 `Runner` 外面",
}
"""What is not possible, in Chinese."""


def table(language: str) -> str:
    """The table, and below it what a mark leaves open."""
    lines = [HEADS[language], "|---" * 8 + "|"]
    notes: list[str] = []
    for row in FRAMEWORKS:
        cells = [_cell(row, part, language, notes) for part in ORDER]
        lines.append(f"| [{row.title}]({row.name}.md) | {' | '.join(cells)} |")
    told = [f"{number}. {note}" for number, note in enumerate(notes, 1)]
    return "\n".join([*lines, "", *told])


def _cell(row: Framework, part: str, language: str, notes: list[str]) -> str:
    kind, _, why = str(getattr(row, part)).partition(": ")
    if kind == "yes":
        return "✔"
    said = why if language == "en" else CHINESE[why]
    notes.append(f"{row.title}: {said}." if language == "en" else f"{row.title}：{said}。")
    return f"✔ ({len(notes)})" if kind == "partly" else f"– ({len(notes)})"


def page(language: str) -> Path:
    """The page with the table."""
    return ROOT / ("adapters" if language == "en" else "zh/adapters") / "index.md"


def with_table(text: str, language: str) -> str:
    """The text of a page with the table as it is now."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table(language)}\n{END}{after}"


def main() -> None:
    assert set(ORDER) == {*PARTS, "plain"}
    for language in HEADS:
        path = page(language)
        path.write_text(with_table(path.read_text("utf-8"), language), "utf-8")


if __name__ == "__main__":
    main()
