"""Frozen dataclasses that are cheap to make, and cheap to define: a plan is made with every call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from types import MethodType
from typing import Any, NoReturn, ParamSpec, TypeVar, dataclass_transform

P = ParamSpec("P")
T = TypeVar("T")
_FACTORY: Any = object()
"""In place of a default that is made anew each time."""


@dataclass_transform(frozen_default=True)
def value(kind: type[T]) -> type[T]:
    """Make a frozen dataclass with slots of a class that has two fields or more.

    A frozen dataclass sets each of its fields past its own lock, which takes three times as long as the rest. This
    one is made open, and locked when it is whole. Fields have plain defaults, no factories.
    """
    made: Any = dataclass(slots=True, init=False, repr=False, eq=False)(kind)
    parts = fields(made)
    methods = _methods(kind.__name__, {part.name: part.default for part in parts})
    for name, method in methods.items():
        setattr(made, name, method)
    made.__setattr__, made.__delattr__ = _locked, _locked
    return made  # type: ignore[no-any-return]


@dataclass_transform(
    frozen_default=True, kw_only_default=True, eq_default=False, field_specifiers=(field,)
)
def settings(kind: type[T]) -> type[T]:
    """Make a frozen dataclass of a class with many fields, which are given by keywords.

    `dataclass` writes a line of code for each field, and a lock that names them all. Here one line sets them, and
    all share one lock, so that such a class is defined in a quarter of the time.
    """
    bases = [base.__dataclass_params__ for base in kind.__mro__[1:-1]]  # type: ignore[attr-defined]
    for base in bases:  # else it would write that lock
        base.frozen = False
    made: Any = dataclass(kw_only=True, init=False, repr=False, eq=False)(kind)
    for each in (*bases, made.__dataclass_params__):  # for who derives from it
        each.frozen = True
    made.__setattr__, made.__delattr__ = _settled, _settled
    if "__init__" not in vars(kind):
        made.__init__ = _by_keywords(made)
    return made  # type: ignore[no-any-return]


def _by_keywords(kind: Any) -> Any:
    """What makes such a value of its fields."""
    parts = [part for part in fields(kind) if part.init]
    factories = {
        part.name: part.default_factory for part in parts if part.default_factory is not MISSING
    }

    def set_fields(self: Any, given: dict[str, Any]) -> None:
        del given["self"]
        for name, make in factories.items():
            if given[name] is _FACTORY:
                given[name] = make()
        vars(self).update(given)
        if checks:
            self.__post_init__()

    checks = hasattr(kind, "__post_init__")
    defaults: dict[str, object] = {
        part.name: _FACTORY if part.name in factories else part.default for part in parts
    }
    source = [f"def __init__(self, *, {_given(defaults)}): set_fields(self, locals())"]
    made = _compiled(source, {"set_fields": set_fields}, defaults)["__init__"]
    made.__qualname__ = f"{kind.__qualname__}.__init__"
    return made


def maker(kind: Callable[P, T]) -> Callable[P, T]:
    """The same as the class of a value, in two thirds of the time: for what is made with every call."""
    return MethodType(kind.__new__, kind)


def _methods(name: str, defaults: dict[str, object]) -> dict[str, Callable[..., object]]:
    """What makes, compares, shows, copies and pickles such a value, all of it by its fields."""
    names = list(defaults)
    source = [f"def __new__(cls, {_given(defaults)}):", " made = opened()"]
    source += [f" made.{part} = {part}" for part in names]
    source += [" made.__class__ = cls", " return made"]
    source += ["def __eq__(self, other):"]
    source += [" if other.__class__ is not self.__class__: return NotImplemented"]
    source += [" return parts(self) == parts(other)"]
    opened, parts = type(f"_{name}", (), {"__slots__": names}), attrgetter(*names)
    made = _compiled(source, {"opened": opened, "parts": parts}, defaults)
    return {
        "__new__": made["__new__"],
        "__eq__": made["__eq__"],
        "__hash__": lambda self: hash(parts(self)),
        "__reduce__": lambda self: (self.__class__, parts(self)),
        "__repr__": _shown,
    }


def _given(defaults: dict[str, object]) -> str:
    """The parameters of a function that is given the fields."""
    return ", ".join(
        name if default is MISSING else f"{name}=_{name}" for name, default in defaults.items()
    )


def _compiled(
    source: list[str], scope: dict[str, object], defaults: dict[str, object]
) -> dict[str, Any]:
    """What the source defines, with the defaults that `_given` names."""
    scope |= {f"_{part}": default for part, default in defaults.items()}
    exec("\n".join(source), scope)  # noqa: S102  as dataclasses does it
    return scope


def _shown(self: object) -> str:
    told = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)  # type: ignore[attr-defined]
    return f"{type(self).__qualname__}({told})"


def _locked(self: object, name: str, _: object = None) -> NoReturn:
    kind = type(self).__name__
    told = "change the plan with todo.edit(…), or make a copy with dataclasses.replace(…)"
    raise FrozenInstanceError(f"'{name}' of a {kind} stays as it is: {told}")


def _settled(self: object, name: str, _: object = None) -> NoReturn:
    kind = type(self).__name__
    raise FrozenInstanceError(
        f"'{name}' of a {kind} stays as it is: make a copy with dataclasses.replace(…)"
    )
