"""`todowright watch`.

Watch a session move, whichever process writes it; with --all every session of the store, who needs you
on top. Ctrl-C ends it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from todowright.cli.place import (
    EVERYWHERE,
    SESSION,
    add_place,
    chosen_agent,
    moving_session,
    project_name,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console

    from todowright.plan.model import Plan
    from todowright.stores import Store

EXAMPLES = """examples:
  todowright watch                      in a second window, while an agent works
  todowright watch --all                every session: who needs you, who works, what is done
  todowright watch --all --everywhere   those of all your projects
  todowright watch --session auth       the plan of another session
  todowright watch --until-finished     ends when everything is done
  todowright watch | tee plan.log       a box for every change

  keys: q quit   a all sessions   ↑ ↓ scroll or choose   Enter open   Esc back"""


def add_options(parser: Any) -> None:
    parser.add_argument("--all", action="store_true", help="every session of the store, in groups")
    parser.add_argument("--everywhere", action="store_true", help=f"with --all: {EVERYWHERE}")
    parser.add_argument(
        "--until-finished", action="store_true", help="end when nothing is left to do"
    )
    add_place(parser, session_default=f"${SESSION}, else the one that moved last")


def run(options: Any) -> int:
    from todowright.cli.box import console
    from todowright.cli.everywhere import everywhere_or_here

    store, screen = everywhere_or_here(options), console()
    session, agent = moving_session(options, store), chosen_agent(options)
    try:
        if sys.stdout.isatty() and not screen.is_dumb_terminal:
            _live(options, store, screen, session, agent)
        elif options.all:
            return _all_once(options)
        else:
            plans = every(store, session, agent)
            _printed(screen, plans, lambda plan: options.until_finished and plan.finished)
    except KeyboardInterrupt:
        pass
    finally:
        store.close()
    return 0


def _live(options: Any, store: Store, screen: Console, session: str, agent: str) -> None:
    from todowright.cli.keys import keyboard
    from todowright.cli.seen import Seen, place_of
    from todowright.cli.watching import Watching

    place = place_of(options)
    with keyboard() as keys:
        Watching(
            store,
            screen,
            keys,
            Seen(place),
            session="" if options.all else session,
            agent=agent,
            project=project_name(place),
            until_finished=options.until_finished,
        ).run()


def _all_once(options: Any) -> int:
    """The list of sessions, once: nobody reads a list in a pipe that is written again and again."""
    from argparse import Namespace

    from todowright.cli import sessions

    given = {"store": options.store, "everywhere": options.everywhere}
    return sessions.run(Namespace(**given, session=None, json=False))


Revised = tuple["Plan", "Sequence[Plan]"]
"""A plan, and all plans of its session: its sub-agents' stand under its steps."""


def every(store: Store, session: str, agent: str) -> Iterator[Revised]:
    """The plan as it stands, and every revision of it, or of a sub-agent's, behind that."""
    from todowright.stores.follow import follow

    number = store.newest()
    plan, others = store.load(session, agent), {each.agent: each for each in store.plans(session)}
    yield plan, list(others.values())
    for _, revision in follow(store, session=session, after=number):
        others[revision.agent] = revision
        plan = revision if revision.agent == agent else plan
        if revision.agent == agent or revision.agent.startswith(f"{agent}/"):
            yield plan, list(others.values())


def _printed(screen: Console, plans: Iterator[Revised], last: Callable[[Plan], bool]) -> None:
    from todowright.cli.box import box

    for plan, others in plans:
        screen.print(box(plan, others=others), soft_wrap=True)
        screen.file.flush()
        if last(plan):
            return
