"""`todowright check`.

Read a store whole and say whether it is sound. Nothing is changed.
"""

from __future__ import annotations

import sys
from typing import Any

from todowright.cli.place import add_store, chosen_file

EXAMPLES = """examples:
  todowright check
  todowright check --store sqlite:////srv/plans.db && todowright backup plans.copy.db"""


def add_options(parser: Any) -> None:
    add_store(parser)


def run(options: Any) -> int:
    from todowright.cli.numbers import counted
    from todowright.stores.sqlite_copies import checked
    from todowright.text import harmless

    path = chosen_file(options)
    found = checked(path)
    if found is None:
        print(f"{harmless(path)} is not there: no plan was saved there yet.")
        return 0
    for fault in found.faults:
        print(harmless(fault))
    if found.faults:
        told = "bring back a backup with `todowright restore FILE`; this file will be kept"
        print(f"{harmless(path)} is damaged: {told}", file=sys.stderr)
        return 1
    what = f"{counted(found.plans, 'plan')} with {counted(found.revisions, 'revision')}"
    print(f"{harmless(path)} is sound: {what} in {found.bytes / 1e6:,.1f} MB.")
    return 0
