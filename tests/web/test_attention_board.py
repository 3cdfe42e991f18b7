"""The board one supervises from: who needs somebody, one surface of plan and time, edits one can trust."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from tests.web.browser import drawn, kept, needed, until
from tests.web.lively import Scene, deadlock, lively
from tests.web.serving import Served
from todowright.stores import open_store
from todowright.web.app import _FILES

pytestmark = needed
GROUPS = ("needs_you", "working", "abandoned", "done_today")


@pytest.fixture(scope="module")
def served(server: Served) -> Iterator[Served]:
    """The server, with sessions in every state."""
    store = open_store(server.url_of_store)
    lively(store)
    yield server
    store.close()


def rows(page: Any, group: str) -> list[str]:
    found = page.locator(f"[data-key={group}] li").evaluate_all(
        "all => all.map(each => each.dataset.session)"
    )
    return [str(each) for each in found]


def test_sessions_stand_by_who_needs_somebody_and_say_why(page: Any, served: Served) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto("/")
    page.locator("[data-session=checkout-deadlock] .now").wait_for()
    assert rows(page, "needs_you") == [
        "checkout-deadlock", "数据迁移-订单", "swarm-research", "auth-refactor", "ledger-reconciliation",
    ]  # fmt: skip
    assert "nightly-deps" in rows(page, "abandoned")
    assert "docs-site" in rows(page, "done_today")
    told = {
        name: page.locator(f"[data-session={name}] .now").inner_text()
        for name in ("checkout-deadlock", "auth-refactor", "ledger-reconciliation")
    }
    assert told["checkout-deadlock"] == (
        "test-writer is stuck: Generate schedules that interleave two workers\n · 1 dropped by main"
    )
    assert told["auth-refactor"] == (
        "2 steps dropped by main: Add refresh tokens; Delete the cookie path"
    )
    assert told["ledger-reconciliation"].startswith("Your words were not kept: ")
    time = page.locator("[data-session=checkout-deadlock] .on").inner_text()
    assert time.startswith("33m / ")
    assert page.title().startswith("(5) ")
    page.get_by_role("button", name="Earlier").click()
    page.locator("[data-key=earlier] [data-session=last-week-1]").wait_for()


def test_nothing_moves_under_the_pointer_and_held_moves_are_told(page: Any, served: Served) -> None:
    movers = [served.todo(f"mover-{n}") for n in range(4)]
    for todo in movers:
        todo({"steps": ["One", "Two"]}, tool="plan")
    page.goto("/")
    page.locator("[data-session=mover-3] .now").wait_for()
    before = rows(page, "working")
    page.locator("[data-session=mover-2] a").hover()
    place = page.locator("[data-session=mover-2]").bounding_box()
    for todo in movers:
        todo({"step": [1, 2]}, tool="done")
    served.todo("newcomer")({"steps": ["One"]}, tool="plan")
    page.locator("[data-session=newcomer]").wait_for()
    until(page, "document.querySelectorAll('[data-key=working] li.finished').length === 4")
    assert rows(page, "working")[: len(before)] == before
    assert page.locator("[data-session=mover-2]").bounding_box() == place
    assert page.locator("[data-key=working] .held").inner_text() == "4 moves held"
    page.keyboard.press(".")
    page.locator("[data-key=done_today] [data-session=mover-2]").wait_for()
    assert page.locator(".held").count() == 0


def test_finished_work_is_never_struck_out_and_earlier_plans_are_chapters(
    page: Any, served: Served
) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto("/#/checkout-deadlock")
    chapters = page.locator("li.chapter .chap")
    chapters.nth(1).wait_for()
    assert chapters.all_inner_texts() == ["Plan 1 · 6/6 · 14 min", "Plan 2 · 4/4 · 9 min"]
    dropped = page.locator("li.dropped > .row .what")
    assert dropped.all_inner_texts() == ["Add a lock timeout to the orders table"]
    decoration = "each => getComputedStyle(each).textDecorationLine"
    assert dropped.locator(".t").evaluate(decoration) == "none"
    assert page.locator("li.completed .t, li.removed .t").evaluate_all(
        "all => all.every(each => getComputedStyle(each).textDecorationLine === 'none')"
    )
    page.get_by_role("button", name="Put back: Add a lock timeout").click()
    page.locator("li.pending", has_text="Add a lock timeout to the orders table").wait_for()
    until(page, "!document.querySelector('li.dropped')")


def test_a_stuck_agent_stands_first_and_the_headline_says_it(page: Any, served: Served) -> None:
    page.goto("/#/checkout-deadlock")
    cards = page.locator(".strip button")
    cards.first.wait_for()
    assert cards.first.inner_text().startswith("test-writer")
    assert "stuck 33 min" in cards.first.inner_text()
    assert "1 stuck 33 min" in page.locator(".facts").inner_text()
    assert page.locator("li.stuck .t").inner_text() == (
        "Generate schedules that interleave two workers"
    )
    assert page.locator("li.stuck .track .over").count() == 1
    cards.first.click()
    until(page, "location.hash.includes('agent=main/test-writer')")
    drawn(page)
    assert page.locator("li.step", has_text="Review the order").count() == 0


def test_the_axis_has_ticks_and_cuts_long_silences_out(page: Any, served: Served) -> None:
    page.goto("/#/checkout-deadlock")
    page.locator(".labels span:not(.gap)").nth(2).wait_for()
    page.locator(".labels .gap").nth(1).wait_for()  # earlier revisions come in pages

    def apart() -> bool:
        ticks = page.locator(".labels span:not(.gap)").evaluate_all(
            "all => all.map(each => each.getBoundingClientRect().x)"
        )
        return all(later - one >= 38 for one, later in pairwise(ticks))

    kept(page, apart)
    first = page.locator(
        ".labels span"
    ).first  # every part of the axis has a time, the earliest one too
    assert "gap" not in (first.get_attribute("class") or "")
    gaps = page.locator(".labels .gap").evaluate_all("all => all.map(each => each.title)")
    assert len(gaps) == 2
    assert gaps[0].endswith("without work, cut out")
    widths = page.locator(".marks .gap").evaluate_all(
        "all => all.map(each => each.offsetWidth / each.parentElement.offsetWidth)"
    )
    assert all(width < 0.08 for width in widths)


def test_every_part_of_the_axis_has_a_time_also_a_narrow_one(page: Any, served: Served) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto("/#/checkout-deadlock")
    page.locator(".labels .gap").nth(1).wait_for()
    kinds = """all => all.map(each => [each.getBoundingClientRect().x, each.className])
        .sort(([one], [other]) => one - other).map(([, kind]) => kind || "time")"""

    def between() -> list[str]:
        return re.findall("time|gap", " ".join(page.locator(".labels span").evaluate_all(kinds)))

    kept(page, lambda: between()[:5] == ["time", "gap", "time", "gap", "time"])


def test_a_conflict_of_very_long_wordings_does_not_hold_the_page_up(
    page: Any, served: Served
) -> None:
    todo = served.todo("long-words")
    todo({"steps": ["One", "Two"]}, tool="plan")
    page.goto("/#/long-words")
    page.get_by_role("button", name="Reword: Two").click()
    page.get_by_label("New words").fill("a b " * 450 + "mine")
    todo({"step": 2, "text": "a b " * 20_000 + "theirs"}, tool="change")
    page.wait_for_timeout(300)
    page.get_by_label("New words").press("Enter")
    page.locator(".clash").wait_for()
    assert page.locator(".clash ins").all_inner_texts() == ["mine", "theirs"]


def _another_deadlock(served: Served, session: str) -> None:
    store = open_store(served.url_of_store)
    deadlock(Scene(store), session)
    store.close()


def test_the_words_of_a_stuck_step_are_cut_last_on_a_phone(page: Any, served: Served) -> None:
    _another_deadlock(served, "on-a-phone")
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/")
    now = page.locator("[data-session=on-a-phone] .now")
    now.wait_for()
    assert now.evaluate("each => each.firstChild.clientWidth / each.clientWidth") > 0.65
    assert now.text_content() == (
        "test-writer is stuck: Generate schedules that interleave two workers · 1 dropped by main"
    )  # whoever hears it hears all of it


def test_what_stands_behind_a_step_has_the_room_of_a_time_that_there_is_not(
    page: Any, served: Served
) -> None:
    _another_deadlock(served, "in-little-room")
    page.goto("/#/in-little-room")
    page.locator("li.dropped .put").wait_for()
    right = "each => each.getBoundingClientRect().right"
    dropped = page.locator("li.dropped > .row > .text").first.evaluate(right)
    assert dropped > page.locator("li.stuck > .row > .text").first.evaluate(right) + 50


def test_step_revision_and_filters_have_addresses(page: Any, served: Served) -> None:
    page.goto("/#/checkout-deadlock?rev=main.17&agent=main")
    page.locator(".surface.past").wait_for()
    assert "Back to now" in page.locator(".livebtn").inner_text()
    page.keyboard.press("]")
    until(page, "/rev=main/.test(location.hash)")
    page.keyboard.press("Escape")
    until(page, "!location.hash.includes('rev=')")
    page.goto("/#/checkout-deadlock/t15")
    until(page, "document.activeElement?.closest('li.step')?.dataset.id === 't15'")
    page.goto("/#/?q=reference&state=needs_you")
    page.locator(".rows mark", has_text="reference").wait_for()
    assert rows(page, "needs_you") == ["ledger-reconciliation"]
    page.get_by_label("Search").fill("nothing like it")
    page.get_by_text("No session with words “nothing like it”").wait_for()
    page.get_by_role("button", name="Clear").click()
    page.locator("[data-session=flaky-tests]").wait_for()


def test_a_reword_merges_with_a_change_of_status_and_a_conflict_shows_both_texts(
    page: Any, served: Served
) -> None:
    todo = served.todo("reworded")
    todo({"steps": ["One", "Two", "Three"]}, tool="plan")
    page.goto("/#/reworded")
    page.get_by_role("button", name="Reword: Two").click()
    page.get_by_label("New words").fill("Two, mine")
    todo({"step": 1}, tool="done")  # only the status of Two changes: it is started
    page.locator("li.in_progress[data-number='2']").wait_for()
    page.get_by_label("New words").press("Enter")
    until(page, "!document.querySelector('#reword')")
    page.locator("li.in_progress .t", has_text="Two, mine").wait_for()
    page.get_by_role("button", name="Reword: Three").click()
    page.get_by_label("New words").fill("One and two and mine")
    todo({"step": 3, "text": "One and Three two theirs"}, tool="change")
    page.wait_for_timeout(300)
    page.get_by_label("New words").press("Enter")
    clash = page.locator(".clash")
    clash.wait_for()
    assert page.get_by_label("New words").input_value() == "One and two and mine"
    assert "One and Three two theirs" in clash.inner_text()
    assert clash.locator("ins").all_inner_texts() == ["and mine", "Three", "theirs"]
    page.get_by_role("button", name="Use mine").click()
    page.locator("li.step[data-number='3'] .t", has_text="One and two and mine").wait_for()
    until(page, "!document.querySelector('.clash')")
    page.locator("li.step .receipt", has_text="sent").first.wait_for()
    kept(
        page,
        lambda: (
            [step.content for step in todo.plan.todos]
            == ["One", "Two, mine", "One and two and mine"]
        ),
    )


def test_drafts_survive_escape_and_a_reload(page: Any, served: Served) -> None:
    served.todo("drafts")({"steps": ["One", "Two"]}, tool="plan")
    page.goto("/#/drafts")
    page.get_by_role("button", name="Reword: Two").click()
    page.get_by_label("New words").fill("Two, half writ")
    page.keyboard.press("Escape")
    page.get_by_label("A new step").fill("Thr")
    page.reload()
    page.locator("li.step").nth(1).wait_for()
    assert page.get_by_label("A new step").input_value() == "Thr"
    page.get_by_role("button", name="Reword: Two").click()
    assert page.get_by_label("New words").input_value() == "Two, half writ"


def test_an_edit_shows_at_once_has_receipts_and_can_be_undone(page: Any, served: Served) -> None:
    todo = served.todo("trusted")
    todo({"steps": ["One", "Two", "Three"]}, tool="plan")
    page.goto("/#/trusted")
    page.get_by_role("checkbox", name="Three (to do)").click()
    page.locator("#toast", has_text="Ticked “Three”").wait_for()
    receipt = page.locator("li[data-number='3'] .receipt")
    receipt.wait_for()
    until(page, "document.querySelectorAll('li[data-number=\"3\"] .receipt .ok').length === 1")
    todo({"step": 1}, tool="done")  # the agent hears of it, and keeps it
    until(page, "document.querySelectorAll('li[data-number=\"3\"] .receipt .ok').length === 3")
    kept(page, lambda: todo.plan.todos[2].status == "completed")
    page.keyboard.press("Control+z")
    page.locator("li.pending", has_text="Three").wait_for()
    until(page, "document.querySelector('#toast').textContent === ''")
    page.get_by_role("checkbox", name="Two (in progress)").click()
    page.locator("li[data-number='2'].completed").wait_for()
    until(page, "document.querySelectorAll('li[data-number=\"2\"] .receipt .ok').length === 1")
    todo({"now": 2}, tool="plan")
    page.locator("li[data-number='2'] .receipt.lost", has_text="main changed it back").wait_for()
    page.get_by_role("button", name="Put mine back").click()
    page.locator("li[data-number='2'].completed").wait_for()


def test_while_it_is_not_connected_the_page_says_so_and_edits_wait(
    page: Any, served: Served
) -> None:
    todo = served.todo("cut-off")
    todo({"steps": ["One", "Two"]}, tool="plan")
    page.goto("/#/cut-off")
    page.locator("#link.live").wait_for()
    page.locator("li.step").nth(1).wait_for()
    page.route("**/plans/**", lambda route: route.abort())
    page.get_by_role("checkbox", name="Two (to do)").click()
    page.locator(".receipt", has_text="sent when the link is back").wait_for()
    page.locator(
        ".facts", has_text="1/2"
    ).wait_for()  # it counts everywhere on the page, or nowhere
    kept(page, lambda: todo.plan.count("completed") == 0)
    page.unroute("**/plans/**")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # it connects anew
    until(page, "!document.querySelector('.receipt')?.textContent.includes('waiting')")
    page.locator("li.completed", has_text="Two").wait_for()
    until(page, "document.querySelectorAll('.receipt .ok').length === 1")
    kept(page, lambda: todo.plan.count("completed") == 1)


def test_the_palette_finds_what_was_dropped_too(page: Any, served: Served) -> None:
    todo = served.todo("let-go", dialect="twostate")
    todo({"todos": [{"content": "Feed the cat"}, {"content": "Paint the fence"}]})
    todo({"todos": [{"content": "Feed the cat"}]})
    page.goto("/")
    page.locator("[data-session=let-go]").wait_for()
    page.keyboard.press("Control+k")
    page.keyboard.type("the fence")
    found = page.locator("[aria-label=Steps] [role=option]", has_text="Paint the fence")
    found.locator("svg.g-dropped").wait_for()
    found.click()
    until(page, "document.activeElement?.closest('li.step.dropped') !== null")


def test_the_palette_finds_steps_of_all_sessions_by_keys_alone(page: Any, served: Served) -> None:
    page.goto("/")
    page.locator("[data-session=perf-budget]").wait_for()
    page.keyboard.press("Control+k")
    page.keyboard.type("checkout bundle")
    page.locator("[aria-label=Steps] mark", has_text="checkout bundle").wait_for()
    page.keyboard.press("Enter")
    until(page, "location.hash.startsWith('#/perf-budget')")
    until(page, "document.activeElement?.closest('li.step')?.textContent.includes('bundle')")
    ring = "getComputedStyle(document.activeElement.querySelector('.row')).outlineStyle"
    assert page.evaluate(ring) == "solid"


@pytest.mark.parametrize("where", ["/", "/#/checkout-deadlock", "/#/checkout-deadlock?rev=main.17"])
def test_a_phone_shows_all_of_it_without_scrolling_sideways(
    page: Any, served: Served, where: str
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(where)
    page.locator("li.step:visible, .rows li:visible").first.wait_for()
    drawn(page)
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) <= 0


def test_the_whole_page_is_small_on_the_wire(served: Served) -> None:
    size = written = 0
    for name in sorted(_FILES):
        answer = served.http.get(f"/{name}", headers={"accept-encoding": "gzip"})
        assert answer.status_code == 200
        size += int(answer.headers["content-length"])
        written += len(answer.content)
    assert size < 66_000, written
    assert written < 175_000


def test_what_was_looked_at_needs_nobody_any_more(page: Any, served: Served) -> None:
    store = open_store(served.url_of_store)
    Scene(store).agent("looked-at", ["Keep", "Lose"], [(3, "np"), (2, "n ")])
    store.close()
    page.goto("/")
    page.locator("[data-key=needs_you] [data-session=looked-at]").wait_for()
    page.goto("/#/looked-at")
    page.locator("li.dropped").wait_for()
    page.wait_for_timeout(2300)
    page.goto("/#/")
    page.locator("[data-key=working] [data-session=looked-at]").wait_for()
