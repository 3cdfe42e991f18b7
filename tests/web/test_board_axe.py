"""Axe finds nothing to complain of in any state of the board: wide and on a phone, light and dark."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.web.browser import drawn, needed, until
from tests.web.lively import lively
from tests.web.serving import Served
from todowright.stores import open_store

pytestmark = [needed, pytest.mark.slow, pytest.mark.soak]
DEEP = "/#/checkout-deadlock"
State = Callable[[Any, Served], None]


@pytest.fixture(scope="module")
def served(server: Served) -> Served:
    store = open_store(server.url_of_store)
    lively(store)
    store.close()
    return server


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server without a plan."""
    served = Served(tmp_path_factory.mktemp("bare"))
    yield served
    served.stop()


def opened(where: str, there: str) -> State:
    """Go to an address, and wait for what it shows."""

    def go(page: Any, _: Served) -> None:
        page.goto(where)
        page.locator(there).first.wait_for()

    return go


def moves_are_held(page: Any, served: Served) -> None:
    name = f"held-{secrets.token_hex(4)}"
    agent = served.todo(name)
    agent({"steps": ["One"]}, tool="plan")
    page.goto(f"/#/?q={name}")
    page.locator(f"[data-key=working] [data-session={name}] a").hover()
    agent({"step": 1}, tool="done")
    page.locator(".held").wait_for()


def an_agent_is_chosen_and_activity_open(page: Any, _: Served) -> None:
    page.goto(f"{DEEP}?agent=main/reviewer")
    page.locator(".feed summary").click()
    page.locator(".feed li").first.wait_for()


def a_step_is_edited(page: Any, _: Served) -> None:
    page.goto("/#/perf-budget")
    page.locator("li[data-number='4'] .mark").focus()
    page.keyboard.press("x")
    page.locator("#toast button").wait_for()
    page.locator(".receipt .ok").first.wait_for()


def palette(page: Any, _: Served) -> None:
    page.goto("/")
    page.keyboard.press("Control+k")
    page.keyboard.type("lock")
    page.locator("[role=option] mark").first.wait_for()


def bell(page: Any, _: Served) -> None:
    page.goto("/")
    page.locator("#bell").click()
    page.locator(".news a").first.wait_for()


def keys(page: Any, _: Served) -> None:
    page.goto("/")
    page.locator(".rows li").first.wait_for()
    page.keyboard.press("?")
    page.locator("#help[open]").wait_for()


def clashing(page: Any, served: Served, *, gone: bool) -> None:
    name = f"clash-{secrets.token_hex(4)}"
    agent = served.todo(name)
    agent({"steps": ["One", "Two"]}, tool="plan")
    page.goto(f"/#/{name}")
    page.locator("li[data-number='2'] .mark").focus()
    page.keyboard.press("e")
    page.get_by_label("New words").fill("Mine")
    if gone:
        agent({"steps": [2]}, tool="drop")
    else:
        agent({"step": 2, "text": "Theirs"}, tool="change")
        page.wait_for_timeout(400)
        page.get_by_label("New words").press("Enter")
    page.locator(".clash").wait_for()


def the_step_is_gone(page: Any, served: Served) -> None:
    clashing(page, served, gone=True)


def conflict(page: Any, served: Served) -> None:
    clashing(page, served, gone=False)


def the_store_fails(page: Any, _: Served) -> None:
    busy = {"status": 503, "json": {"error": "the store is busy"}}
    page.route("**/api/sessions/*", lambda route: route.fulfill(**busy))
    page.goto("/#/flaky-tests")
    page.locator("#notice", has_text="the store is busy").wait_for()


def disconnected(page: Any, _: Served) -> None:
    page.goto("/#/i18n-sweep")
    page.locator("li[data-number='9'] .mark").wait_for()
    page.route("**/api/**", lambda route: route.abort())
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.locator("li[data-number='9'] .mark").click()
    page.locator(".receipt", has_text="sent when the link is back").wait_for()
    page.locator("#notice", has_text="Not connected").wait_for()


STATES: dict[str, State] = {
    "home": opened("/", ".rows li .now"),
    "nothing found": opened("/#/?q=zzzzz", ".none"),
    "session": opened(DEEP, "li.dropped"),
    "past": opened(f"{DEEP}?rev=main.17", ".surface.past"),
    "no such session": opened("/#/nobody-here", "h1.none"),
    "held": moves_are_held, "chosen": an_agent_is_chosen_and_activity_open, "edited": a_step_is_edited,
    "palette": palette, "bell": bell, "keys": keys, "gone": the_step_is_gone, "conflict": conflict,
    "503": the_store_fails, "disconnected": disconnected,
}  # fmt: skip
LOOKS = [(1440, "light"), (1440, "dark"), (390, "light"), (390, "dark")]


def complaints(page: Any, state: str) -> list[str]:
    """What axe says, and whether it scrolls sideways; ghosts of the past are pale on purpose."""
    drawn(page)
    found = Axe().run(page, options={"rules": {"color-contrast": {"enabled": state != "past"}}})
    said = [found.generate_report()] if found.violations_count else []
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    return [f"{state}: {each}" for each in said + ["too wide"] * (page.evaluate(wide) > 0)]


@pytest.mark.parametrize(("width", "theme"), LOOKS)
def test_axe_finds_nothing_to_complain_of_in_any_state(
    page: Any, served: Served, width: int, theme: str
) -> None:
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 844})
    found = []
    for name, go in STATES.items():
        page.goto("about:blank")
        go(page, served)
        found += complaints(page, name)
        page.unroute_all()
    assert found == []


@pytest.mark.parametrize(("width", "theme"), LOOKS)
def test_axe_finds_nothing_to_complain_of_where_one_may_only_look_or_there_is_nothing(
    chromium: Any, served: Served, bare: Served, width: int, theme: str
) -> None:
    context = chromium.new_context(
        viewport={"width": width, "height": 844}, color_scheme=theme, reduced_motion="reduce"
    )
    context.add_cookies([served.cookie("read"), bare.cookie()])
    page = context.new_page()
    page.goto(f"{served.url}{DEEP}")
    page.locator("li.dropped").wait_for()
    until(page, "document.body.classList.contains('ro-mode')")
    assert page.locator("button.mark:not([disabled])").count() == 0
    found = complaints(page, "read-only")
    page.goto(bare.url)
    page.locator(".welcome").wait_for()
    found += complaints(page, "empty")
    context.close()
    assert found == []
