"""The board, as a person sees it in a browser."""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.web.browser import drawn, kept, needed, said, steps, until
from tests.web.lively import Scene
from tests.web.serving import Served
from todowright import load_dialect
from todowright.dialects import Extra
from todowright.stores import open_store
from todowright.stores.usage import ModelRequest

pytestmark = needed


def test_a_write_appears_without_a_reload(page: Any, server: Served) -> None:
    todo = server.todo("live")
    todo({"steps": ["Read the code", "Fix it"]}, tool="plan")
    page.goto("/#/live")
    page.get_by_text("Fix it").first.wait_for()

    todo({"step": 1}, tool="done")

    page.locator(".plan li.completed", has_text="Read the code").wait_for()
    page.locator(".plan li.in_progress", has_text="Fix it").wait_for()
    page.goto("/#/")
    page.locator("[data-session=live] .now", has_text="Fix it").wait_for()
    todo({"step": 2}, tool="done")
    page.locator("[data-session=live].finished").wait_for()


def test_five_hundred_sessions_are_listed_and_filtered(page: Any, server: Served) -> None:
    for n in range(500):
        todo = server.todo(f"crowd-{n:03}")
        todo({"steps": [f"Task of {n}", "Then rest"]}, tool="plan")
        if n % 5 == 0:
            todo({"step": [1, 2]}, tool="done")

    page.goto("/")
    until(page, "document.querySelectorAll('[data-session^=crowd-]').length === 500")
    page.get_by_label("State").select_option("done_today")
    until(page, "document.querySelectorAll('[data-session^=crowd-]').length === 100")
    assert "state=done_today" in page.url
    page.get_by_label("State").select_option("")
    page.keyboard.press("/")
    page.keyboard.type("task of 321")
    until(page, "document.querySelectorAll('.rows > li').length === 1")
    page.locator(".rows .name", has_text="crowd-321").wait_for()
    page.locator(".rows mark", has_text="Task of 321").wait_for()  # why it was found
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="crowd-321").wait_for()


def test_history_is_scrubbed_with_what_each_revision_did(page: Any, server: Served) -> None:
    todo = server.todo("scrubbed")
    todo({"steps": ["One", "Two", "Three"]}, tool="plan")
    todo({"step": 1}, tool="done")
    todo.cancel(3)
    todo({"steps": [3]}, tool="drop")
    todo({"now": 1}, tool="plan")
    page.goto("/#/scrubbed")
    until(page, "document.querySelector('#scrub')?.dataset.count === '5'")
    assert steps(page) == ["One", "Two"]
    assert (
        page.locator("li.removed .what").inner_text() == "Three"
    )  # it was cancelled before: not dropped

    seen = []
    slider = page.locator("#scrub")
    slider.focus()
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
        drawn(page)
        seen.append([" ".join(text.split()) for text in steps(page)])

    assert seen[0] == ["One", "Two", "Three removed"]
    assert seen[1] == ["One", "Two", "Three cancelled"]
    assert seen[2] == ["One completed", "Two started", "Three"]
    assert seen[3] == ["One created started", "Two created", "Three created"]
    page.get_by_role("button", name="Back to now").click()
    drawn(page)
    until(page, "document.querySelectorAll('li.step .acts').length === 2")


def test_revisions_of_one_millisecond_are_told_apart(page: Any, server: Served) -> None:
    store = open_store(server.url_of_store)
    last = datetime.now(UTC).replace(microsecond=500_900) - timedelta(minutes=1)
    states = ("npp", "dnp", "dnc", "dn ")
    ago = [(200e-6 / 60 * (len(states) - at), letters) for at, letters in enumerate(states, 1)]
    Scene(store, last).agent("in-a-millisecond", ["One", "Two", "Three"], ago)
    store.close()
    page.goto("/#/in-a-millisecond")
    until(page, f"document.querySelector('#scrub')?.dataset.count === '{len(states)}'")
    page.locator("#scrub").focus()
    seen = []
    for _ in states[1:]:
        page.keyboard.press("ArrowLeft")
        drawn(page)
        seen.append([" ".join(text.split()) for text in steps(page)])
    assert seen == [
        ["One", "Two", "Three cancelled"],
        ["One completed", "Two started", "Three"],
        ["One created started", "Two created", "Three created"],
    ]


