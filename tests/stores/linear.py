"""Whether what many saw of one plan can have happened one after the other, each at a moment of its own call.

A plan is a register that is set by comparing: a save names the revision that it makes, and is kept if the one before stands. So
revisions order the saves, and each look belongs between two of them. It remains to ask whether this order fits the times.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

FOREVER = float("inf")


class Op(NamedTuple):
    """A call: when it began and ended (never, for one that was killed), and what became of it."""

    kind: Literal["save", "load"]
    start: float
    end: float
    revision: int
    """The revision that a save makes, or that a look found."""
    value: str
    outcome: Literal["done", "conflict", "unknown"] = "done"


def violations(ops: Iterable[Op]) -> list[str]:
    """What cannot have happened so; nothing for a history that is linearizable.

    Saves that were refused are judged one by one: that two of them exclude each other is not found.
    """
    ops = list(ops)
    found: list[str] = []
    saves = {0: Op("save", -FOREVER, -FOREVER, 0, "")}
    for op in ops:
        if op.kind == "save" and op.outcome == "done":
            if op.revision in saves:
                found.append(f"revision {op.revision} was saved twice")
            saves[op.revision] = op
    looks = [op for op in ops if op.kind == "load"]
    unknown = _by_revision(op for op in ops if op.outcome == "unknown")
    for op in looks:
        if op.revision not in saves:  # one that was killed, and had saved it
            killed = [each for each in unknown.get(op.revision, []) if each.value == op.value]
            if not killed:
                found.append(f"revision {op.revision} was seen, and nobody saved it")
                continue
            saves[op.revision] = min(killed, key=lambda each: each.start)
        if saves[op.revision].value != op.value:
            found.append(f"revision {op.revision} is {op.value!r} for one who looked")
    newest = max(saves)
    for op in sorted(ops, key=lambda op: op.start):  # what others built on was saved, seen or not
        if op.outcome == "unknown" and op.revision < newest:
            saves.setdefault(op.revision, op)
    missing = sorted(set(range(newest + 1)) - set(saves))
    if missing:
        found.append(f"revisions {missing[:5]} are missing below {newest}")
    if found:
        return found
    return [*_out_of_time(saves, looks), *_needless_conflicts(saves, ops)]


def _out_of_time(saves: dict[int, Op], looks: Sequence[Op]) -> list[str]:
    """Go through the only possible order: nobody may have ended before what stands in front of it began."""
    by_revision = _by_revision(looks)
    now, last, found = -FOREVER, saves[0], []
    for revision in sorted(saves):
        seen = sorted(by_revision.get(revision, []), key=lambda op: op.start)
        for op in [saves[revision], *seen]:
            if op.end < now:
                found.append(
                    f"{op.kind} of revision {revision} ended before {last.kind} of {last.revision} began"
                )
            if op.start > now:
                now, last = op.start, op
    return found


def _needless_conflicts(saves: dict[int, Op], ops: Sequence[Op]) -> list[str]:
    """A save may be refused only if at some moment of it another revision stood."""
    found = []
    sure = sorted([*saves.values(), *(op for op in ops if op.kind == "load")], key=_revision)
    numbers = [op.revision for op in sure]
    begun = [-FOREVER, *accumulate((op.start for op in sure), max)]
    """The last start among so many of the first."""
    ended = [FOREVER, *accumulate((op.end for op in reversed(sure)), min)][::-1]
    """The first end among those from a place on."""
    unknown = _by_revision(op for op in ops if op.outcome == "unknown")
    for op in ops:
        if op.outcome != "conflict":
            continue
        stood_from = ended[bisect_left(numbers, op.revision - 1)]
        if op.revision in saves:
            before = begun[bisect_left(numbers, op.revision)]
            stood_until = max(before, saves[op.revision].start)
        else:  # one that was killed may have saved it, and nobody looked
            starts = [each.start for each in unknown.get(op.revision, [])]
            stood_until = min(starts, default=FOREVER)
        if stood_from < op.start and stood_until > op.end:
            found.append(f"a save of revision {op.revision} was refused, and nobody was before it")
    return found


def _revision(op: Op) -> int:
    return op.revision


def _by_revision(ops: Iterable[Op]) -> dict[int, list[Op]]:
    found: dict[int, list[Op]] = {}
    for op in ops:
        found.setdefault(op.revision, []).append(op)
    return found
