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


@pytest.fixture
def page(chromium: Any, server: Served) -> Iterator[Any]:
    """A page of its own; whatever its console complains of fails the test."""
    context = chromium.new_context(base_url=server.url, viewport={"width": 1100, "height": 800})
    context.add_cookies([server.cookie()])
    made = context.new_page()
    said: list[str] = []
    made.on(
        "console", lambda message: said.append(message.text) if message.type == "error" else None
    )
    made.on("pageerror", lambda error: said.append(str(error)))
    yield made
    assert (
        [
            line
            for line in said
            if not any(status in line for status in ("404", "412", "422", "503", "ERR_FAILED"))
        ]
        == []
    )  # these are meant: a name that is not there, a plan that moved, a refusal, a server that could not, a link that was cut
    context.close()
