"""`todowright stats`.

What plans say: how many items were completed, dropped without a word, stuck, ticked in a batch or never started, how often
and how long, what the planning cost in tokens, and what it would have cost in lean. Of the files of agents, which are only
read, or of a store.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from todowright.cli.place import add_place, chosen_store

if TYPE_CHECKING:
    from todowright.stats.measure import Stats

EXAMPLES = """examples:
  todowright stats                              of the store
  todowright stats ~/.claude/projects           of the files of an agent
  todowright stats ~/.codex --html report.html  one page with charts
  todowright stats --json | jq .tokens"""


def add_options(parser: Any) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="a file or a folder with files of agents (default: the store)")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("--html", metavar="FILE", help="write one page with charts to this file")
    add_place(parser, agent=False, session_default="all of them")


def run(options: Any) -> int:
    stats, damaged, title = _gathered(options)
    if not stats.updates:
        print(f"No plans: nothing to count in {title}.")
    elif options.html:
        from todowright.project_files import named_file
        from todowright.stats.page import page

        with open(named_file(options.html), "w", encoding="utf-8") as file:
            file.write(page(stats, f"Plans in {title}"))
        print(f"Wrote {options.html}.")
    elif options.json:
        from todowright.text import json_text

        print(json_text(stats.to_dict(), indent=2))
    else:
        _print(stats)
    if damaged:
        told = f"{_n(damaged, 'place')} could not be read; todowright import --dry-run names each."
        print(told, file=sys.stderr)
    return 0 if stats.updates else 1


def _gathered(options: Any) -> tuple[Stats, int, str]:
    from todowright.stats.gather import stats_of_files, stats_of_store
    from todowright.text import clip, harmless

    if options.paths:
        stats, report = stats_of_files(options.paths)
        return stats, report.damaged, clip(harmless(", ".join(options.paths)), 80)
    store = chosen_store(options)
    try:
        stats = stats_of_store(store, options.session)
    finally:
        store.close()
    return stats, 0, harmless(f"session {options.session}") if options.session else "the store"


def _print(stats: Stats) -> None:
    from todowright.cli.paint import Paint

    paint = Paint(sys.stdout)
    for heading, rows in _parts(stats):
        print(paint.bold(heading))
        for number, words in rows:
            print(f"  {number:>10}  {words}")


def _parts(stats: Stats) -> list[tuple[str, list[tuple[str, str]]]]:
    from todowright.stats.measure import BATCH, LONG

    items = stats.items
    spent, lean = stats.sent or stats.as_lists, stats.lean_of_all
    told = "calls and answers" if stats.sent else "whole lists, one for each update"
    parts = [
        (
            f"{_n(stats.sessions, 'session')}, {_n(stats.plans, 'plan')}, {_n(stats.updates, 'update')}",
            [
                (_share(stats.finished, stats.plans), "of the plans had nothing open at the end"),
                (f"{items:,}", "items planned"),
                (_share(stats.completed, items - stats.cancelled), "of them completed, cancelled ones aside"),
                (_share(stats.dropped, items), "dropped unfinished, without a word"),
                (_share(stats.left, items), "left open at the end"),
                (_share(stats.stuck, items), f"stuck: in progress at the end, or over {LONG} updates"),
            ],
        ),
        (
            "How they were ticked",
            [
                (_share(stats.jumps, stats.completed), "of the completed never seen in progress"),
                (_share(stats.batched, stats.completed), f"ticked in a batch of {BATCH} or more"),
            ],
        ),
    ]  # fmt: skip
    pace = _pace(stats)
    if pace:
        parts.append(("Pace", pace))
    tokens = [(f"{spent:,}", f"for {told}")]
    if lean:
        tokens.append((f"{lean:,}", f"in lean, {_share(lean, spent)} of that"))
    return [*parts, ("Tokens for planning, about", tokens)]


def _pace(stats: Stats) -> list[tuple[str, str]]:
    from datetime import timedelta

    from todowright.cli.ages import lasting
    from todowright.stats.measure import LONG, spread

    rows: list[tuple[str, str]] = []
    if rounds := spread(stats.rounds):
        late = sum(each > LONG for each in stats.rounds)
        rows.append((f"{rounds['p50']:g}", f"rounds between two updates in the middle, {rounds['p90']:g} for one in ten"))  # fmt: skip
        rows.append((_share(late, len(stats.rounds)), f"of the updates after more than {LONG} rounds"))  # fmt: skip
    if seconds := spread(stats.seconds):
        middle, long = (lasting(timedelta(seconds=seconds[key])) for key in ("p50", "p90"))
        rows.append((middle, f"in progress in the middle, {long} for one item in ten"))
    return rows


def _n(number: int, noun: str) -> str:
    from todowright.cli.numbers import counted

    return counted(number, noun)


def _share(part: float, whole: float) -> str:
    return f"{part / whole:.0%}" if whole else "-"
