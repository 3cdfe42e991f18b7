"""How far another agent may change a plan that is shared with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from todowright.dialects.dialect import Dialect
from todowright.errors import Issue, Refused
from todowright.names import check_agent
from todowright.plan.deeds import STATUS_OF, Deed
from todowright.plan.editing import Reference
from todowright.plan.finding import Finder
from todowright.plan.model import Author, Plan, Todo
from todowright.text import ranges
from todowright.tool.given import given_deeds

_DEED_OF: dict[str, Deed] = {status: cast("Deed", deed) for deed, status in STATUS_OF.items()}


class Scope:
    """What one agent may do to which steps of another's plan."""

    __slots__ = ("author", "deeds", "steps")

    def __init__(self, agent: str, steps: frozenset[int] | None, deeds: Sequence[Deed]) -> None:
        self.author = Author("agent", agent)
        self.steps = steps
        """The numbers of the steps; None for all of them, also new ones."""
        self.deeds = tuple(deeds)

    def faults(self, before: Plan, after: Plan) -> Iterator[Issue]:
        """What a revision changes that is not shared."""
        was = {todo.number: todo for todo in before.todos}
        now = {todo.number: todo for todo in after.todos}
        if before.summary != after.summary and (
            self.steps is not None or "reword" not in self.deeds
        ):
            yield self._fault(next(iter(was), 0))
        moves = any(self._moves(was.get(number), todo) for number, todo in now.items())
        for number in was.keys() - now.keys():
            if not self._may("remove", number):
                yield self._fault(number)
        for number, todo in now.items():
            old = was.get(number)
            if old is None:
                if "add" not in self.deeds:
                    yield self._fault(number)
            elif old is not todo and not self._may_change(old, todo, moves):
                yield self._fault(number)
        fixed = [number for number in was if number in now and not self._may("move", number)]
        order = [number for number in now if number in set(fixed)]
        yield from (
            self._fault(one) for one, other in zip(fixed, order, strict=True) if one != other
        )

    def _moves(self, old: Todo | None, todo: Todo) -> bool:
        """Whether a shared step gets another state, as it may: then another may start or wait for that."""
        if old is None or old.status == todo.status:
            return False
        return self._may(_DEED_OF[todo.status], todo.number)

    def _may_change(self, old: Todo, todo: Todo, moves: bool) -> bool:
        if old.status != todo.status and not self._may(_DEED_OF[todo.status], todo.number):
            focus = {old.status, todo.status} == {"pending", "in_progress"}
            if not (moves and focus):
                return False
        same = (old.content, old.active_form, old.extras) == (
            todo.content,
            todo.active_form,
            todo.extras,
        )
        return same or self._may("reword", todo.number)

    def _may(self, deed: Deed, number: int) -> bool:
        return deed in self.deeds and (self.steps is None or number in self.steps)

    def _fault(self, number: int) -> Issue:
        return Issue("not_shared", field=str(number), value=self._told())

    def _told(self) -> str:
        """Who may do what, in words."""
        steps = "all steps"
        if self.steps is not None:
            steps = f"step{'' if len(self.steps) == 1 else 's'} {ranges(self.steps)}"
        return f"{self.author.name}: it may {', '.join(self.deeds)} {steps}"


def scope_of(
    dialect: Dialect, plan: Plan, agent: str, steps: Iterable[Reference] | None, deeds: object
) -> Scope:
    """What another agent may do to steps that are named by number, id or words; raises what to do where it cannot be."""
    found = None
    if steps is not None:
        finder = Finder(plan.todos, labels=True)
        try:
            found = frozenset(plan.todos[finder.find(step)].number for step in steps)
        except Refused as refused:
            raise dialect.worded(refused) from None
    return Scope(check_agent(agent), found, given_deeds(deeds))
