"""The core of the board in Firefox: the list, a session, an edit, the past, the palette."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.web.lively import lively
from tests.web.marionette import FIREFOX, Firefox
from tests.web.serving import Served
from todowright.stores import open_store

pytestmark = [
    pytest.mark.slow,
    pytest.mark.soak,
    pytest.mark.skipif(
        FIREFOX is None, reason="Firefox is not installed: apt-get install firefox-esr"
    ),
]


@pytest.fixture(scope="module")
def firefox(server: Served) -> Iterator[Firefox]:
    store = open_store(server.url_of_store)
    lively(store)
    store.close()
    browser = Firefox()
    browser.goto(server.link())
    yield browser
    browser.close()


def test_the_list_stands_by_who_needs_somebody(firefox: Firefox) -> None:
    firefox.until("document.querySelectorAll('[data-key=needs_you] li .now').length === 5")
    first = "document.querySelector('[data-key=needs_you] li .now').textContent"
    assert (
        firefox.evaluate(first)
        == "test-writer is stuck: Generate schedules that interleave two workers"
    )
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert firefox.evaluate(wide) <= 0


def test_a_session_is_shown_edited_and_undone(firefox: Firefox, server: Served) -> None:
    todo = server.todo("in-firefox")
    todo({"steps": ["One", "Two", "Three"]}, tool="plan")
    firefox.goto(f"{server.url}/#/in-firefox")
    firefox.until("document.querySelectorAll('li.step').length === 3")
    firefox.click("li[data-number='3'] .mark")
    firefox.until("document.querySelector('li[data-number=\"3\"].completed .receipt .ok')")
    assert todo.plan.count("completed") == 1
    firefox.press("Control", "z")
    firefox.until("document.querySelector('li[data-number=\"3\"].pending')")
    todo({"step": 1}, tool="done")
    firefox.until("document.querySelector('li[data-number=\"1\"].completed')")


def test_the_past_is_reached_by_keys_and_has_an_address(firefox: Firefox, server: Served) -> None:
    firefox.goto(f"{server.url}/#/checkout-deadlock")
    firefox.until("document.querySelectorAll('li.chapter').length === 2")
    firefox.evaluate("document.querySelector('#scrub').focus()")
    firefox.press("ArrowLeft")
    firefox.until("document.querySelector('.surface.past') && location.hash.includes('rev=')")
    firefox.press("Escape")
    firefox.until("!document.querySelector('.surface.past')")
    assert firefox.evaluate("document.querySelectorAll('.labels .gap').length") == 2


def test_the_palette_finds_a_step(firefox: Firefox) -> None:
    firefox.press("Control", "k")
    firefox.until("document.querySelector('#palette').open")
    for letter in "bundle":
        firefox.press(letter)
    firefox.until("document.querySelector('[aria-label=Steps] mark')")
    firefox.press("Enter")
    firefox.until("location.hash.startsWith('#/perf-budget')")
