"""Words that name a step only in part, and were once all the words of another: then that one was meant, and it is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from todowright.errors import Issue, Refused
from todowright.plan.matching import core
from todowright.text import brief, quoted, shown

if TYPE_CHECKING:
    from todowright.dialects.call import Draft
    from todowright.plan.model import Plan
    from todowright.stores.protocol import Store

_BACK = 50
"""How many revisions are looked through; where the plan has more, the reply names the step."""


def check_names(store: Store, before: Plan, draft: Draft) -> None:
    """Refuse a name that was another step's, as in a call that comes late or twice; say who is meant where that cannot be told."""
    if not draft.inexact:
        return
    earlier = store.history(before.session, before.agent, before=before.revision, limit=_BACK)
    known = {(each.number, each.content) for plan in earlier for each in plan.todos}
    owners: dict[str, set[int]] = {}
    for number, content in known:
        owners.setdefault(core(content), set()).add(number)
    for _, name, todo in draft.inexact:
        if owners.get(core(name), set()) - {todo.number}:
            nearest = f"the nearest: {todo.number} {brief(todo.content, 60)}"
            raise Refused(Issue("no_step_like", field=f"'{shown(name)}'", value=nearest))
    if len(earlier) == _BACK:
        told = {f"{did}: {quoted([todo.content])}" for did, _, todo in draft.inexact}
        draft.notes = (*draft.notes, *sorted(told - set(draft.notes)))
