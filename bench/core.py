"""What a plan update, the import and a long session cost, beside bare Python in the same run.

    python -m bench.core [--json FILE]

Times are the least CPU time of many repeats; compare the ratios, not the microseconds. What is
compared takes turns, so that a processor that changes its speed does so for all of them. Every tool
walks the same session: ten or fifty steps, each taken up and finished in turn, one call a step.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.baseline import Checklist
from todowright import TodoWrite, load_dialect
from todowright.dialects import ListDialect
from todowright.stores.memory import KEPT_REVISIONS

SIZES = (10, 50)
DIALECTS = ("smart", "shell", "envelope", "checklist", "twostate")
UPDATES = 100_000
STANDARD_IMPORT = "import dataclasses, enum, json"
Rivals = dict[str, tuple[Callable[[Any], object], list[Any]]]
"""Tools by their names, and the calls that each is given."""


def session(name: str, size: int) -> list[dict[str, Any]]:
    """The calls of a session of so many steps, in a dialect's spelling."""
    dialect = load_dialect(name)
    assert isinstance(dialect, ListDialect)
    calls = []
    for current in range(size):
        rows = []
        for index in range(size):
            status = "completed" if index < current else "pending"
            if index == current and "in_progress" in dialect.statuses:
                status = "in_progress"
            row = {"content": f"Write the module for part {index}", "status": status}
            if any(field.role == "active_form" for field in dialect.fields):
                row["activeForm"] = f"Writing the module for part {index}"
            rows.append(row)
        arguments: dict[str, Any] = {dialect.list_key: rows}
        if dialect.summary is not None:
            arguments[dialect.summary.key] = "Write all modules"
        calls.append(arguments)
    return calls


def tool(name: str, size: int) -> TodoWrite:
    """A dialect's tool; only its limits are widened so that every dialect can walk the session."""
    dialect = load_dialect(name)
    return TodoWrite(replace(dialect, max_items=max(size, dialect.most_items)), environ={})


def least_cpu(rivals: Rivals, repeats: int = 60) -> dict[str, float]:
    """The least CPU time of one call of each rival, in microseconds; they take turns."""
    best = dict.fromkeys(rivals, float("inf"))
    for _ in range(repeats):
        for name, (call, calls) in rivals.items():
            rounds = max(1, 200 // len(calls))
            started = time.process_time_ns()
            for _ in range(rounds):
                for arguments in calls:
                    call(arguments)
            taken = (time.process_time_ns() - started) / (rounds * len(calls) * 1000)
            best[name] = min(best[name], taken)
    return best


def import_cpu(codes: dict[str, str], repeats: int = 25) -> dict[str, float]:
    """The least CPU time of a fresh interpreter that runs each code, in milliseconds; they take turns."""
    best = dict.fromkeys(codes, float("inf"))
    source = str(Path(__file__).resolve().parents[1] / "src")
    for _ in range(repeats):
        for name, code in codes.items():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(
                [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {source!r}); {code}"],
                check=True,
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            best[name] = min(best[name], taken * 1000)
    return best


def foreign_modules() -> list[str]:
    """The third-party modules that importing todowright loads."""
    source = str(Path(__file__).resolve().parents[1] / "src")
    code = (
        f"import sys; sys.path.insert(0, {source!r}); before = set(sys.modules); from todowright import TodoWrite; "
        "new = {name.split('.')[0] for name in set(sys.modules) - before}; "
        "print(' '.join(sorted(new - set(sys.stdlib_module_names) - {'todowright'})))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], check=True, capture_output=True, text=True
    )
    return done.stdout.split()


def growth(updates: int) -> list[tuple[int, float]]:
    """The memory that a plan's tool holds after so many updates, in kilobytes."""
    todo, calls = tool("checklist", 10), session("checklist", 10)
    marks = {KEPT_REVISIONS, updates // 10, updates // 2, updates}
    found = []
    tracemalloc.start()
    for number in range(1, updates + 1):
        todo(calls[number % len(calls)])
        if number in marks:
            found.append((number, tracemalloc.get_traced_memory()[0] / 1024))
    tracemalloc.stop()
    return found


def measure() -> dict[str, Any]:
    result: dict[str, Any] = {"python": sys.version.split()[0], "update": {}, "import": {}}
    for size in SIZES:
        rivals: Rivals = {"bare Python": (Checklist(size), session("checklist", size))}
        for name in DIALECTS:
            rivals[name] = (tool(name, size), session(name, size))
        result["update"][str(size)] = least_cpu(rivals)
    codes = {"standard library": STANDARD_IMPORT, "todowright": "from todowright import TodoWrite"}
    result["import"] = {**import_cpu(codes), "third-party modules": foreign_modules()}
    result["memory"] = growth(UPDATES)
    return result


def report(result: dict[str, Any]) -> None:
    print(f"One plan update, Python {result['python']}: least CPU time, and ratio to bare Python\n")
    print(f"{'':<14}" + "".join(f"{size + ' items':>20}" for size in result["update"]))
    for name in ("bare Python", *DIALECTS):
        line = f"{name:<14}"
        for rows in result["update"].values():
            ratio = rows[name] / rows["bare Python"]
            line += f"{rows[name]:>10.1f} µs {ratio:>5.1f} x"
        print(line)
    imports = result["import"]
    ratio = imports["todowright"] / imports["standard library"]
    print(
        f"\nImport: `from todowright import TodoWrite` {imports['todowright']:.0f} ms, {ratio:.2f} x of `{STANDARD_IMPORT}`",
        end="",
    )
    print(f"; third-party modules: {' '.join(imports['third-party modules']) or 'none'}")
    print(f"\nMemory of one plan of 10 items (the store keeps {KEPT_REVISIONS:,} revisions):")
    for updates, kilobytes in result["memory"]:
        print(f"  after {updates:>7,} updates {kilobytes:>8,.0f} KB")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.core", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument(
        "--json", metavar="FILE", type=Path, help="write the figures to a file, too"
    )
    options = parser.parse_args()
    result = measure()
    report(result)
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
