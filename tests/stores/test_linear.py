"""Histories of concurrent writers that are killed again and again are linearizable."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.stores.linear import FOREVER, Op, violations
from tests.stores.recorder import value_of
from tests.stores.test_sqlite import integrity
from todowright import revisions
from todowright.stores.sqlite import SQLiteStore

ROOT = Path(__file__).parents[2]


def recorded(log: Path) -> list[Op]:
    """The calls of one process; the last one has no end if it was killed."""
    ops: list[Op] = []
    begun: tuple[float, int, str] | None = None
    for line in log.read_text().splitlines(keepends=True):
        words = line.split()
        if not line.endswith("\n"):
            break
        if words[0] == "load":
            value = "" if words[4] == "-" else words[4]
            ops.append(Op("load", int(words[1]), int(words[2]), int(words[3]), value))
        elif words[0] == "begin":
            begun = int(words[1]), int(words[2]), words[3]
        elif begun is not None:
            outcome = "conflict" if words[0] == "conflict" else "done"
            ops.append(Op("save", begun[0], int(words[1]), begun[1], begun[2], outcome))  # type: ignore[arg-type]
            begun = None
    if begun is not None:
        ops.append(Op("save", begun[0], FOREVER, begun[1], begun[2], "unknown"))
    return ops


def history_of(folder: Path, writers: int, seconds: float, seed: int = 7) -> tuple[list[Op], int]:
    """What so many writers saw and did, and how many of them were killed."""
    choose, path, running = random.Random(seed), folder / "plans.db", []
    logs: list[Path] = []
    killed = 0

    def start() -> subprocess.Popen[bytes]:
        logs.append(folder / f"{len(logs)}.log")
        name = str(len(logs))
        command = [sys.executable, "-m", "tests.stores.recorder", str(path), str(logs[-1]), name]
        return subprocess.Popen([*command, str(choose.random())[2:]], cwd=ROOT)

    try:
        running = [start() for _ in range(writers)]
        while not all(log.exists() and log.stat().st_size for log in logs):
            time.sleep(0.02)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            time.sleep(choose.random() * 0.4)
            victim = choose.randrange(writers)
            running[victim].kill()
            running[victim].wait()
            killed += 1
            running[victim] = start()
    finally:
        for process in running:
            process.kill()
            process.wait()
    ops = [op for log in logs if log.exists() for op in recorded(log)]
    store, now = SQLiteStore(path), time.monotonic_ns()
    begun = starts(ops)
    ops += [
        Op("load", begun.get(plan.revision, 0), FOREVER, plan.revision, value_of(plan))
        for plan in revisions(store, "s", "a")
    ]
    final = store.load("s", "a")
    ops.append(Op("load", now, now, final.revision, value_of(final)))
    store.close()
    assert integrity(path) == "ok"
    return ops, killed


def starts(ops: list[Op]) -> dict[int, float]:
    """When each revision was first spoken of: of what the history holds, no more is known than that it was there."""
    first: dict[int, float] = {}
    for op in ops:
        first[op.revision] = min(op.start, first.get(op.revision, FOREVER))
    return first


@pytest.mark.slow
def test_what_killed_writers_saw_and_did_fits_one_order(tmp_path: Path) -> None:
    ops, killed = history_of(tmp_path, writers=4, seconds=1.5)
    assert violations(ops) == []
    assert killed > 0
    assert sum(op.outcome == "done" and op.kind == "save" for op in ops) > 20
    assert any(op.outcome == "conflict" for op in ops)


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("seed", range(8))
def test_what_twelve_killed_writers_saw_and_did_in_minutes_fits_one_order(
    tmp_path: Path, seed: int
) -> None:
    ops, killed = history_of(tmp_path, writers=12, seconds=240, seed=seed)
    saves = sum(op.outcome == "done" and op.kind == "save" for op in ops)
    print(f"{len(ops)} calls of 12 writers, {saves} saves, {killed} killed")
    assert violations(ops) == []


# The judge itself


def save(start: float, end: float, revision: int, value: str, outcome: str = "done") -> Op:
    return Op("save", start, end, revision, value, outcome)  # type: ignore[arg-type]


def load(start: float, end: float, revision: int, value: str) -> Op:
    return Op("load", start, end, revision, value)


@pytest.mark.parametrize(
    ("ops", "told"),
    [
        ([save(0, 1, 1, "a"), load(2, 3, 0, "")], "ended before"),
        ([save(0, 1, 1, "a"), load(2, 3, 1, "b")], "is 'b' for one"),
        ([save(0, 1, 1, "a"), save(2, 3, 1, "b")], "was saved twice"),
        ([save(0, 1, 2, "a")], "missing below 2"),
        ([load(0, 1, 1, "a")], "nobody saved it"),
        ([load(0, 1, 1, "a"), save(2, 3, 1, "a")], "ended before"),
        ([save(0, 1, 1, "a"), save(2, 3, 2, "b"), load(4, 5, 2, "b"), load(6, 7, 1, "a")], "ended"),
        ([save(0, 1, 1, "a"), save(2, 3, 2, "b", "conflict")], "was refused"),
    ],
)
def test_the_judge_finds_what_cannot_be(ops: list[Op], told: str) -> None:
    assert any(told in line for line in violations(ops)), violations(ops)


def test_the_judge_allows_what_can_be() -> None:
    killed = save(0, FOREVER, 1, "a", "unknown")
    assert violations([killed, load(1, 2, 0, ""), load(3, 4, 1, "a")]) == []
    assert violations([killed, load(1, 2, 0, "")]) == []
    assert violations([killed, save(1, 2, 2, "b")]) == []
    assert violations([killed, save(1, 2, 1, "b", "conflict")]) == []
    assert violations([save(0, 9, 1, "a"), load(1, 2, 1, "a"), load(1, 8, 0, "")]) == []
    assert violations([save(0, 5, 1, "a"), save(1, 6, 1, "b", "conflict")]) == []


def brute(ops: list[Op]) -> bool:
    """Whether some order of all calls is possible, found by trying them all."""
    killed = [op for op in ops if op.outcome == "unknown"]
    sure = [op for op in ops if op.outcome != "unknown"]
    for chosen in range(2 ** len(killed)):
        some = [op for n, op in enumerate(killed) if chosen >> n & 1]
        for order in permutations([*sure, *some]):
            if _possible(order):
                return True
    return False


def _possible(order: tuple[Op, ...]) -> bool:
    revision, value = 0, ""
    for n, op in enumerate(order):
        if any(later.end < op.start for later in order[n + 1 :]):
            return False
        if op.kind == "load":
            if (op.revision, op.value) != (revision, value):
                return False
        elif op.outcome == "conflict":
            if op.revision == revision + 1:
                return False
        elif op.revision != revision + 1:
            return False
        else:
            revision, value = op.revision, op.value
    return True


@st.composite
def small_histories(draw: st.DrawFn) -> list[Op]:
    ops = []
    for number in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, 8))
        end = start + draw(st.integers(0, 6))
        if draw(st.booleans()):
            outcome = draw(st.sampled_from(["done", "done", "conflict", "unknown"]))
            last = FOREVER if outcome == "unknown" else end + 0.5
            ops.append(save(start, last, draw(st.integers(1, 3)), f"v{number}", outcome))
        else:
            revision = draw(st.integers(0, 3))
            values = [op.value for op in ops if op.kind == "save" and op.revision == revision]
            value = draw(st.sampled_from(values)) if values else "" if revision == 0 else "?"
            ops.append(load(start, end + 0.5, revision, value))
    return ops


@settings(max_examples=300)
@given(small_histories())
def test_the_judge_says_what_trying_all_orders_says(ops: list[Op]) -> None:
    found, possible = violations(ops), brute(ops)
    if possible or sum(op.outcome == "conflict" for op in ops) > 1:
        assert not (possible and found)
    else:
        assert found
