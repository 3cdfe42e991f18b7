"""Failures that are nobody's fault who could be told: they go to Python's log."""

from __future__ import annotations

from contextvars import ContextVar

quiet: ContextVar[bool] = ContextVar("quiet", default=False)
"""Set by a command, which tells a failure in one line of its own."""


def log_exception(message: str) -> None:
    """Log the exception being handled, under `todowright`."""
    if not quiet.get():
        import logging  # not before something fails: it is not light

        logging.getLogger("todowright").exception(message)
