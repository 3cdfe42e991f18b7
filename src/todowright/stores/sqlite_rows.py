"""Rows of the table `revision`: how a plan becomes one, whole or as changes, and is read back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC

from todowright.plan.model import Maker, Plan
from todowright.stores.changes import Base, base_of, changed, changes_of
from todowright.stores.encoding import COLUMNS, Row, plan_of, row_of, row_with
from todowright.stores.sqlite_file import SCHEMA

_NAMES = COLUMNS.split(", ")
_MOST_BASES = 64
"""Of how many plans a process remembers the base."""
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


class Bases:
    """The bases of the plans that were read or saved last, by session and agent."""

    def __init__(self) -> None:
        self._known: dict[Key, Base] = {}
        self._last: tuple[Values, Plan] | None = None
        """The row that was read or saved last, and its plan: the same row again is the same plan."""

    def get(self, key: Key) -> Base | None:
        return self._known.get(key)

    def known_plan(self, values: Values) -> Plan | None:
        """The plan of a row, if it is the one that was read or saved last."""
        last = self._last
        return last[1] if last is not None and last[0] == values else None

    def was_read(self, values: Values, plan: Plan) -> None:
        self._last = (values, plan)

    def was_saved(self, plan: Plan, values: Values) -> None:
        """Note what a plan was saved as; a whole one is a base."""
        if values[16] == 0:
            self.put((plan.session, plan.agent), saved_base(plan, values))
        if plan.dialect and plan.updated_at and plan.updated_at.tzinfo is UTC:
            plain = not any(todo.extras for todo in plan.todos)  # those are read in their own order
            self._last = (values, plan) if plain else None

    def put(self, key: Key, base: Base) -> None:
        self._known.pop(key, None)
        self._known[key] = base
        for oldest in list(self._known)[:-_MOST_BASES]:
            self._known.pop(oldest, None)


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


def read_current(row: Fetched, bases: Bases) -> Plan:
    """The plan of a row that others may be saved on: it is remembered, and so is a whole one as a base."""
    values = row[1:]
    known = bases.known_plan(values)
    if known is not None:
        return known
    plan = reader(bases)(row)
    if row[17] == 0 and plan.dialect:
        bases.put((row[1], row[2]), Base(row[3], row[4], row[16], row[5], plan.todos))
    bases.was_read(values, plan)
    return plan


def reader(bases: Bases) -> Callable[[Fetched], Plan]:
    """A function that reads the rows of `SELECT`, and remembers their bases."""

    def read(row: Fetched) -> Plan:
        columns: Row = row[1:17]
        key, (base, text, extras, words) = (row[1], row[2]), row[17:]
        if base <= 0:
            return plan_of(columns)
        if text is None or extras is None or words is None:
            raise ValueError("the base is missing")
        known = bases.get(key)
        if known is None or not known.is_kept_as(base, text, extras, words):
            known = base_of(base, text, extras, words)
            bases.put(key, known)
        todos, summary = changed(columns[3], known)
        if summary:
            columns = (*columns[:4], summary, *columns[5:])
        return plan_of(columns, todos)

    return read
