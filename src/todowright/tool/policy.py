"""What a dialect and a host think of a revision before it is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from todowright.dialects.check import Draft
from todowright.plan.context import number_of
from todowright.dialects.dialect import Dialect
from todowright.errors import Refused
from todowright.plan.matching import match
from todowright.logs import log_exception
from todowright.plan.model import Issue, Plan, Todo
from todowright.text import clip, harmless

Verify = Callable[[Todo], bool | str]
"""A host's word on a todo that is to be completed: True, or False, or why not."""


def judged(dialect: Dialect, verify: Verify | None) -> Callable[[Plan, Plan, Draft], None]:
    """The judge of a dialect's revisions; it asks `verify` once for a todo, however often a save is tried."""

    def judge(before: Plan, after: Plan, draft: Draft) -> None:
        refused = []
        for issue in () if draft.new_plan else _transitions(before, after):
            verdict = dialect.transitions.get(issue.code, "allow")
            if verdict == "refuse":
                refused.append(issue)
            elif verdict == "warn":
                draft.notes = (
                    *draft.notes,
                    dialect.note(f"warn_{issue.code}", issue.field or issue.value),
                )
        if verify is not None:
            known = Plan() if draft.new_plan else before
            refused += _unverified(known, after, verify, draft.verdicts)
        if refused:
            shown = refused if dialect.report == "all" else refused[:1]
            raise Refused(dialect.say(refused[0]), tuple(shown))

    return judge


def _pairs(before: Plan, after: Plan) -> Iterator[tuple[Todo | None, Todo]]:
    origins = match(before.todos, after.todos)
    for todo, origin in zip(after.todos, origins, strict=True):
        yield (None if origin is None else before.todos[origin]), todo


def _transitions(before: Plan, after: Plan) -> Iterator[Issue]:
    completed = 0
    for old, new in _pairs(before, after):
        was = old.status if old else "pending"
        name = _name(after, new)
        if new.status == "completed" and was != "completed":
            completed += old is not None
            if old is not None and was == "pending":
                yield Issue("skipped", field=name)
        if old is not None and old.closed and not new.closed:
            yield Issue("reopened", field=name)
    if completed > 1 and after.finished:
        yield Issue("rushed", value=str(completed))


def _unverified(
    before: Plan, after: Plan, verify: Verify, verdicts: dict[str, bool | str]
) -> Iterator[Issue]:
    for old, new in _pairs(before, after):
        if new.status == "completed" and (old is None or old.status != "completed"):
            key = f"{new.id} {new.content}"
            answer = verdicts[key] = verdicts[key] if key in verdicts else _verdict(verify, new)
            if answer is not True:
                why = answer if isinstance(answer, str) else "it could not be verified"
                yield Issue("unverified", field=_name(after, new), value=clip(harmless(why), 200))


def _verdict(verify: Verify, todo: Todo) -> bool | str:
    try:
        return verify(todo)
    except Exception as error:  # a host's own fault: nothing is known of the step
        log_exception("verify failed")
        return f"it could not be verified ({type(error).__name__})"


def _name(plan: Plan, todo: Todo) -> str:
    number = number_of(plan, todo)
    return str(number) if number > 0 else clip(harmless(todo.content), 40)
