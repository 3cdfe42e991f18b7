"""A fleet on a terminal of any width: a block for each session, a line for each task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from rich.cells import set_cell_size
from rich.text import Text

from todowright.cli.ages import lasting
from todowright.cli.columns import cell_len, cut
from todowright.tasks.fleet import STATES, Fleet, FleetTask, counts, is_open
from todowright.text import harmless

MARKS = {
    "working": "●",
    "silent": "?",
    "failed": "✗",
    "ready": "○",
    "blocked": "⊘",
    "waiting": "·",
    "done": "✓",
    "cancelled": "-",
}
STYLES = {
    "working": "yellow",
    "silent": "magenta",
    "failed": "red",
    "ready": "green",
    "blocked": "dim",
    "waiting": "dim",
    "done": "bright_black",
    "cancelled": "bright_black",
}
MOST = 10
"""So many of a session's tasks in one state are shown, unless all are wanted; of those at work, more."""
MOST_AT_WORK = 50
LEAST, USUAL = 12, 22
"""Columns that the words of a task have at least, and at least where there is room for all that is said of it."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A task as it is shown: its mark and number, its words, and what there is to say of it."""

    task: FleetTask
    name: str
    words: str
    note: str


def drawn(fleet: Fleet, width: int, *, everything: bool = False) -> Text:
    """The fleet in so many columns."""
    text = Text(no_wrap=True, overflow="crop", end="")
    quiet = 0
    blocks: list[Text] = []
    sessions = fleet.sessions
    for name, tasks in sessions.items():
        if everything or len(sessions) == 1 or any(map(is_open, tasks)):
            blocks.append(_block(name, tasks, fleet, width, everything))
        else:
            quiet += 1
    if quiet:
        s = "" if quiet == 1 else "s"
        blocks.append(Text(cut(f"{quiet} session{s} with nothing left to do", width), "dim"))
    for n, block in enumerate(blocks):
        text.append("\n" if n else "").append_text(block)
    return text


def _block(name: str, tasks: list[FleetTask], fleet: Fleet, width: int, everything: bool) -> Text:
    found = counts(tasks)
    told = " · ".join(f"{count:,} {state}" for state, count in found.items() if count)
    head = cut(harmless(name), max(LEAST, width - cell_len(told) - 2))
    text = Text().append(head, style="bold").append(cut(f"  {told}", width - cell_len(head)))
    shown = list(_chosen(tasks, everything))
    agents = {task.agent for task in tasks}
    for agent in dict.fromkeys(task.agent for task in shown):
        mine = [task for task in shown if task.agent == agent]
        if len(agents) > 1:
            text.append("\n").append(cut(f"  {harmless(agent)}", width), style="cyan")
        for line in _fitted(_lines(mine, fleet, width), width):
            text.append("\n").append_text(line)
    for state in STATES:
        left = found[state] - sum(task.state == state for task in shown)
        if left and (everything or state not in ("done", "cancelled")):
            text.append("\n").append(cut(f"  … {left:,} more {state}", width), style="dim")
    return text


def _chosen(tasks: list[FleetTask], everything: bool) -> Iterator[FleetTask]:
    """The tasks to show, by their states."""
    for state in STATES:
        mine = [task for task in tasks if task.state == state]
        if everything:
            yield from mine
        elif state not in ("done", "cancelled"):
            at_work = state in ("working", "silent", "failed")
            yield from mine[: MOST_AT_WORK if at_work else MOST]


def _lines(tasks: list[FleetTask], fleet: Fleet, width: int) -> list[_Line]:
    held = [task for task in tasks if task.state in ("working", "silent")]
    longest = 10 if width < 80 else 16 if width < 120 else 24
    owner = min(longest, max((cell_len(_owner(task)) for task in held), default=0))
    age = max((cell_len(_age(task, fleet, width)) for task in held), default=0)
    lines = []
    for task in tasks:
        if task.state in ("working", "silent"):
            name = set_cell_size(_cut_inside(_owner(task), owner), owner)
            note = f"{name}  {_age(task, fleet, width):>{age}}{_left(task)}"
        else:
            note = _note(task)
        name = f"  {MARKS[task.state]} #{task.number}"
        lines.append(_Line(task, name, harmless(task.subject), note))
    return lines


def _owner(task: FleetTask) -> str:
    return harmless(task.owner) or "somebody"


def _age(task: FleetTask, fleet: Fleet, width: int) -> str:
    """How long its owner has been at it; where there is little room, in one unit."""
    if task.since is None:
        return ""
    words = lasting(fleet.now - task.since).split()
    return f"for {' '.join(words[:2] if width < 80 else words)}"


def _left(task: FleetTask) -> str:
    if task.left is None:
        return ""
    left = lasting(timedelta(seconds=abs(task.left)))
    return f"  {left} left" if task.left >= 0 else f"  silent {left}"


def _note(task: FleetTask) -> str:
    """What there is to say of a task that nobody is at."""
    owner = harmless(task.owner)
    match task.state:
        case "blocked":
            named = [f"#{number} {name}".rstrip() for number, name in task.blocked_by]
            return f"by {harmless(', '.join(named))}"
        case "failed":
            return f"{owner}: {harmless(task.why)}"
        case "waiting":
            return f"for {owner}"
        case _:
            return owner or task.state


def _fitted(lines: list[_Line], width: int) -> Iterator[Text]:
    """The lines in columns: the words get what the notes leave, and these at most half."""
    names = max(cell_len(line.name) for line in lines) + 1
    words = max(cell_len(line.words) for line in lines)
    notes = max(cell_len(line.note) for line in lines)
    room = max(LEAST, width - names - 2)
    notes = min(notes, max(room // 2, room - words, room - USUAL))
    words = min(words, max(LEAST, room - notes))
    for line in lines:
        text = Text().append(set_cell_size(line.name, names), style=STYLES[line.task.state])
        text.append(set_cell_size(cut(line.words, words), words))
        text.append("  ").append(cut(line.note, notes).rstrip(), style="dim")
        text.truncate(max(width, 1))
        yield text


def _cut_inside(text: str, width: int) -> str:
    """The text in at most so many cells, with its end, which tells workers of one machine apart."""
    if cell_len(text) <= width or width < 6:
        return cut(text, width)
    return set_cell_size(text, width - 5) + "…" + text[-4:]
