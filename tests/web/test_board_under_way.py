"""The board in a real browser while plans move: nothing a person does is lost to an update."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.web.browser import drawn, kept, needed, said, steps, until
from tests.web.serving import Served
from todowright.plan.model import Plan, Todo
from todowright.stores import open_store
from todowright.web.token_file import Scope

pytestmark = needed


def test_what_moves_between_loading_and_listening_is_shown(page: Any, server: Served) -> None:
    todo = server.todo("early")
    todo({"steps": ["One", "Two"]}, tool="plan")
    held: list[Any] = []
    page.route("**/api/events", lambda route: held.append(route))
    page.goto("/#/early")
    page.get_by_text("Two").first.wait_for()
    for _ in range(1500):
        if held:
            break
        page.wait_for_timeout(20)
    todo({"step": 1}, tool="done")
    held[0].continue_()
    page.locator(".plan li.completed", has_text="One").wait_for()


@pytest.fixture
def alone(chromium: Any, tmp_path: Path) -> Iterator[tuple[Served, Any]]:
    """A server that no other test uses, and a page of it."""
    served = Served(tmp_path)
    page = served.show(chromium)
    yield served, page
    page.close()
    served.stop()


@pytest.mark.parametrize("again", ["other", "same"])
def test_a_store_that_begins_anew_is_shown_anew(
    alone: tuple[Served, Any], tmp_path: Path, again: str
) -> None:
    served, page = alone
    todo = served.todo("same")
    todo({"steps": ["Old 1", "Old 2", "Old 3"]}, tool="plan")
    todo({"step": [1, 2]}, tool="done")
    page.goto("/" if again == "other" else "/#/same")
    page.get_by_text("Old 3").first.wait_for()
    for file in tmp_path.glob("plans.db*"):
        file.unlink()
    served.todo(again)({"steps": ["New 1"]}, tool="plan")
    page.get_by_text("New 1").first.wait_for()
    until(page, "!document.body.textContent.includes('Old')")
    if again == "same":
        page.get_by_role("checkbox", name="New 1 (in progress)").click()
        page.locator(".plan li.completed", has_text="New 1").wait_for()


def test_quick_edits_are_all_made(page: Any, server: Served) -> None:
    todo = server.todo("quick-hand")
    todo({"steps": [f"S{n}" for n in range(1, 9)]}, tool="plan")
    page.goto("/#/quick-hand")
    page.get_by_text("S8").first.wait_for()
    page.keyboard.press("j")
    for _ in range(6):
        page.keyboard.press("x")
        page.keyboard.press("j")
    until(page, "document.querySelectorAll('.plan li.completed').length === 6")
    page.locator("li[data-number='1'] .mark").focus()
    for _ in range(5):
        page.keyboard.press("Alt+ArrowDown")
    until(
        page,
        "[...document.querySelectorAll('.plan li.step')].findIndex((li) => li.dataset.number === '1') === 5",
    )
    assert page.locator("#note").inner_text() == ""
    assert page.evaluate("document.activeElement.closest('li').dataset.number") == "1"


def test_edits_on_one_step_are_made_while_the_agent_moves_another(
    page: Any, server: Served
) -> None:
    todo = server.todo("busy")
    todo({"steps": [f"S{n}" for n in range(1, 31)]}, tool="plan")
    page.goto("/#/busy")
    page.get_by_text("S30").first.wait_for()
    for n in range(1, 11):
        todo({"step": n}, tool="done")
        page.locator(f"li[data-number='{n + 15}'] .mark").click()
        todo({"step": 14, "text": f"Word {n}"}, tool="change")
    until(page, "document.querySelectorAll('.plan li.completed').length === 20")
    assert page.locator("#note").inner_text() == ""


def test_a_click_on_the_list_counts_while_sessions_move(page: Any, server: Served) -> None:
    one, other = server.todo("clicked"), server.todo("mover")
    one({"steps": ["One"]}, tool="plan")
    other({"steps": [f"S{n}" for n in range(9)]}, tool="plan")
    page.goto("/")
    box = page.locator("[data-session=clicked] a").bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 10)
    page.mouse.down()
    other({"step": 1}, tool="done")
    one({"steps": ["Two"]}, tool="add")
    page.wait_for_timeout(600)
    assert "0/1" in page.locator("[data-session=clicked]").inner_text()  # it waits for the hand
    page.mouse.up()
    page.get_by_role("heading", name="clicked").wait_for()


def test_typing_stays_in_its_field_and_a_selection_stays(page: Any, server: Served) -> None:
    todo = server.todo("typing")
    todo({"steps": ["One", "Two", "Three", "Four"]}, tool="plan")
    page.goto("/#/typing")
    page.get_by_role("button", name="Reword: Three").click()
    page.get_by_label("New words").fill("Three b")
    add = page.get_by_label("A new step")
    add.click()
    page.keyboard.type("Buy ")
    node = add.element_handle()
    todo({"step": 1}, tool="done")
    page.locator(".plan li.completed", has_text="One").wait_for()
    page.keyboard.type("milk")
    assert add.input_value() == "Buy milk"
    assert page.get_by_label("New words").input_value() == "Three b"
    assert page.evaluate(
        "(node) => node.isConnected", node
    )  # what composes letters is not torn away
    page.evaluate(
        "getSelection().selectAllChildren(document.querySelector('li[data-number=\"4\"] bdi'))"
    )
    todo({"step": 2}, tool="done")
    page.locator(".plan li.completed", has_text="Two").wait_for()
    assert page.evaluate("getSelection().toString()") == "Four"


def test_words_that_could_not_be_kept_stay_in_the_field(page: Any, server: Served) -> None:
    todo = server.todo("offline")
    todo({"steps": ["One", "Two"]}, tool="plan")
    page.goto("/#/offline")
    page.get_by_role("button", name="Reword: Two").click()
    page.get_by_label("New words").fill("Two, with care")
    page.route("**/plans/**", lambda route: route.fulfill(status=503, json={"error": "later"}))
    page.keyboard.press("Enter")
    page.locator("#note", has_text="later").wait_for()
    assert page.get_by_label("New words").input_value() == "Two, with care"
    page.unroute("**/plans/**")
    page.get_by_label("New words").press("Enter")
    page.locator(".plan li.step", has_text="Two, with care").wait_for()


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Served]:
    served = Served(tmp_path, "--host", "0.0.0.0")
    yield served
    served.stop()


def test_who_may_only_look_is_offered_no_edits_and_a_link_from_elsewhere_works(
    chromium: Any, guarded: Served, tmp_path: Path
) -> None:
    guarded.todo("seen")({"steps": ["One", "Two"]}, tool="plan")
    scopes: list[tuple[Scope, int]] = [("read", 0), ("write", 2)]
    for scope, count in scopes:
        context = chromium.new_context()
        page = context.new_page()
        mail = tmp_path / "mail.html"
        mail.write_text(f'<a href="{guarded.link(scope)}">the board</a>')
        page.goto(f"file://{mail}")
        page.get_by_text("the board").click()
        page.locator("[data-session=seen]").wait_for()
        assert "link" not in page.url
        page.goto(f"{guarded.url}/#/seen")
        page.get_by_text("Two").first.wait_for()
        until(page, f"document.querySelectorAll('.acts').length === {count}")
        assert page.locator("input.add-step").count() == count / 2
        context.close()
    page = chromium.new_page()
    page.goto(guarded.url)
    told = f"todowright serve --link --port {guarded.port} gives a link that opens the board"
    assert told in page.inner_text("body")
    page.close()


def test_a_sub_agent_that_is_stuck_is_said_to_be(page: Any, server: Served) -> None:
    store = open_store(server.url_of_store)
    for agent, age in (("main", 5), ("main/worker-2", 7200)):
        at = datetime.now(UTC) - timedelta(seconds=age)
        step = (Todo("Dig", "in_progress", "", "t1", 1),)
        store.save(Plan("mine", agent, 1, step, "", at, 1))
    store.close()
    page.goto("/")
    row = page.locator("[aria-labelledby=g-needs_you] [data-session=mine]")
    row.wait_for()
    assert row.locator(".now").inner_text() == "worker-2 is stuck: Dig"
    assert row.locator(".on").inner_text().startswith("2h 00m")
    assert row.locator(".dot.s").count() == 1


def test_moves_are_told_to_who_does_not_see_the_page_and_stand_in_its_title(
    page: Any, server: Served
) -> None:
    todo = server.todo("heard")
    todo({"steps": ["One", "Two"]}, tool="plan")
    page.goto("/#/heard")
    page.get_by_text("Two").first.wait_for()
    todo({"step": 1}, tool="done")
    until(page, "document.getElementById('say').textContent === 'One is done'")
    until(page, "document.title.endsWith('1/2 heard · todowright')")


def test_text_in_other_directions_stays_in_its_place(page: Any, server: Served) -> None:
    server.todo("rtl")({"steps": ["اقرأ الملف.", "Delete \u202etxt.exe now"]}, tool="plan")
    page.goto("/#/rtl")
    page.locator(".plan li.step").nth(1).wait_for()
    assert page.evaluate("getComputedStyle(document.querySelector('.plan bdi')).direction") == "rtl"
    assert steps(page)[1] == "Delete \ufffdtxt.exe now"


def test_history_goes_over_all_agents_and_what_was_searched_for_stays(
    page: Any, server: Served
) -> None:
    main, sub = server.todo("crew"), server.todo("crew", "main/worker-1")
    main({"steps": ["Split", "Join"]}, tool="plan")
    sub({"steps": ["Part"]}, tool="plan")
    sub({"step": 1}, tool="done")
    main({"step": 1}, tool="done")
    page.goto("/")
    page.keyboard.press("/")
    page.keyboard.type("crew")
    until(page, "location.hash.includes('q=crew')")
    drawn(page)  # the list is filtered: what is pressed now does not move
    page.locator("[data-session=crew] a").click()
    page.get_by_role("heading", name="crew").wait_for()
    until(page, "document.querySelector('#scrub')?.dataset.count === '4'")
    page.locator("#scrub").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    drawn(page)
    assert [" ".join(text.split()) for text in steps(page)] == [
        "Split",
        "Join",
        "Part created started",
    ]
    page.keyboard.press("ArrowLeft")
    drawn(page)
    assert [" ".join(text.split()) for text in steps(page)] == [
        "Split created started",
        "Join created",
    ]
    page.get_by_label("Close", exact=True).click()
    page.locator("[data-session=crew]").wait_for()
    assert page.get_by_label("Search").input_value() == "crew"


def test_no_sessions_and_no_such_session_say_what_to_do(alone: tuple[Served, Any]) -> None:
    served, page = alone
    page.goto("/")
    page.get_by_text("todowright install claude").wait_for()
    page.goto("/#/nobody")
    page.get_by_role("heading", name="There is no session of this name").wait_for()
    served.todo("first")({"steps": ["Begin"]}, tool="plan")
    page.goto("/#/")
    page.locator("[data-session=first]").wait_for()
    drawn(page)
    assert page.locator(".welcome").count() == 0


def test_a_long_plan_is_searched_and_what_is_done_hidden(page: Any, server: Served) -> None:
    todo = server.todo("lengthy")
    todo({"steps": [f"Step {n}" for n in range(1, 31)]}, tool="plan")
    todo({"step": list(range(1, 21))}, tool="done")
    page.goto("/#/lengthy")
    page.get_by_role("button", name="Hide what is done").click()
    until(page, "document.querySelectorAll('section > .plan li.step').length === 10")
    page.get_by_label("Find a step").fill("step 29")
    until(page, "document.querySelectorAll('section > .plan li.step').length === 1")


def test_the_slider_shows_what_it_is_drawn_over(page: Any, server: Served) -> None:
    todo = server.todo("dragged")
    todo({"steps": ["One", "Two", "Three"]}, tool="plan")
    for step in (1, 2, 3):
        todo({"step": step}, tool="done")
    page.goto("/#/dragged")
    until(page, "document.querySelector('#scrub')?.dataset.count === '4'")
    drawn(page)
    box = page.locator("#scrub").bounding_box()
    page.mouse.move(box["x"] + box["width"] - 4, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 2, box["y"] + box["height"] / 2, steps=5)
    kept(page, lambda: "revision 1 of main" in said(page))
    page.locator(".facts", has_text="0/3").wait_for()
    assert page.locator("#scrub").bounding_box() == box
    page.mouse.up()


def test_typing_goes_on_whatever_comes_and_goes_around_it(page: Any, server: Served) -> None:
    todo = server.todo("around")
    todo({"steps": ["One", "Two", "Three"]}, tool="plan")
    todo({"steps": ["A step that goes"]}, tool="add")
    for n in range(1, 4):
        server.todo("around", f"main/w{n}")({"steps": ["Part"]}, tool="plan")
    page.goto("/#/around")
    page.get_by_role("button", name="Add a step: main/w2").click()
    field = page.get_by_label("A new step of main/w2")
    field.click()
    page.keyboard.type("Buy ")
    server.todo("around", "main/w4")({"steps": ["Part"]}, tool="plan")
    page.locator(".who", has_text="w4").first.wait_for()
    todo({"steps": ["A step that goes"]}, tool="drop")
    page.locator("li.cancelled", has_text="A step that goes").wait_for()
    page.keyboard.type("jxmilk")
    assert field.input_value() == "Buy jxmilk"
    kept(
        page,
        lambda: [step.status for step in todo.plan.todos] == ["in_progress", "pending", "pending"],
    )


def test_words_for_a_step_that_goes_meanwhile_are_kept(page: Any, server: Served) -> None:
    todo = server.todo("vanishing")
    todo({"steps": ["One", "Two", "Three"]}, tool="plan")
    page.goto("/#/vanishing")
    page.get_by_role("button", name="Reword: Three").click()
    page.get_by_label("New words").fill("Three, with")
    todo({"steps": [3]}, tool="drop")
    page.get_by_text("This step is gone: main took it off while you were typing").wait_for()
    page.keyboard.type(" jackets")
    assert page.get_by_label("New words").input_value() == "Three, with jackets"
    kept(page, lambda: [step.status for step in todo.plan.todos] == ["in_progress", "pending"])
    page.get_by_role("button", name="Add mine as a new step").click()
    page.locator("li.pending", has_text="Three, with jackets").wait_for()


def test_an_edit_of_a_step_that_is_not_what_was_seen_is_not_made(page: Any, server: Served) -> None:
    todo = server.todo("mistaken")
    todo({"steps": ["Keep", "Delete old logs"]}, tool="plan")
    page.goto("/#/mistaken")
    box = page.locator("li[data-number='2'] .mark").bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    todo({"step": 2, "text": "Delete the database"}, tool="change")
    page.wait_for_timeout(600)
    page.mouse.up()
    page.locator("#note", has_text="has changed meanwhile").wait_for()
    kept(page, lambda: todo.plan.todos[1].status == "pending")


def test_a_press_is_not_lost_when_the_step_that_had_the_focus_grows_small(
    page: Any, server: Served
) -> None:
    todo = server.todo("steady")
    todo({"steps": ["A long step " * 40, "Two", "Three"]}, tool="plan")
    page.goto("/#/steady")
    page.locator("li[data-number='2'] .mark").wait_for()
    page.locator("li[data-number='1'] .mark").focus()
    button = page.get_by_role("button", name="Reword: Three")
    box = button.bounding_box()
    page.mouse.move(box["x"] + 10, box["y"] + 10)
    page.mouse.down()
    drawn(page)
    assert button.bounding_box()["y"] == box["y"]
    page.mouse.up()
    page.get_by_label("New words").wait_for()
    until(page, "!document.querySelector('.steady')")
    assert page.locator("li[data-number='3']").bounding_box()["y"] < box["y"]


def test_a_frame_that_was_asked_for_before_a_press_waits_for_its_end(
    page: Any, server: Served
) -> None:
    todo = server.todo("frames")
    todo({"steps": ["One", "Two"]}, tool="plan")
    page.goto("/#/frames")
    page.locator("li[data-number='2'] .mark").hover()
    page.evaluate(
        "window.frames_ = []; window.asked = requestAnimationFrame;"
        "window.requestAnimationFrame = (call) => frames_.push(call); 0"
    )
    todo({"step": 1}, tool="done")
    until(page, "frames_.length > 0")
    page.mouse.down()
    page.evaluate("window.requestAnimationFrame = asked; frames_.forEach((call) => call(0))")
    assert page.locator("li[data-number='1'].in_progress").count() == 1
    page.mouse.up()
    page.locator("li[data-number='1'].completed").wait_for()


def test_a_new_step_is_added_once_and_the_next_may_be_typed_at_once(
    page: Any, server: Served
) -> None:
    todo = server.todo("slowly")
    todo({"steps": ["One"]}, tool="plan")
    page.goto("/#/slowly")

    def late(route: Any) -> None:
        page.wait_for_timeout(300)
        route.continue_()

    page.route("**/plans/**", late)
    page.get_by_label("A new step").click()
    page.keyboard.type("twice")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.keyboard.type("more")
    page.locator("li.step[data-number='2']", has_text="twice").wait_for()
    assert page.get_by_label("A new step").input_value() == "more"
    kept(page, lambda: [step.content for step in todo.plan.todos] == ["One", "twice"])


def test_a_press_without_an_end_does_not_stop_the_board(page: Any, server: Served) -> None:
    todo = server.todo("frozen")
    todo({"steps": ["One", "Two"]}, tool="plan")
    page.goto("/#/frozen")
    page.locator(".plan li.step").first.hover()
    page.mouse.down(button="right")
    todo({"step": 1}, tool="done")
    page.locator(".plan li.completed", has_text="One").wait_for()
    page.mouse.up(button="right")


def test_a_stream_that_is_refused_once_comes_back(page: Any, server: Served) -> None:
    todo = server.todo("proxied")
    todo({"steps": ["One", "Two"]}, tool="plan")
    page.route("**/api/events", lambda route: route.fulfill(status=503, body="no"), times=1)
    page.goto("/#/proxied")
    page.locator("#link.live").wait_for()
    todo({"step": 1}, tool="done")
    page.locator(".plan li.completed", has_text="One").wait_for()


def test_a_step_moves_past_what_is_shown(page: Any, server: Served) -> None:
    todo = server.todo("hidden-ones")
    todo({"steps": [f"S{n}" for n in range(1, 13)]}, tool="plan")
    todo({"step": [1, 2, 3, 5]}, tool="done")
    page.goto("/#/hidden-ones")
    page.get_by_role("button", name="Hide what is done").click()
    until(page, "document.querySelectorAll('section > .plan li.step').length === 8")
    page.get_by_role("button", name="Move up: S6").click()
    until(page, "document.querySelector('section > .plan li.step').dataset.number === '6'")
    kept(
        page,
        lambda: [step.id for step in todo.plan.todos][:6] == ["t1", "t2", "t3", "t6", "t4", "t5"],
    )
