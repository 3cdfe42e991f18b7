"""How programs change a plan: step by step as people do, or by the smart update of document 000."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from todowright.dialects.call import Draft
from todowright.dialects.dialect import Dialect
from todowright.plan.editing import Edit, Reference
from todowright.plan.model import PROGRAM, Author, Plan
from todowright.tool.editing import edited, worded
from todowright.tool.revise import Revised, Terms, Writer
from todowright.tool.update import Given, given_list, updated


class ProgramEdits:
    """The edits of `TodoWrite` that are for programs. Each gives the plan that stands, or raises `Refused`.

    A step is named by its number, its id or its words.
    """

    _writer: Writer
    _terms: Terms

    def _configured(self) -> Dialect:
        raise NotImplementedError

    def add(self, text: str, *, after: Reference | None = None, by: Author = PROGRAM) -> Plan:
        """Add a step: at the end, behind another, or with `after=0` at the beginning."""
        return self._edit(Edit("add", text=_text(text), after=after), by)

    def start(self, step: Reference, *, by: Author = PROGRAM) -> Plan:
        """Start a step; what was in progress waits, where only one may be."""
        return self._edit(Edit("start", step), by)

    def complete(self, step: Reference, *, by: Author = PROGRAM) -> Plan:
        """Finish a step."""
        return self._edit(Edit("complete", step), by)

    def cancel(self, step: Reference, *, by: Author = PROGRAM) -> Plan:
        """Cancel a step."""
        return self._edit(Edit("cancel", step), by)

    def reopen(self, step: Reference, *, by: Author = PROGRAM) -> Plan:
        """Put a step back to pending."""
        return self._edit(Edit("reopen", step), by)

    def reword(self, step: Reference, text: str, *, by: Author = PROGRAM) -> Plan:
        """Say a step differently."""
        return self._edit(Edit("reword", step, _text(text)), by)

    def move(
        self, step: Reference, *, after: Reference | None = None, by: Author = PROGRAM
    ) -> Plan:
        """Move a step: to the end, behind another, or with `after=0` to the beginning."""
        return self._edit(Edit("move", step, after=after), by)

    def remove(self, step: Reference, *, by: Author = PROGRAM) -> Plan:
        """Take a step off the plan."""
        return self._edit(Edit("remove", step), by)

    def edit(self, edits: Iterable[Edit], *, by: Author = PROGRAM) -> Plan:
        """Make several edits as one revision."""
        listed = list(edits)
        return self._revised(lambda dialect, plan: edited(dialect, plan, listed), by)

    def update(
        self, todos: Iterable[Given], *, summary: str | None = None, by: Author = PROGRAM
    ) -> Plan:
        """Smart update: change the given fields of known ids, or replace the list.

        Where every todo carries the id of a current one, only those change, field by field;
        otherwise the list is replaced. A text is a new, pending todo.
        """
        given = given_list(todos)
        return self._revised(lambda dialect, plan: updated(dialect, plan, given, summary), by)

    def replace(
        self, todos: Iterable[Given], *, summary: str | None = None, by: Author = PROGRAM
    ) -> Plan:
        """Replace the whole list, whatever ids the todos carry."""
        given = given_list(todos)
        return self._revised(
            lambda dialect, plan: updated(dialect, plan, given, summary, merge=False), by
        )

    def clear(self, *, by: Author = PROGRAM) -> Plan:
        """Empty the list."""
        return self._revised(lambda _, plan: Draft([], plan.summary), by)

    def _edit(self, edit: Edit, by: Author) -> Plan:
        return self._revised(lambda dialect, plan: edited(dialect, plan, [edit]), by)

    def _revised(self, draft: Callable[[Dialect, Plan], Draft], by: Author) -> Plan:
        dialect = self._terms.dialect

        def work() -> Revised:
            terms = self._terms
            configured = self._configured()
            return self._writer.revise(
                terms.of(configured), lambda plan: draft(configured, plan), by
            )

        return worded(dialect, work).plan


def _text(text: object) -> str:
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not a {type(text).__name__}")
    return text
