"""Edits of single todos by people and programs: the same rules, log, verdicts and listeners as a model's calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from todowright.dialects import load_dialect
from todowright.dialects.call import Draft
from todowright.dialects.check import refuse
from todowright.dialects.dialect import Dialect
from todowright.dialects.extras import Sent, merged
from todowright.dialects.render import PLAIN
from todowright.errors import Conflict, Issue, Refused
from todowright.names import ALL_DIALECTS
from todowright.plan.editing import Edit, Editor, read_edits
from todowright.plan.model import PERSON, Author, Plan
from todowright.stores.protocol import Store
from todowright.text import shown
from todowright.tool.revise import Revised, Writer, writer_of
from todowright.tool.terms import Terms, terms_of


def edited(dialect: Dialect, plan: Plan, edits: Sequence[Edit]) -> Draft:
    """What edits make of a plan; raises `Refused` where one cannot be made."""
    editor = Editor.of(plan, 1 if dialect.switches else dialect.max_in_progress)
    editor.active_forms = dialect.active_forms
    editor.make([_with_sound_extras(dialect, edit) for edit in edits])
    return Draft(editor.todos, plan.summary, is_edit=True)


def _with_sound_extras(dialect: Dialect, edit: Edit) -> Edit:
    """The edit with the extras of a new step as they are kept; raises `Refused` where the dialect has none such."""
    if edit.do != "add" or not (edit.extras or dialect.extras):
        return edit
    known, given = [extra.key for extra in dialect.extras], dict(edit.extras)
    if unknown := [key for key in given if key not in known]:
        raise Refused(Issue("extra", field=shown(unknown[0]), value=", ".join(known) or "none"))
    sent: Sent = {}
    refuse(dialect, dialect.extra_faults(given, sent, None))
    return replace(edit, extras=merged((), sent))


def edit_plan(
    store: Store,
    plan: Plan,
    edits: Sequence[Edit],
    *,
    by: Author = PERSON,
    root: str = ".",
) -> Revised:
    """Edit the plan at this revision, as a person on a board does; raises `Conflict` if it is not the last.

    The rules are those of the plan's dialect, or of the tool that has it in this process. Raises
    `Refused`, in the dialect's words, where they do not want the outcome.
    """
    writer = writer_of(store, plan.session, plan.agent)
    terms = terms_for(writer, plan, root)

    def draft_on(before: Plan) -> Draft:
        if before.revision != plan.revision:
            raise Conflict(plan.session, plan.agent, plan.revision + 1, before.revision)
        return edited(terms.dialect, before, edits)

    try:
        if terms.dialect.environment:
            terms = terms.with_dialect(terms.dialect.configured(terms.environ))
        return writer.revise(terms, draft_on, by)
    except Refused as refused:
        raise terms.dialect.worded(refused) from None


def edit_as_sent(
    store: Store, plan: Plan, edits: object, *, by: Author = PERSON, root: str = "."
) -> tuple[Plan, str]:
    """Make edits that came over a wire: the plan that they make, and what went wrong beside it.

    Raises as `edit_plan` does, and `Refused` where the edits cannot be read.
    """
    try:
        wanted = read_edits(edits)
    except Refused as refused:
        raise dialect_of(plan).worded(refused) from None
    made = edit_plan(store, plan, wanted, by=by, root=root)
    failed = f"the completion log could not be written: {made.log_failure}"
    return made.plan, failed if made.log_failure else ""


def deeds_of(store: Store, plan: Plan) -> list[str]:
    """The edits that the plan's dialect can spell; none once its agent has ended."""
    if plan.ended:
        return []
    writer = writer_of(store, plan.session, plan.agent)
    return list(terms_for(writer, plan, "").dialect.deeds)


def terms_for(writer: Writer, plan: Plan, root: str) -> Terms:
    """The terms on which somebody who has no tool may change a plan."""
    mine = writer.terms
    if mine is not None and plan.dialect in ("", PLAIN.name, mine.dialect.name):
        return mine
    return terms_of(dialect_of(plan), root)


def dialect_of(plan: Plan) -> Dialect:
    """The dialect that a plan names, if it is one of ours; one that can say everything, if not.

    What a database names is never imported.
    """
    return load_dialect(plan.dialect) if plan.dialect in ALL_DIALECTS else PLAIN
