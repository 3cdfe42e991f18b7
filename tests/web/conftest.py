"""A server and a browser for the tests of a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.web.browser import CHROMIUM, FLAGS
from tests.web.serving import Served


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for the tests of a file; each uses sessions of its own."""
    served = Served(tmp_path_factory.mktemp("served"))
    yield served
    assert "Traceback" not in served.stop()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    assert CHROMIUM, "Chromium is missing"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


SIZE = {"width": 1100, "height": 800}
MEANT = ("404", "412", "422", "503", "ERR_FAILED")
"""A name that is not there, a plan that moved, a refusal, a server that could not, a link that was cut."""


@pytest.fixture(scope="module")
def tab(chromium: Any, server: Served) -> Iterator[Any]:
    """One tab for the tests of a file: a new one for each costs three times as much. Motion costs, too."""
    context = chromium.new_context(base_url=server.url, viewport=SIZE, reduced_motion="reduce")
    yield context.new_page()
    context.close()


@pytest.fixture
def page(tab: Any, server: Served) -> Iterator[Any]:
    """The tab as if it were new; whatever its console complains of fails the test."""
    tab.context.add_cookies([server.cookie()])
    said: list[str] = []

    def complain(message: Any) -> None:
        if message.type == "error":
            said.append(message.text)

    def fail(error: Any) -> None:
        said.append(str(error))

    tab.on("console", complain)
    tab.on("pageerror", fail)
    yield tab
    tab.remove_listener("console", complain)
    tab.remove_listener("pageerror", fail)
    cleaned(tab)
    assert [line for line in said if not any(status in line for status in MEANT)] == []


def cleaned(tab: Any) -> None:
    """Leave nothing of a test in the tab."""
    tab.unroute_all(behavior="ignoreErrors")
    if tab.url.startswith("http"):
        tab.evaluate("localStorage.clear(); sessionStorage.clear()")
    tab.context.clear_cookies()
    tab.mouse.move(0, 0)
    tab.set_viewport_size(SIZE)
    tab.emulate_media(color_scheme="null", reduced_motion="reduce")
    tab.goto("about:blank")
