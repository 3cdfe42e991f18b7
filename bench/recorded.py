"""Planning calls as they were recorded: what each sent, and what the model read then."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from todowright import Todo, load_dialect
from todowright.dialects.repair import mended

LEAN = load_dialect("lean")
LISTS = ("todos", "plan", "todoList", "items")
STATUSES = {"not-started": "pending", "in-progress": "in_progress", "inProgress": "in_progress"}


@dataclass
class Recorded:
    """One call that sent a whole list."""

    tool: str
    input: dict[str, Any]
    todos: list[Todo]
    read: str
    """What the model was answered."""


def recorded(path: Path) -> Iterator[tuple[str, list[Recorded]]]:
    """The whole-list calls of each agent's run, in order; runs without one are left out."""
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    lines = [json.loads(line) for line in content.splitlines()]
    usual = _usual_results(lines)
    found: dict[str, list[Recorded]] = {}
    for line in lines:
        todos = wanted(line)
        if todos is not None:
            name = f"{line.get('source')}/{line.get('session')}/{line.get('chain')}"
            read = _read(line) if _is_known(line) else usual.get(line["tool"], "")
            found.setdefault(name, []).append(Recorded(line["tool"], line["input"], todos, read))
    yield from found.items()


def _usual_results(lines: list[dict[str, Any]]) -> dict[str, str]:
    """What each tool answered most often: a hook's log does not have what the model read."""
    counted: dict[str, Counter[str]] = {}
    for line in lines:
        if _is_known(line) and not line.get("is_error"):
            counted.setdefault(line["tool"], Counter())[_read(line)] += 1
    return {tool: texts.most_common(1)[0][0] for tool, texts in counted.items()}


def _is_known(line: dict[str, Any]) -> bool:
    return bool(line.get("result")) and not str(line.get("format", "")).startswith("hook-")


def _read(line: dict[str, Any]) -> str:
    return str(line.get("result") or "")


def wanted(call: dict[str, Any]) -> list[Todo] | None:
    """The list that a call sent, if it sent one."""
    if call.get("is_error") or not any(key in call["input"] for key in LISTS):
        return None  # refused, or a call that changes one task
    meant = mended(LEAN, call["input"])
    arguments = meant.arguments if meant else call["input"]
    rows = arguments.get("steps") if isinstance(arguments, dict) else None
    if not isinstance(rows, list):
        return None
    todos = []
    for row in rows:
        if not isinstance(row, dict) or not isinstance(row.get("content"), str):
            return None
        status = STATUSES.get(str(row.get("status")), row.get("status") or "pending")
        text = row["content"].strip()
        if status not in LEAN.statuses or not text:
            return None
        todos.append(Todo(text, status))  # type: ignore[arg-type]
    return todos
