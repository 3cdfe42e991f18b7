"""How many planning calls a file of an agent holds, counted in its raw text.

    python -m bench.raw_calls FILE...            (.gz too)

It knows nothing of the readers, parses no JSON, and is what their counts are held against: a call is told by the
characters around the name of its tool. A call that a file has twice, by its id, counts once.
"""

from __future__ import annotations

import argparse
import gzip
import re
from collections import Counter
from pathlib import Path

TASKS = "TaskCreate|TaskUpdate|TaskList|TaskGet"
SHAPES = (
    # An id before the name: Claude Code, Kilo, Roo.
    re.compile(rf'"id":\s*"(?P<id>[^"]+)",\s*"name":\s*"(?P<tool>TodoWrite|{TASKS}|update_todo_list)"'),
    # What hooks are given; the id stands behind it, if there is one.
    re.compile(rf'"tool_name":\s*"(?P<tool>TodoWrite|{TASKS})"'),
    # Codex: the arguments are a text, the id stands behind them.
    re.compile(r'"name":\s*"(?P<tool>update_plan)",\s*"arguments":\s*"(?:[^"\\]|\\.)*",\s*"call_id":\s*"(?P<id>[^"]+)"'),
    # opencode
    re.compile(r'"type":\s*"tool",\s*"tool":\s*"(?P<tool>todowrite)",\s*"callID":\s*"(?P<id>[^"]+)"'),
    # VS Code, the rounds of the model
    re.compile(r'"id":\s*"(?P<id>[^"]+)",\s*"name":\s*"(?P<tool>manage_todo_list)",\s*"arguments"'),
    # LangGraph, where a call has its own id behind what it was given
    re.compile(r'\{\s*"name":\s*"(?P<tool>write_todos)",\s*"args":'),
)  # fmt: skip


def raw_calls(path: Path) -> Counter[str]:
    """The calls of a file, by the names of their tools."""
    data = path.read_bytes()
    data = gzip.decompress(data) if path.suffix == ".gz" else data
    text = data.decode("utf-8", "replace")
    found: Counter[str] = Counter()
    for shape in SHAPES:
        seen: set[str] = set()
        for match in shape.finditer(text):
            own = match.groupdict().get("id")
            if own is not None and own in seen:
                continue
            seen.add(own or "")
            found[match["tool"]] += 1
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.raw_calls", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    for path in parser.parse_args().files:
        found = raw_calls(path)
        parts = ", ".join(f"{tool} {count}" for tool, count in sorted(found.items()))
        print(f"{found.total():>6}  {path.name}  {parts}")


if __name__ == "__main__":
    main()
