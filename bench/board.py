"""How soon a write is seen on the board: from the call to the page's new text, in a real browser.

    python -m bench.board [--writes 40] [--streams 0 100]

It needs what the tests need: `make test` sets it up. Each row has that many viewers beside the page.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests.web.browser import CHROMIUM, FLAGS, until
from tests.web.serving import Served

WATCH = """() => { window.seen = []; new MutationObserver(() => {
    window.seen.push([document.querySelectorAll('.plan li.completed').length, Date.now()]);
}).observe(document.querySelector('main'), { subtree: true, childList: true, attributes: true }); }"""


def delays(page: Any, server: Served, session: str, writes: int) -> list[float]:
    """Milliseconds from each call to the first sight of it."""
    todo = server.todo(session)
    todo({"steps": [f"Step {n}" for n in range(1, writes + 1)]}, tool="plan")
    page.goto(f"/#/{session}")
    page.get_by_text(f"Step {writes}").first.wait_for()
    page.evaluate(WATCH)
    took = []
    for step in range(1, writes + 1):
        began = time.time() * 1000
        todo({"step": step}, tool="done")
        until(page, f"document.querySelectorAll('.plan li.completed').length === {step}")
        first = page.evaluate(f"window.seen.find(([count]) => count === {step})[1]")
        took.append(first - began)
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--writes", type=int, default=40)
    parser.add_argument("--streams", type=int, nargs="+", default=[0, 100])
    options = parser.parse_args()
    with ExitStack() as opened:
        folder = opened.enter_context(tempfile.TemporaryDirectory())
        server = Served(Path(folder))
        opened.callback(server.stop)
        playwright = opened.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = server.show(browser)
        print("a write is seen on the board after (ms)   median    90 %")
        for streams in options.streams:
            with ExitStack() as viewers:
                for _ in range(streams):
                    http = viewers.enter_context(server.client())
                    viewers.enter_context(http.stream("GET", "/api/events"))
                took = delays(page, server, f"with-{streams}", options.writes)
            slow = statistics.quantiles(took, n=10)[-1]
            print(f"  {streams:4} other viewers {statistics.median(took):26.0f} {slow:7.0f}")
        browser.close()


if __name__ == "__main__":
    main()
