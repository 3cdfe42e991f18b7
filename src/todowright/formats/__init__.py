"""The plans of other agents, read and written: one small file for each format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from todowright.formats.applying import Op
from todowright.formats.catalogue import format_named, formats
from todowright.formats.detect import read_plan
from todowright.formats.format import Format, Holds
from todowright.formats.reading import Reading, ToolCall

if TYPE_CHECKING:
    from todowright.formats.written import Loss, Written, write_plan

__all__ = [
    "Format",
    "Holds",
    "Loss",
    "Op",
    "Reading",
    "ToolCall",
    "Written",
    "format_named",
    "formats",
    "read_plan",
    "write_plan",
]


def __getattr__(name: str) -> object:
    """What only writing needs is loaded when it is asked for."""
    if name in ("Loss", "Written", "write_plan"):
        from todowright.formats import written

        return getattr(written, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
