"""Whether a server that owes an answer is still there: it is asked after a while, and given up after another."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PATIENCE = "TODOWRIGHT_PATIENCE"
"""The variable with the seconds after which a server that says nothing is given up."""
_SECONDS = 20.0
_STARTING = 60.0
"""Seconds that one has, from its start, to say its first word."""
_ASKED = 0.25
"""The part of the patience after which the server is asked."""
_MOST = 300.0
"""Seconds between two questions at most, while an answer is owed that takes long."""


class Pulse:
    """The clock of one connection. It stands still while nothing is owed."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        try:
            given = float(environ.get(PATIENCE) or _SECONDS)
        except ValueError:
            given = _SECONDS
        self._patience = min(max(given, 0.5), 86_400.0)
        self.longest = max(self._patience, _STARTING)
        """Seconds that a server has at most, in whatever state it is."""
        self._due = 0.0
        self._pause = self._patience * _ASKED
        self._asked = False
        self._made = 0.0
        self._spoke = False

    def begin(self, made: float) -> None:
        """There is a connection to a server whose socket was made at this time."""
        self._made, self._spoke = made, False
        self.owe()

    def owe(self, *, first: bool = True) -> None:
        """Something was sent that wants an answer; the clock starts with the first that is owed."""
        if first and not self._asked:
            self._pause = self._patience * _ASKED
            self._due = time.monotonic() + self._pause

    def hear(self) -> None:
        """The server said something."""
        if self._asked:  # it lives, and works on something long
            self._pause = min(self._pause * 2, _MOST)
        self._asked, self._spoke = False, True
        self._due = time.monotonic() + self._pause

    def left(self) -> int:
        """Milliseconds until `is_over` is to be asked."""
        return max(0, int(1000 * (self._due - time.monotonic()))) + 1

    def wants_a_word(self) -> bool:
        """Whether the server is to be asked now whether it is there."""
        if self._asked or time.monotonic() < self._due:
            return False
        starting = 0.0 if self._spoke else self._made + self.longest - time.time()
        rest = self._patience * (1 - _ASKED)
        self._asked = True
        self._due = time.monotonic() + max(rest, min(starting, self.longest))
        return True

    def is_over(self) -> bool:
        """Whether it was asked, and said nothing for too long."""
        over = self._asked and time.monotonic() >= self._due
        self._asked = self._asked and not over
        return over
