"""What tells one call from another, in a few characters."""

from __future__ import annotations

import json
from binascii import crc32
from collections.abc import Callable
from functools import partial

from todowright.text import harmless

_encode = json.JSONEncoder(sort_keys=True, default=repr).encode


def fingerprint(tool: str | None, arguments: object) -> str:
    """The same for calls of the same tool with equal arguments; it never raises."""
    try:
        text = _encode([tool, arguments])
    except Exception:  # keys of several kinds, nested too deep, or strangers that cannot be shown
        text = f"{tool} {_shown(arguments)}"
    return mark(text)


def late_fingerprint(tool: str | None, arguments: object) -> str | Callable[[], str]:
    """The fingerprint; of one list of texts, as most calls send, what makes it: hardly anybody asks for it."""
    if type(arguments) is dict and len(arguments) == 1:
        for key, value in arguments.items():
            if type(value) is list and set(map(type, value)) == {str}:
                return partial(fingerprint, tool, {key: tuple(value)})
    return fingerprint(tool, arguments)


def mark(text: str) -> str:
    """What tells a text from others: its beginning, its length and a checksum."""
    checksum = crc32(text.encode("utf-8", "surrogatepass"))
    return f"{len(text)} {checksum:08x} {harmless(text[:60])}"


def _shown(value: object) -> str:
    try:
        return repr(value)
    except Exception:
        return f"{type(value).__name__} {id(value)}"
