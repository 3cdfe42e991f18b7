"""`todowright fleet`.

Who works on what, and for how long; what is ready, what is blocked by whom, what failed, what is done. All sessions of
the store, or one of them. In a pipe the columns are separated by tabs: session, agent, state, number, subject, owner,
since, seconds left of the lease, numbers of the tasks that block it, why it failed.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from todowright.cli.place import add_place, chosen_store, store_url
from todowright.stores.urls import safe_url
from todowright.text import harmless, json_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from todowright.stores import Store
    from todowright.tasks import Fleet, FleetTask

EXAMPLES = """examples:
  todowright fleet
  todowright fleet --session release --watch   follows it, in a second window
  todowright fleet --json | jq '.sessions[].counts'
  todowright fleet | awk -F '\\t' '$3 == "ready"'"""
_LOOK = 1.0
"""Seconds between two looks where nothing moves: leases run out by themselves."""


def add_options(parser: Any) -> None:
    parser.add_argument("--watch", action="store_true", help="follow it; Ctrl-C ends")
    parser.add_argument("--all", action="store_true", help="every task, also what is done")
    parser.add_argument("--json", action="store_true", help="as JSON; with --watch a line for each change")  # fmt: skip
    add_place(parser, agent=False, session_default="all of them")


def run(options: Any) -> int:
    from todowright.names import check_session

    store = chosen_store(options)
    session = check_session(options.session) if options.session else None
    try:
        if options.watch:
            return _watched(store, session, options)
        from todowright.tasks.fleet import fleet_of

        found = fleet_of(store, session)
        if not found.tasks and not options.json:
            print(_empty(session, options.store), file=sys.stderr)
            return 0
        _shown(found, options)
    finally:
        store.close()
    return 0


def _empty(session: str | None, given: str | None) -> str:
    """What to do where there is nothing to see."""
    where = f"session {session} of " if session else ""
    place = harmless(safe_url(given or store_url(os.environ, os.getcwd())))
    same = f" --session {session}" if session else ""
    return (
        f"No tasks in {where}{place} yet. Add one:  todowright tasks{same} 'Build the site'\n"
        f"Then let somebody do it:  todowright worker{same} -- COMMAND"
    )


def _shown(found: Fleet, options: Any) -> None:
    if options.json:
        print(json_text(found.to_dict(closed=options.all), indent=None if options.watch else 2))
        return
    from todowright.cli.box import console

    screen = console()
    if screen.is_terminal:
        from todowright.cli.fleet_view import drawn

        screen.print(drawn(found, screen.width, everything=options.all), soft_wrap=True)
        return
    for line in _rows(found, everything=options.all):
        print(line)


def _rows(found: Fleet, *, everything: bool) -> Iterator[str]:
    """The tasks for other programs, a line each."""
    for task in found.tasks:
        if everything or task.state not in ("done", "cancelled"):
            yield "\t".join(map(harmless, _cells(task)))


def _cells(task: FleetTask) -> Iterator[str]:
    yield from (task.session, task.agent, task.state, str(task.number), task.subject, task.owner)
    yield task.since.isoformat(timespec="seconds") if task.since else ""
    yield "" if task.left is None else f"{task.left:.0f}"
    yield " ".join(str(number) for number, _ in task.blocked_by)
    yield task.why


def _watched(store: Store, session: str | None, options: Any) -> int:
    """Show it again whenever something moves, and on a terminal each second."""
    from todowright.cli.box import console
    from todowright.cli.keys import keyboard

    screen = console()
    live = screen.is_terminal and not screen.is_dumb_terminal and not options.json
    try:
        with keyboard():
            if live:
                _live(screen, _looks(store, session, _LOOK), options)
            else:
                _told(_looks(store, session, _LOOK), options)
    except KeyboardInterrupt:
        pass
    return 0


def _looks(store: Store, session: str | None, pause: float) -> Iterator[Fleet]:
    from todowright.tasks.fleet import fleet_of

    while True:
        number = store.newest()
        yield fleet_of(store, session)
        store.wait(number, pause)


def _told(looks: Iterator[Fleet], options: Any) -> None:
    """Print what differs from the last look: a lease that was renewed is no change."""
    last: object = None
    for found in looks:
        known = [(task.session, task.agent, task.number, *_told_of(task)) for task in found.tasks]
        if known != last:
            if last is not None and not options.json:
                print()
            last = known
            _shown(found, options)
            sys.stdout.flush()


def _told_of(task: FleetTask) -> tuple[object, ...]:
    return task.state, task.subject, task.owner, task.blocked_by, task.why


def _live(screen: Any, looks: Iterator[Fleet], options: Any) -> None:
    from rich.live import Live
    from rich.text import Text

    from todowright.cli.fleet_view import drawn

    empty: Callable[[], Text] = lambda: Text(_empty(options.session, options.store))  # noqa: E731
    with Live(console=screen, auto_refresh=False, vertical_overflow="crop") as shown:
        size = screen.size
        for found in looks:
            if screen.size != size:  # a resized terminal has moved what was drawn
                size = screen.size
                screen.clear()
            text = drawn(found, screen.width, everything=options.all) if found.tasks else empty()
            shown.update(text, refresh=True)