def test_a_person_ticks_rewords_adds_moves_and_cancels(page: Any, server: Served) -> None:
    todo = server.todo("edited-by-hand")
    todo({"steps": ["One", "Two", "Three"]}, tool="plan")
    page.goto("/#/edited-by-hand")
    page.locator(".plan li.step").nth(2).wait_for()

    page.get_by_role("checkbox", name="One (in progress)").click()
    page.locator(".plan li.completed", has_text="One").wait_for()
    page.get_by_role("button", name="Reword: Two").click()
    page.get_by_label("New words").fill("Two, but better")
    page.keyboard.press("Enter")
    page.get_by_label("New words").wait_for(state="detached")
    page.get_by_text("Two, but better").first.wait_for()
    page.keyboard.press("n")
    page.keyboard.type("Four")
    page.keyboard.press("Enter")
    page.locator(".plan li.step", has_text="Four").wait_for()
    page.get_by_role("button", name="Move up: Four").click()
    until(page, "document.querySelectorAll('.plan li .what')[2].textContent.includes('Four')")
    page.get_by_role("button", name="Cancel: Three").click()
    page.locator(".plan li.cancelled", has_text="Three").wait_for()

    kept(
        page,
        lambda: (
            [step.content for step in todo.plan.todos]
            == ["One", "Two, but better", "Four", "Three"]
        ),
    )
    kept(
        page,
        lambda: (
            [step.status for step in todo.plan.todos]
            == [
                "completed",
                "pending",
                "pending",
                "cancelled",
            ]
        ),
    )


def test_what_is_being_typed_outlives_an_update(page: Any, server: Served) -> None:
    todo = server.todo("typed")
    todo({"steps": ["One", "Two", "Three"]}, tool="plan")
    page.goto("/#/typed")
    page.get_by_role("button", name="Reword: Three").click()
    page.get_by_label("New words").fill("Three, and a h")
    todo({"step": 1}, tool="done")
    page.locator(".plan li.completed", has_text="One").wait_for()
    page.wait_for_timeout(400)
    page.keyboard.type("alf")
    page.keyboard.press("Enter")
    page.locator(".plan li.step", has_text="Three, and a half").wait_for()
    kept(page, lambda: todo.plan.todos[2].content == "Three, and a half")
    page.get_by_label("A new step").fill("Fo")
    todo({"step": 2}, tool="done")
    page.locator(".plan li.completed", has_text="Two").wait_for()
    page.keyboard.type("ur")
    page.keyboard.press("Enter")
    page.locator(".plan li.step", has_text="Four").wait_for()


def test_steps_of_two_agents_with_the_same_id_are_told_apart(page: Any, server: Served) -> None:
    main, sub = server.todo("twins"), server.todo("twins", "main/sub-1")
    main({"steps": ["Of the parent"]}, tool="plan")
    sub({"steps": ["Of the child"]}, tool="plan")
    page.goto("/#/twins")
    page.get_by_role("button", name="Reword: Of the parent").click()
    page.get_by_label("New words").fill("Of the parent, anew")
    page.keyboard.press("Enter")
    page.locator(".plan li.step", has_text="Of the parent, anew").wait_for()
    kept(page, lambda: sub.plan.todos[0].content == "Of the child")
    server_store = main.store
    server_store.forget("twins", "main/sub-1")
    main({"step": 1}, tool="done")
    until(page, "document.querySelectorAll('.sub').length === 0")


def test_a_new_step_finds_its_place_on_a_plan_that_has_moved(page: Any, server: Served) -> None:
    todo = server.todo("moved")
    todo({"steps": ["One", "Two"]}, tool="plan")
    page.goto("/#/moved")
    page.get_by_label("A new step").fill("Three")
    page.route("**/api/events", lambda route: route.abort())
    page.evaluate("() => { window.stop(); }")
    todo({"step": 1}, tool="done")
    page.keyboard.press("Enter")
    page.locator(
        ".plan li.step", has_text="Three"
    ).wait_for()  # at once, though it may have to wait
    page.unroute("**/api/events")
    deadline = time.monotonic() + 60
    while [step.content for step in todo.plan.todos] != ["One", "Two", "Three"]:
        assert time.monotonic() < deadline
        page.wait_for_timeout(50)


