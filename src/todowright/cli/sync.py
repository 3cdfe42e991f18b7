"""`todowright sync`.

Keep a plan and a Markdown file in step, both ways: what agents do shows in the file, and what you tick, reword, add or delete
there shows in the plan. All other text of the file stays as it is. What both changed is shown, and nothing is lost.

  - [ ] open    - [/] in progress    - [x] done    - [-] cancelled
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from todowright.cli.numbers import counted
from todowright.cli.place import SESSION, absolute, add_place, chosen_store, store_url

if TYPE_CHECKING:
    from todowright.cli.small_file import SmallFile
    from todowright.stores import Store
    from todowright.sync.syncing import Synced

EXAMPLES = """examples:
  todowright sync plan.md                       makes the file, or brings it in step
  todowright sync plan.md --session auth        the plan of another session
  todowright sync plan.md --watch               goes on until you press Ctrl-C
  todowright sync plan.md --dry-run             only tells what would change"""
_LOOK = 1.0


def add_options(parser: Any) -> None:
    parser.add_argument("file", metavar="FILE", help="a Markdown file; it is made where there is none")  # fmt: skip
    parser.add_argument("--watch", action="store_true", help="keep them in step until Ctrl-C")
    parser.add_argument("--dry-run", action="store_true", help="only tell what would change")
    add_place(parser, session_default=f"the one that the file names, else ${SESSION}, else default")
    parser.set_defaults(agent=None)


def run(options: Any) -> int:
    from todowright.sync.syncing import sync

    session, agent = _names(options)
    mark = _mark(options, session, agent)
    store = chosen_store(options)
    try:
        known = mark.there
        _check(store, session, agent, options, known=known)
        if options.watch:
            _watch(store, session, agent, options.file, mark)
        done = sync(store, session, agent, options.file, dry=options.dry_run, known=known)
        if not options.dry_run:
            _note(mark)
        _print(done, options.file, dry=options.dry_run)
        return 1 if done.told or done.open_conflicts else 0
    finally:
        store.close()


def _names(options: Any) -> tuple[str, str]:
    """The session and the agent that are meant; a file that was in step with a plan belongs to that one."""
    from todowright.errors import StoreError
    from todowright.names import check_agent, check_session
    from todowright.sync.syncing import footer_of

    footer = footer_of(options.file)
    session = options.session or (footer.session if footer else os.environ.get(SESSION))
    agent = options.agent or (footer.agent if footer else "main")
    if footer is not None and (session, agent) != (footer.session, footer.agent):
        raise StoreError(
            f"{options.file} belongs to session {footer.session}, agent {footer.agent}: "
            "name those, or delete its last line to start anew"
        )
    return check_session(session or "default"), check_agent(agent)


def _mark(options: Any, session: str, agent: str) -> SmallFile:
    """A file of the user's own, which is there once they had this file in step with this plan."""
    from todowright.cli.small_file import SmallFile

    url = absolute(options.store or store_url(os.environ, os.getcwd()))
    return SmallFile("synced", os.path.realpath(options.file), url, session, agent)


def _note(mark: SmallFile) -> None:
    import time

    if not mark.there:
        with suppress(OSError):  # without a folder of one's own, one is asked again
            mark.write({"at": time.time()})


def _check(store: Store, session: str, agent: str, options: Any, *, known: bool) -> None:
    """Refuse to go by the last line of a file that this user never had in step: anybody can write one.

    Where there is no plan yet, there is nothing that such a file could change.
    """
    from todowright.errors import StoreError
    from todowright.sync.syncing import footer_of

    if known or options.session or footer_of(options.file) is None:
        return
    if store.load(session, agent).revision:
        raise StoreError(f"{options.file} names session {session}, but you never had it in step on this machine: say --session {session} if you mean that plan, of which nothing is dropped then")  # fmt: skip


def _watch(store: Store, session: str, agent: str, path: str, mark: SmallFile) -> None:
    """Bring them in step whenever one of them changes."""
    import time

    from todowright.importers.sources import state_of
    from todowright.sync.syncing import sync

    print(f"Keeping {path} in step with session {session}. Ctrl-C ends it.")
    seen: object = None
    while True:
        try:
            state: object = state_of(path), store.newest()
        except OSError:
            state = None, store.newest()
        if state != seen:
            done = sync(store, session, agent, path, known=mark.there)
            _note(mark)
            if done.to_plan or done.to_file or done.told:
                _print(done, path)
            seen = state
        time.sleep(_LOOK)


def _print(done: Synced, path: str, *, dry: bool = False) -> None:
    from todowright.cli.paint import Paint
    from todowright.text import harmless

    paint = Paint(sys.stdout)
    if done.to_plan or done.to_file:
        to_plan, to_file = counted(done.to_plan, "change"), counted(done.to_file, "change")
        would = " would be made" if dry else ""
        print(f"{to_plan} to the plan, {to_file} to {path}{would}.")
    elif not done.told:
        print(f"In step: {path} and session {done.plan.session}.")
    for line in done.told:
        print(paint.red("conflict: ") + harmless(f"{path}, {line}"))
    for number in done.open_conflicts:
        told = f"{path}, line {number}: an open conflict. Edit the item above it, and delete this line."
        print(paint.red(told))
