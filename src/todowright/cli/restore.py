"""`todowright restore`.

Bring back what `todowright backup` copied. What the store has now is kept in a file beside it. Whoever has the store open
goes on with what was brought back.
"""

from __future__ import annotations

from typing import Any

from todowright.cli.place import add_store, chosen_file
from todowright.text import harmless

EXAMPLES = """examples:
  todowright restore ~/plans-monday.db
  todowright restore --empty                   start anew, where there is no backup"""


def add_options(parser: Any) -> None:
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("file", metavar="FILE", nargs="?", help="a file that `backup` made")
    which.add_argument(
        "--empty", action="store_true", help="set the store aside with all its files: start anew"
    )
    add_store(parser)


def run(options: Any) -> int:
    import os

    from todowright.cli.numbers import counted
    from todowright.stores.sqlite_copies import restore, set_aside

    path = chosen_file(options)
    if options.empty:
        kept = set_aside(path)
        print(
            f"Set aside as {harmless(kept)}." if kept else f"There is nothing at {harmless(path)}."
        )
        return 0
    done = restore(path, os.path.abspath(options.file))
    print(f"Brought back {counted(done.revisions, 'revision')} from {harmless(options.file)}.")
    if done.kept:
        print(f"What was there before is kept: {harmless(done.kept)}")
    return 0
