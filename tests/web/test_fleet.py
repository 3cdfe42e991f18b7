"""The board of a list of tasks: who works on what, what is ready, what is blocked by whom."""

from __future__ import annotations

from typing import Any

from tests.requirements import requirement
from tests.web.browser import needed
from tests.web.serving import Served
from todowright.tasks import Claims

pytestmark = [needed, requirement("003-10")]


def test_the_board_shows_who_works_on_what_as_it_moves(page: Any, server: Served) -> None:
    todo = server.todo("fleet", dialect="tasks")
    for subject in ("Build", "Test", "Ship <b>it</b>"):
        todo({"subject": subject}, tool="TaskCreate")
    todo({"taskId": "3", "addBlockedBy": ["1"]}, tool="TaskUpdate")
    claims = Claims(todo.store, "fleet", lease=600)
    mine = claims.claim("ann")
    assert mine is not None
    page.goto("/#/fleet")
    page.locator(".fleet .working li", has_text="#1 Build ann, 9 min left").wait_for()
    page.locator(".fleet .ready li", has_text="#2 Test").wait_for()
    page.locator(".fleet .blocked li", has_text="#3 Ship <b>it</b> by #1 ann").wait_for()
    claims.finish(mine)
    page.locator(".fleet .ready li", has_text="#3 Ship").wait_for()
    assert page.locator(".fleet .working").count() == 0


def test_a_blocked_task_says_so_to_who_starts_it_on_the_board(page: Any, server: Served) -> None:
    todo = server.todo("held", dialect="tasks")
    for subject in ("Build", "Test"):
        todo({"subject": subject}, tool="TaskCreate")
    todo({"taskId": "2", "addBlockedBy": ["1"]}, tool="TaskUpdate")
    page.goto("/#/held")
    second = page.locator(".plan li[data-number='2']")
    second.wait_for()
    second.locator(".mark").click()
    page.get_by_text("task #2 is blocked by #1: finish that first").wait_for()
    assert [task.status for task in todo.plan.todos] == ["pending", "pending"]


def test_other_plans_have_no_such_list(page: Any, server: Served) -> None:
    todo = server.todo("alone")
    todo({"steps": ["One"]}, tool="plan")
    page.goto("/#/alone")
    page.locator(".plan li.step", has_text="One").wait_for()
    assert page.locator(".fleet section").count() == 0
