"""Text as people and terminals may safely see it, whatever a model wrote.

`harmless` is for people. `as_sent` is for a model, which reads its own words back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

_NO_CONTROLS = bytes([ord("?") if byte < 0x20 or byte == 0x7F else byte for byte in range(0x100)])
_DANGEROUS = (
    "[\x00-\x1f\x7f-\x9f"  # C0, DEL, C1: escape sequences start here
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidi marks and overrides
    "\u2028\u2029\ufeff"  # line and paragraph separators, byte order mark
    "\ud800-\udfff"  # lone surrogates: no encoder takes them
    "\U000e0000-\U000e007f]"  # invisible tag characters
)
_REGION = (
    "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,7}\U000e007f"  # the flag of a region
)
_BREAKING = (
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
    "\u202a-\u202e\u2066-\u2069"  # bidi overrides: they move what is around them
    "\U000e0000-\U000e007f]"  # tag characters of no flag: words that only a model sees
)
_BLOCKS = (
    *(range(0x100), range(0x600, 0x700), range(0x2000, 0x2100)),
    *(range(0xD800, 0xE000), range(0xFE00, 0xFF00), range(0xE0000, 0xE0100)),
)
"""Where the characters of both classes are."""
_MOST_LEARNT = 20_000
_JOINED = (
    "[\u0300-\u036f\u200d\u20d0-\u20ff\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
)
"""What is part of the character before it: accents, joiners, colours of skin, the letters in a flag."""
_MOST_JOINED = 16
"""How many of those are looked at; the longest real character has ten."""
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
    return text if text.isprintable() else text.translate(_stand_ins(_DANGEROUS))


def all_harmless(texts: list[str]) -> list[str]:
    """Each of the texts as `harmless` has it; most are as they are."""
    return texts if _is_printable("".join(texts)) else [harmless(text) for text in texts]


def _is_printable(text: str) -> bool:
    """The same as `isprintable`, in half the time for a long text in ASCII."""
    if not text.isascii():
        return text.isprintable()
    letters = text.encode()
    return letters.translate(_NO_CONTROLS) == letters


def as_sent(text: str) -> str:
    """The text for a model to read back: as it was sent, but on one line and without control characters."""
    return text if text.isprintable() else _but_flags(text, _stand_ins(_BREAKING))


def told(lines: list[str]) -> tuple[str, str]:
    """Lines as one text: as a model reads it, and as people may see it; most are the same."""
    text = "\n".join(lines)
    if _is_printable("".join(lines)):
        return text, text
    return "\n".join([as_sent(line) for line in lines]), "\n".join(all_harmless(lines))


SHORT, MOST_QUOTED = 40, 30
"""How long a text is that is quoted among others, and how many are."""


def brief(text: str, limit: int) -> str:
    """The text as it was sent, cut where it is longer."""
    if len(text) <= limit and text.isprintable():
        return text
    return clip(as_sent(text[: limit + _MOST_JOINED]), limit)


def neutral(text: str) -> str:
    """The text as it was sent, but unable to open or close a tag: for a block of ours."""
    return as_sent(text).replace("<", "‹").replace(">", "›")


def all_neutral(texts: list[str], limit: int) -> list[str]:
    """Each of the texts as `neutral` has it, cut where it is longer; most are as they are."""
    whole = "".join(texts)
    if whole.isprintable() and "<" not in whole and ">" not in whole:
        return (
            texts
            if max(map(len, texts), default=0) <= limit
            else [clip(text, limit) for text in texts]
        )
    return [clip(neutral(text), limit) for text in texts]


def json_text(value: object, *, indent: int | None = None) -> str:
    """JSON with its letters kept, and escaped whatever a terminal, a log or a page would obey."""
    text = _json(value, indent)
    if text.isprintable():
        return text
    return text.translate(
        _escapes(_DANGEROUS, "\n")
    )  # of the indent; in texts it is escaped already


def json_as_sent(value: object) -> str:
    """JSON for a model: escaped is only what would break its line."""
    text = _json(value)
    return text if text.isprintable() else _but_flags(text, _escapes(_BREAKING))


def _json(value: object, indent: int | None = None) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, indent=indent)


def _but_flags(text: str, table: _Table) -> str:
    """A text with its characters changed by a table, but the flags of regions kept."""
    if _REGION[0] not in text:
        return text.translate(table)
    parts = re.split(f"({_REGION})", text)
    parts[::2] = [part.translate(table) for part in parts[::2]]
    return "".join(parts)


def _every(pattern: str) -> list[str]:
    """All characters of a class. A table of them is many times faster than a substitution of each."""
    return re.findall(pattern, "".join(chr(code) for codes in _BLOCKS for code in codes))


class _Table(dict[int, str | int]):
    """A table for `translate` that learns which characters stay: one that it lacks costs as much as four."""

    def __missing__(self, code: int) -> int:
        if len(self) < _MOST_LEARNT:
            self[code] = code
        return code


@cache
def _stand_ins(pattern: str) -> _Table:
    """What people and models are shown in place of each character of a class."""
    return _Table({ord(char): _stand_in(char) for char in _every(pattern)})


@cache
def _escapes(pattern: str, kept: str = "") -> _Table:
    """How JSON writes each character of a class, but for those that are kept."""
    return _Table({ord(char): _json_escape(char) for char in _every(pattern) if char not in kept})


def _json_escape(char: str) -> str:
    import json

    return json.dumps(char)[1:-1]


def _stand_in(char: str) -> str:
    code = ord(char)
    if char in "\t\n\r\v\f\x85\u2028\u2029":
        return " "
    if code < 0x20:
        return chr(0x2400 + code)  # the picture of that control character
    return "␡" if code == 0x7F else "\ufffd"


def clip(text: str, limit: int) -> str:
    """The text, cut with an ellipsis where it is longer than `limit` code points; no character is cut in half."""
    if len(text) <= limit:
        return text
    end = limit - 1
    least = max(0, end - _MOST_JOINED)
    while end > least and (re.match(_JOINED, text[end]) or text[end - 1] == "\u200d"):
        end -= 1
    letters = 0  # at the cut: two of them are the flag of a country
    while letters <= end and "\U0001f1e6" <= text[end - letters] <= "\U0001f1ff":
        letters += 1
    if letters and letters % 2 == 0:
        end -= 1
    return text[:end] + "…"


def a_few(names: Sequence[str], most: int = 5) -> str:
    """Names in a row, the rest of many as a count."""
    return _and_more(names[:most], len(names) - most)


def quoted(texts: Iterable[str], most: int = MOST_QUOTED) -> str:
    """Texts in quotes, each cut where it is long, the rest of many as a count."""
    every = list(texts)
    return _and_more([f'"{brief(text, SHORT)}"' for text in every[:most]], len(every) - most)


def _and_more(names: Sequence[str], more: int) -> str:
    return "; ".join([*names, *([f"and {more} more"] if more > 0 else ())])


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
        (start, end), parts = (
            "{}",
            (f"{_spelled(k, room)}: {_spelled(v, room - 1)}" for k, v in pairs),
        )
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
    return _JSON_KINDS.get(type(value)) or clip(harmless(type(value).__name__), 40)


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
    if text.isascii():
        return True
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
