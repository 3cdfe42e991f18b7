"""Plans as rows of Postgres, which takes no NUL in a text and no long text in an index."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence

from todowright.plan.model import Plan
from todowright.stores.encoding import COLUMNS, plan_of, row_of

_NAMES = COLUMNS.split(", ")
_TEXTS = ("session", "agent", "summary", "log", "made_by_name", "dialect", "ended")
"""Columns whose texts may hold anything, also what Postgres does not take."""
_PLACES = tuple(_NAMES.index(name) for name in _TEXTS)


def values_of(plan: Plan) -> dict[str, object]:
    """A plan as the values of its columns."""
    row: dict[str, object] = dict(zip(_NAMES, row_of(plan), strict=True))
    return row | {name: kept_text(str(row[name])) for name in _TEXTS}


def plan_of_values(row: Sequence[object]) -> Plan:
    values = list(row)
    for place in _PLACES:
        values[place] = read_text(str(values[place]))
    return plan_of(tuple(values))  # type: ignore[arg-type]


def key_of(text: str) -> uuid.UUID:
    """What an index takes for a text of any length."""
    return uuid.UUID(bytes=hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16])


def kept_text(text: str) -> str:
    """A text as Postgres takes it, which has no NUL."""
    return text.replace("\\", "\\\\").replace("\0", "\\0") if "\0" in text or "\\" in text else text


def read_text(text: str) -> str:
    """The text that was kept."""
    if "\\" not in text:
        return text
    return "\\".join(part.replace("\\0", "\0") for part in text.split("\\\\"))
