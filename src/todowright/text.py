"""Text as people and terminals may safely see it, whatever a model wrote."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_DANGEROUS = (
    "[\x00-\x1f\x7f-\x9f"  # C0, DEL, C1: escape sequences start here
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidi marks and overrides
    "\u2028\u2029\ufeff"  # line and paragraph separators, byte order mark
    "\ud800-\udfff"  # lone surrogates: no encoder takes them
    "\U000e0000-\U000e007f]"  # invisible tag characters
)
_JSON_KINDS: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    tuple: "array",
    dict: "object",
}


def harmless(text: str) -> str:
    """The text on one line, with nothing in it that a terminal, a log or a page would obey."""
    return text if text.isprintable() else re.sub(_DANGEROUS, _stand_in, text)


def all_harmless(texts: list[str]) -> list[str]:
    """Each of the texts as `harmless` has it; most are as they are."""
    return texts if "".join(texts).isprintable() else [harmless(text) for text in texts]


def all_neutral(texts: Sequence[str]) -> Sequence[str]:
    """Each of the texts as `neutral` has it; most are as they are."""
    whole = "".join(texts)
    if whole.isprintable() and "<" not in whole and ">" not in whole:
        return texts
    return [neutral(text) for text in texts]


def brief(text: str, limit: int) -> str:
    """A neutral text, cut where it is longer."""
    return clip(neutral(text), limit)


def neutral(text: str) -> str:
    """Text on one line that cannot open or close a tag, or pass for a line of its own."""
    return harmless(text).replace("<", "‹").replace(">", "›")


def json_text(value: object, *, indent: int | None = None) -> str:
    """JSON with its letters kept, and escaped whatever a terminal, a log or a page would obey."""
    import json

    text = json.dumps(value, ensure_ascii=False, indent=indent)
    if text.isprintable():
        return text
    lines = text.split("\n")  # those of the indent; in texts they are escaped already
    return "\n".join(
        re.sub(_DANGEROUS, lambda match: json.dumps(match[0])[1:-1], line) for line in lines
    )


def _stand_in(match: re.Match[str]) -> str:
    code = ord(match[0])
    if match[0] in "\t\n\r\v\f\x85\u2028\u2029":
        return " "
    if code < 0x20:
        return chr(0x2400 + code)  # the picture of that control character
    return "␡" if code == 0x7F else "\ufffd"


def clip(text: str, limit: int) -> str:
    """The text, cut with an ellipsis where it is longer than `limit` code points."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def a_few(names: Sequence[str], most: int = 5) -> str:
    """Names in a row, the rest of many as a count."""
    more = [f"and {len(names) - most} more"] if len(names) > most else []
    return "; ".join([*names[:most], *more])


def ranges(numbers: Iterable[int]) -> str:
    """Numbers in few characters: `1-4, 7`."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(f"{part[0]}-{part[-1]}" if len(part) > 1 else f"{part[0]}" for part in parts)


def shown(value: object, limit: int = 40) -> str:
    """A value a model sent, short and harmless enough to name in a message."""
    if isinstance(value, str):
        return clip(harmless(value[: limit + 1]), limit)
    if isinstance(value, (bool, float)) or value is None:
        return str(value)
    if isinstance(value, int):
        return str(value) if value.bit_length() < 100 else "a huge number"
    return kind(value)


def kind(value: object) -> str:
    """What JSON calls this kind of value; Python's name where JSON has none."""
    return _JSON_KINDS.get(type(value)) or type(value).__name__


def a_kind(value: object) -> str:
    """What kind of value a program gave, in Python's words: `an int`, `a list`, `None`."""
    if value is None:
        return "None"
    name = type(value).__name__
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"


def likely(name: object, known: Iterable[str]) -> str:
    """`did you mean …? `, where one of the known names is much like this one; empty where none is."""
    from difflib import get_close_matches  # only where something is wrong

    found = get_close_matches(name.lower(), list(known), 1) if isinstance(name, str) else []
    return f"did you mean {found[0]}? " if found else ""


def encodable(text: str) -> bool:
    """Whether the text can be written as UTF-8, that is, holds no lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def sound(text: str) -> str:
    """Text that can be written: halves of a character are put together, or replaced."""
    if encodable(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
