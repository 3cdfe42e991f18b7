"""What an agent does, in words for a person."""

from __future__ import annotations

import json
from typing import Any

from rich.text import Text

from todowright.agent import events
from todowright.text import clip, harmless

SHOWN_LINES = 5
"""Lines of a result that a person is shown."""


def told(tool: str, arguments: dict[str, Any], most: int) -> str:
    """A call's arguments for a person: the one that counts, of the others what they are like."""
    values = list(arguments.values())
    if len(values) == 1 and isinstance(values[0], str):
        return clip(harmless(values[0]), most)
    rows = next((value for value in values if isinstance(value, list)), [])
    if rows and isinstance(rows[0], dict):
        return f"{len(rows)} items"  # the box shows them
    if tool not in ("read_file", "write_file", "edit_file"):
        return clip(harmless(json.dumps(arguments, ensure_ascii=False)), most)
    others = [
        f"{key} {value}" if isinstance(value, int) else f"{key} {clip(repr(value), 40)}"
        for key, value in arguments.items()
        if key != "path"
    ]
    return clip(harmless(f"{arguments.get('path')}  {'  '.join(others)}".rstrip()), most)


def in_full(tool: str, arguments: dict[str, Any]) -> list[str]:
    """A call with everything in it, line by line, for who must decide."""
    signs = {"old": "- ", "new": "+ ", "content": "+ "}
    lines = [harmless(f"{tool} {arguments['path']}")] if "path" in arguments else []
    for key, value in arguments.items():
        if key == "path":
            continue
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        lines += [signs.get(key, "") + harmless(line) for line in text.splitlines() or [""]]
    return lines


def said(text: str, style: str) -> list[Text]:
    return [Text(harmless(line), style=style) for line in text.strip().splitlines()]


def result(event: events.Observation, width: int) -> list[Text]:
    """The beginning of a result; of a command that failed, its end."""
    lines = [line for line in event.text.splitlines() if line.strip()] or [""]
    last = event.tool == "bash" and event.is_error
    shown = lines[-SHOWN_LINES:] if last else lines[:SHOWN_LINES]
    told = [clip(harmless(line), max(20, width - 8)) for line in shown]
    if len(lines) > SHOWN_LINES:
        told.insert(0 if last else SHOWN_LINES, f"… and {len(lines) - SHOWN_LINES} more")
    return [Text(f"  {line}", style="red" if event.is_error else "dim") for line in told]
