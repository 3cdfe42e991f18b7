"""The page of `todowright stats`, in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.importers.agents import claude
from tests.web.browser import needed
from todowright.stats.gather import stats_of_files
from todowright.stats.page import page as stats_page

P, N, C = "pending", "in_progress", "completed"


@needed
@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_anybody_can_read_it_in_any_width_and_it_asks_nobody(
    chromium: Any, tmp_path: Path, scheme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    path = claude(tmp_path / "s1.jsonl", (P, P, P, P), (N, P, P, P), (C, C, C, P), (C, C, C, N))
    file = tmp_path / "report.html"
    file.write_text(stats_page(stats_of_files([str(path)])[0], "Plans in " + "a/long/path/" * 9))
    context = chromium.new_context(color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    assert asked == [file.as_uri()]
    assert Axe().run(page).response["violations"] == []
    for width in (320, 1100):
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
