"""The objects that are whole in a damaged text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

_DECODER = json.JSONDecoder(strict=False)
_MOST_MARKS, _MOST_BRACKETS, _BEFORE, _BEHIND = 500, 16, 20_000, 100_000
"""In a damaged text: how many marks are looked at, brackets before each, and characters around it."""


def whole_objects(text: str, mark: re.Pattern[str]) -> Iterator[dict[str, Any]]:
    """The objects in a damaged text that a mark stands in, each the innermost, if they are whole themselves."""
    for found in islice(mark.finditer(text), _MOST_MARKS):
        first = max(0, found.start() - _BEFORE)
        around = text[first : found.end() + _BEHIND]
        start = found.start() - first
        for _ in range(_MOST_BRACKETS):
            start = around.rfind("{", 0, start)
            if start < 0:
                break
            try:
                value, end = _DECODER.raw_decode(around, start)
            except (ValueError, RecursionError):
                continue
            if first + end >= found.end() and isinstance(value, dict):
                yield value
                break
