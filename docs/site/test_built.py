"""The built site in a browser; `.ci/run` calls this after `make docs`."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.web.conftest import chromium

SITE = Path(__file__).parents[2] / "build" / "site"
OF_SPHINX = {"definition-list"}
"""What axe says of the way in which Sphinx sets a signature on several lines."""

__all__ = ["chromium"]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  as the server calls it
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    assert SITE.is_dir(), "build the site first: make docs"
    with ThreadingHTTPServer(("localhost", 0), partial(_Quiet, directory=SITE)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}"
        server.shutdown()


@pytest.fixture
def page(chromium: Any, address: str) -> Iterator[Any]:
    """A page; what its console complains of, or what it wants from elsewhere, fails the test."""
    context = chromium.new_context(base_url=address, viewport={"width": 1300, "height": 900})
    made = context.new_page()
    said: list[str] = []

    def note(url: str) -> None:
        if not url.startswith(address):
            said.append(f"asked for {url}")

    made.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    made.on("pageerror", lambda error: said.append(str(error)))
    made.on("request", lambda request: note(request.url))
    yield made
    assert said == []
    context.close()


@pytest.mark.parametrize(
    ("asked", "found"),
    [("stop guard", "agent.html"), ("智能体", "zh/integrate.html"), ("方言", "zh/index.html")],
)
def test_the_search_finds_pages_in_both_languages(page: Any, asked: str, found: str) -> None:
    page.goto(f"/search.html?q={asked}")
    page.locator(f"#search-results a[href^='{found}']").first.wait_for()
    page.wait_for_load_state("networkidle")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index", "zh/which-dialect", "commands", "api/tool"])
def test_axe_finds_nothing_serious_on_a_page(page: Any, name: str, scheme: Any) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page.emulate_media(color_scheme=scheme)
    page.goto(f"/{name}.html")
    found = Axe().run(page).response["violations"]
    grave = [each for each in found if each["impact"] in ("serious", "critical")]
    assert [each for each in grave if each["id"] not in OF_SPHINX] == []


def test_a_chinese_page_is_chinese_in_every_respect_and_leads_to_its_english_form(
    page: Any, address: str
) -> None:
    page.goto("/zh/integrate.html")
    assert page.locator("html").get_attribute("lang") == "zh-CN"
    assert page.get_by_text("本页内容").is_visible()
    page.get_by_role("link", name="English").click()
    assert page.url == f"{address}/integrate.html"
    assert page.locator("html").get_attribute("lang") == "en"
