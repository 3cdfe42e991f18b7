"""A process of our own that is over in a blink leaves out what it does not need."""

from __future__ import annotations

import gc
import sys
from types import ModuleType


def start_light() -> None:
    """Collect no garbage, and load `inspect` only if something of it is used.

    `dataclasses` imports `inspect`, which is a sixth of all that a short command does. It needs one small function of
    it for a class as ours are. This is for processes that are ours alone, not for those that import us.
    """
    gc.disable()
    sys.modules.setdefault("inspect", _Inspect("inspect"))


class _Inspect(ModuleType):
    """Stands for the module until more is used of it than a class's annotations."""

    def __getattr__(self, name: str) -> object:
        if name == "get_annotations":
            return _annotations
        return getattr(_loaded(), name)


def _annotations(thing: object, **options: object) -> object:
    """What `inspect.get_annotations` gives for a class that has annotations, without its module."""
    if isinstance(thing, type) and not options and "__annotations__" in vars(thing):
        return dict(thing.__annotations__)
    return _loaded().get_annotations(thing, **options)


def _loaded() -> ModuleType:
    """The module itself."""
    if isinstance(sys.modules.get("inspect"), _Inspect):
        del sys.modules["inspect"]
    import inspect

    return inspect
