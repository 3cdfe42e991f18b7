"""The board while agents work, as a picture that plays: real pages in a real browser, of the demo's store.

The first frame is whole; of the others only what changed is kept, laid over it at its time. Who wants no motion
sees the first.
"""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal, NamedTuple

from playwright.sync_api import sync_playwright

from tests.web.browser import CHROMIUM, FLAGS
from tests.web.serving import Served
from todowright.cli.afternoon import DEADLOCK, Afternoon
from todowright.stores import open_store

HERE = Path(__file__).parent
WIDTH, HEIGHT, SCALE, QUALITY = 1240, 828, 1.25, 0.7
SESSION = "checkout-deadlock"
BETTER = "Describe 409 and Retry-After, with an example"
TITLE = "The board while agents work: one gets unstuck, a person rewords a step, the session is finished"
Move = Callable[[], None]
PARTED = """async ([before, after, quality]) => {
  const SIDE = 16, APART = 12, WASTE = 3, FAINT = 2;
  const pixels = async (shot) => {
    const image = new Image();
    image.src = `data:image/png;base64,${shot}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height), pen = canvas.getContext("2d", { willReadFrequently: true });
    pen.drawImage(image, 0, 0);
    return { image, width: image.width, height: image.height, data: pen.getImageData(0, 0, image.width, image.height).data };
  };
  const now = await pixels(after), old = before && (await pixels(before));
  const cut = ([x, y, w, h]) => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [w, h];
    canvas.getContext("2d").drawImage(now.image, -x, -y);
    return { x, y, w, h, url: canvas.toDataURL("image/webp", quality) };
  };
  if (!old) return [cut([0, 0, now.width, now.height])];
  const differs = (left, top) => {
    for (let y = top; y < Math.min(top + SIDE, now.height); y += 1)
      for (let x = left; x < Math.min(left + SIDE, now.width); x += 1)
        for (let at = 4 * (y * now.width + x), end = at + 3; at < end; at += 1)
          if (Math.abs(now.data[at] - old.data[at]) > FAINT) return true;
    return false;
  };
  const runs = new Map(), parts = []; // the pieces that changed: next to each other in a row, then rows alike below each other
  for (let y = 0; y < now.height; y += SIDE) {
    let last = null;
    for (let x = 0; x < now.width; x += SIDE) {
      if (!differs(x, y)) continue;
      if (last && x - last[1] <= APART * SIDE) last[1] = x + SIDE;
      else runs.set(y, [...(runs.get(y) || []), (last = [x, x + SIDE])]);
    }
  }
  for (const [y, found] of runs)
    for (const [left, right] of found) {
      const above = parts.find((each) => each.bottom === y && each.left < right && left < each.right);
      const both = above && [Math.min(above.left, left), Math.max(above.right, right)];
      const used = above && above.used + (right - left) * SIDE;
      if (above && (both[1] - both[0]) * (y + SIDE - above.top) < WASTE * used)
        Object.assign(above, { left: both[0], right: both[1], bottom: y + SIDE, used });
      else parts.push({ left, right, top: y, bottom: y + SIDE, used: (right - left) * SIDE });
    }
  return parts.map(({ left, right, top, bottom }) =>
    cut([left, top, Math.min(right, now.width) - left, Math.min(bottom, now.height) - top]));
}"""
"""What is in one shot and not in the other, cut out: worked out by the browser, which reads and writes pictures."""


class Part(NamedTuple):
    """A piece of the board, and from when on it is shown."""

    at: float
    x: float
    y: float
    width: float
    height: float
    url: str


