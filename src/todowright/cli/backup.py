"""`todowright backup`.

Copy a store into one file, as it is at this moment. Others may write meanwhile.
"""

from __future__ import annotations

from typing import Any

from todowright.cli.place import add_store, chosen_file

EXAMPLES = """examples:
  todowright backup ~/plans-monday.db
  todowright restore ~/plans-monday.db         bring it back"""


def add_options(parser: Any) -> None:
    parser.add_argument("file", metavar="FILE", help="the file to make; it must not be there yet")
    add_store(parser)


def run(options: Any) -> int:
    import os

    from todowright.cli.numbers import counted
    from todowright.stores.sqlite_copies import backup
    from todowright.text import harmless

    path = chosen_file(options)
    plans, revisions = backup(path, os.path.abspath(options.file))
    print(
        f"Copied {counted(plans, 'plan')} with {counted(revisions, 'revision')} to {harmless(options.file)}."
    )
    return 0
