"""What a plan costs inside each framework, beside the framework's own todo tool, in one run.

    python -m bench.adapters [--folder .adapters] [--json FILE] [--runs 15] [NAME ...]

A plan of eight steps is made and advanced in nine calls, by a scripted model, through the whole framework. Where a framework has
no todo tool, ours stands beside one of forty lines (bench/peers/forty_lines.py). Counted in cl100k: `written` is what the model writes into its
calls; `fresh` is what no prompt cache can have, each text once: definitions, prompt, what is written, and of each request what does not
begin as the request before; `sent` is all that all requests hold. Timed is CPU, not time: of a request with its calls, and of the
whole session; the median of the runs, one's runs between the other's, in a process for each place where plans are kept. Nobody asks ours for events, since the others have none.
`make adapters` makes the environments.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from copy import copy
from datetime import UTC, datetime
from importlib import import_module, metadata
from pathlib import Path
from statistics import median
from typing import Any

from bench.framework_session import MEMORY, SQLITE, Player, Session, lean_turns, list_turns
from bench.tokens import tokens

ROOT = Path(__file__).parents[1]
LISTS = "lists"
GROUPS = (MEMORY, SQLITE, LISTS)
"""Each is played in a process of its own, as in a program that has one store and one dialect."""


def ours(
    name: str,
    store: str,
    kept: str,
    *,
    dialect: Any = "lean",
    title: str = "ours",
    bare: bool = True,
) -> Player:
    """Our adapter, through the driver that the suite of adapters uses; `bare` without the framework's own tools."""
    from tests.adapters.driver import Script
    from todowright import load_dialect

    driver = copy(import_module(f"tests.adapters.drivers.{name}").DRIVER)
    driver.bare = bare
    found = load_dialect(dialect)
    plan = driver.make(store, dialect=dialect, event=None)  # the others have no events

    def run(thread: str, turns: list[Any], hooks: Any) -> list[list[str]]:
        outcome = driver.run(plan, Script(turns, thread=thread, at_request=hooks, events=False))
        assert outcome.answer == "Done.", outcome.answer
        assert not any(reply.startswith("Error") for reply in outcome.replies), outcome.replies
        return [request.texts for request in outcome.requests]

    return Player(
        title,
        kept,
        lean_turns() if dialect == "lean" else list_turns(),
        run,
        lambda: [(tool.name, tool.description, tool.input_schema) for tool in found.tools],
        lambda: found.prompt,
    )


def inside(name: str, group: str, runs: int) -> dict[str, Any]:
    """The sessions of a framework that are held against each other, played in this environment."""
    import warnings

    from todowright.adapters.frameworks import framework
    from todowright.adapters.shapes import LANGCHAIN

    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        if group == LISTS:
            players = [ours(name, "memory:", MEMORY, dialect=LANGCHAIN, title="ours, whole lists")]
        else:
            kept = MEMORY if group == MEMORY else SQLITE
            store = "memory:" if kept == MEMORY else f"sqlite:///{folder}/plans.db"
            others = import_module(f"bench.peers.in_{name}").players(Path(folder))
            alike = [each for each in others if (each.kept == MEMORY) == (kept == MEMORY)]
            players = [ours(name, store, kept), *alike]
        played: list[list[Session]] = [[] for _ in players]
        for turn in range(runs + 1):  # the first is to load what is loaded once
            for at in range(len(players)):
                which = (at + turn) % len(players)  # nobody always follows the same one
                played[which].append(players[which].play(f"thread-{turn}-{which}"))
    package = framework(name).package
    rows = [row(player, made[1:] or made) for player, made in zip(players, played, strict=True)]
    return {"package": f"{package} {metadata.version(package)}", "rows": rows}


def row(player: Player, sessions: Sequence[Session]) -> dict[str, Any]:
    """The figures of a player; tokens are counted by who asks, where there is a tokenizer."""
    last = sessions[-1]
    return {
        "title": player.title,
        "kept": player.kept,
        "request_us": round(median(each.request_us for each in sessions)),
        "session_us": round(median(each.session_us for each in sessions)),
        "texts": [last.definitions, last.prompt, last.written, last.requests],
    }


def counted(row: dict[str, Any]) -> dict[str, Any]:
    """A row with tokens in place of texts."""
    session = Session(*row.pop("texts"))
    written = sum(map(tokens, session.written))
    return {**row, "written": written, "fresh": session.fresh, "sent": session.sent}


def measured(name: str, folder: Path, runs: int) -> dict[str, Any]:
    """A framework, in its own environment."""
    command = [str(folder / name / "bin" / "python"), "-m", "bench.adapters", name]
    environ = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    found: dict[str, Any] = {}
    rows: list[dict[str, Any]] = []
    for group in GROUPS:
        done = subprocess.run(
            [*command, "--inside", group, "--runs", str(runs)],
            cwd=ROOT,
            env=environ,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            sys.exit(f"{name}: {done.stderr[-2000:]}")
        found = json.loads(done.stdout.splitlines()[-1])
        rows += [counted(each) for each in found["rows"]]
    return {**found, "rows": rows}


def machine() -> str:
    """What the figures were taken on."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if os.name == "posix" else []
    model = next((line.partition(": ")[2] for line in lines if line.startswith("model name")), "?")
    return f"{model}, {os.cpu_count()} cores, Python {sys.version.split()[0]}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--folder", type=Path, default=ROOT / ".adapters")
    parser.add_argument("--json", type=Path, help="keep the figures, beside those of others there")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        print(json.dumps(inside(options.names[0], options.inside, options.runs)))
        return
    names = sorted(path.parent.parent.name for path in options.folder.glob("*/bin/python"))
    kept: dict[str, Any] = {}
    if options.json and options.json.exists():
        kept = json.loads(options.json.read_text("utf-8"))
    print(
        f"{'':<17}{'':<20}{'':<30}{'us a request':>13}{'a session':>11}"
        f"{'written':>9}{'fresh':>8}{'sent':>9}"
    )
    for name in options.names or names:
        found = measured(name, options.folder, options.runs)
        kept[name] = {**found, "day": f"{datetime.now(UTC):%Y-%m-%d}", "machine": machine()}
        for each in found["rows"]:
            print(
                f"{name:<17}{each['title']:<20}{each['kept']:<30}{each['request_us']:>13,}{each['session_us']:>11,}"
                f"{each['written']:>9,}{each['fresh']:>8,}{each['sent']:>9,}",
                flush=True,
            )
        if options.json:
            options.json.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