def recording(name: str, theme: Literal["light", "dark"] = "light") -> None:
    """Record the board of the demo while its agents, and a person, go on."""
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        served = Served(folder)
        opened.callback(served.stop)
        Afternoon(served.url_of_store).write()
        playwright = opened.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        opened.callback(browser.close)
        context = browser.new_context(
            base_url=served.url, viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=theme,
            device_scale_factor=SCALE, reduced_motion="reduce",
        )  # fmt: skip
        context.add_cookies([served.cookie()])
        page = context.new_page()
        page.goto(f"/#/{SESSION}")
        page.get_by_text(DEADLOCK[4]).first.wait_for()
        shots = [(_shot(page, 1500), 2.0)]
        for move, seconds in _story(served, page):
            move()
            shots.append((_shot(page), seconds))
        parts, whole = _parts(browser.new_page(), shots)
    (HERE / name).write_text(drawn(parts, whole), "utf-8")


def _story(served: Served, page: Any) -> list[tuple[Move, float]]:
    """What happens, and for how long it is seen."""
    store = open_store(served.url_of_store)

    def done(*steps: str) -> Move:
        """Let the agents finish these steps, each the one that has it."""

        def move() -> None:
            for step in steps:
                (plan,) = [
                    plan
                    for session in store.sessions()
                    for plan in store.plans(session)
                    if any(todo.content == step for todo in plan.todos)
                ]
                with served.todo(plan.session, plan.agent) as todo:
                    reply = todo({"finished": [step]}, tool="done")
                assert not reply.is_error, reply.text

        return move

    return [
        (done("Measure 10,000 checkouts each"), 1.0),
        (done("Benchmark the hot path before and after", "Pin the broken dependency"), 1.0),
        (done("Generate schedules that interleave", "给解析器补充性质测试"), 1.6),
        (lambda: _reword(page), 1.2),
        (lambda: page.keyboard.press("Enter"), 1.4),
        (lambda: _without_toast(page, done("Shrink those that fail")), 0.8),
        (done("Prove the retry path with property tests"), 1.4),
        (done(BETTER, "Push the branch"), 1.0),
        (done("Ask for a review"), 2.4),
    ]


def _without_toast(page: Any, move: Move) -> None:
    page.locator("#toast .btn").wait_for(state="detached")
    move()


def _reword(page: Any) -> None:
    page.locator("li.step", has_text=DEADLOCK[4]).locator(".mark").first.focus()
    page.keyboard.press("e")
    page.get_by_label("New words").fill(BETTER)


def _shot(page: Any, milliseconds: int = 700) -> str:
    page.wait_for_timeout(milliseconds)
    return base64.b64encode(page.screenshot()).decode()


def _parts(darkroom: Any, shots: list[tuple[str, float]]) -> tuple[list[Part], float]:
    """The pieces of all frames, and how long it all takes."""
    parts, at, before = [], 0.0, ""
    for shot, seconds in shots:
        for piece in darkroom.evaluate(PARTED, [before, shot, QUALITY]):
            x, y, width, height = (piece[key] / SCALE for key in ("x", "y", "w", "h"))
            parts.append(Part(at, x, y, width, height, piece["url"]))
        at, before = at + seconds, shot
    return parts, at


def drawn(parts: list[Part], whole: float) -> str:
    """The pieces as one picture that plays by itself, for ever."""
    times = sorted({part.at for part in parts if part.at})
    style = ["@media (prefers-reduced-motion: no-preference) {"]
    for n, at in enumerate(times):
        share = 100 * at / whole
        style.append(
            f"@keyframes k{n} {{ 0% {{ visibility: hidden; }} {share:.2f}%, 100% {{ visibility: visible; }} }}"
        )
        style.append(f".k{n} {{ animation: k{n} {whole:.1f}s step-end infinite; }}")
    style.append("} .k { visibility: hidden; }")
    images = [
        f'<image {_when(times, part.at)}x="{part.x:.2f}" y="{part.y:.2f}" width="{part.width:.2f}" height="{part.height:.2f}" href="{part.url}"/>'
        for part in parts
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{TITLE}">',
            f"<style>{' '.join(style)}</style>",
            *images,
            f'<rect x=".5" y=".5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="6" fill="none" stroke="#8886" />',
            "</svg>\n",
        ]
    )


def _when(times: list[float], at: float) -> str:
    return f'class="k k{times.index(at)}" ' if at else ""


if __name__ == "__main__":
    recording("live.svg")
