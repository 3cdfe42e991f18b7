"""What a plan costs in tokens, for every dialect and for peers, in the same run.

    python -m bench.tokens [--peers FOLDER] [--svg FILE]

A plan of eight steps is advanced in 17 calls (each step started, then finished) and in 9 (finishing
a step takes up the next). Counted, in cl100k: the tools' definitions and the prompt, once; what the
model writes; what it is answered. `--peers` installs each peer in an environment of its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import warnings
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from todowright import TodoWrite, load_dialect
from todowright.dialects import ListDialect
from todowright.dialects.lean import BY_NUMBER as LEAN_BY_NUMBER

BY_NUMBER = "lean by number"
DIALECTS = ("lean", BY_NUMBER, "smart", "shell", "envelope", "checklist", "twostate")
PEERS = {
    "agent_framework": "agent-framework-core",
    "camel": "camel-ai",
    "hermes_agent": "hermes-agent",
    "langchain": "langchain",
    "pydantic_ai_harness": "pydantic-ai-harness",
    "pydantic_ai_todo": "pydantic-ai-todo",
}
ALSO = {"camel": ["mcp<2"]}  # camel-ai 0.2.90 takes any mcp, but imports what mcp 2 has moved
STEPS = [
    ("Read the failing test", "Reading the failing test"),
    ("Find the bug in the parser", "Finding the bug in the parser"),
    ("Write a regression test", "Writing a regression test"),
    ("Fix the tokenizer", "Fixing the tokenizer"),
    ("Run the whole test suite", "Running the whole test suite"),
    ("Update the documentation", "Updating the documentation"),
    ("Bump the version number", "Bumping the version number"),
    ("Write the release notes", "Writing the release notes"),
]
State = list[tuple[str, str, str]]


@cache
def _encoding() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of how it opens its own vocabulary
        import bpe_openai

        encoding = bpe_openai.get_encoding("cl100k_base")
        encoding.encode("a")
    return encoding


def tokens(text: str) -> int:
    """How many tokens a text is."""
    return len(_encoding().encode(text))


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True)
class Cost:
    definition: int
    prompt: int
    written: int
    answered: int
    calls: int

    @property
    def total(self) -> int:
        return self.definition + self.prompt + self.written + self.answered


def states(calls: int) -> list[State]:
    """The plan at each of the 9 or 17 calls."""

    def state(done: int, current: int | None) -> State:
        found = []
        for index, (text, active) in enumerate(STEPS):
            status = (
                "completed" if index < done else "in_progress" if index == current else "pending"
            )
            found.append((text, status, active))
        return found

    if calls == 9:
        return [state(done, done) for done in range(9)]
    found = [state(0, None)]
    for index in range(8):
        found += [state(index, index), state(index + 1, None)]
    return found


def cost_of(name: str, calls: int) -> Cost:
    """What a session costs in one of our dialects."""
    dialect = LEAN_BY_NUMBER if name == BY_NUMBER else load_dialect(name)
    todo = TodoWrite(dialect, environ={}, root="/nonexistent")
    tools = [
        {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
        for tool in dialect.tools
    ]
    written = answered = made = 0
    for tool, arguments in _said(name, calls):
        reply = todo(arguments, tool=tool)
        assert not reply.is_error, reply.text
        written += tokens(compact(arguments))
        answered += tokens(reply.text)
        made += 1
    return Cost(tokens(compact(tools)), tokens(dialect.prompt), written, answered, made)


def _said(name: str, calls: int) -> list[tuple[str, dict[str, Any]]]:
    """The calls a model makes in a dialect."""
    if name in ("lean", BY_NUMBER):
        said: list[tuple[str, dict[str, Any]]] = [("plan", {"steps": [text for text, _ in STEPS]})]
        for number, (text, _) in enumerate(STEPS, 1):
            step = number if name == BY_NUMBER else " ".join(text.split()[:3])
            if calls == 17:
                said.append(("plan", {"now": step}))
            said.append(("done", {"finished": [step]}))
        return said
    dialect = load_dialect(name)
    assert isinstance(dialect, ListDialect)
    keys = {field.role: field.key for field in dialect.fields}
    said = []
    for state in states(calls):
        rows = []
        for text, status, active in state:
            known = status if status in dialect.statuses else "pending"
            row = {keys["content"]: text, keys["status"]: known}
            if "active_form" in keys:
                row[keys["active_form"]] = active
            rows.append(row)
        arguments: dict[str, Any] = {dialect.list_key: rows}
        if dialect.summary is not None:
            arguments = {dialect.summary.key: "Fix the parser and release", **arguments}
        if not said or said[-1][1] != arguments:  # a dialect without in_progress needs fewer
            said.append((dialect.tool_name, arguments))
    return said


def cost_of_peer(name: str, calls: int, folder: Path) -> Cost:
    """What a session costs with a peer, run in an environment of its own."""
    python = folder / name / "bin" / "python"
    if not python.exists():
        print(f"installing {PEERS[name]} ...", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", str(folder / name)], check=True)
        wanted = [PEERS[name], *ALSO.get(name, [])]
        subprocess.run([str(python), "-m", "pip", "-q", "install", *wanted], check=True)
    script = Path(__file__).parent / "peers" / f"with_{name}.py"
    done = subprocess.run(
        [str(python), str(script)],
        input=json.dumps(states(calls)),
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    return Cost(
        tokens(compact(found["definition"])),
        tokens(found["prompt"]),
        sum(tokens(compact(arguments)) for arguments, _ in found["calls"]),
        sum(tokens(result) for _, result in found["calls"]),
        len(found["calls"]),
    )


def report(costs: dict[tuple[str, int], Cost]) -> None:
    print(
        f"{'':<20}{'calls':>6}{'definition':>12}{'prompt':>8}{'written':>9}{'answered':>10}{'a reply':>9}{'all':>8}"
    )
    for (name, _), cost in costs.items():
        mean = cost.answered / cost.calls
        print(
            f"{name:<20}{cost.calls:>6}{cost.definition:>12,}{cost.prompt:>8,}{cost.written:>9,}"
            f"{cost.answered:>10,}{mean:>9.1f}{cost.total:>8,}"
        )


def chart(costs: dict[tuple[str, int], Cost]) -> str:
    """The 17-call session as bars."""
    rows = sorted(
        ((cost.total, name, cost) for (name, calls), cost in costs.items() if calls == 17),
        key=lambda row: row[0],
    )
    widest, left, width = rows[-1][0], 170, 560
    parts = ("definition", "prompt", "written", "answered")
    colours = ("#8250df", "#bf8700", "#0969da", "#1a7f37")
    lines = []
    for number, (total, name, cost) in enumerate(rows):
        y, x = 48 + number * 30, float(left)
        lines.append(
            f'<text class="t" x="{left - 10}" y="{y + 15}" text-anchor="end">{escape(name)}</text>'
        )
        for part, colour in zip(parts, colours, strict=True):
            size = getattr(cost, part) / widest * width
            lines.append(
                f'<rect x="{x:.1f}" y="{y}" width="{size:.1f}" height="20" fill="{colour}"><title>{part}: {getattr(cost, part):,}</title></rect>'
            )
            x += size
        lines.append(f'<text class="t" x="{x + 8:.1f}" y="{y + 15}">{total:,}</text>')
    key = "".join(
        f'<rect x="{left + n * 110}" y="16" width="12" height="12" fill="{colour}"/><text class="t" x="{left + 18 + n * 110}" y="27">{part}</text>'
        for n, (part, colour) in enumerate(zip(parts, colours, strict=True))
    )
    height = 60 + 30 * len(rows)
    style = (
        ".p{fill:#fff}.t{fill:#1f2328;font:13px system-ui,sans-serif}"
        "@media (prefers-color-scheme:dark){.p{fill:#0d1117}.t{fill:#e6edf3}}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 {height}" role="img" aria-label="Tokens of a session of 17 plan calls">'
        f'<style>{style}</style><rect class="p" width="820" height="{height}" rx="6"/>{key}{"".join(lines)}</svg>\n'
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.tokens", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument(
        "--peers", type=Path, metavar="FOLDER", help="compare with peers, installed in this folder"
    )
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw the 17-call session")
    options = parser.parse_args()
    costs: dict[tuple[str, int], Cost] = {}
    for calls in (17, 9):
        for name in DIALECTS:
            costs[name, calls] = cost_of(name, calls)
        for name in PEERS if options.peers else ():
            costs[PEERS[name], calls] = cost_of_peer(name, calls, options.peers)
    report(costs)
    if options.svg:
        options.svg.write_text(chart(costs), "utf-8")


if __name__ == "__main__":
    main()
