"""Lines as the SDK can read them: hosts that cut a text send half characters, which it would not answer."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from typing import Any

import anyio


def whole(text: str) -> str:
    """A text in which half characters have become marks of what is missing."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def whole_line(line: str) -> str:
    """A line of JSON with whole characters only; one that is no JSON is left as it is."""
    if "\\u" not in line:
        return line
    try:
        return whole(json.dumps(json.loads(line), ensure_ascii=False))
    except (ValueError, RecursionError):
        return line


class StandardInput:
    """The lines of standard input, for the SDK in place of a file."""

    def __init__(self) -> None:
        self._file: Any = anyio.wrap_file(
            open(os.dup(0), encoding="utf-8", errors="replace")  # noqa: PTH123, SIM115
        )

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in self._file:
            yield whole_line(line)
