"""The page about formats says what the formats say."""

from __future__ import annotations

import pytest

from docs.formats_table import PAGES, lost, with_table
from todowright.formats import format_named


@pytest.mark.parametrize("language", PAGES)
def test_the_table_is_the_one_that_would_be_made_now(language: str) -> None:
    text = PAGES[language].read_text("utf-8")
    assert text == with_table(text, language), "make it anew: python -m docs.formats_table"


def test_what_a_format_loses_is_told_in_words() -> None:
    assert lost(format_named("vscode"), "en") == [
        "items that are cancelled",
        "other statuses, such as blocked",
        "active forms",
        "ids that are no numbers",
        "extras but `description`",
        "the summary",
    ]
    assert lost(format_named("claude-priorities"), "zh")[-2:] == [
        "`priority` 的其他取值（只有 `high`、`medium`、`low`）",
        "摘要",
    ]
