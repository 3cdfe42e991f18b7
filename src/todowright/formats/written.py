"""A plan as another agent would send it, and what was lost on the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from todowright.formats.catalogue import format_named
from todowright.formats.detect import read_plan
from todowright.formats.format import Format
from todowright.plan.model import UNTOLD, Plan, Todo
from todowright.text import a_kind, brief
from todowright.values import value


@value
class Loss:
    """One thing that a format could not hold."""

    field: str
    """`item`, `content`, `status`, `active_form`, `id`, `summary`, or the key of an extra."""
    index: int | None = None
    """Which item, from 0; None for the whole plan."""
    was: str = ""
    became: str = ""
    """What is read back in its place; empty where that is nothing."""

    def __str__(self) -> str:
        what = "the summary" if self.index is None else f"item {self.index + 1}"
        if self.field == "item":
            return f'{what} is left out: "{brief(self.was, 40)}"'
        name = "" if self.index is None else f": its {self.field.replace('_', ' ')}"
        told = f' became "{brief(self.became, 40)}"' if self.became else " is lost"
        return f'{what}{name} "{brief(self.was, 40)}"{told}'


@value
class Written:
    """A plan in another agent's format."""

    format: str
    payload: Any
    """What to send: a tool call with `name` and `input`, a list of such calls, a message, or a text."""
    losses: tuple[Loss, ...] = ()
    """What the format could not hold; found by reading the payload again."""

    def __str__(self) -> str:
        if not self.losses:
            return f"{self.format}: nothing is lost"
        return f"{self.format}: " + "; ".join(dict.fromkeys(map(str, self.losses)))


def write_plan(plan: Plan, format: str | Format) -> Written:  # noqa: A002
    """The plan as another agent would send it, and what its format cannot hold."""
    form = format_named(format)
    if not isinstance(plan, Plan):
        raise TypeError(f"write_plan takes a Plan, not {a_kind(plan)}: use todo.plan")
    payload, kept = form.write(plan)
    again = read_plan(payload, format=form).plan if payload != [] else Plan()  # no calls at all
    return Written(form.name, payload, tuple(losses(plan, kept, again, form.holds.fills)))


def losses(plan: Plan, kept: Sequence[int], read: Plan, fills: Sequence[str]) -> Iterator[Loss]:
    """How a plan differs from what is read of it again.

    `kept` are the items that were written; `fills` what the format fills in where a plan says nothing.
    """
    if plan.summary != read.summary:
        yield Loss("summary", None, plan.summary, read.summary)
    written = dict(zip(kept, read.todos, strict=False))
    for index, todo in enumerate(plan.todos):
        if (again := written.get(index)) is None:
            yield Loss("item", index, todo.content)
            continue
        had, has = _said(todo), _said(again)
        for field in dict.fromkeys([*had, *has]):
            was, became = had.get(field, ""), has.get(field, "")
            if was != became and not (field in fills and not was):
                yield Loss(field, index, was, became)


def _said(todo: Todo) -> dict[str, str]:
    """All that a todo says; an id that we gave it ourselves says nothing."""
    label = "" if todo.number and todo.id == f"t{todo.number}" else todo.id
    said = {
        "content": todo.content,
        "status": todo.status,
        "active_form": todo.active_form,
        "id": label,
        **{key: text for key, text in todo.extras if key not in UNTOLD},
    }
    return {field: text for field, text in said.items() if text}
