"""The board with sub-agents, other dialects, and a long history, in a real browser."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.support import call
from tests.web.browser import drawn, kept, needed, said, steps, until
from tests.web.serving import Served
from todowright.plan.model import MAIN, Plan, Todo
from todowright.stores import open_store

pytestmark = needed
FRESH = 1600
"""Milliseconds until what has just changed is not shown as fresh any more."""
START = datetime(2025, 1, 2, tzinfo=UTC)


def test_four_sub_agents_and_a_grandchild_stand_below_the_steps_they_serve(
    page: Any, server: Served
) -> None:
    main = server.todo("kin")
    main({"steps": ["Split", "Join"]}, tool="plan")
    children = [main.subagent(f"part{n}").__enter__() for n in range(3)]
    for child in children:
        child({"steps": [f"Work of {child.agent[-8:]}"]}, tool="plan")
    grand = children[0].subagent("deep").__enter__()
    grand({"steps": ["Dig"]}, tool="plan")
    loose = main.subagent("aside", serves=0).__enter__()
    loose({"steps": ["Watch"]}, tool="plan")

    page.goto("/#/kin")
    page.locator(".sub .who", has_text="aside").wait_for()

    assert page.locator(".sub > details > summary").evaluate_all(
        "all => all.map(each => each.title)"
    ) == [each.agent for each in (children[0], grand, *children[1:], loose)]
    assert page.locator(".sub .who").first.inner_text() == "part0"
    under = ".surface > .plan > li[data-number='1'] > .under"
    assert page.locator(f"{under} > .sub").count() == 3
    assert page.locator(f"{under} .sub .under .sub", has_text="Dig").is_visible()
    assert page.locator(".loose .sub", has_text="Watch").is_visible()
    page.keyboard.press("n")  # of the main plan, whoever stands above it
    assert page.evaluate("document.activeElement.dataset.agent") == "main"
    page.locator(".sub .sub .mark").click()
    page.locator(".sub .sub li.completed", has_text="Dig").wait_for()
    kept(page, lambda: grand.plan.finished)


def test_who_has_ended_is_one_quiet_line_and_many_are_folded(page: Any, server: Served) -> None:
    main = server.todo("endings")
    main({"steps": ["Split", "Join"]}, tool="plan")
    with main.subagent("task") as child:
        child({"steps": ["One", "Two", "Three"]}, tool="plan")
        page.goto("/#/endings")
        page.locator(".sub", has_text="Three").wait_for()
        child({"step": [1, 2, 3]}, tool="done")
    line = page.locator(".under p.ended")
    line.wait_for()
    assert " ".join(line.inner_text().split()) == "task ended: finished, 3 of 3 done"
    assert page.locator(".sub:not(.over)").count() == 0
    for _ in range(5):
        with main.subagent("task") as child:
            child({"steps": ["One"]}, tool="plan")
    page.locator("details.endings summary", has_text="6 sub-agents ended").wait_for()
    assert page.locator("p.ended").count() == 6
    assert not page.locator("p.ended").first.is_visible()
    page.goto("/#/")
    dots = page.locator("[data-session=endings] .dot")
    dots.first.wait_for()
    assert dots.count() == 1


def test_a_parent_that_ended_before_its_child_does_not_hide_it(page: Any, server: Served) -> None:
    main = server.todo("orphan")
    main({"steps": ["Split"]}, tool="plan")
    with main.subagent("parent") as parent:
        parent({"steps": ["Half"]}, tool="plan")
        parent.subagent("child").__enter__()({"steps": ["Still at it"]}, tool="plan")
    page.goto("/#/orphan")
    page.locator(".sub:not(.over)", has_text="Still at it").wait_for()
    assert "ended: unfinished" in page.locator("p.ended").inner_text()


def test_words_for_a_sub_agent_that_ends_meanwhile_are_told(page: Any, server: Served) -> None:
    main = server.todo("cut-short")
    main({"steps": ["Split"]}, tool="plan")
    with main.subagent("brief") as child:
        child({"steps": ["Part"]}, tool="plan")
        page.goto("/#/cut-short")
        page.get_by_role("button", name="Reword: Part").click()
        page.get_by_label("New words").fill("Part, with care")
    page.locator("#note", has_text="Your words were: Part, with care").wait_for()


@pytest.mark.parametrize("width", [1100, 360])
def test_axe_finds_nothing_to_complain_of_in_a_family(
    page: Any, server: Served, width: int
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    main = server.todo(f"axe-{width}")
    main({"steps": ["Split", "Join"]}, tool="plan")
    parent = main
    for _ in range(6):
        parent = parent.subagent("deeper").__enter__()
        parent({"steps": ["Read", "Change"]}, tool="plan")
    for _ in range(6):
        with main.subagent("brief") as child:
            child({"steps": ["Short"]}, tool="plan")
    page.set_viewport_size({"width": width, "height": 740})
    page.goto(f"/#/axe-{width}")
    page.locator("details.endings").wait_for()
    page.wait_for_timeout(FRESH)
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) <= 0
    outside = """[...document.querySelectorAll('input.add-step')].filter((each) =>
        each.getBoundingClientRect().right > each.form.getBoundingClientRect().right + 1).length"""
    assert page.evaluate(outside) == 0


def offered(page: Any, text: str) -> list[str]:
    """The names of the buttons of a step."""
    buttons = page.locator(".plan li.step", has_text=text).locator(".acts button")
    return [each.get_attribute("title") for each in buttons.all()]


def test_only_what_a_dialect_can_spell_is_offered(page: Any, server: Served) -> None:
    for dialect in ("lean", "checklist", "twostate"):
        todo = server.todo(f"in-{dialect}", dialect=dialect)
        if dialect == "lean":
            todo({"steps": ["One", "Two"]}, tool="plan")
        else:
            todo(call(dialect, "One", "Two"))
    moves = ["Move up", "Move down"]
    for dialect, wanted in {
        "lean": ["Reword", "Work on this", *moves, "Cancel"],
        "checklist": ["Reword", "Work on this", *moves, "Remove"],
        "twostate": ["Reword", *moves, "Remove"],
    }.items():
        page.goto(f"/#/in-{dialect}")
        page.locator(".plan li.step", has_text="Two").wait_for()
        assert offered(page, "Two") == wanted

    page.get_by_role("checkbox", name="One (to do)").click()
    page.locator(".plan li.completed", has_text="One").wait_for()
    assert offered(page, "One") == ["Reword", *moves]  # it is done: nothing is left to let go of
    page.get_by_role("button", name="Remove: Two").click()
    until(page, "document.querySelectorAll('li.step:not(.dropped)').length === 1")
    page.locator("li.dropped", has_text="Two").wait_for()


def test_the_words_of_a_refusal_are_shown(page: Any, server: Served) -> None:
    todo = server.todo("full", dialect="checklist")
    todo(call("checklist", *[f"Step {n}" for n in range(20)]))
    page.goto("/#/full")
    page.get_by_label("A new step").fill("One too many")
    page.keyboard.press("Enter")
    page.locator("#note", has_text="Max 20 todos allowed").wait_for()
    assert page.get_by_label("A new step").input_value() == "One too many"


def test_who_made_a_revision_is_told(page: Any, server: Served) -> None:
    server.todo("signed")({"steps": ["One", "Two"]}, tool="plan")
    for revision, name in ((1, ""), (2, "Ada")):
        answer = server.http.patch(
            "/api/sessions/signed/plans/main",
            json={"edits": [{"do": "complete", "step": revision}]},
            headers={"if-match": f'"{revision}"', "x-todowright-name": name},
        )
        assert answer.status_code == 200
    page.goto("/#/signed")
    until(page, "document.querySelector('#scrub')?.dataset.count === '3'")
    assert "revision 3 of main: Ada finished “Two”" in said(page)
    page.locator("#scrub").focus()
    page.keyboard.press("ArrowLeft")
    assert "revision 2 of main: you finished “One”" in said(page)
    page.keyboard.press("ArrowLeft")
    assert "revision 1 of main: main" in said(page)


def lengthy(server: Served, session: str, count: int) -> None:
    """A plan of many revisions, and a sub-agent's that is older than most of them."""
    store = open_store(server.url_of_store)
    part = (Todo("Part", "pending", "", "t1", 1),)
    store.save(Plan(session, "main/part", 1, part, "", START, 1, dialect="lean", serves=1))
    for revision in range(1, count + 1):
        todo = Todo(f"Version {revision}", "in_progress", "", "t1", 1)
        at = START + timedelta(seconds=revision)
        store.save(Plan(session, MAIN, revision, (todo,), "", at, 1, dialect="lean"))
    store.close()


