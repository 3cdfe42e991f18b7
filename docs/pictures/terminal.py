"""The pictures of the terminal: what an emulator shows of the commands while real processes write."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from tests.cli.terminal import BIN, Terminal
from todowright import TodoWrite
from todowright.cli.afternoon import Afternoon

HERE = Path(__file__).parent
CELL, LINE, PAD = 8.4, 17, 16
SECONDS = 1.3
COLOURS = {
    "blue": "#6ca4f8",
    "brightblue": "#6ca4f8",
    "brown": "#d29922",
    "brightbrown": "#ffcf5c",
    "brightblack": "#7d8590",
    "default": "#e6edf3",
    "cyan": "#39c5cf",
    "green": "#3fb950",
    "magenta": "#bc8cff",
    "red": "#ff7b72",
}

ENGLISH = (
    ("Analyze requirements", "Write implementation", "Run tests", "Update documentation"),
    ("Analyzing requirements", "Writing implementation", "Running tests", "Updating documentation"),
    ("Find what is not tested", "Write the tests"),
)
CHINESE = (
    ("分析需求", "重构认证模块", "补充单元测试", "更新 README"),
    ("正在分析需求", "正在重构认证模块", "正在编写 auth 模块测试", "正在更新文档"),
    ("找出没有测试的代码", "编写测试"),
)
Words = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
"""The steps of a plan, what they are called while they are in progress, and the steps of a helper."""


def items(steps: tuple[str, ...], active: tuple[str, ...], done: int) -> dict[str, Any]:
    """A list of which so many steps are done, and the next is in progress."""
    return {
        "items": [
            {
                "content": content,
                "activeForm": active[n],
                "status": "completed" if n < done else "in_progress" if n == done else "pending",
            }
            for n, content in enumerate(steps)
        ]
    }


def shows(*texts: str) -> Callable[[list[str]], bool]:
    return lambda lines: all(any(text in line for line in lines) for text in texts)


def watch(name: str, words: Words) -> None:
    """Record `todowright watch` while an agent and its helper write their plans."""
    steps, active, parts = words
    now = at = datetime.now(UTC)
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/shop/.todowright/plans.db"
        main = TodoWrite("checklist", store=url, session="auth-refactor", clock=lambda: at)
        environ: dict[str, Any] = {"TODOWRIGHT_STORE": url}
        command = [str(BIN / "todowright"), "watch", "--session", "auth-refactor"]
        screen = Terminal(*command, columns=64, rows=11, **environ)
        screen.wait_for(shows("No tasks."))
        frames = []

        def move(minutes: float, todo: TodoWrite, call: dict[str, Any], *seen: str) -> None:
            nonlocal at
            at = now - timedelta(minutes=minutes)
            assert not todo(call).is_error
            screen.wait_for(shows(*seen))
            screen.settle()
            frames.append(frame(screen))

        move(9, main, items(steps, active, 0), f"{active[0]}...")
        move(7, main, items(steps, active, 1), f"{active[1]}...")
        move(4, main, items(steps, active, 2), f"{active[2]}...")
        helper = main.subagent("tester")
        move(3.5, helper, items(parts, parts, 0), f"{parts[0]}...")
        move(2, helper, items(parts, parts, 1), f"{parts[1]}...")
        move(1, helper, items(parts, parts, 2), f"✓ {parts[1]}")
        helper.close()
        move(0.4, main, items(steps, active, 3), f"{active[3]}...")
        move(0, main, items(steps, active, 4), f"✓ {steps[3]}")
        screen.interrupt()
        screen.ended()
    picture = drawn(frames, "todowright watch", columns=64, rows=10)
    (HERE / name).write_text(picture, "utf-8")


STEPS_AT_HOME = (
    ("", "▲› checkout"), ("\r", "▲ stuck"), ("q", "▲› checkout"), ("j", "✗› auth"), ("\r", "dropped at"),
)  # fmt: skip
"""Keys that are pressed, and what is seen then."""


def home(name: str) -> None:
    """Record `todowright watch --all`, and how one session is opened from it."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/shop-api/.todowright/plans.db"
        Afternoon(url).write()
        environ: dict[str, Any] = {"TODOWRIGHT_STORE": url, "XDG_DATA_HOME": folder}
        command = [str(BIN / "todowright"), "watch", "--all"]
        screen = Terminal(*command, columns=100, rows=22, **environ)
        frames = []
        for key, seen in STEPS_AT_HOME:
            screen.type(key)
            screen.wait_for(shows(seen))
            screen.settle()
            frames.append(frame(screen))
        del frames[2]  # the list again
        screen.interrupt()
        screen.ended()
    picture = drawn(frames, "todowright watch --all", columns=100, rows=20, seconds=3)
    (HERE / name).write_text(picture, "utf-8")


def frame(terminal: Terminal) -> list[str]:
    """The screen as SVG texts, each run of cells of one colour in its own place and width."""
    texts = []
    for row in range(terminal.screen.lines):
        cells = [
            (column, terminal.screen.buffer[row][column])
            for column in range(terminal.screen.columns)
        ]
        runs = groupby(
            [(column, cell) for column, cell in cells if cell.data],
            key=lambda pair: (pair[1].fg, pair[1].bold, pair[1].data > "\u2e7f"),
        )
        for (colour, bold, wide), run in runs:
            parts = list(run)
            text = _anywhere("".join(cell.data for _, cell in parts))
            if not text.strip():
                continue
            spare = len(text) - len(text.lstrip())
            x, y = PAD + (parts[0][0] + spare) * CELL, 62 + row * LINE
            text = text.strip()
            length = len(text) * CELL * (2 if wide else 1)
            fill = COLOURS.get(colour, f"#{colour}" if len(colour) == 6 else COLOURS["default"])
            weight = ' font-weight="bold"' if bold else ""
            texts.append(
                f'<text x="{x:.1f}" y="{y}" fill="{fill}"{weight} textLength="{length:.1f}">{escape(text)}</text>'
            )
    return texts


