"""What a run showed, in figures, as Markdown and as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from math import sqrt
from typing import Any

from todowright.fitting.run import Result
from todowright.fitting.stages import STAGES
from todowright.text import clip, harmless

CHARACTERS_A_TOKEN = 4
MOST_FAULTS = 5
OUTCOMES = ("right", "wrong", "harm")


@dataclass(slots=True)
class Figures:
    """One dialect's outcome."""

    dialect: str
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    stages: dict[str, Counter[str]] = field(default_factory=dict)
    unanswered: int = 0
    estimated: bool = False
    """Whether the server counted no tokens, so that they are guessed by the length."""
    updates: int = 0
    tokens_of_updates: int = 0

    @property
    def asked(self) -> int:
        """How many questions were answered."""
        return self.outcomes.total()

    @property
    def score(self) -> float:
        """Right answers less harmful ones, as a share: 1 at best, -1 at worst."""
        return (self.outcomes["right"] - self.outcomes["harm"]) / max(1, self.asked)

    @property
    def error(self) -> float:
        """The standard error of the score; of a few answers at least that of one in their number."""
        squares = self.outcomes["right"] + self.outcomes["harm"]
        spread = squares / max(1, self.asked) - self.score**2
        return max(sqrt(max(0.0, spread) / max(1, self.asked)), 1 / max(1, self.asked))

    @property
    def tokens(self) -> float | None:
        """What the model writes for an update, on average; the first plan is none."""
        return self.tokens_of_updates / self.updates if self.updates else None

    def add(self, result: Result) -> None:
        self.faults.update(result.faults)
        if result.outcome == "unanswered":
            self.unanswered += 1
            return
        self.outcomes[result.outcome] += 1
        self.stages.setdefault(result.stage, Counter())[result.outcome] += 1
        if result.stage != STAGES[0].name and result.said.calls:
            self.updates += 1
            self.estimated = self.estimated or not result.said.tokens
            self.tokens_of_updates += result.said.tokens or _guess(result)


def _guess(result: Result) -> int:
    calls = [[made.name, made.arguments] for made in result.said.calls]
    text = result.said.text + json.dumps(calls, ensure_ascii=False, default=str)
    return len(text) // CHARACTERS_A_TOKEN


@dataclass(frozen=True, slots=True)
class About:
    """With what a run was made."""

    model: str
    tasks: int
    seed: int
    version: str
    ended: str = ""
    """Why it ended early, if it did."""


def figures(results: Iterable[Result]) -> list[Figures]:
    """The dialects, the one that fits best first."""
    found: dict[str, Figures] = {}
    for result in results:
        found.setdefault(result.dialect, Figures(result.dialect)).add(result)
    return sorted(found.values(), key=lambda each: (-each.score, each.tokens or 0))


def advice(rows: Sequence[Figures]) -> str:
    """Which dialect fits, in one or two sentences."""
    answered = [row for row in rows if row.asked]
    if not answered:
        return "No question was answered: nothing can be said."
    best, *others = answered
    right, harm = best.outcomes["right"], best.outcomes["harm"]
    if not right:
        return "No dialect fits: not one answer was right."
    told = f"{best.dialect}{' fits best' if others else ''}: {right} of {best.asked} right, {harm} harmful."
    near = [
        other.dialect
        for other in others
        if best.score - other.score < 2 * sqrt(best.error**2 + other.error**2)
    ]
    if near:
        told += f" Too close to tell apart: {', '.join(near)}; more tasks tell more."
    return told


HEAD = ("dialect", "right", "harmful", "tokens an update", *(stage.name for stage in STAGES))


def cells(row: Figures) -> list[str]:
    """A row of the table under `HEAD`; at each stage, how many of the answers were right."""
    tokens = "–" if row.tokens is None else f"{'≈' if row.estimated else ''}{row.tokens:.0f}"
    first = [row.dialect, f"{row.outcomes['right']}/{row.asked}", str(row.outcomes["harm"]), tokens]
    counts = [row.stages.get(stage.name, Counter()) for stage in STAGES]
    return first + [f"{count['right']}/{count.total()}" if count else "–" for count in counts]


def common_faults(row: Figures) -> str:
    """The faults of a dialect, the most frequent first."""
    most = row.faults.most_common(MOST_FAULTS)
    told = "; ".join(f"{count} × {clip(harmless(fault), 120)}" for fault, count in most)
    more = len(row.faults) - len(most)
    return f"{told}; {more} other kinds" if more > 0 else told


def markdown(about: About, rows: Sequence[Figures]) -> str:
    """The report for people."""
    lines = [f"# Which dialect fits {_safe(about.model)}", "", advice(rows), ""]
    lines += [f"The run ended early: {_safe(about.ended)}.", ""] if about.ended else []
    lines += [_line(HEAD), "|---" * len(HEAD) + "|"]
    lines += [_line(cells(row)) for row in rows]
    faulty = [row for row in rows if row.faults]
    if faulty:
        lines += ["", "## Faults", ""]
        lines += [f"- `{row.dialect}`: {_safe(common_faults(row))}" for row in faulty]
    tasks = f"{about.tasks} task{'' if about.tasks == 1 else 's'}"
    lines += ["", f"todowright {about.version}, {tasks}, seed {about.seed}."]
    return "\n".join(lines) + "\n"


def _line(texts: Iterable[str]) -> str:
    return "| " + " | ".join(texts) + " |"


def _safe(text: str) -> str:
    """Text of others, on one line, that is no markup."""
    return harmless(text).replace("<", "&lt;").replace("|", "\\|").replace("`", "'")


def data(about: About, rows: Sequence[Figures], results: Iterable[Result]) -> dict[str, Any]:
    """The report for programs, with every answer."""
    return {
        **asdict(about),
        "advice": advice(rows),
        "dialects": [
            {
                "dialect": row.dialect,
                "asked": row.asked,
                **{outcome: row.outcomes[outcome] for outcome in OUTCOMES},
                "unanswered": row.unanswered,
                "score": round(row.score, 4),
                "tokens_an_update": row.tokens and round(row.tokens, 1),
                "tokens_estimated": row.estimated,
                "stages": {name: dict(count) for name, count in row.stages.items()},
                "faults": dict(row.faults),
            }
            for row in rows
        ],
        "answers": [asdict(result) for result in results],
    }
