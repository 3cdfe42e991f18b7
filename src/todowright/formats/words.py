"""How the agents spell the status of an item."""

from __future__ import annotations

import re

from todowright.dialects.repair import MEANT
from todowright.plan.model import Status
from todowright.text import sound

STATE = "state"
"""The extra that keeps a status which is none of ours: `blocked` say, of a step that is pending."""
LONGEST_WORD = 40

_MORE: dict[str, Status] = {
    **dict.fromkeys(["", "queued", "planned", "backlog", "ready", "unstarted"], "pending"),
    **dict.fromkeys(["started", "working", "running", "ongoing", "now", "focused"], "in_progress"),
    **dict.fromkeys(["resolved", "ok", "success", "succeeded", "checked"], "completed"),
    **dict.fromkeys(
        ["deleted", "removed", "dropped", "cancel", "wont_do", "rejected"], "cancelled"
    ),
}
_KNOWN: dict[str, Status] = {**_MORE, **MEANT}  # type: ignore[dict-item]


def status_of(word: object) -> tuple[Status, str]:
    """What a status means to us, and the word itself where it means none of ours."""
    if isinstance(word, bool):
        return ("completed" if word else "pending"), ""
    if not isinstance(word, str):
        return "pending", ""
    known = _KNOWN.get(word)
    if known is not None:
        return known, ""
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", word[: 2 * LONGEST_WORD]).strip().lower()
    plain = re.sub(r"[\s_-]+", "_", plain).strip("_")
    if plain in _KNOWN:
        return _KNOWN[plain], ""
    return "pending", sound("".join(char for char in plain if char.isprintable())[:LONGEST_WORD])
