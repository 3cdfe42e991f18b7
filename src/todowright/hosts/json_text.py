"""Reading and writing the JSON of a host's file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from todowright.hosts.ours import CannotChange


def parsed(path: Path, text: str | None) -> dict[str, Any]:
    """The object that a file holds; refused where it could not be written again as it is."""
    try:
        value = json.loads(text, parse_float=_number) if text and text.strip() else {}
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except UnicodeEncodeError:
        raise CannotChange(
            f"{path} has half a character (\\ud800 to \\udfff): mend it first"
        ) from None
    except OverflowError as error:
        raise CannotChange(
            f"{path} has a number that is too large, {error}: mend it first"
        ) from None
    except ValueError:
        told = "it has comments, or is broken: mend it, or do it by hand: `todowright mcp --print-config HOST` says what goes where"
        raise CannotChange(f"{path} is no plain JSON: {told}") from None
    if not isinstance(value, dict):
        raise CannotChange(f"{path} holds no JSON object: mend it first")
    return value


def _number(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise OverflowError(text[:40])
    return value


def dumped(value: dict[str, Any], text: str | None) -> str:
    """The text of an object, indented as the text that was there, with the same ends of lines."""
    found = re.search(r"\n([ \t]+)\S", text or "")
    made = json.dumps(value, indent=found[1] if found else 2, ensure_ascii=False) + "\n"
    return made.replace("\n", "\r\n") if text and "\r\n" in text else made
