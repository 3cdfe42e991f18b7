"""How many tokens a text is, about: no vocabulary is at hand, so words, digits and signs are counted.

It is fitted to cl100k on 2,500 recorded planning calls and their answers: their sum is the same, and nine texts of ten are between
20 % less and 8 % more. It is for comparing, not for bills.
"""

from __future__ import annotations

import re

_PARTS = re.compile(r"([^\W\d_]+)|(\d+)|(\s+)|(?:[^\w\s]|_)+")
_SCALE = 0.89


def tokens(text: str) -> int:
    """About how many tokens a text is."""
    count = 0.0
    for part in _PARTS.finditer(text):
        size = part.end() - part.start()
        if part[1]:
            plain = part[1].isascii()
            count += (1 if size <= 7 else 1 + (size - 1) / 9) if plain else 1.05 * size
        elif part[2]:
            count += (size + 2) // 3
        elif part[3]:
            count += part[3] != " "
        else:
            count += max(1, size / 3)
    return round(_SCALE * count)
