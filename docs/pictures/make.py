"""Draws the pictures of the READMEs and the docs from real runs: `python -m docs.pictures.make`.

The casts are what a terminal emulator shows of `todowright watch` while another process writes the
plan, each change a frame; the calls are scripted, nothing else is.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from datetime import UTC, datetime, timedelta
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from docs.pictures.board import board
from docs.pictures.rooms import rooms
from tests.cli.terminal import BIN, Terminal
from todowright import TodoWrite

HERE = Path(__file__).parent
CELL, LINE, PAD = 8.4, 17, 16
SECONDS = 1.3
COLOURS = {
    "brown": "#d29922",
    "brightblack": "#7d8590",
    "default": "#e6edf3",
    "cyan": "#39c5cf",
    "green": "#3fb950",
    "magenta": "#bc8cff",
    "red": "#ff7b72",
}

ENGLISH = [
    ("Analyze requirements", "Analyzing requirements"),
    ("Write implementation", "Writing implementation"),
    ("Run tests", "Running tests"),
    ("Update documentation", "Updating documentation"),
]
CHINESE = [
    ("分析需求", "正在分析需求"),
    ("重构认证模块", "正在重构认证模块"),
    ("补充单元测试", "正在编写 auth 模块测试"),
    ("更新 README", "正在更新文档"),
]


def states(steps: list[tuple[str, str]]) -> list[list[dict[str, str]]]:
    """The plan as it moves: each step taken up, then finished."""
    found = []
    for current in range(len(steps) + 1):
        rows = []
        for index, (content, active) in enumerate(steps):
            status = "completed" if index < current else "pending"
            status = "in_progress" if index == current else status
            rows.append({"content": content, "activeForm": active, "status": status})
        found.append(rows)
    return found


def cast(name: str, steps: list[tuple[str, str]]) -> None:
    """Record `todowright watch` while the `TodoWrite` command writes the plan."""
    with tempfile.TemporaryDirectory() as folder:
        environ = {"TODOWRIGHT_STORE": f"sqlite:///{folder}/plans.db"}
        watch = Terminal(str(BIN / "todowright"), "watch", columns=58, rows=9, **environ)  # type: ignore[arg-type]
        watch.wait_for(lambda lines: any("No tasks." in line for line in lines))
        frames = []
        for rows in states(steps):
            argument = json.dumps({"todos": rows}, ensure_ascii=False)
            subprocess.run(
                [str(BIN / "TodoWrite"), argument],
                env={**os.environ, **environ},
                check=True,
                stdout=subprocess.DEVNULL,
            )
            current = next(
                (row["activeForm"] for row in rows if row["status"] == "in_progress"), ""
            )
            shown = f"{current}..." if current else f"✓ {rows[-1]['content']}"
            watch.wait_for(lambda lines, text=shown: any(text in line for line in lines))  # type: ignore[misc]
            frames.append(frame(watch))
        watch.interrupt()
        watch.ended()
    (HERE / name).write_text(drawn(frames, "todowright watch"), "utf-8")


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
            text = "".join(cell.data for _, cell in parts)
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
    "reminder: Still on step 4",
    "the past summed up",
    "● Count the orders",
    "● Count the days",
    "1120 orders on 28 days",
    "knows neither counts",
    "6/6 done.",
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
            frames.append(frame(shown))
        shown.ended()
        frames[-1] = frame(shown)
    picture = drawn(
        frames, "todowright demo (the model is a script)", columns=92, rows=30, seconds=2.2
    )
    (HERE / name).write_text(picture, "utf-8")


def timeline(name: str) -> None:
    """A session of an afternoon and its timeline."""
    moments = iter(
        datetime(2026, 3, 2, 13, 0, tzinfo=UTC) + timedelta(minutes=minutes)
        for minutes in (0, 25, 32, 48, 70, 95, 118)
    )
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/plans.db"
        common: dict[str, Any] = {
            "store": url,
            "session": "auth-refactor",
            "clock": lambda: next(moments),
        }
        main, helper = (
            TodoWrite("checklist", **common),
            TodoWrite("checklist", agent="researcher", **common),
        )

        def write(todo: TodoWrite, *items: tuple[str, str]) -> None:
            rows = [
                {"content": text, "status": status, "activeForm": text} for text, status in items
            ]
            assert not todo({"items": rows}).is_error

        plan = ("Read the auth module", "Refactor it", "Add unit tests", "Port the old script")
        write(
            main,
            (plan[0], "in_progress"),
            (plan[1], "pending"),
            (plan[2], "pending"),
            (plan[3], "pending"),
        )
        write(helper, ("Compare token libraries", "in_progress"), ("Write a summary", "pending"))
        write(
            main,
            (plan[0], "completed"),
            (plan[1], "in_progress"),
            (plan[2], "pending"),
            (plan[3], "pending"),
        )
        write(helper, ("Compare token libraries", "completed"), ("Write a summary", "in_progress"))
        write(main, (plan[0], "completed"), (plan[1], "completed"), (plan[2], "in_progress"))
        write(helper, ("Compare token libraries", "completed"), ("Write a summary", "completed"))
        write(main, (plan[0], "completed"), (plan[1], "completed"), (plan[2], "completed"))
        subprocess.run(
            [
                str(BIN / "todowright"),
                "timeline",
                "--session",
                "auth-refactor",
                "--store",
                url,
                "--svg",
                str(HERE / name),
            ],
            check=True,
        )


if __name__ == "__main__":
    rooms("rooms.svg")
    cast("watch.svg", ENGLISH)
    cast("watch.zh.svg", CHINESE)
    timeline("timeline.svg")
    demo("demo.svg")
    board()
