"""How soon a write is seen on the board: from the call to the page's new text, in a real browser.

    python -m bench.board [--writes 40] [--streams 0 100] [--crowd 5000] [--agents 20] [--seconds 60]

It needs what the tests need: `make test` sets it up. Each row has that many viewers beside the page. Then so many
sessions are listed and filtered, and so many agents write three times a second while somebody points at the list.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests.web.browser import CHROMIUM, FLAGS, until
from tests.web.lively import Scene
from tests.web.serving import Served
from todowright.stores import open_store

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


def crowd(page: Any, server: Served, count: int) -> None:
    """Seconds to list and to filter many sessions; the processor's in the page, too, which others do not disturb."""
    store = open_store(server.url_of_store)
    scene = Scene(store)
    for n in range(count):
        moves = [(50 + n % 40, "npp"), (n % 50, "dnp" if n % 5 else "ddd")]
        scene.agent(f"crowd-{n:04}", [f"Task of {n}", "Then rest", "And tell"], moves)
    store.close()
    server.http.get("/api/sessions?limit=0")
    shown = "document.querySelectorAll('[data-session^=crowd-]').length === "
    cdp = page.context.new_cdp_session(page)
    cdp.send("Performance.enable")

    def timed(name: str, act: Callable[[], Any], wanted: int) -> None:
        began, busy = time.monotonic(), _busy(cdp)
        act()
        until(page, f"{shown}{wanted}")
        print(
            f"  {name:22} {time.monotonic() - began:7.2f} s, of it the page's own work {_busy(cdp) - busy:5.2f} s"
        )

    print(f"{count} sessions")
    timed("listed", lambda: page.goto("/"), count)
    timed(
        "filtered by state",
        lambda: page.get_by_label("State").select_option("done_today"),
        count // 5,
    )
    timed("all again", lambda: page.get_by_label("State").select_option(""), count)
    timed("searched", lambda: page.get_by_label("Search").fill(f"task of {count - 1}"), 1)


def _metric(cdp: Any, name: str) -> float:
    found = {each["name"]: each["value"] for each in cdp.send("Performance.getMetrics")["metrics"]}
    return float(found[name])


def _busy(cdp: Any) -> float:
    """Seconds of the processor that the page has used: others on the machine do not count."""
    return _metric(cdp, "ThreadTime")


def _heap(cdp: Any) -> float:
    cdp.send("HeapProfiler.collectGarbage")
    return _metric(cdp, "JSHeapUsedSize") / 1e6


SCROLLED = """() => new Promise((done) => { const list = document.querySelector('nav.list'); let frames = 0;
    const began = performance.now(); const step = (now) => { frames += 1; list.scrollTop += 8;
    if (now - began < 3000) requestAnimationFrame(step); else done(frames / ((now - began) / 1000)); };
    requestAnimationFrame(step); })"""
LONG = """() => { window.long = 0; new PerformanceObserver((list) => { window.long += list.getEntries().length; })
    .observe({ type: 'longtask' }); }"""
MOVED = """() => { const place = () => [...document.querySelectorAll('.rows li')].map((each) => [each.dataset.session,
    each.offsetTop].join()); window.first = place(); window.moves = 0; window.watching = setInterval(() => {
    const now = place(); if (now.slice(0, window.first.length).join() !== window.first.join()) window.moves += 1; }, 100); }"""


def bustle(page: Any, server: Served, agents: int, seconds: float) -> None:
    """Rows that move under the pointer, frames while scrolling, work, memory and delays, while many agents write."""
    todos = [server.todo(f"busy-{n:02}") for n in range(agents)]
    for todo in todos:
        todo({"steps": [f"Step {n}" for n in range(1, 6)]}, tool="plan")
    page.goto("/#/?q=busy-")
    until(page, f"document.querySelectorAll('[data-session^=busy-]').length === {agents}")
    page.locator("[data-session=busy-07] a").hover()
    cdp = page.context.new_cdp_session(page)
    cdp.send("Performance.enable")
    page.evaluate(MOVED)
    page.evaluate(LONG)
    stop = threading.Event()
    writes = [0] * agents

    def write(which: int) -> None:
        while not stop.wait(1 / 3):
            writes[which] = turn = writes[which] + 1
            todos[which]({"step": 1 + turn % 5, "text": f"Words {turn}"}, tool="change")

    threads = [threading.Thread(target=write, args=(each,)) for each in range(agents)]
    for thread in threads:
        thread.start()
    page.wait_for_timeout(2000)
    heap, began, busy, made = _heap(cdp), time.monotonic(), _busy(cdp), sum(writes)
    frames = page.evaluate(SCROLLED)
    while time.monotonic() - began < seconds:
        page.wait_for_timeout(500)
    late, each = _heap(cdp), 1000 * (_busy(cdp) - busy) / (sum(writes) - made)
    moves, long = page.evaluate("[window.moves, window.long]")
    took = delays(page, server, "watched", 20)
    stop.set()
    for thread in threads:
        thread.join()
    print(f"{agents} agents that write three times a second, for {seconds:.0f} s")
    print(f"  a write is seen after             {statistics.median(took):5.0f} ms (median)")
    print(f"  rows that moved under the pointer {moves:5}")
    print(f"  frames a second while scrolling   {frames:5.0f}")
    print(f"  the page's own work for a write   {each:5.1f} ms, tasks over 50 ms {long}")
    print(f"  memory of the page                {heap:5.1f} MB, then {late:.1f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--writes", type=int, default=40)
    parser.add_argument("--streams", type=int, nargs="+", default=[0, 100])
    parser.add_argument("--crowd", type=int, default=5_000)
    parser.add_argument("--agents", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60)
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
        bustle(page, server, options.agents, options.seconds)
        if options.crowd:
            crowd(page, server, options.crowd)
        browser.close()


if __name__ == "__main__":
    main()
