"""How far a run of `todowright fit` is, and its report: for a terminal, or plain for a pipe."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from todowright.cli.box import console
from todowright.fitting.report import HEAD, About, Figures, advice, cells, common_faults, markdown
from todowright.fitting.run import Result
from todowright.fitting.stages import STAGES
from todowright.text import harmless

Show = Callable[[Result], None]


@contextmanager
def progress(tasks: int, total: int) -> Iterator[Show]:
    """Shows every result on standard error: in one line that moves, or line by line."""
    screen = console(sys.stderr)
    if not screen.is_terminal or screen.is_dumb_terminal:
        yield _lines(tasks)
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=screen, transient=True) as bar:
        line = bar.add_task("asking the model", total=total)
        counts: Counter[str] = Counter()

        def show(result: Result) -> None:
            counts[result.outcome] += 1
            told = f"task {result.task}/{tasks} · {result.dialect} · {counts['right']} right, {counts['harm']} harmful"
            bar.update(line, advance=1, description=told)

        yield show


def _lines(tasks: int) -> Show:
    """A line for each task in each dialect, when its last stage was asked."""
    counts: Counter[str] = Counter()

    def show(result: Result) -> None:
        counts[result.outcome] += 1
        if result.stage == STAGES[-1].name:
            told = ", ".join(
                f"{counts[outcome]} {outcome}" for outcome in ("right", "wrong", "harm")
            )
            more = f", {counts['unanswered']} unanswered" if counts["unanswered"] else ""
            where = f"task {result.task}/{tasks} ({result.trade}) {result.dialect}"
            print(f"{where}: {told}{more}", file=sys.stderr, flush=True)
            counts.clear()

    return show


def show_report(about: About, rows: Sequence[Figures]) -> None:
    """The report on standard output: a table on a terminal, Markdown in a pipe."""
    screen = console()
    if not screen.is_terminal:
        print(markdown(about, rows), end="")
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in HEAD:
        table.add_column(name, justify="left" if name == HEAD[0] else "right")
    for row in rows:
        table.add_row(*cells(row))
    screen.print(table)
    for row in rows:
        if row.faults:
            screen.print(f"{row.dialect}: {common_faults(row)}", style="dim")
    if about.ended:
        screen.print(f"Ended early: {harmless(about.ended)}.", style="yellow")
    screen.print(advice(rows), style="bold")
