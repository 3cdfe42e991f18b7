"""`todowright sessions`.

List the sessions of a store, the one that moved last on top.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from todowright.cli.ages import ago
from todowright.cli.place import add_place, chosen_store
from todowright.text import clip, harmless, json_text

if TYPE_CHECKING:
    from todowright.plan.model import Plan

EXAMPLES = """examples:
  todowright sessions
  todowright sessions --json | jq -r '.[].session'
  todowright sessions | cut -f 1               tab-separated in a pipe"""


def add_options(parser: Any) -> None:
    parser.add_argument("--json", action="store_true", help="as JSON")
    add_place(parser, agent=False, session_default="all of them")


def run(options: Any) -> int:
    from datetime import UTC, datetime

    store = chosen_store(options)
    names = [options.session] if options.session else store.sessions()
    plans = [plan for name in names for plan in store.plans(name)]
    plans.sort(key=lambda plan: plan.updated_at or datetime.min.replace(tzinfo=UTC), reverse=True)
    if options.json:
        from todowright.plan.data import as_data

        print(json_text([as_data(plan) for plan in plans], indent=2))
    elif not plans and options.session:
        print(f"No session is called {harmless(options.session)}.")
    elif not plans:
        print("No sessions yet. A plan starts with:  TodoWrite '{\"todos\": [...]}'")
    else:
        _table([_row(plan) for plan in plans])
    return 0


def _row(plan: Plan) -> tuple[str, str, str, str, str]:
    done, total = plan.progress
    now = plan.current
    doing = harmless(now.active_form or now.content) if now else "done" if plan.finished else ""
    age = ago(plan.updated_at) if plan.updated_at else ""
    return harmless(plan.session), harmless(plan.agent), f"{done}/{total}", doing, age


def _table(rows: list[tuple[str, str, str, str, str]]) -> None:
    from todowright.cli.box import console

    screen = console()
    if not screen.is_terminal:
        for row in rows:
            print("\t".join(row))
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("SESSION", "AGENT", "DONE", "NOW", "MOVED"):
        table.add_column(
            name, no_wrap=True, overflow="ellipsis", ratio=1 if name == "NOW" else None
        )
    for session, agent, done, doing, age in rows:
        style = "green" if doing == "done" else "yellow"
        cells = [Text(clip(session, 40)), Text(agent), Text(done), Text(doing, style), Text(age)]
        table.add_row(*cells)
    screen.print(table)
