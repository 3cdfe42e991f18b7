"""`todowright notify`.

Be told when an agent is stuck, a session is finished, work was dropped, a step waits for a person, or an edit of
yours was not kept: by a web address that gets JSON (--webhook), by a command (behind --), or by lines on standard
output. Everything is told once, also after a restart. Nobody who writes plans waits for it.

The command gets the event as one line of JSON on standard input and in its environment (TODOWRIGHT_EVENT,
TODOWRIGHT_SESSION, TODOWRIGHT_AGENT, TODOWRIGHT_TEXT). No shell reads the words of a plan.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from todowright.cli.notices import KINDS, Rules
from todowright.cli.numbers import minutes, positive, seconds
from todowright.cli.place import add_place, chosen_store

if TYPE_CHECKING:
    from todowright.cli.deliveries import Hook
    from todowright.cli.notices import Notice
    from todowright.cli.telling import Teller
    from todowright.stores import Store
    from todowright.stores.watching import Watcher

WEBHOOK = "TODOWRIGHT_WEBHOOK"
EXAMPLES = """examples:
  todowright notify                                    a line for each event
  todowright notify -- notify-send todowright          JSON on its standard input
  todowright notify -- sh -c 'say "$TODOWRIGHT_TEXT"'
  todowright notify --webhook https://example.org/hook --only stuck,waiting --stuck-after 20
  */5 * * * * cd ~/shop && todowright notify --once --webhook https://…     in a crontab"""
_LOOK = 5.0
"""Seconds between two looks while nobody writes: silence is noticed by the clock."""


def add_options(parser: Any) -> None:
    parser.add_argument(
        "words", nargs="*", metavar="COMMAND", help="what to run for each event, behind --"
    )
    parser.add_argument("--webhook", metavar="URL", default=os.environ.get(WEBHOOK) or None,
                        help=f"POST each event there as JSON; https, or this machine (default: ${WEBHOOK})")  # fmt: skip
    parser.add_argument("--only", metavar="EVENTS", type=_kinds, default=frozenset(KINDS),
                        help=f"of {','.join(KINDS)} (default: all)")  # fmt: skip
    parser.add_argument("--stuck-after", metavar="MINUTES", type=minutes,
                        help="of silence on a step (default: three times the usual, 10 to 60)")  # fmt: skip
    parser.add_argument("--once", action="store_true", help="look once and end, for cron")
    parser.add_argument("--timeout", metavar="SECONDS", type=seconds, default=10.0,
                        help="for one try (default: 10)")  # fmt: skip
    parser.add_argument("--tries", metavar="N", type=positive, default=4,
                        help="for each event (default: 4)")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="lines of JSON on standard output")
    add_place(parser, agent=False, session_default="all of them")


def _kinds(text: str) -> frozenset[str]:
    from argparse import ArgumentTypeError

    from todowright.text import likely, shown

    chosen = [part.strip() for part in text.split(",") if part.strip()]
    for each in chosen:
        if each not in KINDS:
            told = (
                f"no event is called '{shown(each)}': {likely(each, KINDS)}use {', '.join(KINDS)}"
            )
            raise ArgumentTypeError(told)
    if not chosen:
        raise ArgumentTypeError(f"name an event: {', '.join(KINDS)}")
    return frozenset(chosen)


def run(options: Any) -> int:
    from contextlib import ExitStack

    from todowright.cli.seen import place_of
    from todowright.cli.telling import Ledger, Teller
    from todowright.stores.watching import Watcher

    hooks = _hooks(options)
    store = chosen_store(options)
    look = _Look(store, Watcher(store), options)
    with ExitStack() as held:
        tellers = []
        for hook in hooks:
            ledger = Ledger(place_of(options), hook)
            held.enter_context(ledger.alone())
            ledger.begin(*look.now(everything=True))
            how: Any = {"seconds": options.timeout, "tries": options.tries, "complain": _complain}
            tellers.append(Teller(hook, ledger, **how))
        return _once(look, tellers) if options.once else _for_ever(look, tellers)


def _hooks(options: Any) -> list[Hook]:
    """The ways to tell that the options name; lines where they name none."""
    import shutil

    from todowright.cli.deliveries import Command, Lines, Webhook
    from todowright.cli.seen import place_of
    from todowright.errors import UnknownName
    from todowright.text import shown

    hooks: list[Hook] = []
    if options.webhook:
        hooks.append(Webhook(options.webhook))
    if options.words:
        if shutil.which(options.words[0]) is None:  # else every event would fail by it
            raise UnknownName(f"there is no command {shown(options.words[0], 60)}: check its name")
        hooks.append(Command(tuple(options.words), place_of(options)))
    return hooks or [Lines(options.json)]


class _Look:
    """Looks at the store for what is worth telling."""

    def __init__(self, store: Store, watcher: Watcher, options: Any) -> None:
        self.store, self.watcher = store, watcher
        after = None if options.stuck_after is None else options.stuck_after * 60
        self._rules, self._session = Rules(options.only, after), options.session

    def now(self, *, everything: bool = False) -> tuple[list[Notice], float]:
        """What holds now, and when that is; with everything also what is not wanted."""
        import time

        now = time.time()
        self.watcher.look()
        views = self.watcher.sessions(now)
        if self._session:
            views = [view for view in views if view.session == self._session]
        return (Rules() if everything else self._rules).notices(views, now), now

    def wait(self) -> None:
        self.store.wait(self.watcher.number, _LOOK)


def _once(look: _Look, tellers: list[Teller]) -> int:
    found, _ = look.now()
    told = []
    for teller in tellers:
        teller.take(found)
        told.append(teller.tell_all())
    return 0 if all(told) else 1


def _for_ever(look: _Look, tellers: list[Teller]) -> int:
    import time

    for teller in tellers:
        teller.start()
    try:
        while True:
            started = time.monotonic()
            found, _ = look.now()
            for teller in tellers:
                teller.check()
                teller.take(found)
            rest = max(0.5, (time.monotonic() - started) * 4)  # many writers: not one look for each
            look.wait()
            time.sleep(max(0.0, started + rest - time.monotonic()))
    finally:
        for teller in tellers:
            teller.stop()


def _complain(text: str) -> None:
    print(f"todowright: {text}", file=sys.stderr, flush=True)
