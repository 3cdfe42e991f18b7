"""Real sessions of whole-list calls, replayed in `lean`: what each side writes, reads and is offered.

    python -m bench.replay FILE [--each]      (one planning call a line, as in real-plans.jsonl, .gz too)

Every list that a session sent is turned into `lean` calls on the plan before it, and the calls go through the
tool. After each, the plan must be the list that was sent: same texts, statuses, order. Only what the published
schemas allow is sent. Two policies: `plain` decides as a model would, call by call, with no foresight; `cheapest`
tries three ways and takes the one that costs least. Tokens are counted in cl100k.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bench.recorded import Recorded, recorded
from bench.tokens import compact, tokens
from bench.ways import Policy, Replay, cheapest, plain, shape
from bench.wire import definitions_of, overhead
from todowright import load_dialect
from todowright.dialects import Dialect
from todowright.dialects.lean import BY_NUMBER

LEAN = load_dialect("lean")


@dataclass
class Side:
    """What one side of a session costs."""

    calls: int = 0
    said: int = 0
    """Arguments and results."""
    wrapped: int = 0
    """What goes around each call and result."""
    offered: int = 0
    """The definitions of the tools, once."""

    def add(self, tool: str, arguments: object, result: str) -> None:
        self.calls += 1
        self.said += tokens(compact(arguments)) + tokens(result)
        self.wrapped += overhead(tool)

    def upto(self, line: int) -> int:
        """The cost in a line of the report."""
        said, wrapped, offered = self.said, self.wrapped, self.offered
        return (said, said + wrapped, said + offered, said + wrapped + offered)[line]


@dataclass
class Session:
    then: Side = field(default_factory=Side)
    now: dict[str, Side] = field(default_factory=dict)


def replayed(calls: list[Recorded], dialect: Dialect, policy: Policy) -> Side:
    """What a session costs in lean; raises if one of its states is not reproduced."""
    side = Side(offered=definitions_of(dialect))
    replay = Replay(dialect)
    for call in calls:
        replay = replay.become(call.todos, policy)
        assert shape(replay.todo.plan.todos) == shape(call.todos)
    for said in replay.said:
        side.add(*said)
    return side


def measured(path: Path) -> Iterator[tuple[str, Session]]:
    """Each session of a file, on both sides."""
    for name, calls in recorded(path):
        session = Session()
        for call in calls:
            session.then.add(call.tool, call.input, call.read)
        session.then.offered = sum(map(definitions_of, sorted({call.tool for call in calls})))
        for dialect, spoken in ((LEAN, "by words"), (BY_NUMBER, "by number")):
            for policy in (plain, cheapest):
                session.now[f"{policy.__name__}, {spoken}"] = replayed(calls, dialect, policy)
        yield name, session


LINES = ("calls and replies", "with what wraps each call", "with the definitions", "with both")


def report(results: dict[str, Session], *, each: bool) -> None:
    """Print what it came to: a line for each session if wanted, and the three lines for each policy."""
    if each:
        for name, session in results.items():
            now = session.now["plain, by words"]
            share = now.upto(2) / session.then.upto(2)
            print(f"{share:>6.1%} {now.upto(2):>7,} of {session.then.upto(2):>8,}  {session.then.calls:>3} calls  {name}")  # fmt: skip
    calls = sum(session.then.calls for session in results.values())
    print(f"{len(results):,} sessions, {calls:,} whole-list calls, every plan reproduced exactly")
    for policy in next(iter(results.values())).now:
        made = sum(session.now[policy].calls for session in results.values())
        print(f"\n{policy}: {made:,} calls")
        for line, words in enumerate(LINES):
            _line(results, policy, line, words)


def _line(results: dict[str, Session], policy: str, line: int, words: str) -> None:
    pairs = [(one.now[policy].upto(line), one.then.upto(line)) for one in results.values()]
    now, then = (sum(side) for side in zip(*pairs, strict=True))
    shares = sorted(mine / theirs for mine, theirs in pairs)
    low, high = (shares[round(at * (len(shares) - 1))] for at in (0.1, 0.9))
    dearer = sum(mine > theirs for mine, theirs in pairs)
    print(
        f"  {words:<28}{now:>9,} of {then:>9,} tokens {now / then:>6.1%}"
        f"   (most sessions {low:.0%} to {high:.0%}; dearer in {dearer})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.replay", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("file", type=Path, help="planning calls, one JSON object a line")
    parser.add_argument("--each", action="store_true", help="a line for each session")
    options = parser.parse_args()
    report(dict(measured(options.file)), each=options.each)


if __name__ == "__main__":
    main()
