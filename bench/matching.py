"""How often the matcher is right, on pairs of lists with known answers.

    python -m bench.matching [--wrong]

`matching_cases.txt` has lists that were sent one after the other, and which todo of the first each of the
second is. Counted are the todos whose text changed: precision is the share of right ones among those that
are called reworded, recall the share of the reworded ones that are found. Cases at odd places tune the
matcher, those at even places only judge it. Beside it, in the same run: difflib, ratio over 0.6.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from todowright import Todo
from todowright.plan.matching import match

CASES = Path(__file__).parent / "matching_cases.txt"
STATUSES: dict[str, Any] = {".": "pending", ">": "in_progress", "x": "completed", "-": "cancelled"}
Matcher = Callable[[Sequence[Todo], Sequence[Todo]], list[int | None]]


@dataclass(frozen=True)
class Case:
    """Two lists, and for each todo of the second which one of the first it is."""

    name: str
    before: list[Todo]
    after: list[Todo]
    origins: list[int | None]

    def reworded(self, origins: Sequence[int | None]) -> set[tuple[int, int]]:
        """The pairs of todos that are the same and differ in their texts."""
        return {
            (origin, index)
            for index, origin in enumerate(origins)
            if origin is not None and self.before[origin].content != self.after[index].content
        }

    def judged(self) -> int:
        """How many todos of the second list have a text that the first does not."""
        texts = {todo.content for todo in self.before}
        return sum(todo.content not in texts for todo in self.after)


@dataclass
class Score:
    right: int = 0
    wrong: int = 0
    missed: int = 0

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + self.missed)


def cases(path: Path = CASES) -> list[Case]:
    """The labelled cases, in their order."""
    lines = path.read_text("utf-8").splitlines()
    parts = "\n".join(line for line in lines if not line.startswith("#")).split("== ")[1:]
    return [_case(part.strip().split("\n")) for part in parts]


def _case(lines: list[str]) -> Case:
    cut = lines.index("--")
    after = [line.split(" ", 1) for line in lines[cut + 1 :]]
    return Case(
        lines[0],
        [_todo(line) for line in lines[1:cut]],
        [_todo(line) for _, line in after],
        [None if origin == "+" else int(origin) - 1 for origin, _ in after],
    )


def _todo(line: str) -> Todo:
    return Todo(line[2:], STATUSES[line[0]])


def score(matcher: Matcher, chosen: Sequence[Case]) -> Score:
    """How right a matcher is."""
    total = Score()
    for case in chosen:
        true, found = case.reworded(case.origins), case.reworded(matcher(case.before, case.after))
        total.right += len(true & found)
        total.wrong += len(found - true)
        total.missed += len(true - found)
    return total


def naive(before: Sequence[Todo], after: Sequence[Todo]) -> list[int | None]:
    """Equal texts, then whatever difflib finds more than 0.6 alike, the closest first."""
    scored = []
    for index, new in enumerate(after):
        for origin, old in enumerate(before):
            ratio = SequenceMatcher(None, old.content.lower(), new.content.lower()).ratio()
            if ratio > 0.6:
                scored.append((old.content != new.content, -ratio, origin, index))
    origins: list[int | None] = [None] * len(after)
    for *_, origin, index in sorted(scored):
        if origins[index] is None and origin not in origins:
            origins[index] = origin
    return origins


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.matching", description=str(__doc__).split("\n")[0]
    )
    parser.add_argument("--wrong", action="store_true", help="show what the matcher gets wrong")
    options = parser.parse_args()
    found = cases()
    pairs = sum(case.judged() for case in found)
    print(f"{len(found)} pairs of lists, {pairs} todos whose text is not in the list before")
    print(f"{'':<30}{'right':>6}{'wrong':>7}{'missed':>8}{'precision':>11}{'recall':>8}")
    for name, matcher in (("todowright", match), ("difflib ratio > 0.6", naive)):
        for half, chosen in (("tuning", found[::2]), ("held out", found[1::2]), ("both", found)):
            total = score(matcher, chosen)
            print(
                f"{name:<21}{half:<9}{total.right:>6}{total.wrong:>7}{total.missed:>8}"
                f"{total.precision:>11.1%}{total.recall:>8.1%}"
            )
    if options.wrong:
        for case in found:
            show_wrong(case)


def show_wrong(case: Case) -> None:
    true, got = case.reworded(case.origins), case.reworded(match(case.before, case.after))
    for origin, index in sorted(true ^ got):
        kind = "missed" if (origin, index) in true else "wrong"
        print(f"{kind:<7}{case.name}: {case.before[origin].content} -> {case.after[index].content}")


if __name__ == "__main__":
    main()
