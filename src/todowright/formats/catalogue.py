"""All formats that come with todowright, found by listing their folder."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import MappingProxyType

from todowright.errors import UnknownName
from todowright.formats.format import Format
from todowright.text import a_kind, likely, shown

_FOLDER = "todowright.formats.agents"


@cache
def formats() -> MappingProxyType[str, Format]:
    """Every format by its name, in the order of the names of their files."""
    from pkgutil import iter_modules  # a process that reads one format needs none of it

    found: dict[str, Format] = {}
    agents = import_module(_FOLDER)
    for module in sorted(module.name for module in iter_modules(agents.__path__)):
        for each in formats_in(module):
            assert each.name not in found, f"two formats are called {each.name}"
            found[each.name] = each
    return MappingProxyType(found)


def formats_in(file: str) -> tuple[Format, ...]:
    """The formats of one file in `agents/`."""
    home = import_module(f"{_FOLDER}.{file}")
    return tuple(getattr(home, "FORMATS", None) or (home.FORMAT,))


@cache
def by_tool() -> MappingProxyType[str, tuple[Format, ...]]:
    """The formats that a tool or a kind of message may belong to."""
    found: dict[str, tuple[Format, ...]] = {}
    for each in formats().values():
        for tool in each.tools:
            found[tool] = (*found.get(tool, ()), each)
    return MappingProxyType(found)


def format_named(name: str | Format) -> Format:
    """A format by its name; raises `UnknownName`."""
    if isinstance(name, Format):
        return name
    if not isinstance(name, str):
        raise TypeError(f"a format is a name or a Format, not {a_kind(name)}: use 'claude'")
    if name not in formats():
        known = sorted(formats())
        raise UnknownName(
            f"no format is called '{shown(name)}': {likely(name, known)}use {', '.join(known)}"
        )
    return formats()[name]
