"""A step that has a receipt on the board, in a pane of middling width."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.browser import needed
from tests.web.serving import Served

pytestmark = [needed, pytest.mark.slow]


def test_the_words_of_a_step_have_room_beside_its_receipt(page: Any, server: Served) -> None:
    server.todo("room")({"steps": ["One", "Describe 409 in the schema"]}, tool="plan")
    page.set_viewport_size({"width": 1240, "height": 800})
    page.goto("/#/room")
    page.locator("li[data-number='2'] .mark").focus()
    page.keyboard.press("e")
    page.get_by_label("New words").fill("Describe 409 and Retry-After, with an example")
    page.keyboard.press("Enter")
    row = page.locator("li[data-number='2'] > .row")
    row.locator(".receipt", has_text="sent").wait_for()
    assert row.locator(".mark:focus").count() == 1
    assert row.locator(".t").bounding_box()["width"] > 150
    assert row.bounding_box()["height"] < 100


def test_what_is_typed_right_after_new_words_is_for_the_page(page: Any, server: Served) -> None:
    server.todo("quick")({"steps": ["One", "Two"]}, tool="plan")
    page.goto("/#/quick")
    page.locator("li[data-number='2'] .mark").focus()
    page.keyboard.press("e")
    field = page.get_by_label("New words")
    field.fill("Two, but better")
    page.evaluate(
        """() => {
          const at = document.querySelector("#reword");
          const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
          press("Enter");
          window.next = document.activeElement !== at && document.activeElement.className;
        }"""
    )  # all in one frame: the field is still there
    assert page.evaluate("next") == "mark"
    field.wait_for(state="detached")
    page.locator("li[data-number='2']", has_text="Two, but better").wait_for()
