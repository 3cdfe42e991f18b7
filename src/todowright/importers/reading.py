"""The calls of one file, whichever agent wrote it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from todowright.importers.found import Damage, Found, Spent
from todowright.importers.readers import LineReader, reader_of
from todowright.importers.sources import Lines, Unreadable, head_of, opened, parsed


def reader_for(path: str) -> tuple[Any, bytes]:
    """The module that reads a file, None where none knows it; and how the file begins."""
    head = head_of(path)
    return (reader_of(path, head) if head else None), head


def calls_in(path: str, module: Any = None, head: bytes = b"") -> Iterator[Found | Spent | Damage]:
    """Every planning call of a file in its order, what its requests took, and what is damaged.

    A file of no known kind has none.
    Nothing raises because of what is in a file.
    """
    if module is None:
        module, head = reader_for(path)
    if module is None:
        return
    try:
        with opened(path) as file:
            if in_lines(module, path, head):
                yield from read_lines(module.Lines(path), Lines(file))
            else:
                yield from module.document(path, file)
    except Unreadable as error:
        yield Damage(0, why(error))


def in_lines(module: Any, path: str, head: bytes) -> bool:
    """Whether a file of a kind is read line by line: its first line is a whole object."""
    if not hasattr(module, "Lines"):
        return False
    if not hasattr(module, "document") or path.endswith((".jsonl", ".jsonl.gz")):
        return True
    first = head.lstrip().partition(b"\n")[0]
    try:
        return isinstance(json.loads(first), dict) and b"\n" in head.strip()
    except (ValueError, RecursionError):
        return False


def read_lines(
    reader: LineReader, lines: Lines, *, whole: bool = True
) -> Iterator[Found | Spent | Damage]:
    """The calls of the lines that are there now; with `whole`, nothing more is waited for."""
    try:
        for number, line in lines(whole=whole):
            if isinstance(line, Damage):
                yield replace(line, line=number)
            elif reader.wants(line):
                record = parsed(line)
                if isinstance(record, Damage):
                    yield replace(record, line=number)
                else:
                    yield from reader.read(record)
    except Unreadable as error:
        yield Damage(lines.number + 1, why(error))
    if whole:
        yield from reader.rest()


def why(error: Exception) -> str:
    """Why a file cannot be read, in a few words."""
    return getattr(error, "strerror", None) or str(error) or "it cannot be read"
