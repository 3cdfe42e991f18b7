"""The smart update of programs: some items by their ids, or the whole list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from todowright.dialects.dialect import Dialect
from todowright.plan.model import Plan, Todo


def merged(
    dialect: Dialect,
    plan: Plan,
    given: Sequence[Mapping[str, Any] | Todo | str],
    summary: str | None,
) -> dict[str, Any]:
    """The arguments of the call that makes the update; the checker judges them like any other."""
    arguments: dict[str, Any] = {}
    if dialect.summary is not None:
        arguments[dialect.summary.key] = plan.summary if summary is None else summary
    rows = [_row(dialect, todo) for todo in given]
    known = {todo.id: _row(dialect, todo) for todo in plan.todos if todo.id}
    if rows and all(_id(row) in known for row in rows):
        for row in rows:
            known[_id(row)] |= row
        arguments[dialect.list_key] = [
            known[todo.id] if todo.id else dialect.wire(todo) for todo in plan.todos
        ]
    else:
        arguments[dialect.list_key] = _later_wins(rows)
    return arguments


def _row(dialect: Dialect, todo: Mapping[str, Any] | Todo | str) -> Any:
    """One todo as the checker reads it, with its id; a text is a new one."""
    if isinstance(todo, str):
        return dialect.wire(Todo(todo))
    if isinstance(todo, Todo):
        return dialect.wire(todo) | {"id": todo.id}
    return dict(todo) if isinstance(todo, Mapping) else todo  # type: ignore[redundant-expr]


def _id(row: Any) -> str:
    """The id a row carries; empty where it carries none."""
    name = row.get("id") if isinstance(row, dict) else None
    return name if isinstance(name, str) else ""


def _later_wins(rows: list[Any]) -> list[Any]:
    """The rows, those with one id made one: the last, in the place of the first."""
    places: dict[str, int] = {}
    kept: list[Any] = []
    for row in rows:
        name = _id(row)
        if name and name in places:
            kept[places[name]] = row
            continue
        places[name] = len(kept)
        kept.append(row)
    return kept
