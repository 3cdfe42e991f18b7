"""The box of document 001, drawn with rich."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TextIO

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from todowright.cli.paint import wants_colour
from todowright.plan.model import Plan, Todo
from todowright.plan.tree import Tree, tree_of
from todowright.text import clip, harmless

WIDTH = 55
"""The width of the document's sample, and the least where the terminal has room."""
MARKS = {"completed": "✓", "in_progress": "●", "pending": "○", "cancelled": "✗"}
STYLES = {
    "completed": "bright_black",
    "in_progress": "yellow",
    "pending": "dim",
    "cancelled": "bright_black strike",
}
SPINNER = "◐◓◑◒"
LONGEST_ASIDE = 40
Line = tuple[str, str, str]
"""A text, its style, and what stands dim behind it."""


def console(stream: TextIO | None = None) -> Console:
    """A console that shows colours to a terminal that wants them, and to nothing else."""
    out: TextIO = sys.stdout if stream is None else stream
    if not wants_colour(out):
        return Console(file=out, color_system=None, highlight=False, markup=False, emoji=False)
    return Console(file=out, highlight=False, markup=False, emoji=False)


def box(
    plan: Plan,
    *,
    most: int | None = None,
    rows: int | None = None,
    frame: int | None = None,
    others: Iterable[Plan] = (),
) -> Text:
    """The plan in a box: at most so many columns and rows; `frame` turns the spinner.

    Of the `others` those of its sub-agents stand under the step that they serve, to any depth.
    """
    lines = _lines(tree_of(plan, [other for other in others if not other.ended]), frame)
    lines = lines or [("No tasks.", "dim", "")]
    if rows is not None and len(lines) > rows:
        lines = _cropped(lines, max(rows, 1))
    widest = max(cell_len(text + aside) for text, _, aside in lines) + 4
    width = max(WIDTH, widest)
    if most is not None:
        width = max(min(width, most), 5)
    drawn = Text(no_wrap=True, overflow="crop", end="")
    title = _fitted("─ Tasks ", width - 2, "─")
    drawn.append(f"┌{title}┐\n")
    for text, style, aside in lines:
        told = _fitted(text + aside, width - 4, " ")
        drawn.append("│ ").append(told[: len(text)], style=style)
        drawn.append(told[len(text) :], style="dim" if aside else style).append(" │\n")
    drawn.append(f"└{'─' * (width - 2)}┘")
    return drawn


def _lines(tree: Tree, frame: int | None) -> list[Line]:
    """The lines of a plan and of its sub-agents' plans."""
    lines = []
    for todo in tree.plan.todos:
        lines.append(_line(todo, frame))
        for child in tree.under(todo):
            lines += _nested(child, frame)
    for child in tree.loose:
        lines += _nested(child, frame)
    return lines


def _nested(tree: Tree, frame: int | None) -> list[Line]:
    inner = [(f"    {text}", style, aside) for text, style, aside in _lines(tree, frame)]
    return [(f"  └ {harmless(tree.label)}", "cyan", ""), *inner] if inner else []


def _line(todo: Todo, frame: int | None) -> Line:
    mark, text = MARKS[todo.status], todo.content
    if todo.status == "in_progress":
        text = f"{todo.active_form or todo.content}..."
        if frame is not None:
            mark = SPINNER[frame % len(SPINNER)]
    aside = clip(harmless(todo.aside), LONGEST_ASIDE)
    return f"{mark} {harmless(text)}", STYLES[todo.status], aside


def _cropped(lines: list[Line], rows: int) -> list[Line]:
    """So many of the lines, around the first that is not done, and how many are left out."""
    closed = (STYLES["completed"], STYLES["cancelled"])
    first = next((n for n, (_, style, _) in enumerate(lines) if style not in closed), 0)
    start = max(0, min(first - 1, len(lines) - rows + 1))
    shown = lines[start : start + rows - 1]
    return [*shown, (f"… {len(lines) - len(shown)} more", "dim", "")]


def _fitted(text: str, width: int, filler: str) -> str:
    """The text in exactly so many cells: cut with an ellipsis, or filled up."""
    cells = cell_len(text)
    if cells > width:
        return set_cell_size(text, width - 1) + "…" if width > 0 else ""
    return text + filler * (width - cells)
