"""The tool of a sub-agent, for as long as it works."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class SubAgent(Generic[T]):
    """Gives the sub-agent's tool to a `with` block, and ends it when the block ends."""

    def __init__(self, tool: T, end: Callable[[str], None]) -> None:
        self._tool = tool
        self._end = end

    def __enter__(self) -> T:
        return self._tool

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        self._end("" if failure is None else "failed")
