"""A dialect is a value: it stays as it is, says what it cannot be made of, and may have a field of its own."""

from __future__ import annotations

import inspect
from dataclasses import FrozenInstanceError, dataclass, fields, replace

import pytest

from tests.support import FIVE
from todowright import TodoWrite, load_dialect
from todowright.dialects import ListDialect


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Polite(ListDialect):
    thanks: str = "Thank you."


@pytest.mark.parametrize("name", [*FIVE, "lean", "tasks"])
def test_a_dialect_cannot_be_changed_in_place(name: str) -> None:
    dialect = load_dialect(name)
    with pytest.raises(FrozenInstanceError, match=r"dataclasses\.replace"):
        dialect.max_items = 3  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="'marks' of a"):
        del dialect.marks  # pyright: ignore[reportAttributeAccessIssue]
    assert replace(dialect, max_items=3).max_items == 3
    assert dialect.max_items != 3


def test_a_field_that_no_dialect_has_is_named_and_so_is_one_that_is_missing() -> None:
    with pytest.raises(TypeError, match=r"ListDialect\.__init__\(\).* 'max_item'"):
        ListDialect(name="mine", max_item=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'name'"):
        ListDialect()  # type: ignore[call-arg]


def test_a_dialect_shows_what_it_can_be_made_of() -> None:
    given = inspect.signature(ListDialect).parameters
    assert list(given) == [part.name for part in fields(ListDialect) if part.init]
    assert given["max_in_progress"].default == 1


def test_dialects_share_no_mapping_that_none_of_them_was_given() -> None:
    one, other = ListDialect(name="one"), ListDialect(name="other")
    assert one.phrases == {}
    assert one.phrases is not other.phrases


def test_a_program_may_derive_a_dialect_with_a_field_of_its_own() -> None:
    dialect = replace(Polite(name="polite", max_items=2), thanks="Thanks!")
    assert (dialect.thanks, dialect.max_items) == ("Thanks!", 2)
    with pytest.raises(FrozenInstanceError):
        dialect.thanks = ""  # type: ignore[misc]
    todo = TodoWrite(dialect)
    rows = [{"content": f"Part {n}", "status": "pending"} for n in range(3)]
    assert todo({"todos": rows}).is_error
    assert not todo({"todos": rows[:2]}).is_error
