"""What stands in the menu, in which order. The pages themselves say nothing of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docs.site.languages import CHINESE
from todowright.adapters.frameworks import FRAMEWORKS

if TYPE_CHECKING:
    from sphinx.application import Sphinx

SECTIONS = {
    "First steps": ["Start <self>", "which-dialect", "integrate", "adapters/index", "commands"],
    "More": [
        "hosts/index",
        "agent",
        "serve",
        "sessions",
        "fleet",
        "scale",
        "reliability",
        "fit",
        "dialects",
        "formats",
        "import",
        "tokens",
    ],
    "Reference": ["api/index"],
    "Inside": [
        "architecture",
        "threats",
        "security",
        "decisions/README",
        "contributing",
        "changelog",
    ],
    "中文": [
        "开始 <zh/index>",
        "zh/which-dialect",
        "zh/integrate",
        "zh/adapters/index",
        "zh/commands",
        "zh/hosts/index",
        "zh/sessions",
        "zh/fleet",
        "zh/reliability",
        "zh/formats",
        "zh/import",
    ],
}
_FRAMEWORKS = [*(row.name for row in FRAMEWORKS), "moving", "costs"]
BELOW = {
    "adapters/index": _FRAMEWORKS,
    "zh/adapters/index": _FRAMEWORKS,
    "api/index": [
        "tool",
        "plan",
        "dialects",
        "stores",
        "shell",
        "host",
        "formats",
        "agent",
        "errors",
        "testing",
    ],
    "hosts/index": ["claude", "codex", "opencode", "gemini", "qwen", "editors"],
    "zh/hosts/index": ["claude", "codex", "opencode", "gemini", "qwen", "editors"],
}
"""The pages below a page; the many decisions stand in their own table only."""
_CAPTION = '<p class="caption"'


def connect(app: Sphinx) -> None:
    """Have the menu made of these lists."""
    app.connect("source-read", _read)
    app.connect("html-page-context", _page)


def _read(app: Sphinx, page: str, source: list[str]) -> None:
    if page == app.config.root_doc:
        menu = [_tree(pages, f":caption: {name}") for name, pages in SECTIONS.items()]
        source[0] += "\n\n".join(["", *menu])
    elif page in BELOW:
        source[0] += "\n\n" + _tree(BELOW[page])
    elif page.startswith("decisions/0"):
        source[0] = f"---\norphan: true\n---\n{source[0]}\n[All decisions](README.md)\n"


def _tree(pages: list[str], *options: str) -> str:
    return "\n".join(["```{toctree}", ":hidden:", *options, "", *pages, "```"])


def _page(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: object) -> None:
    def ordered(menu: str) -> str:
        """The menu with the sections of the page's language first."""
        sections = [_CAPTION + part for part in menu.split(_CAPTION)[1:]]
        if page.startswith(CHINESE):
            sections.sort(key=lambda section: "中文" not in section)
        return "".join(sections).replace('role="heading"', 'role="heading" aria-level="2"')

    context["ordered"] = ordered
    if "body" in context:  # long lines of code are scrolled with the keyboard, too
        context["body"] = context["body"].replace("<pre>", '<pre tabindex="0">')
