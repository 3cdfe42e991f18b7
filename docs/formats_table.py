"""The table of what each format holds and loses, made from the formats themselves.

python -m docs.formats_table    writes it into both pages
"""

from __future__ import annotations

from pathlib import Path

from todowright.formats import Format, formats

ROOT = Path(__file__).parent
BEGIN, END = "<!-- table -->", "<!-- end -->"
PAGES = {"en": ROOT / "formats.md", "zh": ROOT / "zh" / "formats.md"}
HEADS = {
    "en": "| format | agent | what is sent | what is lost | what is filled in |",
    "zh": "| 格式 | 智能体 | 工具或消息 | 丢失什么 | 补上什么 |",
}
WORDS: dict[str, dict[str, str]] = {
    "cancelled": {"en": "items that are cancelled", "zh": "已取消的条目"},
    "in_progress": {"en": "in progress (it becomes pending)", "zh": "进行中（变成待办）"},
    "first": {
        "en": "which item is in progress (the first open one is)",
        "zh": "哪一项在进行中（总是第一个未完成的）",
    },
    "states": {"en": "other statuses, such as blocked", "zh": "其他状态，例如 blocked"},
    "states but": {"en": "other statuses but {}", "zh": "{} 以外的其他状态"},
    "active form": {"en": "active forms", "zh": "进行时说法"},
    "id": {"en": "ids", "zh": "id"},
    "id number": {"en": "ids that are no numbers", "zh": "不是数字的 id"},
    "id place": {"en": "ids (an item gets its place)", "zh": "id（换成条目的位置）"},
    "extras": {"en": "extras", "zh": "附加内容"},
    "extras but": {"en": "extras but {}", "zh": "{} 以外的附加内容"},
    "choice": {"en": "a {} other than {}", "zh": "{} 的其他取值（只有 {}）"},
    "summary": {"en": "the summary", "zh": "摘要"},
    "lines": {"en": "line breaks and outer spaces", "zh": "换行和首尾空格"},
}
FILLED = {
    "active_form": {"en": "the words as active form", "zh": "用条目文字作进行时说法"},
    "id": {"en": "ids", "zh": "id"},
    "priority": {"en": "`medium`", "zh": "`medium`"},
    "description": {"en": "the words as description", "zh": "用条目文字作描述"},
    "type": {"en": "`task`", "zh": "`task`"},
    "reason": {"en": "`done` as reason", "zh": "理由 `done`"},
}
COMMA = {"en": ", ", "zh": "、"}
BETWEEN = {"en": "; ", "zh": "；"}


def table(language: str) -> str:
    """The table in one language."""
    lines = [HEADS[language], "|---|---|---|---|---|"]
    for form in sorted(formats().values(), key=lambda form: form.name):
        sent = form.description
        if language == "zh":
            sent = COMMA["zh"].join(f"`{tool}`" for tool in form.tools) or "`- [ ]`"
        filled = [FILLED[each][language] for each in form.holds.fills]
        cells = [f"`{form.name}`", form.agent, sent, BETWEEN[language].join(lost(form, language))]
        cells.append(BETWEEN[language].join(filled) or "–")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def lost(form: Format, language: str) -> list[str]:
    """What a plan may have and the format cannot hold."""
    holds = form.holds

    def say(name: str, *values: str) -> str:
        return WORDS[name][language].format(*values)

    def names(values: tuple[str, ...]) -> str:
        return COMMA[language].join(f"`{each}`" for each in values)

    told = []
    if "cancelled" not in holds.statuses:
        told.append(say("cancelled"))
    if holds.focus_first:
        told.append(say("first"))
    elif "in_progress" not in holds.statuses:
        told.append(say("in_progress"))
    if holds.states is not None:
        told.append(say("states but", names(holds.states)) if holds.states else say("states"))
    if not holds.active_form:
        told.append(say("active form"))
    if holds.id is not True:
        told.append(say(f"id {holds.id}" if holds.id else "id"))
    told.append(say("extras but", names(holds.extras)) if holds.extras else say("extras"))
    told += [say("choice", f"`{key}`", names(texts)) for key, texts in holds.choices.items()]
    if not holds.summary:
        told.append(say("summary"))
    if not holds.lines:
        told.append(say("lines"))
    return told


def with_table(text: str, language: str) -> str:
    """The text of a page with the table as it is now."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table(language)}\n{END}{after}"


def main() -> None:
    for language, page in PAGES.items():
        page.write_text(with_table(page.read_text("utf-8"), language), "utf-8")


if __name__ == "__main__":
    main()
