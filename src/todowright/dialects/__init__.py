"""The dialects that come with todowright, how to find others, and what their authors need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from todowright.dialects.call import Call, Draft, Reply
from todowright.dialects.dialect import Dialect, Tool
from todowright.dialects.extras import Extra
from todowright.dialects.field import Field
from todowright.errors import UnknownName
from todowright.names import ALL_DIALECTS
from todowright.text import a_kind, clip, harmless, likely, shown

if TYPE_CHECKING:
    from todowright.dialects.list_dialect import ListDialect
    from todowright.dialects.verb_dialect import Verb, VerbDialect

_HOMES = {"ListDialect": "list_dialect", "Verb": "verb_dialect", "VerbDialect": "verb_dialect"}
"""They are loaded when they are first asked for: they import this module."""

__all__ = [
    "Call",
    "Dialect",
    "Draft",
    "Extra",
    "Field",
    "ListDialect",
    "Reply",
    "Tool",
    "Verb",
    "VerbDialect",
    "load_dialect",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'todowright.dialects' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(f"todowright.dialects.{_HOMES[name]}"), name)


def load_dialect(name: str | Dialect) -> Dialect:
    """A dialect by its name, or one's own by a dotted path `pkg.mod:NAME`."""
    if isinstance(name, Dialect):
        return name
    if not isinstance(name, str):
        raise TypeError(f"a dialect is a name or a Dialect, not {a_kind(name)}: use 'lean'")
    if "://" in name or name == "memory:":
        raise UnknownName(
            f"'{shown(name, 60)}' is a store, not a dialect: use store='{shown(name, 60)}'"
        )
    path = f"todowright.dialects.{name}:DIALECT" if name in ALL_DIALECTS else name
    module, _, attribute = path.partition(":")
    if not module or not attribute or module.startswith("."):
        raise UnknownName(
            f"no dialect is called '{shown(name)}': {likely(name, ALL_DIALECTS)}use {', '.join(ALL_DIALECTS)}, "
            "a Dialect, or a path like pkg.mod:NAME"
        )
    from importlib import import_module

    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        why = clip(harmless(str(error)), 80)
        raise UnknownName(
            f"no dialect at '{shown(name, 60)}' ({why}): use a path like pkg.mod:NAME"
        ) from error
    if not isinstance(found, Dialect):
        raise UnknownName(f"'{shown(name, 80)}' is no Dialect but a {type(found).__name__}")
    return found
