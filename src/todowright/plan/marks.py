"""Numbers, boxes and ticks that models put around the words of a step."""

from __future__ import annotations

import re
from functools import cache

from todowright.plan.model import Status

_TICKS = "✓✔☑✅√"
_MOST_MARKS, _LONGEST_MARK = 8, 40


@cache
def _head() -> re.Pattern[str]:
    return re.compile(
        rf"""\s*(?:
      [-*•+]\s+
    | \d{{1,2}}\s*[.)、．:：）]\s*(?!\d)
    | (?:step|步骤|第)\s*\d{{1,3}}\s*步?\s*[.:：、-]\s*
    | \[\s?(?P<mark>[xX~>√✓✔-]?)\s?\]\s*
    | \[(?P<word>done|todo|doing|in\ progress|completed)\]\s*
    | (?P<tick>[{_TICKS}☐○◐])\ufe0f?\s*
    )""",
        re.VERBOSE | re.IGNORECASE,
    )


@cache
def _tail() -> re.Pattern[str]:
    return re.compile(
        rf"""(?:\s+[-–—]\s+|\s*[(（\[]\s*)
      (?P<word>done|completed|finished|now|next|in\ progress|cancelled|已完成|完成|进行中|已取消)
      \s*[)）\]]?\s*\Z
    | \s*(?P<tick>[{_TICKS}])\ufe0f?\s*\Z""",
        re.VERBOSE | re.IGNORECASE,
    )


@cache
def _around() -> re.Pattern[str]:
    return re.compile(r"(\*\*|__|~~|`)(.+)\1", re.DOTALL)


_TOLD: dict[str, Status] = {
    **dict.fromkeys([*"xX", *_TICKS], "completed"),
    **dict.fromkeys(["done", "completed", "finished", "已完成", "完成"], "completed"),
    **dict.fromkeys([*">~◐", "now", "doing", "in progress", "进行中"], "in_progress"),
    **dict.fromkeys(["cancelled", "已取消"], "cancelled"),
}


def bare(text: str) -> tuple[str, Status | None]:
    """The words alone, and the status that the marks around them tell, if they do."""
    left, status = text.strip(), None
    for _ in range(_MOST_MARKS):
        if around := _around().fullmatch(left):
            left = around[2].strip()
            continue
        rest, mark = _without_a_mark(left)
        if not rest:
            break
        left, status = rest, status or _TOLD.get(mark.lower())
    return left, status


def _without_a_mark(text: str) -> tuple[str, str]:
    """The text without a mark at its beginning or end, and the mark; nothing if it has none."""
    end = text[-_LONGEST_MARK:]  # only there: white space within a text may be long
    if found := _head().match(text):
        rest = text[found.end() :]
    elif found := _tail().search(end):
        rest = text[: len(text) - len(end) + found.start()]
    else:
        return "", ""
    groups = found.groupdict()
    return rest.strip(), groups.get("mark") or groups.get("tick") or groups.get("word") or ""


def is_boxed(text: str) -> bool:
    """Whether a text begins with a box or a tick, as in a list of things to do."""
    head = _head().match(text)
    return head is not None and (head["tick"] is not None or "[" in head[0])