def test_keys_reach_every_part_and_focus_is_not_lost(page: Any, server: Served) -> None:
    todo = server.todo("keys")
    todo({"steps": ["One", "Two", "Three"]}, tool="plan")
    page.goto("/#/keys")
    page.locator(".plan li.step").nth(2).wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the link that skips to the plans
    assert page.evaluate("document.activeElement.id") == "main"
    assert page.get_by_role("heading", name="keys").count() == 1
    page.get_by_role("button", name="Move up: Two").focus()
    page.keyboard.press("Space")
    until(page, "document.querySelector('.plan li .what').textContent === 'Two'")
    assert page.evaluate("document.activeElement.closest('li')?.dataset.number") == "2"
    page.keyboard.press("Enter")  # on its mark: the button does what it says
    page.locator(".plan li.completed", has_text="Two").wait_for()
    page.keyboard.press("e")
    page.get_by_label("New words").fill("Two, anew")
    page.keyboard.press("Enter")
    page.locator(".plan li.step", has_text="Two, anew").wait_for()
    page.locator("#scrub").wait_for()
    page.locator("#scrub").focus()
    todo({"step": 1}, tool="done")
    page.locator(".plan li.completed", has_text="One").wait_for()
    page.wait_for_timeout(500)
    assert page.evaluate("document.activeElement.id") == "scrub"


def test_looking_back_stays_while_the_plan_moves_on_and_now_is_now(
    page: Any, server: Served
) -> None:
    todo = server.todo("back")
    todo({"steps": [f"Step {n}" for n in range(1, 9)]}, tool="plan")
    todo({"step": 1}, tool="done")
    page.goto("/#/back")
    page.locator("#scrub").wait_for()
    until(page, "document.querySelector('#scrub')?.dataset.count === '2'")
    page.locator("#scrub").focus()
    page.keyboard.press("ArrowLeft")
    for step in range(2, 6):
        todo({"step": step}, tool="done")
    until(page, "document.querySelector('#scrub')?.dataset.count === '6'")
    assert page.locator(".plan li.completed").count() == 0
    page.get_by_role("button", name="Back to now").click()
    until(page, "document.querySelectorAll('.plan li.completed').length === 5")
    assert "revision 6" in said(page)


def test_a_newcomer_sees_a_plan_move_at_once(chromium: Any, tmp_path: Path) -> None:
    served = Served(tmp_path, "--demo")
    page = served.show(chromium)
    try:
        page.goto("/")
        page.locator("[data-session=demo] .now", has_text="See what fails").wait_for()
        page.locator("[data-session=demo] .now", has_text="Fix the discount").wait_for()
    finally:
        page.close()
        served.stop()


def test_what_a_dialect_keeps_beside_a_step_is_a_chip_behind_it(page: Any, server: Served) -> None:
    todo = server.todo("chips", dialect=replace(load_dialect("lean"), extras=(Extra("owner"),)))
    todo.add("Paint", owner="<b>Ann</b>" + "x" * 500)
    todo.add("Sand")
    page.goto("/#/chips")
    chips = page.locator(".plan li .extra")
    chips.first.wait_for()
    assert chips.count() == 1
    assert chips.first.inner_text().startswith("owner: <b>Ann</b>xxx")
    assert chips.first.bounding_box()["width"] < 300
    todo.update([{"id": "t1", "owner": "Bob"}])
    page.locator(".plan li.step", has_text="Paint").locator(
        ".extra", has_text="owner: Bob"
    ).wait_for()


def test_an_address_that_makes_no_sense_shows_all_plans(page: Any, server: Served) -> None:
    page.goto("/#/100%")
    page.get_by_label("Search").wait_for()


def test_an_edit_reaches_the_agents_next_reply(page: Any, server: Served) -> None:
    import anyio
    from mcp.client import Client

    replies: list[str] = []

    async def agent(ready: threading.Event, edited: threading.Event) -> None:
        async with Client(server.mcp("?session=shared"), mode="2026-07-28") as client:
            await client.call_tool("plan", {"steps": ["One", "Two"]})
            ready.set()
            await anyio.to_thread.run_sync(edited.wait, 20)
            result = await client.call_tool("done", {"step": 1})
            replies.append(result.content[0].text)  # type: ignore[union-attr]

    ready, edited = threading.Event(), threading.Event()
    thread = threading.Thread(target=lambda: anyio.run(agent, ready, edited))
    thread.start()
    assert ready.wait(20)
    page.goto("/#/shared")
    page.get_by_role("button", name="Reword: Two").click()
    page.get_by_label("New words").fill("Two and a half")
    page.keyboard.press("Enter")
    todo = server.todo("shared")
    kept(page, lambda: todo.plan.todos[1].content == "Two and a half")
    edited.set()
    thread.join(20)

    assert replies == [
        '1/2 done. Now: Two and a half. On the board, the user changed your plan: reworded 2. "Two and a half".'
    ]


