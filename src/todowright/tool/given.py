"""What a program gives to a tool: what cannot be meant is refused where it is given, in one line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, TypeVar

from todowright.text import a_kind, clip, harmless, shown

if TYPE_CHECKING:  # loaded when a program edits
    from datetime import datetime

    from todowright.plan.deeds import Deed
    from todowright.plan.editing import Edit

T = TypeVar("T")


def given_root(root: object) -> str:
    """The path of the project's folder."""
    if not isinstance(root, (str, os.PathLike)):
        raise TypeError(f"root must be the path of a folder, such as '.', not {a_kind(root)}")
    return os.fspath(root)


def given_environ(environ: object) -> Mapping[str, str]:
    """The variables in which a person may set limits."""
    if not isinstance(environ, Mapping):
        raise TypeError(f"environ must be a mapping such as os.environ, not {a_kind(environ)}")
    return environ


def given_clock(clock: Callable[[], datetime]) -> Callable[[], datetime]:
    """A clock whose every reading is looked at: no store keeps a moment without a time zone."""
    from datetime import datetime

    given_function("clock", clock, "lambda: datetime.now(UTC)")

    def moment() -> datetime:
        now: object = clock()
        if not isinstance(now, datetime) or now.tzinfo is None:
            raise TypeError(f"clock gave '{shown(str(now))}': use datetime.now(UTC)")
        return now

    return moment


def given_function(name: str, function: T, like: str) -> T:
    """Something that can be called."""
    if not callable(function):
        raise TypeError(f"{name} must be a function, not {a_kind(function)}: use {like}")
    return function


def given_listener(name: str, listener: T) -> T:
    """Something that can be called, and need not be awaited."""
    if is_async(given_function(name, listener, "one that takes what changed")):
        raise TypeError(f"{name} must be a plain function, not async: to await, use afollow(store)")
    return listener


def given_flag(name: str, flag: object) -> bool:
    """Yes or no."""
    if not isinstance(flag, bool):
        raise TypeError(f"{name} must be True or False, not {a_kind(flag)}")
    return flag


def given_step(name: str, number: object) -> int:
    """The number of a step."""
    if type(number) is not int or number < 0:
        got = shown(number) if type(number) is int else a_kind(number)
        raise TypeError(f"{name} must be the number of a step, 0 for none, not {got}")
    return number


def given_calls(calls: object) -> list[tuple[str | None, object]]:
    """The calls of a turn: pairs of a tool's name and its arguments."""
    if isinstance(calls, (str, bytes, Mapping)) or not isinstance(calls, Iterable):
        raise TypeError(f"a turn is a list of calls, not {a_kind(calls)}: use [(name, arguments)]")
    pairs = []
    for number, call in enumerate(calls, 1):
        is_pair = isinstance(call, (tuple, list)) and len(call) == 2
        if not is_pair or not (call[0] is None or isinstance(call[0], str)):
            wrong = clip(harmless(repr(call)), 60)
            raise TypeError(f"call {number} of the turn is {wrong}: use a pair (name, arguments)")
        pairs.append((call[0], call[1]))
    return pairs


def given_edits(edits: object) -> list[Edit]:
    """Edits of a program."""
    if isinstance(edits, (str, bytes, Mapping)) or not isinstance(edits, Iterable):
        raise TypeError(
            f"edit takes a list of edits, not {a_kind(edits)}: use [Edit('complete', 1)]"
        )
    from todowright.plan.editing import Edit

    listed = list(edits)
    for edit in listed:
        if not isinstance(edit, Edit):
            raise TypeError(f"an edit is {a_kind(edit)}: use an Edit, as in Edit('complete', 1)")
    return listed


def given_deeds(deeds: object) -> list[Deed]:
    """What may be done to steps, each once."""
    from todowright.errors import UnknownName
    from todowright.plan.deeds import DEEDS

    if isinstance(deeds, (str, bytes)) or not isinstance(deeds, Iterable):
        raise TypeError(f"deeds are a list, not {a_kind(deeds)}: use ['start', 'complete']")
    wanted = list(deeds)
    for each in wanted:
        if each not in DEEDS:
            raise UnknownName(f"no edit is called '{shown(each)}': use {', '.join(DEEDS)}")
    if not wanted:
        raise ValueError("share at least one deed, as in deeds=['complete']")
    return list(dict.fromkeys(wanted))


def is_async(function: object) -> bool:
    """Whether a function has to be awaited."""
    from inspect import iscoroutinefunction

    return iscoroutinefunction(function) or iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004
