"""Bringing a plan and a file in step, once: the plan by the one writer, the file in one step."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace

from todowright.dialects.call import Draft
from todowright.dialects.check import edit_faults, refuse
from todowright.errors import Conflict, Issue, Refused, StoreError
from todowright.plan.model import Author, Plan, Todo
from todowright.stores.protocol import Store
from todowright.sync.checklist_file import ChecklistFile, Footer
from todowright.sync.merge import Merged, merged
from todowright.sync.plain_file import Changed, Replacement, text_of
from todowright.tool.news import author_in
from todowright.tool.person import terms_for
from todowright.tool.revise import Writer, writer_of
from todowright.tool.terms import Terms

_ATTEMPTS = 20


@dataclass
class Synced:
    """What was done."""

    to_plan: int = 0
    """Items of the plan that changed, came or went."""
    to_file: int = 0
    """Items of the file that did."""
    told: list[str] = field(default_factory=list)
    """Conflicts, and what else a person should know."""
    open_conflicts: list[int] = field(default_factory=list)
    """Lines of the file that tell of conflicts which are not solved."""
    plan: Plan = field(default_factory=Plan)


def footer_of(path: str) -> Footer | None:
    """With which plan a file was in step; None for one that never was."""
    return ChecklistFile(text_of(path)).footer


def sync(
    store: Store, session: str, agent: str, path: str, *, dry: bool = False, known: bool = True
) -> Synced:
    """Bring a plan and a file in step. Nothing of either is lost; a second time changes nothing.

    What the file says of the revision that it was in step with counts only where it is `known` to be ours.

    Raises `Refused` where the plan's dialect does not want the outcome, and `StoreError` where the file cannot be used; then
    nothing was changed.
    """
    for _ in range(_ATTEMPTS):
        text = text_of(path)
        file, plan = ChecklistFile(text), store.load(session, agent)
        footer = file.footer if known else None
        out = merged(_base(store, plan, footer), plan, file.items)
        done = Synced(_differing(plan, out), len(out.changes) + len(out.placed), out.told, file.conflicts, plan)  # fmt: skip
        fresh = footer is None or (footer.session, footer.agent) != (session, agent)
        if dry:
            _check(store, plan, out)
            return done
        if not (done.to_file or out.notes or done.to_plan or fresh):
            return done
        try:
            by = author_in(os.path.basename(path))
            done.plan = _keep(store, plan, out, file, Replacement(path, text), by)
        except (Conflict, Changed):  # an agent or the person was faster
            continue
        return done
    raise StoreError(f"{path} and the plan change all the time: try again")


def _keep(
    store: Store,
    plan: Plan,
    out: Merged,
    file: ChecklistFile,
    replacement: Replacement,
    by: Author,
) -> Plan:
    """Keep both. The file is written before the plan is kept, so that one which cannot be changes nothing."""
    changes = out.changes, out.notes, out.placed
    with replacement:
        expected = replace(plan, revision=plan.revision + bool(_differing(plan, out)))
        replacement.write(file.changed(*changes, Footer.of(expected)))
        kept = _save(store, plan, out, by)
        replacement.write(file.changed(*changes, Footer.of(kept)))
        replacement.put()
    return kept


def _base(store: Store, plan: Plan, footer: Footer | None) -> Plan | None:
    """What both were when they were last in step; None where that is not known any more."""
    if footer is None or (footer.session, footer.agent) != (plan.session, plan.agent):
        return None
    if footer.revision == 0:
        return Plan(plan.session, plan.agent)
    kept = store.history(plan.session, plan.agent, before=footer.revision + 1, limit=1)
    return kept[-1] if kept and kept[-1].revision == footer.revision else None


def _differing(plan: Plan, out: Merged) -> int:
    before = {todo.number: todo for todo in plan.todos}
    after = {todo.number for todo in out.todos}
    changed = sum(before.get(todo.number) != todo for todo in out.todos)
    gone = sum(number not in after for number in before)
    moved = [todo.number for todo in plan.todos if todo.number in after] != [todo.number for todo in out.todos if todo.number in before]  # fmt: skip
    return changed + gone or int(moved)


def _check(store: Store, plan: Plan, out: Merged) -> None:
    """Refuse what would be refused when the plan is kept; a host's `verify` is not asked."""
    dialect = _writer_and_terms(store, plan)[1].dialect
    try:
        if plan.ended and _differing(plan, out):
            raise Refused(Issue("ended"))
        refuse(dialect, edit_faults(dialect, plan.todos, out.todos))
    except Refused as refused:
        raise dialect.worded(refused) from None


def _writer_and_terms(store: Store, plan: Plan) -> tuple[Writer, Terms]:
    writer = writer_of(store, plan.session, plan.agent)
    return writer, terms_for(writer, plan, ".")


def _save(store: Store, plan: Plan, out: Merged, by: Author) -> Plan:
    """Keep the plan, if it changed; raises `Conflict` where it is not the last any more."""
    if not _differing(plan, out):
        return plan
    writer, terms = _writer_and_terms(store, plan)
    todos = out.todos
    if terms.dialect.active_forms:
        todos = [todo if todo.number else _with_form(todo) for todo in todos]

    def draft_on(before: Plan) -> Draft:
        if before.revision != plan.revision:
            raise Conflict(plan.session, plan.agent, plan.revision + 1, before.revision)
        return Draft(todos, before.summary, is_edit=True)

    try:
        return writer.revise(terms, draft_on, by).plan
    except Refused as refused:
        raise terms.dialect.worded(refused) from None


def _with_form(todo: Todo) -> Todo:
    return replace(todo, active_form=todo.content)
