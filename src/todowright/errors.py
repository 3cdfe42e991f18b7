"""What todowright raises at programs; a model never sees an exception.

TodowrightError
├── Refused        a program's update broke the dialect's rules (also a ValueError)
├── UnknownName    no dialect, store or event has that name (also a ValueError)
├── BadName        a session or an agent cannot have that name (also a ValueError)
└── StoreError     a store could not read or keep a plan
    └── Conflict   somebody else saved on top of the revision that was read
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from todowright.plan.model import Issue


class TodowrightError(Exception):
    """The base of everything todowright raises."""


class Refused(TodowrightError, ValueError):
    """The dialect's rules refuse this list; the plan stays as it was."""

    def __init__(self, message: str, issues: tuple[Issue, ...]) -> None:
        super().__init__(message)
        self.issues = issues


class UnknownName(TodowrightError, ValueError):
    """Nothing is known by that name."""


class BadName(TodowrightError, ValueError):
    """A session or an agent cannot have that name."""


class StoreError(TodowrightError):
    """The store could not read or keep the plan."""


class Conflict(StoreError):
    """The plan moved on since it was read; read it again and save on top of that."""

    def __init__(self, session: str, agent: str, tried: int, current: int) -> None:
        super().__init__(
            f"revision {tried} of {session}/{agent} cannot be saved: the store is at {current}"
        )
        self.session = session
        self.agent = agent
        self.tried = tried
        self.current = current
