"""The smart update of programs (document 000): some items by their ids, or the whole list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from todowright.dialects.call import Draft
from todowright.dialects.check import check
from todowright.dialects.dialect import Dialect
from todowright.dialects.extras import with_extras
from todowright.dialects.list_dialect import ListDialect
from todowright.dialects.verb_dialect import VerbDialect
from todowright.errors import Issue, Refused
from todowright.plan.matching import carry
from todowright.plan.model import Plan, Todo
from todowright.text import a_few, a_kind, shown

Given = Mapping[str, object] | Todo | str
"""A todo as a program gives it: fields by their keys, a todo, or the text of a new one."""
Row = dict[str, object]


def given_list(todos: Iterable[Given]) -> list[Given]:
    """The todos that a program gave; a `TypeError` where it is no list of them."""
    if isinstance(todos, (str, bytes, Mapping)) or not isinstance(todos, Iterable):
        raise TypeError(f"give a list of todos, not {a_kind(todos)}: put it in brackets")
    given = list(todos)
    for each in given:
        if not isinstance(each, (Mapping, Todo, str)):
            raise TypeError(f"a todo is {a_kind(each)}: give a dict, a Todo or a text")
        label = each.get("id") if isinstance(each, Mapping) else None
        if not (label is None or isinstance(label, str)):
            raise TypeError(f"the id of a todo is {a_kind(label)}: give a str, such as 't1'")
    return given


def items_of(dialect: Dialect) -> ListDialect:
    """The dialect by whose rules the items of a list are read."""
    if isinstance(dialect, VerbDialect):
        return dialect.items
    assert isinstance(dialect, ListDialect)
    return dialect


def updated(
    dialect: Dialect, plan: Plan, given: list[Given], summary: str | None, *, merge: bool = True
) -> Draft:
    """Change the given fields of known ids, or replace the list; raises `Refused` if rules are broken.

    Without `merge` the list is always replaced.
    """
    items = items_of(dialect)
    rows = [_row(items, todo) for todo in given]
    known = {todo.id: _row(items, todo) for todo in plan.todos if todo.id}
    if merge:
        _refuse_unknown(
            rows, known, next(part.key for part in items.fields if part.role == "content")
        )
    if merge and rows and all(_id(row) in known for row in rows):
        for row in rows:
            known[_id(row)] |= row
        rows = [known[todo.id] for todo in plan.todos]
    else:
        rows = _later_wins(rows)
    arguments: Row = {items.list_key: rows}
    if items.summary is not None:
        arguments[items.summary.key] = plan.summary if summary is None else summary
    checked = check(items, arguments, with_ids=True)
    summary = checked.summary if items.summary is not None else plan.summary
    todos = carry(plan.todos, checked.items)
    if checked.extras is not None:
        todos = with_extras(todos, checked.extras)
    return Draft(todos, summary)


def _row(dialect: ListDialect, todo: Given) -> Row:
    """One todo as the checker reads it, with its id; a text is a new one."""
    if isinstance(todo, str):
        form = todo if dialect.active_forms else ""
        return {**dialect.wire(Todo(todo, active_form=form))}
    if isinstance(todo, Todo):
        return {**dialect.wire(todo), "id": todo.id}
    return dict(todo)


def _id(row: Row) -> str:
    """The id a row carries; empty where it carries none."""
    name = row.get("id")
    return name if isinstance(name, str) else ""


def _refuse_unknown(rows: list[Row], known: dict[str, Row], content: str) -> None:
    """Refuse the id of no todo, where it can only be meant for one: it comes without words for a new one."""
    for row in rows:
        name = _id(row)
        if name and name not in known and content not in row:
            ids = a_few(list(known)) or "none"
            raise Refused(Issue("no_step", field=f"'{shown(name)}'", value=ids))


def _later_wins(rows: list[Row]) -> list[Row]:
    """The rows, those with one id made one: the last, in the place of the first."""
    places: dict[str, int] = {}
    kept: list[Row] = []
    for row in rows:
        name = _id(row)
        if name and name in places:
            kept[places[name]] = row
            continue
        places[name] = len(kept)
        kept.append(row)
    return kept
