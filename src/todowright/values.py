"""Frozen dataclasses that are cheap to make, and cheap to define: a plan is made with every call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, fields
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def value(kind: type[T]) -> type[T]:
    """Make a frozen dataclass with slots of a class that has two fields or more.

    A frozen dataclass sets each of its fields past its own lock, which takes three times as long as the rest. This
    one is made open, and locked when it is whole. Fields have plain defaults, no factories.
    """
    made: Any = dataclass(slots=True, init=False, repr=False, eq=False)(kind)
    parts = fields(made)
    names = [part.name for part in parts]
    made.__new__ = _maker(kind.__name__, names, {part.name: part.default for part in parts})
    for name, method in _methods(names).items():
        setattr(made, name, method)
    made.__setattr__, made.__delattr__ = _locked, _locked
    return made  # type: ignore[no-any-return]


def _maker(name: str, names: list[str], defaults: dict[str, object]) -> object:
    """The function that makes an object: open, with all its slots set, then of its own class."""
    opened = type(f"_{name}", (), {"__slots__": names})
    given = [part if defaults[part] is MISSING else f"{part}=_{part}" for part in names]
    lines = [f"def __new__(cls, {', '.join(given)}):", " made = new(opened)"]
    lines += [f" made.{part} = {part}" for part in names]
    lines += [" made.__class__ = cls", " return made"]
    scope: dict[str, object] = {f"_{part}": default for part, default in defaults.items()}
    scope |= {"opened": opened, "new": object.__new__}
    exec("\n".join(lines), scope)  # noqa: S102  as dataclasses does it
    return scope["__new__"]


def _methods(names: list[str]) -> dict[str, Callable[..., object]]:
    """What compares, shows, copies and pickles such a value: all of it by its fields."""
    parts = attrgetter(*names)

    def equal(self: object, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented  # type: ignore[no-any-return]
        return bool(parts(self) == parts(other))

    def shown(self: object) -> str:
        told = ", ".join(f"{name}={part!r}" for name, part in zip(names, parts(self), strict=True))
        return f"{type(self).__qualname__}({told})"

    return {
        "__eq__": equal,
        "__hash__": lambda self: hash(parts(self)),
        "__repr__": shown,
        "__reduce__": lambda self: (type(self), parts(self)),
    }


def _locked(self: object, name: str, _: object = None) -> NoReturn:
    raise FrozenInstanceError(f"{type(self).__name__} is frozen: '{name}' stays as it is")
