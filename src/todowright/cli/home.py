"""All sessions in groups, as on the board: who needs you, who works, what was abandoned, what is done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich.text import Text

from todowright.cli.columns import cell_len, cut, filled, right
from todowright.cli.states import (
    CELLS,
    GLYPHS,
    HEADS,
    MOST_CELLS,
    PLAIN,
    PLAIN_CELLS,
    STYLES,
    cells,
    doing,
    kind_of,
    on_it,
    progress,
    short,
)
from todowright.plan.attention import Need, SessionState, SessionView, in_order, unseen
from todowright.text import harmless

NARROW, WIDE = 80, 130
"""Columns below which a step's usual time is left out, and from which on steps are drawn."""


@dataclass(frozen=True, slots=True)
class Row:
    """A session in its group."""

    view: SessionView
    state: SessionState
    needs: tuple[Need, ...]
    now: float

    @property
    def kind(self) -> str:
        return kind_of(self.view, self.state, self.needs)

    @property
    def name(self) -> str:
        return harmless(self.view.session)

    @property
    def done(self) -> str:
        return progress(self.view.agents)

    @property
    def on_it(self) -> str:
        return on_it(self.view, self.now)

    @property
    def moved(self) -> str:
        return short(self.now - self.view.moved)

    @property
    def words(self) -> str:
        return doing(self.view, self.state, self.needs)


def grouped(
    views: Iterable[SessionView], now: float, seen: Mapping[str, float] | None = None
) -> dict[SessionState, list[Row]]:
    """The rows of each group that has any, both in the board's order."""
    looked_at = seen or {}
    found = in_order(views, looked_at)
    return {
        state: [
            Row(view, state, unseen(view, looked_at) if state == "needs_you" else (), now)
            for view in members
        ]
        for state, members in found.items()
        if members
    }


@dataclass(frozen=True, slots=True)
class Columns:
    """How wide each column is. Numbers never give way: words do."""

    width: int
    name: int
    done: int
    on_it: int
    moved: int
    usual: bool
    wide: bool
    unicode: bool = True

    @classmethod
    def of(cls, rows: Sequence[Row], width: int, *, unicode: bool = True) -> Columns:
        usual, wide = width >= NARROW, width >= WIDE
        longest = 16 if width < NARROW else 24 if width < WIDE else 32
        done = max(4, *(len(row.done) for row in rows))
        on = max(5, *(len(_time(row, usual)) for row in rows))
        moved = max(5, *(len(_moved(row, usual)) for row in rows))
        left = width - (3 + 2 + done + 2 + on + 2 + moved)
        name = min(longest, max(cell_len(row.name) for row in rows), max(left, 4))
        return cls(width, max(name, 4), done, on, moved, usual, wide, unicode)

    def caption(self) -> Text:
        """What the columns are called."""
        parts = ["   " + filled("SESSION", self.name)]
        if self.wide:
            parts += ["AGENTS", filled("STEPS", MOST_CELLS)]
        parts += [right("DONE", self.done), right("ON IT", self.on_it), right("MOVED", self.moved)]
        return self._within(Text("  ".join([*parts, "NOW"]), style="dim"))

    def line(self, row: Row, *, chosen: bool = False) -> Text:
        """A session in one line."""
        marks = GLYPHS if self.unicode else PLAIN
        style = STYLES[row.kind]
        text = Text().append(f"{marks[row.kind]}", style=style).append("› " if chosen else "  ")
        text.append(filled(row.name, self.name), style="bold" if row.state == "needs_you" else "")
        if self.wide:
            text.append(f"  {len(row.view.agents):>6}", style="dim")
            drawn = cells(row.view.steps, CELLS if self.unicode else PLAIN_CELLS)
            text.append("  " + filled(drawn, MOST_CELLS), style=style)
        text.append("  " + right(row.done, self.done))
        loud = style if row.kind == "stuck" else ""
        text.append("  " + right(_time(row, self.usual), self.on_it), style=loud)
        text.append("  " + right(_moved(row, self.usual), self.moved), style="dim")
        text.append("  ").append(cut(row.words, max(0, self.width - text.cell_len)), style=style)
        if chosen:
            text.stylize("reverse", 3, 3 + len(filled(row.name, self.name)))
        return self._within(text)

    def _within(self, text: Text) -> Text:
        text.no_wrap, text.overflow = True, "crop"
        text.rstrip()
        text.truncate(max(self.width, 1))
        return text


def _time(row: Row, usual: bool) -> str:
    """How long it is on its step; where there is little room, without the usual and in one unit."""
    return row.on_it if usual else row.on_it.partition("/")[0].split()[0]


def _moved(row: Row, usual: bool) -> str:
    return row.moved if usual else row.moved.split()[0]


def head(state: SessionState, count: int) -> Text:
    """The name of a group, and how many are in it."""
    loud = "bold bright_yellow" if state == "needs_you" else "bold"
    return Text(HEADS[state], style=loud).append(f" {count}", style="dim")


def listed(
    groups: Mapping[SessionState, Sequence[Row]],
    width: int,
    *,
    rows: int | None = None,
    chosen: str = "",
    unicode: bool = True,
) -> list[Text]:
    """The groups as lines, at most so many; the chosen session is among them."""
    every = [row for members in groups.values() for row in members]
    if not every:
        return []
    columns = Columns.of(every, width, unicode=unicode)
    lines, at = [columns.caption()], 0
    for state, members in groups.items():
        lines.append(head(state, len(members)))
        for row in members:
            if row.view.session == chosen:
                at = len(lines)
            lines.append(columns.line(row, chosen=row.view.session == chosen))
    if rows is None or len(lines) <= rows:
        return lines
    room = max(rows - 2, 1)
    start = max(1, min(at - room // 2, len(lines) - room))
    hidden = len(lines) - 1 - room
    return [lines[0], *lines[start : start + room], Text(f"… {hidden} lines more", style="dim")]
