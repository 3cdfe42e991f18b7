"""What todowright raises at programs; a model never sees an exception.

TodowrightError
├── Refused        an update or an edit broke the plan's rules (also a ValueError)
├── UnknownName    no dialect, store, event or API has that name (also a ValueError)
├── BadName        a session or an agent cannot have that name (also a ValueError)
├── Unreadable     what was given holds no plan that can be read (also a ValueError)
└── StoreError     a store could not read or keep a plan
    └── Conflict   somebody else saved on top of the revision that was read
"""

from __future__ import annotations

from typing import Literal

from todowright.text import clip, harmless
from todowright.values import value

Code = Literal[
    "no_argument",
    "not_json",
    "tool",
    "type",
    "missing",
    "other_key",
    "blank",
    "too_long",
    "unicode",
    "status",
    "choice",
    "extra",
    "unknown",
    "too_many",
    "focus",
    "environment",
    "no_step",
    "no_step_like",
    "drops",
    "cycle",
    "blocked",
    "ambiguous",
    "edit",
    "misplaced",
    "nested",
    "edited",
    "ended",
    "not_shared",
    "judging",
    "skipped",
    "reopened",
    "rushed",
    "unverified",
    "unverifiable",
    "internal",
]


@value
class Issue:
    """One reason a call was refused. The dialect chooses the words."""

    code: Code
    index: int | None = None
    """The item at fault, from 0; None when it is the list or the whole call."""
    field: str | None = None
    """The key at fault as the dialect spells it; None when it is the item or call as a whole."""
    value: str = ""
    """What was sent, clipped and harmless: never the payload."""
    kind: str = ""
    """What kind of value was sent, in JSON's words."""
    expected: str = ""
    """The kind that was wanted."""
    limit: int | None = None


class TodowrightError(Exception):
    """The base of everything todowright raises."""

    says_it_all = True
    """Its words are enough: a log needs no traceback."""


class Refused(TodowrightError, ValueError):
    """The plan's rules refuse this; the plan stays as it was."""

    def __init__(self, *issues: Issue, words: str = "") -> None:
        super().__init__(words or "; ".join(issue.code for issue in issues))
        self.issues = issues
        self._words = words

    def __reduce__(self) -> tuple[object, ...]:
        return _refused, (self.issues, self._words)


class UnknownName(TodowrightError, ValueError):
    """Nothing is known by that name."""


class BadName(TodowrightError, ValueError):
    """A session or an agent cannot have that name."""


class Unreadable(TodowrightError, ValueError):
    """What was given holds no plan that can be read."""


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

    def __reduce__(self) -> tuple[object, ...]:
        return Conflict, (self.session, self.agent, self.tried, self.current)


def _refused(issues: tuple[Issue, ...], words: str) -> Refused:
    """One that was pickled, on its way from another process, made again."""
    return Refused(*issues, words=words)


def reason(error: Exception) -> str:
    """Why something failed, in a few harmless words."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, (OSError, TodowrightError)):
        return clip(harmless(str(error)), 200)
    return type(error).__name__
