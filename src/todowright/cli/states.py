"""What the board and the terminal say of sessions and agents: the same states in the same words."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from todowright.plan.record import label
from todowright.text import harmless

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from todowright.plan.attention import Need, SessionState, SessionView
    from todowright.plan.stuck import AgentView

HEADS: dict[SessionState, str] = {
    "needs_you": "NEEDS YOU",
    "working": "WORKING",
    "abandoned": "ABANDONED",
    "done_today": "DONE TODAY",
    "earlier": "EARLIER",
}
GLYPHS = {
    "stuck": "▲",
    "waiting": "?",
    "dropped": "✗",
    "not_kept": "✎",
    "working": "●",
    "between": "○",
    "abandoned": "◌",
    "done_today": "✓",
    "earlier": "·",
}
PLAIN = {
    "stuck": "!",
    "waiting": "?",
    "dropped": "x",
    "not_kept": "e",
    "working": ">",
    "between": "o",
    "abandoned": ".",
    "done_today": "+",
    "earlier": ".",
}
"""For terminals without Unicode."""
STYLES = {
    "stuck": "bold bright_yellow",
    "waiting": "bold bright_yellow",
    "dropped": "red",
    "not_kept": "red",
    "working": "bright_blue",
    "between": "dim",
    "abandoned": "dim",
    "done_today": "bright_black",
    "earlier": "bright_black",
}
CELLS = {"d": "█", "s": "▲", "n": "◓", "p": "·"}
PLAIN_CELLS = {"d": "#", "s": "!", "n": ">", "p": "."}
MOST_CELLS = 16


def short(seconds: float) -> str:
    """A duration for a column: `24s`, `4m`, `1h 29m`, `3d`."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m"
    if whole < 86400:
        minutes = whole % 3600 // 60
        return f"{whole // 3600}h {minutes}m" if minutes else f"{whole // 3600}h"
    return f"{whole // 86400}d"


def clock(moment: float) -> str:
    """A moment of today by its time, an older one by its day."""
    then, today = datetime.fromtimestamp(moment), datetime.now()
    return then.strftime("%H:%M" if then.date() == today.date() else "%d %b %H:%M")


def kind_of(view: SessionView, state: SessionState, needs: Sequence[Need]) -> str:
    """What the mark of a session tells: why it needs somebody, or its state."""
    if state == "needs_you" and needs:
        return needs[0].kind
    if state == "working" and view.now is None:
        return "between"
    return state


def reason(needs: Sequence[Need]) -> str:
    """Why a session needs somebody, in one line; the worst of it."""
    worst = needs[0]
    name, text = harmless(label(worst.agent)), harmless(worst.text)
    same = [each for each in needs if each.kind == worst.kind and each.agent == worst.agent]
    match worst.kind:
        case "stuck":
            return f"{name} is stuck: {text}"
        case "waiting":
            return f"{name} waits for you: {text}"
        case "dropped":
            steps = "1 step" if len(same) == 1 else f"{len(same)} steps"
            return f"{steps} dropped by {name}: {'; '.join(harmless(each.text) for each in same)}"
        case _:
            return f"your words were not kept by {name}: {text}"


def doing(view: SessionView, state: SessionState, needs: Sequence[Need]) -> str:
    """What there is to say of a session: why it needs somebody, else its step, or how it ended."""
    if state == "needs_you" and needs:
        return reason(needs)
    if view.now is not None and view.now.now is not None:
        todo = view.now.now
        words = harmless(todo.content if state == "abandoned" else todo.active_form or todo.content)
        return f"stopped at: {words}" if state == "abandoned" else words
    if view.ended is not None:
        told = [each.record.plan.summary for each in view.agents if each.record.plan.summary]
        return harmless(told[0]) if told else "done"
    if state == "working" and view.silent >= 60:
        return f"between steps for {short(view.silent)}"
    left = [todo for each in view.agents for todo in each.record.plan.open]
    return f"next: {harmless(left[0].content)}" if left else ""


def on_it(view: SessionView, now: float) -> str:
    """How long it has been on its step, and how long one usually takes: `33m/4m`."""
    if view.ended is not None:
        return short(view.ended - view.began)
    shown = view.now
    if shown is None or shown.on_since is None or view.state == "abandoned":
        return short(view.silent)
    usual = f"/{short(shown.usual)}" if shown.usual else ""
    return f"{short(now - shown.on_since)}{usual}"


def progress(agents: Sequence[AgentView]) -> str:
    """Steps that are done, of all: `9/19`."""
    return f"{sum(each.done for each in agents)}/{sum(each.total for each in agents)}"


def cells(steps: str, marks: Mapping[str, str], most: int = MOST_CELLS) -> str:
    """One mark for each step, done first; of many, so many marks in the same shares."""
    if len(steps) > most:
        kinds = [letter for letter in "dsnp" if letter in steps]
        room = most - len(kinds)
        shares = {each: 1 + room * steps.count(each) // len(steps) for each in kinds}
        steps = "".join(each * shares[each] for each in kinds)
    return "".join(marks[each] for each in steps)


def facts(view: SessionView, now: float) -> list[tuple[str, str]]:
    """The headline of a session, each part with its style: `3 working · 1 stuck 33 min · 9/19 · 49 min`."""
    working = sum(each.state == "working" for each in view.agents)
    stuck = [each for each in view.agents if each.state == "stuck"]
    parts = [(f"{working} working", "bright_blue")] if working else []
    if stuck:
        longest = max(each.silent for each in stuck)
        parts.append((f"{len(stuck)} stuck {_minutes(longest)}", "bold bright_yellow"))
    drops = sum(need.kind == "dropped" for need in view.needs)
    if drops:
        parts.append((f"{drops} dropped", "red"))
    parts.append((progress(view.agents), ""))
    until = now if view.ended is None else view.ended
    parts.append((_minutes(until - view.began), "dim"))
    return parts


def _minutes(seconds: float) -> str:
    from datetime import timedelta

    from todowright.cli.ages import lasting

    return lasting(timedelta(seconds=seconds))


def speaks_unicode(encoding: str) -> bool:
    """Whether a stream with this encoding can show our marks."""
    try:
        "".join([*GLYPHS.values(), *CELLS.values()]).encode(encoding)
    except (UnicodeError, LookupError):
        return False
    return True
