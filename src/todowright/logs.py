"""Failures that are nobody's fault who could be told: they go to Python's log."""

from __future__ import annotations


def log_exception(message: str) -> None:
    """Log the exception being handled under `todowright`; silent where nobody set up a log."""
    import logging  # not before something fails: it is not light

    log = logging.getLogger("todowright")
    if not log.handlers:
        log.addHandler(logging.NullHandler())
    log.exception(message)
