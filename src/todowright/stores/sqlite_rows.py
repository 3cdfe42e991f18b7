"""Rows of the table `revision`: how a plan becomes one, whole or as changes, and is read back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from typing import TypeVar

from todowright.plan.model import Maker, Plan
from todowright.stores.changes import Base, base_of, changed, changes_of
from todowright.stores.encoding import COLUMNS, Row, plan_of, row_of, row_with
from todowright.stores.sqlite_file import SCHEMA

T = TypeVar("T")
_NAMES = COLUMNS.split(", ")
_MOST_KNOWN = 64
"""Of how many plans a connection remembers what it has read or saved last."""
SELECT = (
    f"SELECT r.number, {', '.join(f'r.{name}' for name in _NAMES)}, "  # noqa: S608
    "r.base, b.todos, b.extras, b.summary FROM revision AS r LEFT JOIN revision AS b "
    "ON r.base > 0 AND b.session = r.session AND b.agent = r.agent AND b.revision = r.base AND b.base = 0"
)
"""All that is needed to read a row."""
SAVE = (
    f"INSERT INTO revision ({COLUMNS}, base) "  # noqa: S608
    f"SELECT {', '.join(f'?{n}' for n in range(1, len(_NAMES) + 2))} "
    "WHERE ?3 - 1 = coalesce((SELECT max(revision) FROM revision WHERE session = ?1 AND agent = ?2), 0) "
    f"AND (SELECT user_version FROM pragma_user_version) = {SCHEMA} "
    "AND (?17 = 0 OR EXISTS (SELECT 1 FROM revision WHERE session = ?1 AND agent = ?2 AND revision = ?17 "
    "AND base = 0 AND todos = ?18 AND extras = ?19 AND summary = ?20))"
)
"""Adds a row if the one before it is the newest, the schema is ours, and its base is what it was."""
ADD = f"INSERT INTO revision ({COLUMNS}, base) VALUES ({', '.join('?' * (len(_NAMES) + 1))})"  # noqa: S608
"""Adds a row of which all that is known, while nobody else has committed."""
SAVE_ONCE = (
    f"{SAVE} AND NOT EXISTS (SELECT 1 FROM receipt "  # noqa: S608
    "WHERE session = ?21 AND agent = ?22 AND call = ?23 AND digest = ?24)"
)
Key = tuple[str, str]
Values = tuple[
    str, str, int, str, str, int, int, str, Maker, str, str, int, str, int, int, str,  # a `Row`
    int, str | None, str | None, str | None,
]  # fmt: skip
"""A plan and its base: the base's number, 0 for none, and its texts."""
Fetched = tuple[
    int,
    str, str, int, str, str, int, int, str, Maker, str, str, int, str, int, int, str,  # a `Row`
    int, str | None, str | None, str | None,
]  # fmt: skip
"""A row of `SELECT`: the number of the revision, then `Values`."""