def test_plans_of_sub_agents_stand_below_their_parents(page: Any, server: Served) -> None:
    server.todo("family")({"steps": ["The whole"]}, tool="plan")
    page.goto("/#/family")
    page.get_by_text("The whole").first.wait_for()
    server.todo("family", "main/step-1-abcd")({"steps": ["A part"]}, tool="plan")
    page.locator(".sub", has_text="A part").wait_for()


def test_what_requests_took_stands_quietly_beside_the_plan(page: Any, server: Served) -> None:
    todo = server.todo("spent")
    todo({"steps": ["One", "Two"]}, tool="plan")
    page.goto("/#/spent")
    page.get_by_text("Two").first.wait_for()
    assert page.locator(".used").count() == 0
    given = [("opus", 12_000, 0.075), ("<b>haiku", 300, None)]
    todo.store.count_requests(
        ModelRequest(session="spent", agent="main", model=model, input=n, output=2050, cost=cost)
        for model, n, cost in given
    )

    todo({"step": 1}, tool="done")

    page.locator(".facts .used", has_text="opus +1 · 12.3k in · 4.1k out · ≥ 0.07 $").wait_for()


def test_nothing_that_a_todo_says_can_run(page: Any, server: Served) -> None:
    hostile = (
        "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
    )
    todo = server.todo("hostile <b>name")
    todo({"steps": [hostile, "javascript:alert(1)"]}, tool="plan")
    page.goto("/")
    page.locator(".rows .name", has_text="hostile").click()
    page.locator(".plan li.step").first.wait_for()
    page.wait_for_timeout(300)
    assert steps(page)[0] == hostile
    assert "owned" not in page.title()
    assert page.locator(".plan img, main script").count() == 0


def test_a_server_that_comes_back_has_missed_nothing(chromium: Any, tmp_path: Path) -> None:
    served = Served(tmp_path)
    todo = served.todo("patient")
    todo({"steps": [f"Step {n}" for n in range(1, 6)]}, tool="plan")
    page = served.show(chromium)
    page.goto("/#/patient")
    page.get_by_text("Step 5").first.wait_for()
    served.stop()
    page.locator("#link.lost").wait_for()
    page.locator("#notice", has_text="Not connected").wait_for()
    todo({"step": [1, 2, 3]}, tool="done")

    again = Served(tmp_path, port=served.port)
    try:
        page.locator("#link.live").wait_for(timeout=15_000)
        until(page, "document.querySelectorAll('.plan li.completed').length === 3")
        todo({"step": 4}, tool="done")
        until(page, "document.querySelectorAll('.plan li.completed').length === 4")
    finally:
        page.close()
        again.stop()


@pytest.mark.parametrize("where", ["/", "/#/axe"])
@pytest.mark.parametrize(
    ("width", "theme"),
    [
        (1100, "light"),
        (360, "dark"),
        pytest.param(1100, "dark", marks=pytest.mark.soak),
        pytest.param(360, "light", marks=pytest.mark.soak),
    ],
)
def test_axe_finds_nothing_to_complain_of(
    page: Any, server: Served, where: str, width: int, theme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    todo = server.todo("axe")
    if not todo.plan.todos:
        todo({"steps": ["One", "Two", "Three", "Four"]}, tool="plan")
        todo({"step": 1}, tool="done")
        todo.cancel(4)
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": width, "height": 740})
    page.goto(where)
    page.get_by_text("axe" if where == "/" else "Three").first.wait_for()
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    wide = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert wide <= 0


def test_every_write_is_seen_with_a_hundred_streams_open(page: Any, server: Served) -> None:
    """How soon it is seen, `bench.board` measures."""
    with ExitStack() as open_streams:
        for _ in range(100):
            http = open_streams.enter_context(server.client())
            open_streams.enter_context(http.stream("GET", "/api/events"))
        todo = server.todo("quick")
        todo({"steps": [f"Step {n}" for n in range(1, 11)]}, tool="plan")
        page.goto("/#/quick")
        page.get_by_text("Step 10").first.wait_for()
        for step in range(1, 11):
            todo({"step": step}, tool="done")
            until(page, f"document.querySelectorAll('.plan li.completed').length === {step}")
