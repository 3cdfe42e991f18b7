"""What the board calls things, and where it puts them, so that a newcomer is not misled; in a real browser."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.browser import needed, until
from tests.web.lively import Scene
from tests.web.serving import Served
from todowright.stores import open_store

pytestmark = needed
NAMELESS = "3f2b8c1e-9a4d-4c6f-8e21-7b5d90aa1c44"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("shop-main-claude-Build-the-parser-5887a12d", "Build the parser (claude)"),
        ("shop-Fix-the-parser-5887a12d8ba6", "shop Fix the parser"),
        ("deploy-20261116", ""),
        ("claude-code-http", ""),
    ],
)
def test_a_name_that_was_made_is_shown_by_the_words_of_its_task(
    server: Served, name: str, shown: str
) -> None:
    server.todo(name)({"steps": ["One"]}, tool="plan")
    assert server.http.get(f"/api/sessions/{name}").json()["row"]["title"] == shown


def test_a_session_whose_name_is_a_uuid_is_called_by_its_plan(page: Any, server: Served) -> None:
    server.todo(NAMELESS)({"steps": ["Trace the slow checkout", "Mend it"]}, tool="plan")
    server.todo("named")({"steps": ["One"]}, tool="plan")
    page.goto("/")
    row = page.locator(f"[data-session='{NAMELESS}']")
    row.locator(".now").wait_for()
    assert row.locator(".name").inner_text().endswith("Trace the slow checkout")
    assert page.locator("[data-session=named] .name").inner_text() == "named"
    page.goto(f"/#/{NAMELESS}")
    page.locator("h1", has_text="Trace the slow checkout").wait_for()
    until(page, "document.title.includes('Trace the slow checkout')")
    page.keyboard.press("Control+k")
    page.keyboard.type("slow check")
    page.locator("[aria-label=Sessions] mark", has_text="slow check").wait_for()


def test_the_bell_counts_sessions_and_what_was_taken_off_by_a_tool_is_calm(
    page: Any, server: Served
) -> None:
    store = open_store(server.url_of_store)
    words = ["Keep", "Lose", "Lose this, too, which has so many words that they fill the line"]
    Scene(store).agent("lossy", words, [(3, "npp"), (2, "n  ")])
    store.close()
    agent = server.todo("on-purpose")
    agent({"steps": ["One", "Two", "Three"]}, tool="plan")
    agent({"steps": [2]}, tool="drop")
    page.set_viewport_size({"width": 1280, "height": 860})
    page.goto("/")
    page.locator("[data-key=needs_you] [data-session=lossy]").wait_for()
    assert page.locator("#bell .badge").inner_text() == "1"
    assert page.locator("[data-key=working] [data-session=on-purpose]").count() == 1
    page.goto("/#/on-purpose")
    note = page.locator("li.cancelled[data-number='2'] .note")
    note.wait_for()
    assert note.inner_text().startswith("taken off at ")
    page.get_by_role("button", name="Put back: Two").click()
    page.locator("li.pending", has_text="Two").wait_for()
    page.goto("/#/lossy")
    lost = page.locator("li.dropped .note").last
    lost.wait_for()
    button, text = lost.locator(".btn").bounding_box(), lost.bounding_box()
    assert button["y"] >= text["y"]
    assert button["y"] + button["height"] <= text["y"] + text["height"]  # they wrap together


def test_a_sub_agent_of_no_step_says_so_and_activity_stands_above_the_slider_on_a_phone(
    page: Any, server: Served
) -> None:
    main = server.todo("aside")
    main({"steps": ["Split", "Join"]}, tool="plan")
    with main.subagent("watcher", serves=0) as loose:
        loose({"steps": ["Watch"]}, tool="plan")
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto("/#/aside")
        page.locator(".loose .sum", has_text="0/1 · of no step").wait_for()
        feed, axis = (page.locator(each).bounding_box() for each in (".feed", ".axis"))
        assert feed["y"] + feed["height"] <= axis["y"]


HIDDEN = """() => {
    window.told = [];
    window.Notification = class { constructor(title, { body }) { window.told.push(`${title}: ${body}`); }
        static permission = 'granted'; };
    Object.defineProperty(document, 'hidden', { get: () => true });
    window.requestAnimationFrame = () => 1;
    document.dispatchEvent(new Event('visibilitychange'));
}"""
"""What a browser does to a page that nobody sees: it draws no frames any more."""


@pytest.mark.slow
@pytest.mark.soak
def test_a_page_that_nobody_sees_tells_what_happens(page: Any, server: Served) -> None:
    server.todo("watched")({"steps": ["One"]}, tool="plan")
    page.goto("/")
    page.locator("[data-session=watched] .now").wait_for()
    page.evaluate(HIDDEN)
    store = open_store(server.url_of_store)
    Scene(store).agent("unseen", ["Keep", "Lose"], [(3, "np"), (2, "n ")])
    store.close()
    until(page, "window.told.length > 0")
    assert page.evaluate("window.told") == ["unseen: main dropped “Lose”"]
    until(page, "document.title.startsWith('(')")
