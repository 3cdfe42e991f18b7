"""Two languages in one site: pages in `zh/` are Chinese in every respect, and the search finds both."""

from __future__ import annotations

import re
from gettext import NullTranslations
from typing import TYPE_CHECKING, Any

from sphinx import search
from sphinx.search.en import SearchEnglish

if TYPE_CHECKING:
    from sphinx.application import Sphinx

CHINESE = "zh/"
"""The folder of the Chinese pages; a page there has the name of the English one."""
_WORDS = {
    "Skip to content": "跳到正文",
    "Back to top": "回到顶部",
    "Next": "下一页",
    "Previous": "上一页",
    "Home": "首页",
    "On this page": "本页内容",
    "Search": "搜索",
    "Made with ": "本站使用 ",
    '<a href="https://www.sphinx-doc.org/">Sphinx</a> and ': '<a href="https://www.sphinx-doc.org/">Sphinx</a> 和 ',
}
_HAN = re.compile(r"[\u3400-\u9fff]+")


class _Chinese(NullTranslations):
    def gettext(self, message: str) -> str:
        return _WORDS.get(message, message)


class _Search(SearchEnglish):
    """English words, and every two neighbours of a Chinese text: it has no spaces to split it by."""

    lang = "en-zh"
    js_splitter_code = """
function splitQuery(query) {
  const words = query.match(/[\\u3400-\\u9fff]+|[^\\P{L}\\u3400-\\u9fff]+[\\p{L}\\p{N}_]*|[\\p{N}_]+/gu) || [];
  return words.flatMap((word) => /[\\u3400-\\u9fff]/.test(word) && word.length > 2
    ? Array.from({length: word.length - 1}, (_, n) => word.slice(n, n + 2)) : [word]);
}
"""

    def split(self, input: str) -> list[str]:  # noqa: A002  as Sphinx calls it
        found = super().split(_HAN.sub(" ", input))
        for run in _HAN.findall(input):
            found += [run[n : n + 2] for n in range(max(1, len(run) - 1))]
        return found


def connect(app: Sphinx) -> None:
    """Tell Sphinx of the search, and each page of its language."""
    search.languages[_Search.lang] = _Search
    app.connect("html-page-context", _page)


def _page(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: object) -> None:
    chinese = page.startswith(CHINESE)
    english = page.removeprefix(CHINESE)
    known = app.env.found_docs
    twins = {"en": english, "zh": CHINESE + english}
    context["twins"] = {
        language: twin if twin in known else {"en": "index", "zh": f"{CHINESE}index"}[language]
        for language, twin in twins.items()
    }
    context["chinese"] = chinese
    context["language"] = "zh-CN" if chinese else "en"
    for side in ("prev", "next"):  # leafing through does not change the language
        link = context[side]["link"] if context.get(side) else ""
        if link.startswith("../") if chinese else CHINESE in link:
            context[side] = None
    environment: Any = app.builder.templates.environment
    environment.install_gettext_translations(_Chinese() if chinese else NullTranslations())
