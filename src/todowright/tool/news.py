"""What others did to an agent's plan, in one line for the agent."""

from __future__ import annotations

from todowright.plan.changes import Kind, compare
from todowright.plan.context import neutral, number_of
from todowright.plan.model import Plan
from todowright.text import clip

_WORDS: dict[Kind, str] = {
    "created": "added",
    "started": "started",
    "paused": "put back",
    "completed": "ticked off",
    "cancelled": "cancelled",
    "reopened": "reopened",
    "reworded": "reworded",
    "moved": "moved",
    "dropped": "removed",
    "removed": "removed",
}
_MOST = 4


_WHO: dict[str, str] = {"person": "The user", "program": "Your program", "": "Another agent"}


def edits(known: Plan, now: Plan, *, whole: bool = False) -> str:
    """What changed between the plan an agent knows and the one that stands; empty if nothing.

    In a few words, unless the `whole` of it is wanted.
    """
    told = []
    most, longest = (len(known.todos) + len(now.todos), 100_000) if whole else (_MOST, 60)
    for change in compare(known.todos, now.todos):
        number = number_of(now, change.todo)
        name = f"{number}. " if number > 0 else ""
        words = " and ".join(dict.fromkeys(_WORDS[kind] for kind in change.kinds))
        told.append(f"{words} {name}{clip(neutral(change.todo.content), longest)}")
    if not told:
        return ""
    more = f"; and {len(told) - most} more" if len(told) > most else ""
    return f"{_WHO[now.by]} changed your plan: {'; '.join(told[:most])}{more}"
