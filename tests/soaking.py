"""What a soak did: each of its tests, how many cases it had, how long they took, and what they counted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

LONGEST = 160
"""Characters of a line that a test printed."""


@dataclass(slots=True)
class _Done:
    cases: int = 0
    failed: int = 0
    seconds: float = 0.0
    told: list[str] = field(default_factory=list)


def soaked(reports: Iterable[Any]) -> list[str]:
    """Lines about the tests with the mark `soak` among these reports of pytest; none if there are none."""
    tests: dict[str, _Done] = {}
    for report in reports:
        if report.when != "call" or "soak" not in report.keywords:
            continue
        done = tests.setdefault(report.nodeid.partition("[")[0], _Done())
        done.cases += 1
        done.failed += report.outcome == "failed"
        done.seconds += report.duration
        done.told += [line[:LONGEST] for line in report.capstdout.splitlines() if line.strip()]
    if not tests:
        return []
    lines: list[str] = []
    for name, done in sorted(tests.items()):
        end = f"{done.failed} FAILED" if done.failed else "no violation"
        lines.append(f"{done.seconds:7.0f} s  {done.cases:4} cases  {end}  {name}")
        lines += [f"{'':21}{line}" for line in done.told]
    cases, seconds = (sum(getattr(each, part) for each in tests.values()) for part in ("cases", "seconds"))  # fmt: skip
    failed = sum(each.failed for each in tests.values())
    return [
        *lines,
        f"In all: {len(tests)} tests, {cases} cases, {seconds / 60:.0f} minutes of work, {failed} violations.",
    ]
