"""On which terms the revisions of a plan are made."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from todowright.dialects.dialect import Dialect
from todowright.tool.policy import Verify

if TYPE_CHECKING:  # not light, and few plans have a log
    from datetime import datetime

    from todowright.tool.completion_log import CompletionLog
    from todowright.tool.scope import Scope


def utc_clock() -> Callable[[], datetime]:
    """A clock that tells the moment a revision is given. It is loaded here, since an import should be quick."""
    from datetime import UTC, datetime

    return partial(datetime.now, UTC)


class Terms:
    """On which terms revisions are made: a dialect, and what its host brings."""

    __slots__ = ("clock", "dialect", "environ", "log", "scope", "serves", "verify")

    def __init__(
        self,
        dialect: Dialect,
        log: CompletionLog | None = None,
        verify: Verify | None = None,
        clock: Callable[[], datetime] | None = None,
        serves: int = 0,
    ) -> None:
        self.dialect = dialect
        self.log = log
        """Where finished plans are logged, if the dialect wants that."""
        self.verify = verify
        self.clock = clock or utc_clock()
        self.serves = serves
        """The number of the parent's step that a sub-agent works on."""
        self.scope: Scope | None = None
        """How far it may be changed, where it is shared with another agent."""
        self.environ: Mapping[str, str] = os.environ
        """Where limits are looked up that the dialect lets a person set."""

    def with_dialect(self, dialect: Dialect) -> Terms:
        """The same terms for another form of the dialect: with other limits."""
        terms = Terms(dialect, self.log, self.verify, self.clock, self.serves)
        terms.environ, terms.scope = self.environ, self.scope
        return terms


def terms_of(dialect: Dialect, root: str) -> Terms:
    """The terms of a dialect, with its log where it keeps one."""
    if not dialect.log_folder or dialect.log_block is None:
        return Terms(dialect)
    from todowright.tool.completion_log import CompletionLog

    return Terms(dialect, CompletionLog(root, dialect.log_folder, dialect.log_block))
