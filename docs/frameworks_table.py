"""The table of what each framework allows, drawn from `todowright.adapters.frameworks`.

python -m docs.frameworks_table    writes it into both pages
"""

from __future__ import annotations

from pathlib import Path

from todowright.adapters.frameworks import FRAMEWORKS, PARTS, Framework

ROOT = Path(__file__).parent
BEGIN, END = "<!-- table -->", "<!-- end -->"
HEADS = {
    "en": "| framework | tail | guard | durable | sub-agents | without an event loop | in an event loop | events in its stream | after a compaction |",
    "zh": "| 框架 | 末尾的计划 | 结束检查 | 持久 | 子智能体 | 不用事件循环 | 在事件循环里 | 它自己流里的事件 | 压缩之后 |",
}
ORDER = ("tail", "guard", "durable", "subagents", "plain", "awaited", "streaming", "compaction")
NOT = {"en": "not", "zh": "不能"}
CHINESE = {
    "`run_stream` ends with the first answer; `run`, `iter` and `run_stream_events` have it": "`run_stream` 在第一个答案处结束；`run`、`iter` 和 `run_stream_events` 有",
    "not where the server keeps the conversation, since there it would pile up": "由服务器保存对话时没有，否则会越积越多",
    "in `plan.run` and `plan.run_streamed`, which go round the SDK's `Runner`": "在 `plan.run` 和 `plan.run_streamed` 里，它们包在 SDK 的 `Runner` 外面",
    "not where the server keeps the thread, since there it would pile up": "由服务器保存对话（thread）时没有，否则会越积越多",
    "in `plan.run`, which goes round the SDK's tool runner, and by `plan.asked` in your own loop": "在包住 SDK 工具运行器的 `plan.run` 里；在你自己的循环里用 `plan.asked`",
    "by `plan.changes()` between two messages; the SDK's stream takes no events of others": "在两条消息之间用 `plan.changes()`；SDK 的流不接受外来的事件",
    "in `plan.run`, and by `plan.asked` in your own loop": "在 `plan.run` 里；在你自己的循环里用 `plan.asked`",
    "by `plan.changes()` between two answers; the SDK's stream takes no events of others": "在两个答案之间用 `plan.changes()`；SDK 的流不接受外来的事件",
    "what a hook adds stays in the transcript; so the plan comes with each prompt, and reminders after tools": "钩子加上的内容会留在记录里；所以计划随每次提问附上，提醒在工具之后附上",
    "the SDK is async": "这个 SDK 只能异步使用",
    "by a call of `plan` that the plugin puts behind the answer; it stands in the session as the model's": "由插件在答案后面加上一次 `plan` 调用；它在会话里看起来像是模型的",
    "ADK is async": "ADK 只能异步使用",
    "as a check of the final answer; each time costs one of `max_steps`": "作为对最终答案的检查；每次用掉 `max_steps` 中的一步",
    "by `asyncio.to_thread(agent.run, …)`, since smolagents has no event loop": "用 `asyncio.to_thread(agent.run, …)`，因为 smolagents 没有事件循环",
    "by `plan.changes()` between two steps; the stream takes no events of others": "在两步之间用 `plan.changes()`；它的流不接受外来的事件",
    "for runs with a session, by `middleware=[plan.loop()]`, whose base class is experimental": "用于带会话的运行，通过 `middleware=[plan.loop()]`，它的基类是实验性的",
    "by `plan.changes(session)` between two updates; the stream takes no events of others": "在两次更新之间用 `plan.changes(session)`；它的流不接受外来的事件",
    "the framework is async": "这个框架只能异步使用",
    "by the session of its own memory; LlamaIndex does not say whose tool an agent is": "由它的 Memory 的会话决定；LlamaIndex 不会说明一个智能体是谁的工具",
    "its agents are async": "它的智能体只能异步使用",
    "as the `guardrail` of a task, which then starts anew: the tail is all that the model still knows": "作为任务的 `guardrail`，任务随后重新开始：末尾的计划就是模型所知道的一切",
    "the SDK leaves your items as they are; the plan is in what `plan.told` makes of them": "SDK 不改动你的条目；计划在 `plan.told` 给出的内容里",
    "the plan comes once, behind the summary, since there is no tail": "计划在总结之后出现一次，因为请求末尾没有计划",
    "smolagents keeps all of its memory": "smolagents 保留全部记忆",
    "its memory gets smaller between two runs, not inside one": "它的记忆在两次运行之间缩短，运行之内不缩短",
    "by `plan.changes()`; the stream takes no events of others": "用 `plan.changes()`；它的流不接受外来的事件",
}
"""What is not possible, in Chinese."""


def table(language: str) -> str:
    """The table, and below it what a mark leaves open."""
    lines = [HEADS[language], "|---" * 9 + "|"]
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
    assert set(ORDER) == {*PARTS, "plain", "compaction"}
    for language in HEADS:
        path = page(language)
        path.write_text(with_table(path.read_text("utf-8"), language), "utf-8")


if __name__ == "__main__":
    main()