def _anywhere(text: str) -> str:
    """The text as on a machine where the package was installed by its name."""
    return re.sub(r"pip install '/\S*\[", "pip install 'todowright[", text)


def drawn(
    frames: list[list[str]],
    title: str,
    *,
    columns: int = 58,
    rows: int = 7,
    seconds: float = SECONDS,
) -> str:
    """The frames as one picture that plays by itself, for ever."""
    width, height = columns * CELL + 2 * PAD, 62 + rows * LINE
    whole = len(frames) * seconds
    share = 100 / len(frames)
    style = [
        "text { font: 14px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; white-space: pre; }",
        f".f {{ visibility: hidden; animation: show {whole:.1f}s step-end infinite; }}",
        f"@keyframes show {{ 0% {{ visibility: visible; }} {share:.2f}% {{ visibility: hidden; }} }}",
        *[f".f{n} {{ animation-delay: {n * seconds:.1f}s; }}" for n in range(len(frames))],
    ]
    dots = "".join(
        f'<circle cx="{PAD + 6 + n * 20}" cy="20" r="6" fill="{colour}"/>'
        for n, colour in enumerate(["#ff5f57", "#febc2e", "#28c840"])
    )
    groups = [f'<g class="f f{n}">{"".join(texts)}</g>' for n, texts in enumerate(frames)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img" aria-label="{title}">',
            f"<style>{' '.join(style)}</style>",
            f'<rect width="100%" height="100%" rx="8" fill="#0d1117"/>{dots}',
            f'<text x="{width / 2:.0f}" y="25" fill="#7d8590" text-anchor="middle">{title}</text>',
            *groups,
            "</svg>\n",
        ]
    )


MOMENTS = (
    "I will plan this first.",
    "FAILED (failures=4)",
    "throws the rest away",
    "FAILED (failures=2)",
    "forgets how many",
    "All green.",
    "old results cleared",
    "the past summed up",
    "● Price every order again",
    "charged wrong: 5,132.57 lost",
    "somebody at the board",
    "the user changed your plan",
    "Write LOSSES.md for the owner...",
    "reminder: Open steps",
    "7/7 done.",
    "That was a script.",
)


def demo(name: str) -> None:
    """Record `todowright demo` at its best moments."""
    with tempfile.TemporaryDirectory() as folder:
        shown = Terminal(
            str(BIN / "todowright"),
            "demo",
            columns=92,
            rows=30,
            cwd=Path(folder),
            TERM="xterm-256color",
        )
        frames = []
        for moment in MOMENTS:
            shown.wait_for(lambda lines, text=moment: any(text in line for line in lines))  # type: ignore[misc]
            shown.settle()
            frames.append(frame(shown))
        shown.ended()
        frames[-1] = frame(shown)
    picture = drawn(
        frames, "todowright demo (the model is a script)", columns=92, rows=30, seconds=2.2
    )
    (HERE / name).write_text(picture, "utf-8")


READ, REFACTOR, TEST, PORT = (
    "Read the auth module",
    "Refactor it",
    "Add unit tests",
    "Port the old script",
)
COMPARE, SUMMARISE = "Compare token libraries", "Write a summary"
AFTERNOON: tuple[tuple[int, str, str], ...] = (
    (0, "main", f"> {READ}, {REFACTOR}, {TEST}, {PORT}"),
    (25, "researcher", f"> {COMPARE}, {SUMMARISE}"),
    (32, "main", f"x {READ}, > {REFACTOR}, {TEST}, {PORT}"),
    (48, "researcher", f"x {COMPARE}, > {SUMMARISE}"),
    (70, "main", f"x {READ}, x {REFACTOR}, > {TEST}"),
    (95, "researcher", f"x {COMPARE}, x {SUMMARISE}"),
    (118, "main", f"x {READ}, x {REFACTOR}, x {TEST}"),
)
"""Who writes which list, and how many minutes after the first."""


def listed(text: str) -> list[dict[str, str]]:
    """The items of a list in short: `x` is done, `>` is in progress."""
    marks = {"x": "completed", ">": "in_progress"}
    items = []
    for part in text.split(", "):
        mark, _, words = part.partition(" ")
        words = words if mark in marks else part
        items.append({"content": words, "activeForm": words, "status": marks.get(mark, "pending")})
    return items


def timeline(name: str) -> None:
    """A session of an afternoon and its timeline."""
    start = datetime(2026, 3, 2, 13, 0, tzinfo=UTC)
    now = start
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/plans.db"
        place: dict[str, Any] = {"store": url, "session": "auth-refactor", "clock": lambda: now}
        tools = {
            agent: TodoWrite("checklist", agent=agent, **place) for agent in ("main", "researcher")
        }
        for minutes, agent, text in AFTERNOON:
            now = start + timedelta(minutes=minutes)
            assert not tools[agent]({"items": listed(text)}).is_error
        command = ["timeline", "--session", "auth-refactor", "--store", url]
        subprocess.run([str(BIN / "todowright"), *command, "--svg", str(HERE / name)], check=True)
