"""How programs change a plan: step by step as people do, or by the smart update of document 000."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from todowright.awaiting import Lane
from todowright.errors import Issue, Refused
from todowright.plan.model import PROGRAM, Author, Extras, Plan
from todowright.processes import process
from todowright.tool.given import given_edits
from todowright.tool.revise import Writer
from todowright.tool.terms import Terms

if TYPE_CHECKING:  # loaded when a program edits
    from todowright.dialects.call import Draft
    from todowright.dialects.dialect import Dialect
    from todowright.plan.deeds import Deed
    from todowright.plan.editing import Edit, Reference
    from todowright.tool.answering import Answering
    from todowright.tool.update import Given


class ProgramEdits:
    """The edits of `TodoWrite` that are for programs. Each gives the plan that stands, or raises `Refused`.

    A step is named by its number, its id or its words.
    """

    _writer: Writer
    _terms: Terms
    _answering: Answering

    @property
    def _lane(self) -> Lane:
        return self._writer.lanes[process.number]

    def _check_open(self) -> None:
        raise NotImplementedError

    def _check_not_judged(self, dialect: Dialect) -> None:
        """Refuse what an async `verify` asks of the plan that waits for it."""
        if self._lane.waits_for_me():
            raise dialect.worded(Refused(Issue("judging")))

    def _configured(self) -> Dialect:
        raise NotImplementedError

    def add(
        self, text: str, *, after: Reference | None = None, by: Author = PROGRAM, **extras: str
    ) -> Plan:
        """Add a step: at the end, behind another, or with `after=0` at the beginning.

        Other keywords are extras that the dialect keeps: `todo.add("Call Ann", priority="high")`.
        """
        return self._do(by, "add", None, text, after, tuple(extras.items()))

    def start(self, step: Reference, *, by: Author = PROGRAM) -> Plan:
        """Start a step; what was in progress waits, where only one may be."""
        return self._do(by, "start", step)

    def complete(self, step: Reference, *, by: Author = PROGRAM) -> Plan:
        """Finish a step."""
        return self._do(by, "complete", step)

    def cancel(self, step: Reference, *, by: Author = PROGRAM) -> Plan:
        """Cancel a step."""
        return self._do(by, "cancel", step)

    def reopen(self, step: Reference, *, by: Author = PROGRAM) -> Plan:
        """Put a step back to pending."""
        return self._do(by, "reopen", step)

    def reword(self, step: Reference, text: str, *, by: Author = PROGRAM) -> Plan:
        """Say a step differently."""
        return self._do(by, "reword", step, text)

    def move(
        self, step: Reference, *, after: Reference | None = None, by: Author = PROGRAM
    ) -> Plan:
        """Move a step: to the end, behind another, or with `after=0` to the beginning."""
        return self._do(by, "move", step, "", after)

    def remove(self, step: Reference, *, by: Author = PROGRAM) -> Plan:
        """Take a step off the plan."""
        return self._do(by, "remove", step)

    def edit(self, edits: Iterable[Edit], *, by: Author = PROGRAM) -> Plan:
        """Make several edits as one revision."""
        from todowright.tool.person import edited

        listed = given_edits(edits)
        return self._revised(lambda dialect, plan: edited(dialect, plan, listed), by)

    async def aedit(self, edits: Iterable[Edit], *, by: Author = PROGRAM) -> Plan:
        """Make several edits as one revision, in an event loop, which goes on meanwhile; as `acall` does.

        For other edits there, use `await asyncio.to_thread(todo.add, "…")`.
        """
        self._check_not_judged(self._terms.dialect)
        return await self._lane.run(lambda: self.edit(edits, by=by))

    def update(
        self, todos: Iterable[Given], *, summary: str | None = None, by: Author = PROGRAM
    ) -> Plan:
        """Smart update: change the given fields of known ids, or replace the list.

        Where every todo carries the id of a current one, only those change, field by field;
        otherwise the list is replaced. A text is a new, pending todo.
        """
        return self._listed(todos, summary, by, merge=True)

    def replace(
        self, todos: Iterable[Given], *, summary: str | None = None, by: Author = PROGRAM
    ) -> Plan:
        """Replace the whole list, whatever ids the todos carry."""
        return self._listed(todos, summary, by, merge=False)

    def clear(self, *, by: Author = PROGRAM) -> Plan:
        """Empty the list."""
        from todowright.dialects.call import Draft

        return self._revised(lambda _, plan: Draft([], plan.summary), by)

    def _do(
        self,
        by: Author,
        do: Deed,
        step: Reference | None,
        text: str = "",
        after: Reference | None = None,
        extras: Extras = (),
    ) -> Plan:
        from todowright.plan.editing import Edit

        return self.edit([Edit(do, step, text, after, extras)], by=by)

    def _listed(
        self, todos: Iterable[Given], summary: str | None, by: Author, *, merge: bool
    ) -> Plan:
        from todowright.tool.update import given_list, updated

        given = given_list(todos)
        return self._revised(
            lambda dialect, plan: updated(dialect, plan, given, summary, merge=merge), by
        )

    def _revised(self, draft: Callable[[Dialect, Plan], Draft], by: Author) -> Plan:
        """Have the one writer keep the draft; what is refused is told in the dialect's words."""
        dialect = self._terms.dialect
        self._check_open()
        self._check_not_judged(dialect)
        try:
            dialect = self._configured()
            if self._answering.ended:
                raise Refused(Issue("ended"))
            terms = self._terms.with_dialect(dialect)
            return self._writer.revise(terms, lambda plan: draft(dialect, plan), by).plan
        except Refused as refused:
            raise dialect.worded(refused) from None
