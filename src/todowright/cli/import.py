"""`todowright import`.

Bring in the plans that other agents wrote to their own files: Claude Code, Codex, opencode, Kilo, Roo, Qwen Code, Gemini
CLI, VS Code, LangGraph, and checklists in Markdown. Folders are searched. Every call comes in once, with its time and
its model, however often you import; the files are only read.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from todowright.cli.place import add_store, chosen_store

if TYPE_CHECKING:
    from collections.abc import Callable

    from todowright.importers.bringing import Report

EXAMPLES = """examples:
  todowright import ~/.claude/projects          all sessions of Claude Code
  todowright import --all                       every agent of this machine
  todowright import rollout.jsonl chat.json.gz  single files, packed ones too
  todowright import ~/.codex --dry-run          only tell what would come in
  todowright import --all && todowright serve   and look at it"""
_MOST_SHOWN = 20


def add_options(parser: Any) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="a file, or a folder to search")
    parser.add_argument(
        "--all",
        action="store_true",
        help="search where the agents of this machine keep their files",
    )
    parser.add_argument("--dry-run", action="store_true", help="only tell what would come in")
    parser.add_argument("--json", action="store_true", help="the report as JSON")
    add_store(parser)


def run(options: Any) -> int:
    from todowright.importers.bringing import Importer, bring
    from todowright.importers.homes import homes
    from todowright.importers.ledger import Ledger, ledger_path
    from todowright.stores.memory import MemoryStore

    paths = [*options.paths, *(homes() if options.all else ())]
    if not paths:
        told = "none of the known agents has files here" if options.all else _hint(homes())
        print(f"todowright import: {told}", file=sys.stderr)
        return 1 if options.all else 2
    store = MemoryStore() if options.dry_run else chosen_store(options)
    ledger = Ledger() if options.dry_run else Ledger(ledger_path(store, _user_data()))
    progress = _Progress()
    try:
        importer = Importer(store, ledger)
        report = bring(paths, importer, progress.of(importer))
    finally:
        progress.clear()
        ledger.close()
        store.close()
    (_print_json if options.json else _print)(report, dry=options.dry_run)
    missing = [path for path in options.paths if not os.path.exists(path)]
    return 1 if missing else 0


def _hint(found: list[str]) -> str:
    if not found:
        return "name a file or a folder with the files of an agent, such as ~/.claude/projects"
    return f"name a file or a folder, or use --all for {', '.join(found[:3])}{', …' if len(found) > 3 else ''}"


def _user_data() -> str:
    from todowright.cli.place import user_data

    return user_data(os.environ)


class _Progress:
    """One line on a terminal that says how far it is; nothing in a pipe."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._last = 0.0
        self._files = 0

    def of(self, importer: Any) -> Callable[[str], None]:
        from time import monotonic

        from todowright.text import clip, harmless

        def progress(path: str) -> None:
            self._files += 1
            if not self._shown or monotonic() - self._last < 0.1:
                return
            self._last = monotonic()
            told = f"{self._files:,} files, {importer.report.new:,} new calls: "
            name = clip(harmless(os.path.basename(path)), 40)
            print(f"\r\x1b[K{told}{name}", end="", file=sys.stderr, flush=True)

        return progress

    def clear(self) -> None:
        if self._last:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _print_json(report: Report, *, dry: bool) -> None:
    from dataclasses import asdict

    from todowright.text import json_text

    data = asdict(report) | {"sessions": list(report.sessions), "dry_run": dry}
    print(json_text(data, indent=2))


def _print(report: Report, *, dry: bool) -> None:
    from todowright.cli.numbers import counted
    from todowright.cli.paint import Paint

    paint = Paint(sys.stdout)
    would = "would come in" if dry else "came in"
    calls, sessions = counted(report.new, "call"), counted(len(report.sessions), "session")
    if report.new:
        print(
            f"{paint.bold(calls)} of {sessions} {would}, {counted(report.revisions, 'revision')}."
        )
        for host, number in report.hosts.most_common():
            print(f"  {number:>7,}  {host}")
    else:
        print(f"Nothing new: {_searched(report)}.")
    for word, meaning in _REST.items():
        if report.outcomes[word]:
            print(paint.dim(f"  {report.outcomes[word]:>7,}  of them {meaning}"))
    if report.new:
        print(paint.dim(f"Searched {_searched(report)}."))
    _print_damage(report, paint)


_REST = {
    "same": "left the plan as it was",
    "looked": "only looked at the plan",
    "failed": "had been refused by their own agent",
    "older": "were older than the plan that stands",
}


def _searched(report: Report) -> str:
    from todowright.cli.numbers import counted

    parts = [counted(report.files, "file")]
    if report.unchanged:
        parts.append(f"{report.unchanged:,} unchanged since the last import")
    if report.other:
        parts.append(f"{report.other:,} of no known agent")
    return ", ".join(parts)


def _print_damage(report: Report, paint: Any) -> None:
    from todowright.cli.numbers import counted

    if not report.damaged:
        return
    print(paint.red(f"{counted(report.damaged, 'place')} could not be read; all else was:"))
    for line in report.damage[:_MOST_SHOWN]:
        print(f"  {line}")
    if report.damaged > _MOST_SHOWN:
        print(f"  and {report.damaged - _MOST_SHOWN:,} more; --json names {len(report.damage):,}")
