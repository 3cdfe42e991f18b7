"""The pictures of the board: real pages in a real browser, of a store full of life, at twice the size."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests.web.browser import CHROMIUM, FLAGS
from tests.web.lively import lively
from tests.web.serving import Served
from todowright.stores import open_store

HERE = Path(__file__).parent
DEEP = "/#/checkout-deadlock"
WIDE = {"width": 1280, "height": 860}
PHONE = {"width": 390, "height": 844}


def board() -> None:
    """Every state of the board that the docs speak of."""
    with ExitStack() as opened:
        folders = [Path(opened.enter_context(tempfile.TemporaryDirectory())) for _ in range(2)]
        served, empty = (Served(folder) for folder in folders)
        opened.callback(served.stop)
        opened.callback(empty.stop)
        store = open_store(served.url_of_store)
        lively(store)
        store.close()
        playwright = opened.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        opened.callback(browser.close)
        studio = Studio(browser, served)
        studio.take("board", "/", height=1180)
        studio.take("board-dark", "/", theme="dark", height=1180)
        studio.take("session", DEEP, height=980)
        studio.take("session-dark", DEEP, theme="dark", height=980)
        studio.take("history", DEEP, before=_looking_back, theme="dark")
        studio.take("palette", DEEP, before=_searching)
        studio.take("conflict", "/#/glossary-draft", before=lambda page: _clash(page, served))
        studio.take("offline", DEEP, before=_cut_off)
        studio.take("phone", DEEP, size=PHONE)
        studio.take("phone-list", "/", size=PHONE, theme="dark")
        studio.take("read-only", DEEP, scope="read")
        Studio(browser, empty).take("empty", "/", height=560)


class Studio:
    """Opens pages and takes pictures of them."""

    def __init__(self, browser: Any, served: Served) -> None:
        self._browser, self._served = browser, served

    def take(
        self,
        name: str,
        where: str,
        *,
        before: Callable[[Any], None] | None = None,
        theme: str = "light",
        size: dict[str, int] | None = None,
        height: int = 0,
        scope: str = "write",
    ) -> None:
        """A picture of an address, once `before` has done its part."""
        view = dict(size or WIDE)
        view["height"] = height or view["height"]
        context = self._browser.new_context(
            base_url=self._served.url, viewport=view, color_scheme=theme, device_scale_factor=2,
            reduced_motion="reduce",
        )  # fmt: skip
        context.add_cookies([self._served.cookie("read" if scope == "read" else "write")])
        page = context.new_page()
        page.goto(where)
        page.wait_for_timeout(1500)
        if before:
            before(page)
            page.wait_for_timeout(600)
        page.screenshot(path=HERE / f"{name}.png")
        context.close()


def _looking_back(page: Any) -> None:
    page.locator("#scrub").focus()
    while "dropped “Add a lock" not in page.locator("#scrub").get_attribute("aria-valuetext"):
        page.keyboard.press("ArrowLeft")
    page.locator("#title").click()


def _searching(page: Any) -> None:
    page.keyboard.press("Control+k")
    page.keyboard.type("lock")
    page.locator("[aria-label=Steps] mark").first.wait_for()


def _clash(page: Any, served: Served) -> None:
    page.locator("li[data-number='8'] .mark").focus()
    page.keyboard.press("e")
    page.get_by_label("New words").fill(
        "Reconcile the terms of chapters 8 and 9 with the style guide"
    )
    agent = served.todo("glossary-draft")
    agent(
        {"step": 8, "text": "Reconcile the terms of chapter 8 with the style guide and the index"},
        tool="change",
    )
    page.wait_for_timeout(500)
    page.get_by_label("New words").press("Enter")
    page.locator(".clash").wait_for()


def _cut_off(page: Any) -> None:
    page.route("**/api/**", lambda route: route.abort())
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.get_by_role("checkbox", name="Shrink the schedules that fail (to do)").click()
    page.locator("#notice", has_text="Not connected").wait_for()
    page.mouse.move(640, 20)


if __name__ == "__main__":
    board()
