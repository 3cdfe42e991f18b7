"""Where the blocks of code of a Markdown file are: what stands in them is no item."""

from __future__ import annotations

import re
from collections.abc import Sequence

_FENCE = re.compile(
    r"\s*(?P<lead>(?:(?:[-*+]|\d{1,6}[.)])\s+)*)(?P<sign>```+(?=[^`]*$)|~~~+)(?P<info>.*)"
)
_LISTED = re.compile(r"\s*(?:[-*+]|\d{1,6}[.)])\s")
_BOX = re.compile(r"\s*(?:[-*+]|\d{1,6}[.)])\s+\[[^\]]\]\s")


def lines_of_code(lines: Sequence[str]) -> dict[int, int]:
    """The lines of all blocks of code, with their fences: where each block starts.

    A fence that nothing closes is a line like others. A block that belongs to an entry of a list ends at the next item.
    """
    fences = {number: found for number, line in enumerate(lines) if (found := _FENCE.fullmatch(line))}  # fmt: skip
    closed = _closed(fences)
    code: dict[int, int] = {}
    start, opened = 0, ""
    entry = ends = -1  # how deep the entry of a list stands to which a line, and a block, belongs
    for number, line in enumerate(lines):
        fence, depth = fences.get(number), depth_of(line)
        if opened and depth <= ends and _BOX.match(line):
            opened = ""
        if opened:
            code[number] = start
            if fence and fence["sign"].startswith(opened) and _closes(fence):
                opened = ""
            continue
        if _LISTED.match(line):
            entry = depth
        elif line.strip() and depth <= entry:
            entry = -1
        if fence and number in closed:
            start, opened, ends = number, fence["sign"], entry
            code[number] = start
    return code


def depth_of(line: str) -> int:
    """How many characters a line is indented."""
    return len(line) - len(line.lstrip())


def _closed(fences: dict[int, re.Match[str]]) -> set[int]:
    """The lines of the fences that another one below could close."""
    longest = {"`": 0, "~": 0}
    closed: set[int] = set()
    for number, found in reversed(fences.items()):
        sign = found["sign"]
        if longest[sign[0]] >= len(sign):
            closed.add(number)
        if _closes(found):
            longest[sign[0]] = max(longest[sign[0]], len(sign))
    return closed


def _closes(fence: re.Match[str]) -> bool:
    return not fence["lead"] and not fence["info"].strip()
