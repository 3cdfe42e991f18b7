"""How fast the files of agents are read, beside `json.loads` over the same lines.

    python -m bench.import [FILE...]          (transcripts in lines; without one, they are made up)
    python -m bench.import --check FILE...    (every reader against the raw text of the file)

Three figures for each file: the bare parser on every line, the reader that finds every planning call, and the whole
import into a store on disk. One core; the best of three.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from bench.raw_calls import raw_calls
from todowright.importers.bringing import Importer, bring
from todowright.importers.found import Found
from todowright.importers.ledger import Ledger
from todowright.importers.reading import calls_in
from todowright.stores import open_store

WORDS = (
    "read",
    "the",
    "parser",
    "test",
    "module",
    "then",
    "fix",
    "what",
    "fails",
    "and",
    "run",
    "it",
    "again",
)


def claude_line(rng: random.Random, number: int, message: int) -> dict[str, object]:
    """A line of a made-up transcript: in one of fifty a plan is written, in the others there is other work."""
    text = " ".join(rng.choices(WORDS, k=rng.choice((30, 80, 400, 2_000))))
    base = {"sessionId": "bench", "uuid": f"u{number}", "timestamp": "2026-08-01T10:00:00.000Z"}
    if number % 2:
        result = {"type": "tool_result", "tool_use_id": f"toolu_{number - 1}", "content": text}
        return {**base, "type": "user", "message": {"role": "user", "content": [result]}}
    if number % 50 == 0:
        steps = [
            {
                "content": f"Step {n} of {message // 200}",
                "status": "completed" if n < message // 25 % 8 else "pending",
                "activeForm": f"Doing step {n}",
            }
            for n in range(8)
        ]
        use = {"name": "TodoWrite", "input": {"todos": steps}}
    else:
        use = {"name": "Bash", "input": {"command": text[:200], "description": text[:80]}}
    block = {"type": "tool_use", "id": f"toolu_{number}", **use}
    content = {"model": "m", "id": f"msg_{message}", "role": "assistant", "content": [block]}
    return {**base, "type": "assistant", "message": content}


def made_up(folder: Path, size: int) -> Path:
    """A transcript of about so many bytes."""
    rng, path, written, number = random.Random(1), folder / "bench.jsonl", 0, 0
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            line = json.dumps(claude_line(rng, number, number // 2), separators=(",", ":"))
            written += file.write(line + "\n")
            number += 1
    return path


def best(work: Callable[[], object]) -> float:
    found = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def parse_all(path: Path) -> None:
    with path.open("rb") as file:
        for line in file:
            json.loads(line)


def import_all(path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(f"sqlite:///{folder}/plans.db")
        bring([str(path)], Importer(store, Ledger()))
        store.close()


def measure(path: Path) -> None:
    size = path.stat().st_size / 1e6
    calls = sum(isinstance(each, Found) for each in calls_in(str(path)))
    parsed = size / best(lambda: parse_all(path))
    read = size / best(lambda: list(calls_in(str(path))))
    whole = size / best(lambda: import_all(path))
    print(f"{path.name}: {size:,.1f} MB, {calls:,} planning calls")
    print(f"  json.loads of every line    {parsed:>8,.0f} MB/s")
    print(f"  every planning call found   {read:>8,.0f} MB/s   {read / parsed:.1f} times that")
    print(f"  imported into a store       {whole:>8,.0f} MB/s   {whole / parsed:.1f} times that")


def check(paths: list[Path]) -> int:
    """Hold every file against its raw text; 1 if one differs."""
    wrong = total = 0
    for path in paths:
        found = Counter(each.tool for each in calls_in(str(path)) if isinstance(each, Found))
        raw = raw_calls(path)
        same = found == raw
        wrong, total = wrong + (not same), total + found.total()
        told = "as its raw text" if same else f"its raw text has {raw.total()}: {dict(raw)}"
        print(f"{found.total():>6}  {path.name}  {told}")
    print(f"{total:>6}  calls in {len(paths)} files, {wrong} files differ")
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.import", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("files", type=Path, nargs="*", metavar="FILE")
    parser.add_argument("--check", action="store_true", help="count, and hold against the raw text")
    parser.add_argument("--size", type=int, default=100, help="megabytes of a made-up transcript")
    options = parser.parse_args()
    files = [
        each
        for path in options.files
        for each in (sorted(path.rglob("*")) if path.is_dir() else [path])
        if each.is_file()
    ]
    if options.check:
        return check(files)
    with tempfile.TemporaryDirectory() as folder:
        for path in files or [made_up(Path(folder), options.size * 1_000_000)]:
            measure(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
