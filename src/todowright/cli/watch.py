"""`todowright watch`.

Watch a plan move, whichever process writes it. Ctrl-C ends it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from todowright.cli.place import SESSION, add_place, chosen_agent, chosen_store, moving_session

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console

    from todowright.plan.model import Plan
    from todowright.stores import Store

EXAMPLES = """examples:
  todowright watch                      in a second window, while an agent works
  todowright watch --session auth       the plan of another session
  todowright watch --until-finished     ends when everything is done
  todowright watch | tee plan.log       a box for every change"""

_FRAME = 0.12


def add_options(parser: Any) -> None:
    parser.add_argument(
        "--until-finished", action="store_true", help="end when nothing is left to do"
    )
    add_place(parser, session_default=f"${SESSION}, else the one that moved last")


def run(options: Any) -> int:
    from todowright.cli.box import console

    store, screen = chosen_store(options), console()
    live = sys.stdout.isatty() and not screen.is_dumb_terminal
    draw, plans = (_live, latest) if live else (_printed, every)
    moving = plans(store, moving_session(options, store), chosen_agent(options))
    try:
        with quiet_keys():
            draw(screen, moving, lambda plan: options.until_finished and plan.finished)
    except KeyboardInterrupt:
        pass
    finally:
        store.close()
    return 0


@contextmanager
def quiet_keys() -> Iterator[None]:
    """Keep what is typed, the ^C of an interrupt too, from being echoed into the drawing."""
    if sys.stdin is None or not sys.stdin.isatty():
        yield  # nobody can type
        return
    import termios

    before = termios.tcgetattr(sys.stdin)
    silent = [*before]
    silent[3] &= ~termios.ECHO
    termios.tcsetattr(sys.stdin, termios.TCSANOW, silent)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSANOW, before)


Seen = tuple["Plan", "Sequence[Plan]"]
"""A plan, and all plans of its session: its sub-agents' stand under its steps."""


def latest(store: Store, session: str, agent: str) -> Iterator[Seen]:
    """The plan as it stands, and again after every change; at least every frame of the spinner."""
    number = store.newest()
    seen = store.load(session, agent), store.plans(session)
    while True:
        yield seen
        store.wait(number, _FRAME)
        if (newest := store.newest()) != number:
            number, seen = newest, (store.load(session, agent), store.plans(session))


def every(store: Store, session: str, agent: str) -> Iterator[Seen]:
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


def _live(screen: Console, plans: Iterator[Seen], last: Callable[[Plan], bool]) -> None:
    from rich.live import Live

    from todowright.cli.box import box

    with Live(console=screen, auto_refresh=False, vertical_overflow="crop") as live:
        size = screen.size
        for frame, (plan, others) in enumerate(plans):
            if screen.size != size:  # a resized terminal has moved what was drawn
                size = screen.size
                screen.clear()
            rows = screen.height - 3
            drawn = box(plan, most=screen.width, rows=rows, frame=frame, others=others)
            live.update(drawn, refresh=True)
            if last(plan):
                live.update(box(plan, most=screen.width, rows=rows), refresh=True)
                return


def _printed(screen: Console, plans: Iterator[Seen], last: Callable[[Plan], bool]) -> None:
    from todowright.cli.box import box

    for plan, others in plans:
        screen.print(box(plan, others=others), soft_wrap=True)
        screen.file.flush()
        if last(plan):
            return
