"""The widget in a scripted host: long plans fold, a person edits, one copy of a plan is live."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.web.browser import kept, needed
from tests.web.scripted_host import ScriptedHost
from todowright.plan.model import Plan, Todo

pytestmark = [needed, pytest.mark.slow]
Opened = Callable[..., ScriptedHost]
LONG = [f"Step {n}" for n in range(1, 31)]


@pytest.fixture
def host(chromium: Any) -> Iterator[Opened]:
    """Makes scripted hosts; whatever their console complains of fails the test."""
    made: list[ScriptedHost] = []

    def make(**settings: Any) -> ScriptedHost:
        made.append(ScriptedHost(chromium, **settings))
        return made[-1]

    yield make
    for each in made:
        each.close()


def lines(frame: Any) -> list[str]:
    return [str(text) for text in frame.locator("li").all_inner_texts()]


def texts(chat: ScriptedHost) -> list[str]:
    return [todo.content for todo in chat.store.load("chat", "main").todos]


def open_texts(chat: ScriptedHost) -> list[str]:
    return [todo.content for todo in chat.store.load("chat", "main").open]


def moved(chat: ScriptedHost, done: int) -> None:
    for number in range(1, done + 1):
        assert not chat.server.todo("chat", "main")({"step": number}, tool="done").is_error


def test_a_long_plan_folds_to_what_is_on_and_next_and_a_key_opens_the_rest(host: Opened) -> None:
    chat = host()
    chat.call("plan", {"steps": LONG})
    moved(chat, 12)
    frame = chat.frame(1)
    frame.locator("li.in_progress", has_text="Step 13").wait_for()
    assert lines(frame) == ["11 done", *LONG[11:16], "14 to do"]
    folds = frame.locator(".fold")
    assert [each.get_attribute("aria-expanded") for each in folds.all()] == ["false", "false"]
    folds.first.focus()
    chat.page.keyboard.press("Enter")
    assert lines(frame) == ["11 done", *LONG[:16], "14 to do"]
    assert folds.first.get_attribute("aria-expanded") == "true"
    assert frame.locator(".fold:focus").count() == 1
    chat.page.keyboard.press("Enter")
    assert lines(frame) == ["11 done", *LONG[11:16], "14 to do"]


def test_a_plan_of_ten_thousand_steps_is_a_few_lines(host: Opened) -> None:
    chat = host()
    todos = tuple(Todo(f"Step {n}", id=f"t{n}", number=n) for n in range(1, 10_001))
    chat.store.save(Plan("chat", "main", 1, todos, issued=10_000, dialect="lean"))
    chat.call("plan", {})
    frame = chat.frame(1)
    frame.get_by_text("9997 to do").wait_for()
    assert frame.locator("li").count() == 4


def test_a_person_ticks_rewords_adds_and_drops_and_the_agent_hears_of_it(host: Opened) -> None:
    chat = host()
    chat.call("plan", {"steps": ["One", "Two", "Three", "Four"]})
    frame, page = chat.frame(1), chat.page
    frame.get_by_role("checkbox", name="One (in progress)").click()
    frame.get_by_role("checkbox", name="One (done)").wait_for()
    frame.get_by_text("Two", exact=True).hover()
    frame.get_by_role("button", name="Reword: Two").click()
    page.keyboard.type("Two, in other words")
    page.keyboard.press("Enter")
    frame.get_by_text("Two, in other words", exact=True).wait_for()
    frame.get_by_text("Four", exact=True).hover()
    frame.get_by_role("button", name="Drop: Four").click()
    kept(page, lambda: "Four" not in open_texts(chat))
    frame.get_by_role("button", name="Add a step").click()
    page.keyboard.type("Five")
    page.keyboard.press("Enter")
    kept(page, lambda: open_texts(chat) == ["Two, in other words", "Three", "Five"])
    plan = chat.store.load("chat", "main")
    assert plan.by.kind == "person"
    assert plan.todos[0].status == "completed"
    told = chat.call("done", {"step": 2})["content"][0]["text"]
    assert "On the board, the user" in told
    assert "Five" in told


def test_nothing_moves_under_a_press_and_what_is_typed_at_once_is_not_lost(host: Opened) -> None:
    chat = host()
    chat.call("plan", {"steps": ["One", "Two", "Three"]})
    frame, page = chat.frame(1), chat.page
    add = frame.get_by_role("button", name="Add a step")
    frame.get_by_text("Three", exact=True).hover()
    add.hover()
    page.mouse.down()
    frame.get_by_role("button", name="Drop: Three").evaluate("it => it.click()")
    kept(page, lambda: open_texts(chat) == ["One", "Two"])
    page.wait_for_timeout(500)
    assert frame.get_by_text("Three", exact=True).locator("..").get_attribute("class") == "pending"
    page.mouse.up()
    page.keyboard.type("Four")
    page.keyboard.press("Enter")
    kept(page, lambda: open_texts(chat) == ["One", "Two", "Four"])
    frame.locator("li.cancelled", has_text="Three").wait_for()


def test_what_was_dropped_by_a_slip_comes_back(host: Opened) -> None:
    chat = host()
    chat.call("plan", {"steps": ["One", "Two", "Three"]})
    frame = chat.frame(1)
    frame.get_by_text("Two", exact=True).hover()
    frame.get_by_role("button", name="Drop: Two").click()
    kept(chat.page, lambda: open_texts(chat) == ["One", "Three"])
    frame.get_by_role("button", name="Undo").click()
    kept(chat.page, lambda: open_texts(chat) == ["One", "Two", "Three"])


def test_the_keyboard_alone_does_all_of_it(host: Opened) -> None:
    chat = host()
    chat.call("plan", {"steps": ["One", "Two", "Three"]})
    frame, keys = chat.frame(1), chat.page.keyboard
    frame.get_by_role("checkbox", name="One (in progress)").focus()
    keys.press("Space")
    frame.get_by_role("checkbox", name="One (done)").wait_for()
    keys.press("ArrowDown")
    keys.press("e")
    frame.get_by_label("New words").wait_for()
    keys.type("Zwei")
    keys.press("Enter")
    kept(chat.page, lambda: texts(chat)[1] == "Zwei")
    frame.locator(":focus").wait_for(state="attached")
    keys.press("ArrowDown")
    keys.press("Delete")
    kept(chat.page, lambda: open_texts(chat) == ["Zwei"])
    frame.get_by_role("checkbox", name="Zwei").focus()
    keys.press("n")
    frame.get_by_label("A new step").wait_for()
    keys.type("Drei")
    keys.press("Enter")
    kept(chat.page, lambda: open_texts(chat) == ["Zwei", "Drei"])


def test_where_the_host_lets_an_app_call_nothing_there_are_no_controls(host: Opened) -> None:
    chat = host(lets=False)
    chat.call("plan", {"steps": LONG})
    frame = chat.frame(1)
    frame.get_by_text("Step 1", exact=True).wait_for()
    assert lines(frame) == [*LONG[:3], "27 to do"]
    assert frame.get_by_role("checkbox").count() == 0
    assert frame.locator("button").all_inner_texts() == ["27 to do"]
    odd = [{"content": "Odd", "status": "constructor"}, {"content": {}}, None, "<b>Words</b>"]
    chat.carry({"todos": odd}, {"content": []})
    chat.frame(2).get_by_text("<b>Words</b>").wait_for()
    assert chat.frame(2).locator("li.pending").count() == 4


def test_a_clash_is_one_line_and_what_was_typed_stays(host: Opened) -> None:
    chat = host()
    chat.call("plan", {"steps": ["One", "Two"]})
    frame, page = chat.frame(1), chat.page
    frame.get_by_role("checkbox", name="Two").focus()
    page.keyboard.press("e")
    field = frame.get_by_label("New words")
    field.fill("Mine")
    chat.call("change", {"step": 2, "text": "The agent's"})
    field.press("Enter")
    frame.locator("#note", has_text="Meanwhile the agent made it “The agent's”").wait_for()
    assert field.input_value() == "Mine"
    assert texts(chat) == ["One", "The agent's"]
    field.press("Enter")
    kept(page, lambda: texts(chat) == ["One", "Mine"])


def test_an_edit_goes_through_where_the_agent_only_moved_on(host: Opened) -> None:
    chat = host()
    chat.call("plan", {"steps": ["One", "Two"]})
    frame = chat.frame(1)
    frame.get_by_role("checkbox", name="Two").focus()
    chat.page.keyboard.press("e")
    frame.get_by_label("New words").fill("Mine")
    moved(chat, 1)
    frame.get_by_label("New words").press("Enter")
    kept(chat.page, lambda: texts(chat) == ["One", "Mine"])
    assert [todo.status for todo in chat.store.load("chat", "main").todos] == [
        "completed",
        "in_progress",
    ]


def test_words_for_a_step_that_is_gone_become_a_new_one(host: Opened) -> None:
    chat = host()
    chat.call("plan", {"steps": ["One", "Two", "Three"]})
    frame = chat.frame(1)
    frame.get_by_role("checkbox", name="Two").focus()
    chat.page.keyboard.press("e")
    frame.get_by_label("New words").fill("Mine")
    chat.call("drop", {"steps": [2]})
    frame.get_by_label("New words").press("Enter")
    frame.locator("#note", has_text="The agent took “Two” off meanwhile").wait_for()
    frame.get_by_label("A new step").press("Enter")
    kept(chat.page, lambda: texts(chat) == ["One", "Three", "Mine"])


def test_an_edit_that_the_host_refuses_is_one_line_and_changes_nothing(host: Opened) -> None:
    chat = host()
    chat.call("plan", {"steps": ["One", "Two"]})
    frame = chat.frame(1)
    box = frame.get_by_role("checkbox", name="One")
    box.wait_for()
    chat.set(cut=True)
    box.click()
    frame.locator("#note", has_text="The host did not let the widget change the plan").wait_for()
    assert chat.store.load("chat", "main").revision == 1


def test_of_ten_calls_the_last_is_live_and_the_others_are_one_line(host: Opened) -> None:
    chat = host()
    for number in range(10):
        chat.call("plan", {"steps": ["One", "Two", *[f"More {n}" for n in range(number)]]})
    for number in range(1, 10):
        old = chat.frame(number)
        old.get_by_role("button", name="An earlier copy of this plan: show").wait_for()
        assert old.locator("li").count() == 0
    assert lines(chat.frame(10)) == ["One", "Two", "More 0", "More 1", "7 to do"]
    first = chat.frame(1)
    first.get_by_role("button").click()
    first.locator("li", has_text="More 0").wait_for()
    first.get_by_role("button", name="An earlier copy of this plan: hide").click()
    assert first.locator("li").count() == 0


def test_frames_of_one_origin_tell_each_other_at_once(host: Opened) -> None:
    chat = host(shared=True)
    chat.call("plan", {"steps": ["One", "Two"]})
    chat.frame(1).locator("li").first.wait_for()
    chat.page.wait_for_timeout(200)
    chat.set(cut=True)  # nobody learns anything from the server
    chat.call("plan", {"steps": ["One", "Two"]})
    chat.frame(1).get_by_role("button", name="An earlier copy of this plan: show").wait_for()
    assert chat.frame(2).get_by_text("An earlier copy").count() == 0


def test_a_chat_that_is_opened_again_beside_a_new_server_has_one_live_copy(host: Opened) -> None:
    before = host()
    results = [before.call("plan", {"steps": ["One", "Two"]}, carries=False) for _ in range(3)]
    before.restart()
    for each in results:
        before.carry({"steps": ["One", "Two"]}, each)
    for number in (1, 2):
        before.frame(number).get_by_role("button", name="An earlier copy").wait_for()
    assert lines(before.frame(3)) == ["One", "Two"]


def looks(chat: ScriptedHost) -> int:
    return chat.asked(tool="plan_view")


def pass_time(chat: ScriptedHost, *, minutes: float) -> None:
    """Half a minute at a time, with a moment to answer in."""
    for _ in range(int(minutes * 2)):
        chat.page.clock.fast_forward(30_500)
        chat.page.wait_for_timeout(15)


def test_it_stops_looking_when_nothing_moves_and_looks_again_when_asked(host: Opened) -> None:
    chat = host(clock=True)
    chat.call("plan", {"steps": ["One", "Two"]})
    frame = chat.frame(1)
    chat.page.clock.fast_forward(100)
    frame.get_by_role("checkbox", name="One").wait_for()
    pass_time(chat, minutes=20)
    frame.get_by_text("As of").wait_for()
    before = looks(chat)
    assert 5 < before < 30
    pass_time(chat, minutes=5)
    assert looks(chat) == before
    frame.get_by_role("button", name="Look again").click()
    chat.page.clock.fast_forward(100)
    frame.get_by_text("As of").wait_for(state="detached")
    assert looks(chat) > before


def test_when_the_server_cannot_be_asked_it_says_as_of_when_and_finds_it_again(
    host: Opened,
) -> None:
    chat = host(clock=True)
    chat.call("plan", {"steps": ["One", "Two"]})
    frame = chat.frame(1)
    chat.page.clock.fast_forward(100)
    frame.get_by_role("checkbox", name="One").wait_for()
    chat.set(cut=True)
    pass_time(chat, minutes=5)
    frame.get_by_text("As of").wait_for()
    moved(chat, 1)
    chat.set(cut=False)
    frame.get_by_role("button", name="Look again").click()
    chat.page.clock.fast_forward(100)
    frame.get_by_role("checkbox", name="One (done)").wait_for()


def test_it_does_not_look_while_nobody_sees_it(host: Opened) -> None:
    chat = host(clock=True)
    chat.call("plan", {"steps": ["One", "Two"]})
    chat.page.clock.fast_forward(100)
    chat.frame(1).get_by_role("checkbox", name="One").wait_for()
    chat.page.evaluate("document.querySelector('main').style.marginTop = '5000px'")
    chat.page.wait_for_timeout(300)
    pass_time(chat, minutes=1)
    before = looks(chat)
    pass_time(chat, minutes=5)
    assert looks(chat) == before
    moved(chat, 1)
    chat.page.evaluate("document.querySelector('main').style.marginTop = '0'")
    chat.page.wait_for_timeout(300)
    chat.page.clock.fast_forward(100)
    chat.frame(1).get_by_role("checkbox", name="One (done)").wait_for()


def test_nothing_folds_under_the_pointer(host: Opened) -> None:
    chat = host()
    chat.call("plan", {"steps": LONG})
    frame = chat.frame(1)
    frame.get_by_text("Step 1", exact=True).hover()
    moved(chat, 4)
    frame.locator("li.in_progress", has_text="Step 5").wait_for()
    assert lines(frame)[:3] == LONG[:3]
    chat.page.mouse.move(3, 3)
    frame.get_by_text("3 done").wait_for()


@pytest.mark.parametrize(("theme", "width"), [("light", 560), ("dark", 390)])
def test_axe_finds_nothing_and_nothing_overflows(host: Opened, theme: str, width: int) -> None:
    from axe_playwright_python.sync_playwright import Axe

    chat = host(theme=theme, width=width, touch=width == 390)
    for _ in range(2):
        chat.call("plan", {"steps": [*LONG, "x" * 200]})
    moved(chat, 12)
    frame = chat.frame(2)
    frame.get_by_text("15 to do").click()
    frame.get_by_role("checkbox", name="Step 14").focus()
    chat.page.keyboard.press("Delete")
    frame.get_by_role("button", name="Undo").wait_for()
    frame.get_by_role("checkbox", name="Step 15").focus()
    chat.page.keyboard.press("e")
    frame.get_by_label("New words").wait_for()
    chat.frame(1).get_by_text("An earlier copy").wait_for()
    for each in chat.page.frames[1:]:
        each.evaluate("document.documentElement.style.background = 'Canvas'")  # the host's ground
        found: Any = Axe().run(each)
        bad = [(each["id"], each["nodes"]) for each in found.response["violations"]]
        assert bad == []
        assert each.evaluate("document.documentElement.scrollWidth <= innerWidth")
    small = chat.page.frames[2].evaluate(
        """[...document.querySelectorAll("button, input")].filter((each) => {
          const box = each.getBoundingClientRect(); return box.width && Math.min(box.width, box.height) < 24;
        }).map((each) => each.outerHTML)"""
    )
    assert small == []
