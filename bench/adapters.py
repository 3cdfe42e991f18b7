"""What a plan costs inside each framework, beside the framework's own todo tool, in one run.

    python -m bench.adapters [--folder .adapters] [NAME ...]

A plan of eight steps is made and advanced in nine calls, by a scripted model, through the whole framework. Counted in cl100k:
`written` is what the model writes into its calls; `fresh` is what no prompt cache can have, each text once: definitions, prompt, what is
written, and of each request what does not begin as the request before; `sent` is all that all requests hold. Timed: CPU of a request with its
calls, the best of some runs, one's runs between the other's. `make adapters` makes the environments.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.tokens import STEPS, compact, states, tokens

ROOT = Path(__file__).parents[1]
RUNS = 7


@dataclass
class Session:
    """One session: what the model was offered, what it wrote, and the texts of each request."""

    definitions: str
    prompt: str
    written: list[str]
    requests: list[list[str]]
    microseconds: float = 0.0

    @property
    def fresh(self) -> int:
        before: list[str] = []
        total = tokens(self.definitions) + tokens(self.prompt) + sum(map(tokens, self.written))
        for texts in self.requests:
            same = 0
            while same < min(len(before), len(texts)) and before[same] == texts[same]:
                same += 1
            total += sum(map(tokens, texts[same:]))
            before = texts
        return total

    @property
    def sent(self) -> int:
        fixed = tokens(self.definitions) + tokens(self.prompt)
        return sum(
            fixed + sum(map(tokens, texts)) + sum(map(tokens, self.written[:number]))
            for number, texts in enumerate(self.requests)
        )


Play = Callable[[], Session]
"""Plays the session once."""


def definitions_of(tools: Any) -> str:
    """Tools as text, from their names, descriptions and schemas."""
    return compact(
        [
            {"name": name, "description": told, "input_schema": schema}
            for name, told, schema in tools
        ]
    )


def lean_turns() -> list[Any]:
    turns: list[Any] = [[("plan", {"steps": [text for text, _ in STEPS]})]]
    turns += [[("done", {"finished": [text]})] for text, _ in STEPS]
    return [*turns, "Done."]


def list_turns(name: str = "write_todos", key: str = "todos") -> list[Any]:
    turns: list[Any] = [
        [(name, {key: [{"content": text, "status": status} for text, status, _ in state]})]
        for state in states(9)
    ]
    return [*turns, "Done."]


def written_in(turns: list[Any]) -> list[str]:
    return [compact(args) for turn in turns if not isinstance(turn, str) for _, args in turn]


def ours(name: str, dialect: Any, turns: list[Any], store: str) -> Play:
    """Our adapter, through the driver that the suite of adapters uses."""
    from tests.adapters.driver import Script
    from todowright import load_dialect

    driver = import_module(f"tests.adapters.drivers.{name}").DRIVER
    found = load_dialect(dialect)
    offered = [(tool.name, tool.description, tool.input_schema) for tool in found.tools]
    count = iter(range(10**6))

    def play() -> Session:
        plan = driver.make(store, dialect=dialect)
        thread = f"{os.getpid()}-{next(count)}"
        begun = time.process_time()
        outcome = driver.run(plan, Script(turns, thread=thread))
        spent = time.process_time() - begun
        assert outcome.answer == "Done.", outcome.answer
        assert not any(reply.startswith("Error") for reply in outcome.replies), outcome.replies
        requests = [request.texts for request in outcome.requests]
        each = spent / len(requests) * 1e6
        return Session(definitions_of(offered), found.prompt, written_in(turns), requests, each)

    return play


def inside(name: str) -> dict[str, Any]:
    """All sessions of a framework, played in this environment."""
    import warnings

    from todowright.adapters.shapes import LANGCHAIN

    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        plays: dict[str, Play] = {
            "ours": ours(name, "lean", lean_turns(), "memory:"),
            "ours, SQLite": ours(name, "lean", lean_turns(), f"sqlite:///{folder}/plans.db"),
            "ours, their tool": ours(name, LANGCHAIN, list_turns(), "memory:"),
        }
        if find_spec(f"bench.peers.in_{name}"):
            plays |= import_module(f"bench.peers.in_{name}").PEERS
        best: dict[str, Session] = {}
        for _ in range(RUNS):
            for title, play in plays.items():
                session = play()
                if title not in best or session.microseconds < best[title].microseconds:
                    best[title] = session
    return {title: asdict(session) for title, session in best.items()}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--folder", type=Path, default=ROOT / ".adapters")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        print(json.dumps(inside(options.inside)))
        return
    found = sorted(path.parent.parent.name for path in options.folder.glob("*/bin/python"))
    print(f"{'':<16}{'':<24}{'us a request':>13}{'written':>9}{'fresh':>8}{'sent':>9}")
    for name in options.names or found:
        command = [
            options.folder / name / "bin" / "python",
            "-m",
            "bench.adapters",
            "--inside",
            name,
        ]
        environ = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
        done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        for title, values in json.loads(done.stdout.splitlines()[-1]).items():
            session = Session(**values)
            written = sum(map(tokens, session.written))
            print(
                f"{name:<16}{title:<24}{session.microseconds:>13,.0f}"
                f"{written:>9,}{session.fresh:>8,}{session.sent:>9,}"
            )


if __name__ == "__main__":
    main()
