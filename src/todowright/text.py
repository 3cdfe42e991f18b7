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


def all_harmless(texts: Sequence[str]) -> Sequence[str]:
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
    """A value a model sent, as Python shows it, short and harmless enough to name in a message."""
    text = value if isinstance(value, str) else _spelled(value, limit + 1)
    return clip(harmless(text[: limit + 1]), limit)


def _spelled(value: object, room: int) -> str:
    """The beginning of a value as Python shows it, made in little time however large or deep it is."""
    if room <= 0:
        return ""
    if isinstance(value, (str, bytes)):
        return repr(value[:room])
    parts: Iterable[str]
    if type(value) is list:
        (start, end), parts = "[]", (_spelled(each, room - 1) for each in value)
    elif type(value) is dict:
        pairs = value.items()
        (start, end), parts = "{}", (f"{_spelled(k, room)}: {_spelled(v, room - 1)}" for k, v in pairs)
    else:
        try:
            return str(value)
        except Exception:  # Python shows no number of so many digits; a stranger may do anything
            return "a huge number" if isinstance(value, int) else "(it cannot be shown)"
    text = start
    for part in parts:
        text += part if text == start else f", {part}"
        if len(text) >= room:
            return text
    return text + end


def kind(value: object) -> str:
    """What JSON calls this kind of value; Python's name where JSON has none."""
    return _JSON_KINDS.get(type(value)) or type(value).__name__


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
