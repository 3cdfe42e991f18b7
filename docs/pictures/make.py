"""Draws the pictures of the READMEs and the docs from real runs: `python -m docs.pictures.make`.

What agents do in them is scripted, nothing else is.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from docs.pictures import terminal
from docs.pictures.rooms import rooms

HERE = Path(__file__).parent


def board() -> None:
    """The board in a real browser: all sessions, and one of them in depth."""
    from playwright.sync_api import sync_playwright

    from tests.web.browser import CHROMIUM, FLAGS
    from tests.web.serving import Served

    plans = {
        "auth-refactor": (
            [
                "Read the auth module",
                "Move tokens to their own file",
                "Add unit tests",
                "Update the docs",
            ],
            2,
        ),
        "fix-ci": (["Read the failing log", "Pin the broken dependency", "Push the branch"], 1),
        "release-1.4": (["Bump the version", "Write the changelog", "Tag it"], 3),
        "migrate-db": (["Back up", "Write the migration", "Run it on staging", "Run it"], 1),
        "文档翻译": (["翻译菜单", "检查翻译", "发布"], 1),
    }
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        served = Served(Path(folder))
        for name, (steps, done) in plans.items():
            todo = served.todo(name)
            todo({"steps": steps}, tool="plan")
            for step in range(1, done + 1):
                time.sleep(0.4)
                todo({"step": step}, tool="done")
        main = served.todo("auth-refactor")
        main({"steps": ["Ask for a review"], "after": 3}, tool="add")
        child = served.todo("auth-refactor", "main/step-3-9c6c")
        child({"steps": ["Find what is not tested", "Write the tests", "Run them"]}, tool="plan")
        child({"step": 1}, tool="done")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(
            base_url=served.url, viewport={"width": 1000, "height": 560}, color_scheme="dark"
        )
        page.context.add_cookies([served.cookie()])
        page.goto("/")
        page.locator("[data-session=fix-ci]").wait_for()
        page.screenshot(path=HERE / "board.png")
        page.set_viewport_size({"width": 1000, "height": 860})
        page.emulate_media(color_scheme="light")
        page.goto("/#/auth-refactor")
        page.locator(".sub").wait_for()
        page.wait_for_timeout(800)
        page.screenshot(path=HERE / "session.png")
        browser.close()
        served.stop()


if __name__ == "__main__":
    rooms("rooms.svg")
    terminal.watch("watch.svg", terminal.ENGLISH)
    terminal.watch("watch.zh.svg", terminal.CHINESE)
    terminal.home("home.svg")
    terminal.timeline("timeline.svg")
    terminal.demo("demo.svg")
    board()
