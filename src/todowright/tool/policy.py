"""What a dialect and a host think of a revision before it is kept."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence

from todowright.awaiting import settled
from todowright.dialects.call import Draft
from todowright.dialects.dialect import Dialect
from todowright.errors import Issue, Refused
from todowright.logs import log_exception
from todowright.plan.matching import core
from todowright.plan.model import Plan, Todo
from todowright.stores.protocol import Store
from todowright.text import a_kind, brief, clip, harmless, quoted, shown

Verdict = bool | str
Verify = Callable[[Todo], Verdict | Awaitable[Verdict]]
"""A host's word on a todo that is to be completed: True, or False, or why not."""
Verdicts = dict[tuple[int, str], Verdict]
"""What the host has said: it is asked once for a todo, however often a save is tried."""
_LONGEST_WHY = 400
_BACK = 50
"""How many revisions are looked through; where the plan has more, the reply names the step."""


def judge(
    dialect: Dialect,
    verify: Verify | None,
    before: Plan,
    after: Plan,
    draft: Draft,
    verdicts: Verdicts,
) -> None:
    """Raise `Refused` if the dialect's policies or the host do not want this revision."""
    refused = []
    pairs = _pairs(before, after)
    for issue in _transitions(pairs, after) if dialect.transitions else ():
        verdict = dialect.transitions.get(issue.code, "allow")
        if verdict == "refuse":
            refused.append(issue)
        elif verdict == "warn":
            note = dialect.note(f"warn_{issue.code}", issue.field or issue.value)
            draft.notes = (*draft.notes, note)
    for todo in _completed(pairs):
        if verify is not None:
            refused += _unverified(todo, verify, verdicts)
        elif after.verified:
            refused.append(Issue("unverifiable", field=_name(todo)))
    if refused:
        raise Refused(*(refused if dialect.report == "all" else refused[:1]))


Pairs = list[tuple[Todo | None, Todo]]


def _pairs(before: Plan, after: Plan) -> Pairs:
    known = {todo.number: todo for todo in before.todos}
    return [(known.get(todo.number), todo) for todo in after.todos]


def _completed(pairs: Pairs) -> list[Todo]:
    return [
        new
        for old, new in pairs
        if new.status == "completed" and (old is None or old.status != "completed")
    ]


def _transitions(pairs: Pairs, after: Plan) -> Iterator[Issue]:
    completed = 0
    for old, new in pairs:
        if old is None:
            continue
        if new.status == "completed" and old.status != "completed":
            completed += 1
            if old.status == "pending":
                yield Issue("skipped", field=_name(new))
        if old.closed and not new.closed:
            yield Issue("reopened", field=_name(new))
    if completed > 1 and after.finished:
        yield Issue("rushed", value=str(completed))


def _unverified(todo: Todo, verify: Verify, verdicts: Verdicts) -> Iterator[Issue]:
    key = (todo.number, todo.content)
    if key not in verdicts:
        verdicts[key] = _verdict(verify, todo)
    answer = verdicts[key]
    if answer is not True:
        why = answer if isinstance(answer, str) else "it could not be verified"
        yield Issue("unverified", field=_name(todo), value=clip(harmless(why), _LONGEST_WHY))


def _verdict(verify: Verify, todo: Todo) -> Verdict:
    try:
        answer: object = verify(todo)
        if isinstance(answer, Awaitable):
            answer = settled(answer)
        if isinstance(answer, (bool, str)):
            return answer
        raise TypeError(f"verify gave {a_kind(answer)}: return True, False, or why not as a text")
    except Exception as error:  # a host's own fault: nothing is known of the step
        log_exception("verify failed")
        return f"it could not be verified ({type(error).__name__})"


def _name(todo: Todo) -> str:
    return str(todo.number) if todo.number else clip(harmless(todo.content), 40)


def check_names(store: Store, before: Plan, draft: Draft) -> None:
    """Refuse a name that was another step's, as in a call that comes late or twice; say who is meant where that cannot be told.

    A part of a step's words may also mean a step that was replaced while it was open: who planned it may not know.
    """
    if not draft.inexact:
        return
    from todowright.plan.finding import Finder  # it is loaded: the name was found with it

    earlier = store.history(before.session, before.agent, before=before.revision, limit=_BACK)
    known = {(each.number, each.content) for plan in earlier for each in plan.todos}
    owners: dict[str, set[int]] = {}
    for number, content in known:
        owners.setdefault(core(content), set()).add(number)
    gone = _replaced(earlier, before)
    replaced = Finder(gone, labels=False) if gone else None
    for _, name, todo in draft.inexact:
        was_replaced = replaced is not None and replaced.has(name)
        if was_replaced or owners.get(core(name), set()) - {todo.number}:
            nearest = f"the nearest: {todo.number} {brief(todo.content, 60)}"
            raise Refused(Issue("no_step_like", field=f"'{shown(name)}'", value=nearest))
    if len(earlier) == _BACK:
        told = {f"{did}: {quoted([todo.content])}" for did, _, todo in draft.inexact}
        draft.notes = (*draft.notes, *sorted(told - set(draft.notes)))


def _replaced(earlier: Sequence[Plan], before: Plan) -> list[Todo]:
    """The steps that are gone and were open when they went; not those whose very words came again."""
    last = {core(todo.content): todo for plan in (*earlier, before) for todo in plan.todos}
    there = {todo.number for todo in before.todos}
    return [todo for todo in last.values() if todo.number not in there and not todo.closed]
