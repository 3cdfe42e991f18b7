"""What must not cross a fork: locks that another thread holds, and connections to files.

An object that has either registers itself. Before a fork it puts itself in order and holds still;
afterwards the parent goes on, and the child gets locks of its own.
"""

from __future__ import annotations

import os
import weakref
from typing import Protocol


class CrossesForks(Protocol):
    """An object that minds forks."""

    def before_fork(self) -> None:
        """Let go of what a child may not share, and hold still."""

    def after_fork(self, *, in_child: bool) -> None:
        """Go on; in the child, with new locks."""


_LIVE: weakref.WeakSet[CrossesForks] = weakref.WeakSet()
_HELD: list[CrossesForks] = []


def minds_forks(crossing: CrossesForks) -> None:
    """Have an object told of forks for as long as it lives."""
    _LIVE.add(crossing)


def _before() -> None:
    _HELD[:] = list(_LIVE)
    for crossing in _HELD:
        crossing.before_fork()


def _after(*, in_child: bool) -> None:
    for crossing in reversed(_HELD):
        crossing.after_fork(in_child=in_child)
    _HELD.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before,
        after_in_parent=lambda: _after(in_child=False),
        after_in_child=lambda: _after(in_child=True),
    )
