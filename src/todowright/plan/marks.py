"""Numbers, boxes and ticks that models put around the words of a step."""

from __future__ import annotations

import re
from functools import cache

from todowright.plan.model import Status

_TICKS = "✓✔☑✅√"
_MOST_MARKS = 8
_ENDS = (
    *("done", "completed", "finished", "now", "next", "in progress", "cancelled"),
    *("已完成", "完成", "进行中", "已取消"),
)
_LONGEST_END = max(map(len, _ENDS))
_AROUND = frozenset("*_~`")
_CLOSING = (")", "）", "]")
_LAST = frozenset((*_TICKS, "\ufe0f", *_CLOSING, *(word[-1] for word in _ENDS)))
"""What a text ends with, in small letters, if there is a mark at its end. Most have none, and that is seen at once."""
_BEGINNINGS = frozenset("sS\u017f第步")
"""Letters with which a mark before a text may begin; the other marks begin with no letter."""


@cache
def _head() -> re.Pattern[str]:
    return re.compile(
        rf"""\s*(?:
      [-*•+]\s+
    | \d{{1,2}}\s*[.)、．:：）]\s*(?!\d)
    | \d{{3,5}}[.)]\s+
    | (?:step|步骤|第)\s*\d{{1,3}}\s*(?:步\s*)?[.:：、-]\s*
    | \[\s?(?P<mark>[xX~>√✓✔-]?)\s?\]\s*
    | \[(?P<word>done|todo|doing|in\ progress|completed)\]\s*
    | (?P<tick>[{_TICKS}☐○◐])\ufe0f?\s*
    )""",
        re.VERBOSE | re.IGNORECASE,
    )


@cache
def _around() -> re.Pattern[str]:
    return re.compile(r"(\*\*|__|~~|`)(.+)\1", re.DOTALL)


_TOLD: dict[str, Status] = {
    **dict.fromkeys([*"xX", *_TICKS], "completed"),
    **dict.fromkeys(["done", "completed", "finished", "已完成", "完成"], "completed"),
    **dict.fromkeys([*">~◐", "now", "doing", "in progress", "进行中"], "in_progress"),
    **dict.fromkeys(["-", "cancelled", "已取消"], "cancelled"),
}


def bare(text: str, *, ends: bool = True) -> tuple[str, Status | None]:
    """The words alone, and the status that the marks around them tell, if they do; of marks before them only, without `ends`."""
    left, status, head = text.strip(), None, _head()
    for _ in range(_MOST_MARKS):
        first = left[:1]
        if first in _AROUND and (around := _around().fullmatch(left)):
            left = around[2].strip()
            continue
        has_head = not first.isalpha() or first in _BEGINNINGS
        if has_head and (found := head.match(left)):
            rest, mark = (
                left[found.end() :].strip(),
                found[found.lastgroup] if found.lastgroup else "",
            )
        else:
            rest, mark = _without_an_end(left) if ends else ("", "")
        if not rest:
            break
        left, status = rest, status or _TOLD.get(mark.lower())
    return left, status


def _without_an_end(text: str) -> tuple[str, str]:
    """The text without a tick, `(done)` or ` - done` at its end, and that; nothing if it has none.

    By hand: a regular expression that looks for the end of a text tries every place before it.
    """
    if text[-1:].lower() not in _LAST:
        return "", ""
    ticked = text.removesuffix("\ufe0f")
    if ticked and ticked[-1] in _TICKS:
        return ticked[:-1].rstrip(), ticked[-1]
    inner = text[:-1].rstrip() if text[-1:] in _CLOSING else text
    told = inner[-_LONGEST_END:].lower()
    word = next((word for word in _ENDS if told.endswith(word)), "") if told.endswith(_ENDS) else ""
    if not word:
        return "", ""
    before = inner[: -len(word)]
    opened = before.rstrip()
    if opened and opened[-1] in "(（[":
        return opened[:-1].rstrip(), word
    rest = opened[:-1].rstrip()
    if opened and opened[-1] in "-–—" and len(opened) < len(before) and len(rest) < len(opened) - 1:
        return rest, word
    return "", ""


def is_boxed(text: str) -> bool:
    """Whether a text begins with a box or a tick, as in a list of things to do."""
    head = _head().match(text)
    return head is not None and (head["tick"] is not None or "[" in head[0])
