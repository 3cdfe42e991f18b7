"""What many tests share: shorthand for calls, and strategies for what a model might send."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from todowright import Plan, Store, TodoWrite, load_dialect
from todowright.dialects import Dialect, ListDialect
from todowright.plan.editing import read_edits
from todowright.tool.person import edit_plan

FIVE = ("smart", "shell", "envelope", "checklist", "twostate")


def step(content: str, status: str = "pending", active: str | None = None) -> dict[str, str]:
    """An item of the dialects with an active form."""
    return {
        "content": content,
        "status": status,
        "activeForm": f"Doing {content}" if active is None else active,
    }


def list_dialect(dialect: str | Dialect) -> ListDialect:
    """One of the dialects that take the whole list."""
    value = load_dialect(dialect)
    assert isinstance(value, ListDialect)
    return value


def call(dialect: str | Dialect, *items: tuple[str, str] | str) -> dict[str, Any]:
    """A sound call in a dialect's own spelling; an item is a text, or a text and its status."""
    value = list_dialect(dialect)
    rows = []
    for item in items:
        content, status = (item, "pending") if isinstance(item, str) else item
        row = {"content": content, "status": status}
        if any(field.role == "active_form" for field in value.fields):
            row["activeForm"] = f"Doing {content}"
        rows.append(row)
    arguments: dict[str, Any] = {value.list_key: rows}
    if value.summary is not None:
        arguments[value.summary.key] = "The whole of it"
    return arguments


def edit(store: Store, plan: Plan, edits: list[dict[str, Any]]) -> Plan:
    """Edits of a person, as they come from a board."""
    return edit_plan(store, plan, read_edits(edits)).plan


def texts(plan: Plan) -> list[str]:
    return [todo.content for todo in plan.todos]


def statuses(plan: Plan) -> list[str]:
    return [todo.status for todo in plan.todos]


def wire(todo: TodoWrite) -> Any:
    """The plan as the dialect would send it: what must be equal when it is sent again."""
    return todo.dialect.arguments(todo.plan)


@dataclass
class Clock:
    """A clock that the test winds; each reading is `step` after the one before."""

    now: datetime = datetime(2025, 1, 2, 17, 42, 33, tzinfo=UTC)
    step: timedelta = timedelta()

    def __call__(self) -> datetime:
        self.now += self.step
        return self.now


scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(alphabet=st.characters(), max_size=20)
    | st.sampled_from(["pending", "in_progress", "completed", "cancelled", "done", "\ud800", ""])
)
anything = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["todos", "items", "content", "status", "activeForm", "id", "summary"])
            | st.text(max_size=5),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


def near_miss(dialect: ListDialect) -> st.SearchStrategy[Any]:
    """Calls that are nearly sound, where schema and checker could disagree."""
    text = (
        st.sampled_from(["Write", " Test ", "", "   ", "\u3000", "写测试", "x" * 60, "x" * 61])
        | st.sampled_from(["y" * 200, "y" * 201, " " + "z" * 60, "a\nb", "\ud800"])
        | st.text(max_size=8)
        | st.integers()
        | st.none()
    )
    status: st.SearchStrategy[Any] = st.sampled_from(
        [*dialect.statuses] * 3 + ["done", "PENDING", "", 3, None, []]
    )
    parts: dict[str, st.SearchStrategy[Any]] = {
        field.key: status if field.role == "status" else text for field in dialect.fields
    }
    extras = {
        extra.key: st.sampled_from([*extra.choices] * 4 + [f" {each}" for each in extra.choices])
        if extra.choices
        else text | st.sampled_from(["a", " b ", "cdefgh"])
        for extra in dialect.extras
    }
    required = {extra.key: st.just("a") for extra in dialect.extras if extra.required}
    parts |= {key: each | text for key, each in extras.items()}
    item = st.fixed_dictionaries({}, optional=parts | {"extra": st.just(1)}) | scalars
    sound = st.fixed_dictionaries(
        {
            field.key: st.sampled_from(dialect.statuses)
            if field.role == "status"
            else st.text(min_size=1, max_size=12)
            for field in dialect.fields
        }
        | required,
        optional={key: each for key, each in extras.items() if key not in required},
    )
    most = min(dialect.most_items, 60)
    items = st.lists(sound | item, max_size=4) | sound.flatmap(
        lambda one: st.integers(most - 1, most + 1).map(lambda count: [dict(one)] * count)
    )
    optional: dict[str, st.SearchStrategy[Any]] = {"extra": st.just(1)}
    if dialect.summary is not None:
        optional[dialect.summary.key] = text
    return st.fixed_dictionaries({dialect.list_key: items | scalars}, optional=optional) | anything