def test_a_long_history_is_loaded_as_far_back_as_somebody_looks(page: Any, server: Served) -> None:
    lengthy(server, "annals", 450)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/#/annals")
    until(page, "document.querySelector('#scrub')?.dataset.count === '200'")
    assert "revision 450" in said(page)
    before = [url for url in asked if "before=" in url]
    assert before == []

    page.get_by_role("button", name="Earlier").click()
    until(page, "document.querySelector('#scrub')?.dataset.count === '400'")
    assert "revision 251 of main" in said(page)  # what is looked at stays
    assert page.url.endswith("rev=main.251")
    page.locator("#scrub").focus()
    page.keyboard.press("Home")
    until(page, "document.querySelector('#scrub')?.dataset.count === '451'")
    drawn(page)
    assert "revision 51 of main" in said(page)
    assert steps(page) == ["Version 51 reworded", "Part"]
    assert not page.get_by_role("button", name="Earlier").is_visible()
    page.keyboard.press("Home")
    drawn(page)
    assert "revision 1 of main/part" in said(page)
    assert len([url for url in asked if "before=" in url]) == 2


def test_what_comes_while_history_is_partly_loaded_is_added(page: Any, server: Served) -> None:
    lengthy(server, "growing", 250)
    page.goto("/#/growing")
    until(page, "document.querySelector('#scrub')?.dataset.count === '200'")
    server.todo("growing")({"steps": ["More"]}, tool="add")
    until(page, "document.querySelector('#scrub')?.dataset.count === '201'")
    assert "revision 251" in said(page)
