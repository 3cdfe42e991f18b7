"""`todowright prune`.

Delete old revisions of all plans of a store: a file becomes smaller, a database on Postgres has room for new ones. The
current plans always stay. Others may write meanwhile.
"""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError
from contextlib import closing
from typing import TYPE_CHECKING, Any

from todowright.cli.numbers import positive
from todowright.cli.place import add_store, chosen_file, store_url

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager
    from typing import TextIO

    from todowright.plan.model import Plan
    from todowright.stores.sqlite_prune import Old

EXAMPLES = """examples:
  todowright prune --older-than 30d --keep-last 100 --dry-run
  todowright prune --older-than 30d --keep-last 100
  todowright prune --keep-last 10 --archive old.json     they are written there first"""
_UNITS = {"m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def add_options(parser: Any) -> None:
    parser.add_argument("--older-than", type=_age, metavar="AGE",
                        help="what is younger stays: 12h, 30d, 8w")  # fmt: skip
    parser.add_argument("--keep-last", type=positive, metavar="N",
                        help="the last N revisions of each plan stay (default: 1)")  # fmt: skip
    parser.add_argument("--dry-run", action="store_true", help="only tell what would go")
    parser.add_argument(
        "--archive", metavar="FILE", help="write what goes to a new .json or .md file first"
    )
    add_store(parser)


def _age(text: str) -> int:
    """An age as seconds."""
    number, unit = text[:-1], text[-1:]
    if unit not in _UNITS or not (number.isascii() and number.isdigit()):
        raise ArgumentTypeError(f"'{text}' is no age such as 12h, 30d or 8w")
    return int(number) * _UNITS[unit]


def run(options: Any) -> int:
    import time

    from todowright.cli.numbers import counted
    from todowright.text import harmless

    wrong = _wrong(options)
    if wrong:
        print(f"todowright prune: {wrong}", file=sys.stderr)
        return 2
    place = _place(options)
    if missing := place.missing():
        print(missing)
        return 0
    since = None
    if options.older_than is not None:
        since = (time.time_ns() // 1000) - options.older_than * 1_000_000
    with place.explaining():
        old = place.old(since, options.keep_last or 1)
        total = counted(sum(each.revisions for each in old), "revision")
        plans = counted(len(old), "plan")
        if options.dry_run:
            for each in old:
                print(f"{each.revisions:>9,}  {harmless(f'{each.session}/{each.agent}')}")
            print(f"{total} of {plans} would go.")
            return 0
        if old and options.archive:
            _archive(place.plans(old), options.archive)
            print(f"Wrote {harmless(options.archive)}.")
        print(f"Deleted {total} of {plans}: {place.prune(old)}.")
    return 0


def _place(options: Any) -> _File | _Database:
    """What is pruned: the database on Postgres that the options name, or the file."""
    import os

    url = options.store or store_url(os.environ, os.getcwd())
    if url.startswith(("postgresql:", "postgres:")):
        return _Database(url)
    return _File(chosen_file(options))


class _File:
    """A store in a file."""

    def __init__(self, path: str) -> None:
        self._path = path

    def missing(self) -> str:
        """What to say if it is not there."""
        import os

        from todowright.text import harmless

        if os.path.exists(self._path):
            return ""
        return f"{harmless(self._path)} is not there: no plan was saved there yet."

    def explaining(self) -> AbstractContextManager[None]:
        """Say what is wrong with the file, where something is."""
        from todowright.stores.sqlite_copies import explaining

        return explaining(self._path)

    def old(self, since: int | None, keep_last: int) -> list[Old]:
        from todowright.stores.sqlite_prune import old_revisions

        return old_revisions(self._path, older_than=since, keep_last=keep_last)

    def plans(self, old: list[Old]) -> Iterable[Plan]:
        from todowright.stores.sqlite_prune import plans_of

        return plans_of(self._path, old)

    def prune(self, old: list[Old]) -> str:
        """Delete them; what came of it."""
        import os

        from todowright.stores.sqlite_prune import prune

        before = os.path.getsize(self._path)
        prune(self._path, old)
        freed = max(0, before - os.path.getsize(self._path))
        return f"the file is {freed / 1e6:,.1f} MB smaller"


class _Database:
    """A store on Postgres."""

    def __init__(self, url: str) -> None:
        from todowright.stores.postgres import PostgresStore

        self._store = PostgresStore(url)

    def missing(self) -> str:
        return ""

    def explaining(self) -> AbstractContextManager[object]:
        """The store says by itself what is wrong; it is closed at the end."""
        return closing(self._store)

    def old(self, since: int | None, keep_last: int) -> list[Old]:
        from todowright.stores.postgres_prune import old_revisions

        return old_revisions(self._store, older_than=since, keep_last=keep_last)

    def plans(self, old: list[Old]) -> Iterable[Plan]:
        from todowright.stores.postgres_prune import plans_of

        return plans_of(self._store, old)

    def prune(self, old: list[Old]) -> str:
        """Delete them; what comes of it."""
        from todowright.stores.postgres_prune import prune

        prune(self._store, old)
        return "new rows take their room after the next vacuum"


def _wrong(options: Any) -> str:
    """What is wrong with the options, if something is."""
    if options.older_than is None and options.keep_last is None:
        return "say what may go: --older-than AGE, --keep-last N or both"
    if options.archive and not options.archive.endswith((".json", ".md")):
        return f"{options.archive} is neither .json nor .md"
    return ""


def _archive(plans: Iterable[Plan], name: str) -> None:
    """Write what is to go into a new file, which is on disk when this returns."""
    import os

    from todowright.errors import StoreError
    from todowright.private_files import create_file
    from todowright.project_files import named_file

    if not os.path.islink(name):  # that one is refused below: it is there already
        named_file(name)
    try:
        handle = create_file(name)
    except FileExistsError:
        raise StoreError(f"{name} is there already: name another file") from None
    except OSError as error:
        raise StoreError(f"{name} cannot be made ({error.strerror}): nothing was deleted") from None
    try:
        with open(handle, "w", encoding="utf-8") as file:
            write = _write_json if name.endswith(".json") else _write_markdown
            write(file, plans)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        os.unlink(name)
        raise


def _write_json(file: TextIO, plans: Iterable[Plan]) -> None:
    from todowright.text import json_text

    start = "["
    for plan in plans:
        file.write(f"{start}\n{json_text(plan.to_dict())}")
        start = ","
    file.write("\n]\n")


def _write_markdown(file: TextIO, plans: Iterable[Plan]) -> None:
    from todowright.cli.formats import as_markdown
    from todowright.formats.markdown import escaped

    for plan in plans:
        moment = f", {plan.updated_at:%Y-%m-%d %H:%M} UTC" if plan.updated_at else ""
        of = "" if plan.agent == "main" else f" of {escaped(plan.agent)}"
        file.write(f"{as_markdown(plan)}\n\nrevision {plan.revision}{of}{moment}\n\n")
