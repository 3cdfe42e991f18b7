"""Whether what many clients saw of one plan can have happened in one order: a check of recorded calls.

A plan is a register that each write replaces on top of the revision before. Its revisions are the order; so it is
enough that no call was over before another began and yet comes later in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Observed:
    """A call as its client saw it: it made this revision, or read it."""

    began: float
    ended: float
    revision: int
    is_write: bool


def out_of_order(calls: Iterable[Observed]) -> list[tuple[Observed, Observed]]:
    """Pairs of calls where the first was over before the second began, and saw or made a later revision.

    Two writes may not have the same revision. A read may have that of the write before it, not of one that began after it.
    """
    found = []
    latest: Observed | None = None
    """Of the calls with lower places in the order, the one that began last."""
    ordered = sorted(calls, key=lambda call: (call.revision, not call.is_write, call.began))
    for before, call in zip([None, *ordered], ordered, strict=False):
        both_write = before is not None and before.is_write and call.is_write
        if before is not None and both_write and before.revision == call.revision:
            found.append((before, call))
        if latest is not None and call.ended < latest.began:
            found.append((call, latest))
        if latest is None or call.began > latest.began:
            latest = call
    return found
