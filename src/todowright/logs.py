"""Failures that are nobody's fault who could be told: they go to Python's log."""

from __future__ import annotations

from contextvars import ContextVar

quiet: ContextVar[bool] = ContextVar("quiet", default=False)
"""Set by a command, which tells a failure in one line of its own."""


def log_exception(message: str) -> None:
    """Log the exception being handled, under `todowright`.

    One that says in its words what is wrong (a full disk, a store that cannot be written) takes one line.
    """
    if not quiet.get():
        import logging  # not before something fails: it is not light
        import sys

        error = sys.exception()
        logger = logging.getLogger("todowright")
        if isinstance(error, OSError) or getattr(error, "says_it_all", False):
            logger.error("%s: %s", message, error)
        else:
            logger.exception(message)


def log_warning(message: str) -> None:
    """Log something that a person should know, under `todowright`."""
    if not quiet.get():
        import logging

        logging.getLogger("todowright").warning(message)