class Known:
    """What a connection knows of the file: bases and plans that were read or saved last, by session and agent.

    A plan is as it was while nobody else commits, which SQLite tells by its data version. A commit of one's own
    does not change that: who writes anything but the next revision of a plan says `doubt`.
    """

    def __init__(self) -> None:
        self.version = -1
        """The data version at which plans were looked at last; -1 while nothing is sure."""
        self._bases: dict[Key, Base] = {}
        self._rows: dict[Key, tuple[Values, Plan]] = {}
        """The rows that were read or saved last, and their plans: the same row again is the same plan."""
        self._current: set[Key] = set()
        """Whose rows are known to be the newest, at that version."""

    def doubt(self, version: int = -1) -> None:
        """Somebody wrote something: what was the newest may not be it any more."""
        self.version = version
        self._current.clear()

    def is_written(self, key: Key) -> None:
        """Somebody writes this plan now."""
        self._current.discard(key)

    def base(self, key: Key) -> Base | None:
        return self._bases.get(key)

    def plan(self, key: Key) -> Plan | None:
        """The plan that stands, if that is known."""
        return self._rows[key][1] if key in self._current else None

    def same(self, values: Values) -> Plan | None:
        """The plan of the newest row of one, if it is the row that was read or saved last."""
        known = self._rows.get(values[:2])
        if known is None or known[0] != values:
            return None
        self._note(*known)
        return known[1]

    def follows(self, values: Values) -> bool:
        """Whether a row is the next one of its plan and its base is what it was, at this version."""
        key = values[:2]
        if key not in self._current:
            return False
        row = self._rows[key][0]
        base = row[16] or row[2]  # of the row that stands: a whole one is its own
        return row[2] + 1 == values[2] and values[16] in (0, base)

    def was_read(self, values: Values, plan: Plan) -> None:
        """Note the newest row of a plan; a whole one is a base."""
        if values[16] == 0 and plan.dialect:
            self.put(values[:2], saved_base(plan, values))
        self._note(values, plan)

    def was_saved(self, values: Values, plan: Plan) -> None:
        """Note what a plan was saved as, if it would be read back as that very plan."""
        if values[16] == 0:
            self.put(values[:2], saved_base(plan, values))
        if plan.dialect and plan.updated_at and plan.updated_at.tzinfo is UTC:
            for todo in plan.todos:
                if todo.extras:  # those are read in their own order
                    break
            else:
                self._note(values, plan)
                return
        self._rows.pop(values[:2], None)

    def put(self, key: Key, base: Base) -> None:
        _put(self._bases, key, base)

    def _note(self, values: Values, plan: Plan) -> None:
        key = values[:2]
        gone = _put(self._rows, key, (values, plan))
        if gone is not None:
            self._current.discard(gone)
        if self.version >= 0:
            self._current.add(key)


def _put(known: dict[Key, T], key: Key, value: T) -> Key | None:
    """Have a value as the newest of those few that are kept; the answer is the one that goes for it."""
    known.pop(key, None)
    known[key] = value
    if len(known) <= _MOST_KNOWN:
        return None
    oldest = next(iter(known))
    del known[oldest]
    return oldest


def values_of(plan: Plan, base: Base | None) -> Values:
    """The values for `SAVE`: the plan as changes to a base where that is worth it, else whole."""
    text = changes_of(plan, base) if base is not None and plan.dialect else None
    if base is None or text is None:
        return (*row_of(plan), 0, None, None, None)
    summary = "" if plan.summary == base.summary else plan.summary
    kept = row_with(plan, text, summary, "")
    return (*kept, base.revision, base.text, base.extras, base.summary)


def is_whole(values: Values) -> bool:
    return values[16] == 0


def saved_base(plan: Plan, values: Values) -> Base:
    """The base that a plan is which was saved whole."""
    return Base(plan.revision, values[3], values[15], values[4], plan.todos)


def read_current(row: Fetched, known: Known) -> Plan:
    """The plan of the newest row of one, which is remembered."""
    values = row[1:]
    plan = known.same(values)
    if plan is None:
        plan = reader(known)(row)
        known.was_read(values, plan)
    return plan


def reader(known: Known) -> Callable[[Fetched], Plan]:
    """A function that reads the rows of `SELECT`, and remembers their bases."""

    def read(row: Fetched) -> Plan:
        columns: Row = row[1:17]
        key, (base, text, extras, words) = (row[1], row[2]), row[17:]
        if base <= 0:
            return plan_of(columns)
        if text is None or extras is None or words is None:
            raise ValueError("the base is missing")
        whole = known.base(key)
        if whole is None or not whole.is_kept_as(base, text, extras, words):
            whole = base_of(base, text, extras, words)
            known.put(key, whole)
        todos, summary = changed(columns[3], whole)
        if summary:
            columns = (*columns[:4], summary, *columns[5:])
        return plan_of(columns, todos)

    return read
