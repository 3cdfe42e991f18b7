"""A step that has a receipt on the board, in a pane of middling width."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.browser import kept, needed
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


@pytest.mark.parametrize("words", ["Two", "Two, but better"])
def test_new_words_change_the_words_and_nothing_else(page: Any, server: Served, words: str) -> None:
    name = f"quick-{len(words)}"
    todo = server.todo(name)
    todo({"steps": ["One", "Two"]}, tool="plan")
    page.goto(f"/#/{name}")
    page.locator("li[data-number='2'] .mark").focus()
    page.keyboard.press("e")
    field = page.get_by_label("New words")
    field.fill(words)
    field.evaluate(
        """each => {
          const key = { key: "Enter", bubbles: true, cancelable: true };
          each.dispatchEvent(new KeyboardEvent("keydown", key));
          each.value += "n";  // typed in the same frame
          each.dispatchEvent(new InputEvent("input", { bubbles: true }));
        }"""
    )
    field.wait_for(state="detached")
    kept(page, lambda: [step.content for step in todo.plan.todos] == ["One", words])
    page.keyboard.press("e")
    assert field.input_value() == words  # no draft of what came too late
    page.keyboard.press("Enter")
    field.wait_for(state="detached")
    assert page.locator("#note").inner_text() == ""
    assert [step.status for step in todo.plan.todos] == ["in_progress", "pending"]
