"""The reply that a call got, as a store keeps it."""

from __future__ import annotations

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
