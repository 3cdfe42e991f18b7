"""Frozen dataclasses that are cheap to make: a plan is made with every call, and its todos with every read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def value(kind: type[T]) -> type[T]:
    """Make a frozen dataclass with slots of a class.

    A frozen dataclass sets each of its fields past its own lock, which takes three times as long as the rest. This
    one is made open, and locked when it is whole. Fields have plain defaults, no factories.
    """
    frozen = dataclass(frozen=True, slots=True, init=False)(kind)
    parts = fields(frozen)  # type: ignore[arg-type]
    names = [part.name for part in parts]
    opened = type(f"_{kind.__name__}", (), {"__slots__": names})
    given = ", ".join(
        part.name if part.default is MISSING else f"{part.name}=_{part.name}" for part in parts
    )
    lines = [f"def __new__(cls, {given}):", " made = new(opened)"]
    lines += [f" made.{name} = {name}" for name in names]
    lines += [" made.__class__ = cls", " return made"]
    scope: dict[str, object] = {f"_{part.name}": part.default for part in parts}
    scope |= {"opened": opened, "new": object.__new__}
    exec("\n".join(lines), scope)  # noqa: S102  as dataclasses does it
    setattr(frozen, "__new__", scope["__new__"])  # noqa: B010
    setattr(frozen, "__reduce__", _reduced(names))  # noqa: B010
    return frozen


def _reduced(names: list[str]) -> Callable[[object], tuple[object, ...]]:
    """How such a value is copied and pickled: by making it again."""

    def reduced(self: object) -> tuple[object, ...]:
        return type(self), tuple(getattr(self, name) for name in names)

    return reduced
