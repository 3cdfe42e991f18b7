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
    """A receipt whose digest and reply are made when somebody reads them: a store in memory hardly ever does."""

    __slots__ = ("_digest", "_reply")
    _digest: str | Callable[[], str]
    _reply: str | Callable[[], str]

    def __init__(
        self,
        session: str,
        agent: str,
        call: str,
        digest: str | Callable[[], str],
        reply: str | Callable[[], str],
    ) -> None:
        put = object.__setattr__  # one is made with every call
        put(self, "session", session)
        put(self, "agent", agent)
        put(self, "call", call)
        put(self, "_digest", digest)
        put(self, "_reply", reply)

    @property
    def digest(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """What tells its arguments from others."""
        return self._made("_digest", self._digest)

    @property
    def reply(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The reply as JSON."""
        return self._made("_reply", self._reply)

    def _made(self, name: str, made: str | Callable[[], str]) -> str:
        """The text; `made` is what was read once, since another thread may put the text in its place meanwhile."""
        if not isinstance(made, str):
            made = made()
            object.__setattr__(self, name, made)
        return made
