"""While a button is down nothing on the board moves, and the focus stays with what it was given to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.web.browser import drawn, kept, needed, until
from tests.web.serving import Served

pytestmark = needed


@contextmanager
def pressed(page: Any, target: Any) -> Iterator[Callable[[], bool]]:
    """The button of the mouse is down on it, then up; what is given tells whether it stays where it was."""
    target.scroll_into_view_if_needed()
    drawn(page)
    box = target.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    drawn(page)
    box = target.bounding_box()
    page.mouse.down()
    yield lambda: bool(target.bounding_box() == box)
    page.mouse.up()


def test_tasks_that_move_above_the_plan_wait_for_the_end_of_a_press(
    page: Any, server: Served
) -> None:
    todo = server.todo("pressed-tasks", dialect="tasks")
    todo({"subject": "Build"}, tool="TaskCreate")
    page.goto("/#/pressed-tasks")
    page.locator(".fleet .ready li").wait_for()
    with (
        page.expect_response("**/api/fleet*") as asked,
        pressed(page, page.get_by_role("button", name="Reword: Build")) as stays,
    ):
        for subject in ("Test", "Ship"):
            todo({"subject": subject}, tool="TaskCreate")
        assert asked.value.ok
        drawn(page)
        assert stays()
    page.get_by_label("New words").wait_for()
    page.locator(".fleet .ready li").nth(2).wait_for()


def test_the_bar_of_a_store_in_trouble_waits_for_the_end_of_a_press(
    page: Any, server: Served
) -> None:
    todo = server.todo("pressed-bar")
    todo({"steps": ["One", "Two"]}, tool="plan")
    page.goto("/#/pressed-bar")
    busy = {"status": 503, "json": {"error": "the store is busy"}}
    with (
        page.expect_response(lambda answer: answer.status == 503) as asked,
        pressed(page, page.get_by_role("button", name="Reword: Two")) as stays,
    ):
        page.route("**/api/sessions/pressed-bar*", lambda route: route.fulfill(**busy))
        todo({"step": 1}, tool="done")
        assert "pressed-bar" in asked.value.url
        drawn(page)
        assert stays()
    page.get_by_label("New words").wait_for()
    page.locator("#notice", has_text="the store is busy").wait_for()


def test_what_stands_below_the_plan_stays_while_it_is_pressed(page: Any, server: Served) -> None:
    server.todo("pressed-feed")({"steps": ["A long step " * 40, "Two"]}, tool="plan")
    page.goto("/#/pressed-feed")
    page.locator("li[data-number='1'] .mark").wait_for()
    until(page, "document.querySelector('#scrub')?.dataset.count === '1'")
    page.locator("li[data-number='1'] .mark").focus()
    with pressed(page, page.locator(".feed summary b")) as stays:
        drawn(page)
        assert stays()
    page.locator(".feed li").first.wait_for()


def test_a_step_that_was_put_first_is_not_cancelled_by_the_same_key(
    page: Any, server: Served
) -> None:
    todo = server.todo("first")
    todo({"steps": ["One", "Two", "Three", "Four"]}, tool="plan")
    page.goto("/#/first")
    button = page.get_by_role("button", name="Do this first: Four")
    button.focus()
    page.keyboard.press("Enter")
    button.wait_for(state="detached")
    kept(page, lambda: [step.content for step in todo.plan.todos][1] == "Four")
    drawn(page)
    focused = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused == "Four (to do)"


def test_who_is_in_the_notifications_stays_there_while_others_come(
    page: Any, server: Served
) -> None:
    page.goto("/")
    page.locator("#link.live").wait_for()
    page.locator("#bell").click()
    page.get_by_role("button", name="Mark all as seen").focus()
    server.todo("rung")({"steps": ["One"]}, tool="plan")
    server.todo("rung")({"step": 1}, tool="done")
    page.locator(".news a", has_text="rung").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "Mark all as seen"
    choice = page.get_by_role("checkbox", name="finished")
    choice.check()
    page.keyboard.press("Escape")
    page.locator("#bell").click()
    assert choice.is_checked()


def test_moves_are_held_for_a_moment_after_the_pointer_has_left(page: Any, server: Served) -> None:
    todo = server.todo("left")
    todo({"steps": ["One"]}, tool="plan")
    page.goto("/")
    page.locator("[data-key=working] [data-session=left] .now").wait_for()
    page.evaluate(
        "window.later_ = []; window.inTime = setTimeout;"
        "window.setTimeout = (call, time, ...rest) => time === 1000 ? later_.push(call) : inTime(call, time, ...rest); 0"
    )
    page.locator("[data-session=left] a").hover()
    todo({"step": 1}, tool="done")
    page.locator(".held").wait_for()
    page.mouse.move(5, 5)
    until(page, "later_.length > 0")
    server.todo("another")({"steps": ["One"]}, tool="plan")
    page.locator("[data-session=another]").wait_for()
    assert page.locator("[data-key=working] [data-session=left]").count() == 1
    page.evaluate("window.setTimeout = inTime; later_.forEach((call) => call())")
    page.locator("[data-key=done_today] [data-session=left]").wait_for()


@pytest.mark.parametrize("scrolled", [0, 30])
def test_a_newcomer_above_does_not_push_away_what_is_pointed_at(
    page: Any, server: Served, scrolled: int
) -> None:
    agent = f"pusher-{scrolled}"
    for n in range(3):
        todo = server.todo(f"pushed-{scrolled}-{n}", agent)
        todo({"steps": ["One"]}, tool="plan")
        todo({"step": 1}, tool="done")
    server.todo(agent, agent)({"steps": ["One"]}, tool="plan")
    page.set_viewport_size({"width": 1100, "height": 240})
    page.goto(f"/#/?agents={agent}")
    row = page.locator(f"[data-key=done_today] [data-session=pushed-{scrolled}-2]")
    row.wait_for()
    page.evaluate(f"document.querySelector('nav.list').scrollTop = {scrolled}")
    drawn(page)
    row.hover()
    drawn(page)
    before = row.bounding_box()
    server.todo(f"pushing-{scrolled}", agent)({"steps": ["One"]}, tool="plan")
    page.locator(f"[data-session=pushing-{scrolled}]").wait_for(state="attached")
    drawn(page)
    assert row.bounding_box() == before


def test_what_the_palette_finds_waits_for_the_end_of_a_press(page: Any, server: Served) -> None:
    server.todo("palette-one")({"steps": ["Wash the horse"]}, tool="plan")
    held: list[Any] = []
    page.goto("/")
    page.locator("[data-session=palette-one]").wait_for()
    page.route("**/api/search*", lambda route: held.append(route))
    page.keyboard.press("Control+k")
    page.keyboard.type("horse")
    option = page.locator("[role=option]", has_text="Filter the list by")
    option.wait_for()
    kept(page, lambda: bool(held))
    with pressed(page, option) as stays:
        with page.expect_response("**/api/search*"):
            held[0].continue_()
        drawn(page)
        assert stays()
    until(page, "location.hash.includes('q=horse')")


def test_an_address_of_a_step_that_is_not_there_takes_nobody_away_later(
    page: Any, server: Served
) -> None:
    todo = server.todo("sought")
    todo({"steps": ["One", "Two"]}, tool="plan")
    page.goto("/#/sought?step=t3")
    until(page, "document.querySelector('#scrub')?.dataset.count === '1'")
    drawn(page)
    page.get_by_label("A new step").click()
    page.keyboard.type("Wash")
    todo({"steps": ["Three"]}, tool="add")
    page.locator("li.step[data-id=t3]").wait_for()
    drawn(page)
    page.keyboard.type(" up")
    assert page.get_by_label("A new step").input_value() == "Wash up"


def test_on_a_phone_a_step_is_reworded_without_ticking_it(page: Any, server: Served) -> None:
    todo = server.todo("by-finger")
    todo({"steps": ["One", "Two"]}, tool="plan")
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/#/by-finger")
    page.locator("li[data-number='2'] .t").click()
    button = page.get_by_role("button", name="Reword: Two")
    button.wait_for()
    assert button.bounding_box()["height"] >= 36
    button.click()
    page.get_by_label("New words").fill("Two, mine")
    page.keyboard.press("Enter")
    kept(page, lambda: [step.content for step in todo.plan.todos] == ["One", "Two, mine"])
    assert [step.status for step in todo.plan.todos] == ["in_progress", "pending"]


def test_who_comes_while_words_are_looked_for_is_found(page: Any, server: Served) -> None:
    server.todo("zebra-one")({"steps": ["One"]}, tool="plan")
    page.goto("/#/?q=zebra")
    page.locator("[data-session=zebra-one]").wait_for()
    server.todo("giraffe")({"steps": ["One"]}, tool="plan")
    server.todo("zebra-two")({"steps": ["One"]}, tool="plan")
    page.locator("[data-session=zebra-two]").wait_for()
    assert page.locator("[data-session=giraffe]").count() == 0
