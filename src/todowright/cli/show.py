"""`todowright show`.

Show a plan as it stands.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from todowright.cli.place import add_place, chosen_agent, chosen_store, kept_session, store_url
from todowright.stores.urls import safe_url
from todowright.text import harmless, json_text

EXAMPLES = """examples:
  todowright show                              the box, as in the agent's terminal
  todowright show --format markdown > plan.md  a task list
  todowright show --format recap               one line, for a prompt or a status bar
  todowright show --session auth --format json | jq .todos"""


def add_options(parser: Any) -> None:
    parser.add_argument(
        "--format",
        choices=["box", "checklist", "recap", "markdown", "json"],
        default="box",
        help="how to show it (default: box)",
    )
    add_place(parser)


def run(options: Any) -> int:
    store = chosen_store(options)
    plan = store.load(kept_session(options, store), chosen_agent(options))
    if not plan.revision:
        place = safe_url(options.store or store_url(os.environ, os.getcwd()))
        told = f"Nobody has written a plan in session {plan.session} of {harmless(place)} yet."
        print(told, file=sys.stderr)
        if others := [harmless(name) for name in store.sessions() if name != plan.session]:
            names = ", ".join(others[-5:])
            same = f" --store {harmless(safe_url(options.store))}" if options.store else ""
            told = f"There are others: {names} (all: todowright sessions{same})"
            print(told, file=sys.stderr)
    if options.format == "box":
        from todowright.cli.box import box, console

        screen = console()
        width = screen.width if screen.is_terminal else None
        screen.print(box(plan, most=width, others=store.plans(plan.session)), soft_wrap=True)
        from todowright.cli.usage_line import session_usage

        if told := session_usage(store, plan.session):
            screen.print(told, style="dim", soft_wrap=True)
    elif options.format == "json":
        from todowright.cli.sessions import with_usage

        all_plans = store.plans(plan.session) if plan.revision else [plan]
        known = with_usage(store, all_plans)
        print(json_text(next(each for each in known if each["agent"] == plan.agent), indent=2))
    else:
        from todowright.cli.formats import formatted

        print(formatted(plan, options.format))
    return 0
