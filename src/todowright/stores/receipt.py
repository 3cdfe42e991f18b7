"""The reply that a call got, as a store keeps it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Receipt:
    """The reply that a call got, kept under the call's own id."""

    session: str
    agent: str
    call: str
    """The caller's own id of the call."""
    digest: str
    """What tells its arguments from others: an id that comes with other arguments is another call."""
    reply: str
    """The reply as JSON."""


class LateReceipt(Receipt):
    """A receipt whose reply becomes JSON when somebody reads it: a store in memory hardly ever does."""

    __slots__ = ("_made",)
    _made: str | Callable[[], str]

    def __init__(
        self, session: str, agent: str, call: str, digest: str, reply: str | Callable[[], str]
    ) -> None:
        put = object.__setattr__  # one is made with every call
        put(self, "session", session)
        put(self, "agent", agent)
        put(self, "call", call)
        put(self, "digest", digest)
        put(self, "_made", reply)

    @property
    def reply(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The reply as JSON."""
        made = self._made  # once: another thread may put the text in its place
        if not isinstance(made, str):
            made = made()
            object.__setattr__(self, "_made", made)
        return made
