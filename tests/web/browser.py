"""A real Chromium, Debian's, driven by Playwright; found, or installed by `make test`."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from typing import Any

import pytest

_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, _NAMES)), None)
"""The one without windows, where there is one: it takes a third of the processor time."""
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run",
]  # fmt: skip

needed = pytest.mark.skipif(
    CHROMIUM is None and not os.environ.get("CI"),
    reason="Chromium is not installed: apt-get install chromium, or your system's package",
)


def until(page: Any, expression: str) -> None:
    """Wait until the page says so; asked from outside, since its policy lets nothing be evaluated inside."""
    deadline = time.monotonic() + 30
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, expression
        page.wait_for_timeout(30)


def kept(page: Any, check: Callable[[], bool]) -> None:
    """Wait until the store has it: the page shows an edit before it is kept."""
    deadline = time.monotonic() + 30
    while not check():
        assert time.monotonic() < deadline
        page.wait_for_timeout(30)


def drawn(page: Any) -> None:
    """Let the page draw what it has been told."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


HERE = "li.step:is(:not(.later, .dropped, .removed), .fresh) > .row"
"""The rows of the steps that are in the plan at the moment that is shown, or have just left it."""


def steps(page: Any) -> list[str]:
    """The words of the steps that are there, with what the revision that is shown did to them."""
    return [text.strip() for text in page.locator(f"{HERE} .what").all_text_contents()]


def said(page: Any) -> str:
    """What the slider tells of the revision that is shown."""
    return str(page.locator("#scrub").get_attribute("aria-valuetext"))
