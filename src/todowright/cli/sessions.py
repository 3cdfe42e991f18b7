"""`todowright sessions`.

List the sessions of a store: first who needs you, then who works, what was abandoned, what is done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from todowright.cli.place import EVERYWHERE, add_place
from todowright.text import harmless, json_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from todowright.cli.home import Row
    from todowright.plan.attention import SessionState
    from todowright.plan.data import Plain
    from todowright.plan.model import Plan
    from todowright.stores import Store

EXAMPLES = """examples:
  todowright sessions
  todowright sessions --everywhere             of all your projects: PROJECT~SESSION
  todowright sessions --json | jq -r '.[].session'
  todowright sessions | cut -f 1               tab-separated in a pipe

  in a pipe: session, agents, steps done, what it is doing, when it moved, its state"""


def add_options(parser: Any) -> None:
    parser.add_argument("--json", action="store_true", help="as JSON, each agent's plan")
    parser.add_argument("--everywhere", action="store_true", help=EVERYWHERE)
    add_place(parser, agent=False, session_default="all of them")


def run(options: Any) -> int:
    from todowright.cli.everywhere import everywhere_or_here

    store = everywhere_or_here(options)
    if options.json:
        _print_json(store, options.session)
        return 0
    import time

    from todowright.cli.home import grouped
    from todowright.cli.seen import Seen, place_of
    from todowright.stores.watching import Watcher

    now, watcher = time.time(), Watcher(store)
    watcher.look()
    views = watcher.sessions(now)
    if options.session:
        views = [view for view in views if view.session == options.session]
    if views:
        _print_groups(grouped(views, now, Seen(place_of(options)).moments))
    elif options.session:
        print(f"No session is called {harmless(options.session)}.")
    else:
        print("No sessions yet. Those of all your projects: --everywhere")
    return 0


def _print_json(store: Store, session: str | None) -> None:
    from datetime import UTC, datetime

    names = [session] if session else store.sessions()
    plans = [plan for name in names for plan in store.plans(name)]
    plans.sort(key=lambda plan: plan.updated_at or datetime.min.replace(tzinfo=UTC), reverse=True)
    print(json_text(with_usage(store, plans), indent=2))


def with_usage(store: Store, plans: Sequence[Plan]) -> list[Plain]:
    """Plans as plain values, each with what the requests of its agent took; null where nobody told."""
    import os

    from todowright.plan.data import as_data
    from todowright.stores.prices import given_prices
    from todowright.stores.usage import beside_plans

    prices, agents = given_prices(os.environ), dict[str, list[str]]()
    for plan in plans:
        agents.setdefault(plan.session, []).append(plan.agent)
    found = {name: beside_plans(store.usage(name), known) for name, known in agents.items()}
    return [
        {**as_data(plan), "usage": prices.told(found[plan.session].get(plan.agent, []))}
        for plan in plans
    ]


def _print_groups(groups: Mapping[SessionState, Sequence[Row]]) -> None:
    from todowright.cli.box import console
    from todowright.cli.home import listed
    from todowright.cli.states import speaks_unicode

    screen = console()
    if not screen.is_terminal:
        for members in groups.values():
            for row in members:
                print("\t".join(_fields(row)))
        return
    for line in listed(groups, screen.width, unicode=speaks_unicode(screen.encoding)):
        screen.print(line, soft_wrap=True)


def _fields(row: Row) -> list[str]:
    agents = sorted(each.agent for each in row.view.agents)
    state = row.kind if row.state == "needs_you" else row.state
    names = harmless(",".join(agents))
    return [row.name, names, row.done, row.words, f"{row.moved} ago", state]
