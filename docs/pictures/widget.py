"""The picture of the widget: a chat of the scripted host, with calls that carry it and a real server behind."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.web.browser import CHROMIUM, FLAGS
from tests.web.lively import Scene
from tests.web.scripted_host import ScriptedHost

HERE = Path(__file__).parent
STEPS = [
    "Read the failing tests", "Reproduce the deadlock with two workers", "Take the row locks in one fixed order",
    "Add a lock timeout to the orders table", "Prove the retry path with property tests", "Describe 409 in the schema",
    "Fix the flaky retry logic in the queue consumer", "更新接口文档和示例代码", "Document the new options",
    "Measure 10,000 checkouts before and after", "Ask for a review", "Tell the partners",
]  # fmt: skip


def widget(name: str) -> None:
    """Two calls of a chat: the first is superseded, in the last a person has dropped a step."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        chat = ScriptedHost(browser, width=560)
        for steps in (STEPS[:4], STEPS):
            chat.call("plan", {"steps": steps})
        todo = chat.server.todo("chat", "main")
        for number in range(1, 6):
            todo({"step": number}, tool="done")
        scene = Scene(chat.store)
        words = [
            "Collect the branches",
            "Generate schedules that interleave",
            "Shrink those that fail",
        ]
        scene.agent("chat", words, [(37, "npp"), (33, "dnp")], agent="main/test-writer")
        frame = chat.frame(2)
        frame.get_by_text("test-writer").wait_for()
        frame.get_by_role("checkbox", name=STEPS[8]).focus()
        chat.page.keyboard.press("Delete")
        frame.get_by_role("button", name="Undo").wait_for()
        frame.get_by_text(STEPS[6]).hover()
        frame.locator(":focus").blur()
        chat.frame(1).get_by_text("An earlier copy").wait_for()
        chat.page.wait_for_timeout(300)
        bottom = chat.page.evaluate("document.querySelector('main').getBoundingClientRect().bottom")
        clip = {"x": 0, "y": 0, "width": 560, "height": bottom}
        chat.page.screenshot(path=HERE / name, clip=clip)
        chat.close()
        browser.close()


if __name__ == "__main__":
    widget("widget.png")
