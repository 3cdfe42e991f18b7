"""The board in Firefox: the list by attention, a session, edits one trusts, being told, the palette, a phone, axe."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import axe_playwright_python
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
        == "test-writer is stuck: Generate schedules that interleave two workers · 1 dropped by main"
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


def test_filters_have_addresses_and_a_hit_says_why(firefox: Firefox, server: Served) -> None:
    firefox.goto(f"{server.url}/#/?q=reference&state=needs_you")
    firefox.until("document.querySelector('.rows mark')?.textContent.toLowerCase() === 'reference'")
    assert firefox.evaluate("document.querySelectorAll('.rows li').length") == 1
    firefox.fill("input[aria-label=Search]", "zzzzz")
    firefox.until("document.querySelector('p.none')?.textContent.includes('zzzzz')")
    assert "q=zzzzz" in firefox.evaluate("location.hash")
    firefox.click("p.none .btn")
    firefox.until("document.querySelectorAll('.rows li').length > 9")


def test_nothing_moves_under_the_pointer(firefox: Firefox, server: Served) -> None:
    movers = [server.todo(f"mover-{n}") for n in range(3)]
    for todo in movers:
        todo({"steps": ["One", "Two"]}, tool="plan")
    firefox.goto(f"{server.url}/#/?q=mover")
    firefox.until("document.querySelectorAll('[data-key=working] li').length === 3")
    firefox.hover("[data-session=mover-1] a")
    order = "[...document.querySelectorAll('.rows li')].map((each) => each.dataset.session).join()"
    before = firefox.evaluate(order)
    for todo in movers:
        todo({"step": [1, 2]}, tool="done")
    firefox.until("document.querySelector('.held')?.textContent === '3 moves held'")
    assert firefox.evaluate(order) == before
    firefox.press(".")
    firefox.until("document.querySelectorAll('[data-key=done_today] li').length === 3")


def test_dropped_work_is_put_back_and_one_agent_is_looked_at(
    firefox: Firefox, server: Served
) -> None:
    firefox.goto(f"{server.url}/#/checkout-deadlock")
    firefox.until("document.querySelector('li.dropped .put')")
    assert firefox.evaluate("document.querySelectorAll('li.chapter').length") == 2
    firefox.click("li.dropped .put")
    firefox.until("!document.querySelector('li.dropped')")
    firefox.click(".strip button")
    firefox.until("location.hash.includes('agent=main/test-writer')")
    firefox.until("!document.querySelector('li[data-agent=main]')")
    firefox.click(".feed summary")
    firefox.until("document.querySelectorAll('.feed li').length > 5")


def test_a_reword_merges_a_conflict_shows_both_texts_and_drafts_survive(
    firefox: Firefox, server: Served
) -> None:
    todo = server.todo("worded")
    todo({"steps": ["One", "Two", "Three"]}, tool="plan")
    firefox.goto(f"{server.url}/#/worded")
    firefox.until("document.querySelectorAll('li.step').length === 3")
    mark = "document.querySelector('li[data-number=\"{}\"] .mark')"

    def begin(number: int) -> None:
        firefox.until(f"{mark.format(number)} !== null")
        firefox.evaluate(f"{mark.format(number)}.focus()")
        firefox.press("e")

    begin(2)
    firefox.fill("#reword", "Mine")
    todo({"step": 1}, tool="done")  # only the status of Two changes
    firefox.until("document.querySelector('li[data-number=\"2\"].in_progress')")
    firefox.press("Enter")
    firefox.until("document.querySelector('li[data-number=\"2\"] .t')?.textContent === 'Mine'")
    begin(3)
    firefox.fill("#reword", "Third")
    todo({"step": 3, "text": "Theirs"}, tool="change")
    firefox.until("true")
    firefox.press("Enter")
    firefox.until("document.querySelector('.clash')?.textContent.includes('Theirs')")
    firefox.click(".clash .main")
    firefox.until("document.querySelector('li[data-number=\"3\"] .t')?.textContent === 'Third'")
    firefox.fill("input.add-step", "Half a st")
    firefox.goto("about:blank")
    firefox.goto(f"{server.url}/#/worded")
    firefox.until("document.querySelector('input.add-step')?.value === 'Half a st'")


def test_the_bell_tells_and_is_quiet_once_all_was_seen(firefox: Firefox, server: Served) -> None:
    firefox.goto(f"{server.url}/#/")
    firefox.until("document.title.startsWith('(')")
    firefox.click("#bell")
    firefox.until("document.querySelectorAll('#news a').length > 4")
    firefox.click("#news h2 button")
    firefox.until(
        "!document.querySelector('[data-session=auth-refactor]')?.closest('[data-key=needs_you]')"
    )
    firefox.press("Escape")


def test_a_phone_scrolls_no_way_but_down(firefox: Firefox, server: Served) -> None:
    firefox.resize(390, 844)
    for where in ("#/", "#/checkout-deadlock"):
        firefox.goto(f"{server.url}/{where}")
        firefox.until(
            "[...document.querySelectorAll('li.step, .rows li .now')].some((each) => each.offsetParent)"
        )
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert firefox.evaluate(wide) <= 0
    firefox.resize(1440, 900)


def test_axe_and_the_console_have_nothing_to_complain_of(firefox: Firefox, server: Served) -> None:
    axe = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8")
    for where in ("#/", "#/checkout-deadlock", "#/?q=zzzzz", "#/nobody-here"):
        firefox.goto("about:blank")
        firefox.goto(f"{server.url}/{where}")
        firefox.until("document.querySelector('li.step, .rows li .now, .none')")
        firefox.ask("WebDriver:ExecuteScript", {"script": axe, "args": []})
        found = firefox.wait("axe.run().then(({ violations }) => violations.map(({ id }) => id))")
        assert found == [], where
    assert firefox.errors(server.url) == []


def test_who_may_only_look_and_who_is_cut_off_are_told(firefox: Firefox, tmp_path: Path) -> None:
    other = Served(tmp_path)
    other.todo("seen")({"steps": ["One", "Two"]}, tool="plan")
    firefox.goto(other.link("read"))
    firefox.goto(f"{other.url}/#/seen")
    firefox.until(
        "document.querySelectorAll('li.step').length === 2 && !document.querySelector('#ro').hidden"
    )
    assert firefox.evaluate("document.querySelectorAll('.mark:not([disabled])').length") == 0
    other.stop()
    firefox.until("document.querySelector('#notice')?.textContent.includes('Not connected')")
