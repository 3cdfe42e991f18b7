"""Texts in columns: cut and filled up by the cells they take on a screen, not by their letters."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size

_FLAGS = range(0x1F1E6, 0x1F200)
"""Two of these letters are the flag of a country."""


def cut(text: str, width: int) -> str:
    """The text in at most so many cells, with an ellipsis where something is left out."""
    if cell_len(text) <= width:
        return text
    return _begin(text, width - 1) + "…" if width > 0 else ""


def filled(text: str, width: int, filler: str = " ") -> str:
    """The text in exactly so many cells: cut, or filled up."""
    shown = cut(text, width)
    return shown + filler * (width - cell_len(shown))


def right(text: str, width: int) -> str:
    """The text at the right end of so many cells."""
    shown = cut(text, width)
    return " " * (width - cell_len(shown)) + shown


def _begin(text: str, width: int) -> str:
    """As much of a text as has room in so many cells; no flag is cut in half."""
    begin = set_cell_size(text, width)
    letters = 0
    while letters < len(begin) and ord(begin[-1 - letters]) in _FLAGS:
        letters += 1
    following = text[len(begin) : len(begin) + 1]
    if letters % 2 and following and ord(following) in _FLAGS:
        begin = begin[:-1] + " "
    return begin


__all__ = ["cell_len", "cut", "filled", "right"]
