"""What comes in by mistake or on purpose: words that nobody meant, files to which something happened."""

from __future__ import annotations

import random

HOSTILE = [
    "", " ", "-", "--", "-1", "0", "1e400", "nan", "9" * 400, "٣", "\x00", "\x1b[2J", "\u202e", "a\nb",
    "../../etc/passwd", "/", "~", "*", "%s%n", "$(id)", "'", '"', "{", "[" * 500, "null", "\ud800", "é" * 300,
    "sqlite:///", "sqlite:////", "sqlite:////dev/null", "postgresql://", "memory:", "http://x", "x://y",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "main/..", ".hidden", "a/b/c", "default", "shop", "--session", "--help=", "@file",
]  # fmt: skip
"""Words that somebody may give, by mistake or on purpose."""


def damaged(whole: bytes, chance: random.Random) -> bytes:
    """A file to which something happened: bytes changed, its end lost, pages swapped or zeroed, text in place of it."""
    spoilt = bytearray(whole)
    match chance.randrange(5):
        case 0:
            for _ in range(chance.choice([1, 8, 200])):
                spoilt[chance.randrange(len(spoilt))] = chance.randrange(256)
        case 1:
            del spoilt[chance.randrange(len(spoilt)) :]
        case 2:
            at = chance.randrange(len(spoilt))
            spoilt[at : at + 512] = bytes(512)
        case 3:
            half = len(spoilt) // 2
            a, b = chance.randrange(half), half + chance.randrange(half)
            spoilt[a : a + 512], spoilt[b : b + 512] = spoilt[b : b + 512], spoilt[a : a + 512]
        case _:
            spoilt[:] = chance.randbytes(chance.randrange(3000))
    return bytes(spoilt)
