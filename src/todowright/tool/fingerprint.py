"""What tells one call from another, in a few characters."""

from __future__ import annotations

import json
import marshal
from binascii import crc32
from collections.abc import Callable
from functools import partial

from todowright.text import harmless

_encode = json.JSONEncoder(sort_keys=True, default=repr).encode
_MOST_COPIED = 1_000
"""Bytes of a call that is kept as it came, until somebody asks for its fingerprint."""


def fingerprint(tool: str | None, arguments: object) -> str:
    """The same for calls of the same tool with equal arguments; it never raises."""
    try:
        text = _encode([tool, arguments])
    except Exception:  # keys of several kinds, nested too deep, or strangers that cannot be shown
        text = f"{tool} {_shown(arguments)}"
    return mark(text)


def late_fingerprint(tool: str | None, arguments: object) -> str | Callable[[], str]:
    """The fingerprint, or what makes it when somebody asks, which few do: in memory, only for an id that comes again.

    A copy as bytes, which nobody can change meanwhile, takes a tenth of its time.
    """
    try:
        copy = marshal.dumps((tool, arguments))  # type: ignore[arg-type]
    except Exception:  # strangers, nested too deep, or a program that does not allow it
        return fingerprint(tool, arguments)
    return partial(_of_copy, copy) if len(copy) <= _MOST_COPIED else fingerprint(tool, arguments)


def _of_copy(copy: bytes) -> str:
    return fingerprint(*marshal.loads(copy))  # noqa: S302  bytes that we have just made


def mark(text: str) -> str:
    """What tells a text from others: its beginning, its length and a checksum."""
    checksum = crc32(text.encode("utf-8", "surrogatepass"))
    return f"{len(text)} {checksum:08x} {harmless(text[:60])}"


def _shown(value: object) -> str:
    try:
        return repr(value)
    except Exception:
        return f"{type(value).__name__} {id(value)}"
