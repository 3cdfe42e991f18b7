"""Docstrings are plain text with `code` and indented examples; Sphinx would read more into them."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_MOST = 8
_CODE = re.compile(r"(`[^`]*`)")
_MEANING = re.compile(r"([\\*|]|(?<=\w)_(?!\w))")
"""What means something to Sphinx where a person meant the character."""


def connect(app: Sphinx) -> None:
    """Have every docstring read so."""
    app.connect("autodoc-process-docstring", _read)
    app.connect("autodoc-process-signature", _signature)


def _signature(
    app: Sphinx, what: str, name: str, value: Any, options: object, given: str, returned: str
) -> tuple[str, str] | None:
    """A value of many fields has no signature: each field is listed below it, with its default."""
    many = is_dataclass(value) and len(fields(value)) > _MOST
    return ("", returned) if many else None


def _read(
    app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]
) -> None:
    lines[:] = plain(lines)


def plain(lines: list[str]) -> list[str]:
    """The lines in Sphinx's markup: only what stands in backquotes and what is indented is code."""
    made: list[str] = []
    for line in lines:
        if not line.startswith(" "):
            made.append("".join(_shown(part) for part in _CODE.split(line)))
            continue
        if made and not made[-1]:
            made += ["::", ""]
        made.append(line)
    return made


def _shown(part: str) -> str:
    return part if part.startswith("`") else _MEANING.sub(r"\\\1", part)
