"""The box of document 001, drawn with rich."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TextIO

from rich.console import Console
from rich.text import Text

from todowright.cli.columns import cell_len, filled
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
LOUD = ("bold bright_yellow", "red")
"""The styles of what needs somebody: its note is not dim."""
LONGEST_ASIDE = 40
LEAST_WORDS = 12
"""Columns that the words of a line keep beside its note."""


class Line(NamedTuple):
    """A line in a box."""

    text: str
    style: str = ""
    aside: str = ""
    """What stands dim behind the text."""
    note: str = ""
    """What stands at the right end."""


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
    lines = lines or [Line("No tasks.", "dim")]
    if rows is not None and len(lines) > rows:
        lines = _cropped(lines, max(rows, 1))
    return framed(lines, most=most)


def framed(lines: Sequence[Line], *, most: int | None = None, least: int = WIDTH) -> Text:
    """The lines in a box that is as wide as they need, within these columns."""
    width = max(least, max(cell_len("".join(_parts(line))) for line in lines) + 4)
    if most is not None:
        width = max(min(width, most), 5)
    drawn = Text(no_wrap=True, overflow="crop", end="")
    drawn.append(f"┌{filled('─ Tasks ', width - 2, '─')}┐\n")
    for line in lines:
        drawn.append("│ ").append_text(_inner(line, width - 4)).append(" │\n")
    drawn.append(f"└{'─' * (width - 2)}┘")
    return drawn


def _parts(line: Line) -> tuple[str, str, str]:
    return line.text, line.aside, f"  {line.note}" if line.note else ""


def _inner(line: Line, width: int) -> Text:
    """A line in exactly so many cells; a note gives way where the words would have no room."""
    text, aside, note = _parts(line)
    room = width - cell_len(note)
    if room < LEAST_WORDS:
        room, note = width, ""
    told = filled(text + aside, room)
    drawn = Text().append(told[: len(text)], style=line.style)
    drawn.append(told[len(text) :], style="dim" if aside else line.style)
    return drawn.append(note, style=line.style if line.style in LOUD else "dim")


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
    inner = [line._replace(text=f"    {line.text}") for line in _lines(tree, frame)]
    return [Line(f"  └ {harmless(tree.label)}", "cyan"), *inner] if inner else []


def _line(todo: Todo, frame: int | None) -> Line:
    mark, text = MARKS[todo.status], todo.content
    if todo.status == "in_progress":
        text = f"{todo.active_form or todo.content}..."
        if frame is not None:
            mark = SPINNER[frame % len(SPINNER)]
    aside = clip(harmless(todo.aside), LONGEST_ASIDE)
    return Line(f"{mark} {harmless(text)}", STYLES[todo.status], aside)


def _cropped(lines: list[Line], rows: int) -> list[Line]:
    """So many of the lines, around the first that is not done, and how many are left out."""
    closed = (STYLES["completed"], STYLES["cancelled"])
    first = next((n for n, line in enumerate(lines) if line.style not in closed), 0)
    start = max(0, min(first - 1, len(lines) - rows + 1))
    shown = lines[start : start + rows - 1]
    return [*shown, Line(f"… {len(lines) - len(shown)} more", "dim")]
