"""What others did to an agent's plan since its last call, in one line for its next reply."""

from __future__ import annotations

from collections.abc import Sequence

from todowright.changes import Kind, compare
from todowright.context import neutral, number_of
from todowright.model import Plan
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


def edits_since(history: Sequence[Plan], seen: int, now: Plan) -> str:
    """What changed between the revision an agent has seen and the plan that stands; empty if nothing."""
    before = next((plan for plan in history if plan.revision == seen), None)
    if before is None or now.revision <= seen:
        return ""
    told = []
    for change in compare(before.todos, now.todos):
        number = number_of(now, change.todo)
        name = f"{number}. " if number > 0 else ""
        words = " and ".join(dict.fromkeys(_WORDS[kind] for kind in change.kinds))
        told.append(f"{words} {name}{clip(neutral(change.todo.content), 60)}")
    if not told:
        return ""
    more = f"; and {len(told) - _MOST} more" if len(told) > _MOST else ""
    return f"The user changed your plan: {'; '.join(told[:_MOST])}{more}"
