"""Numbers of the command line; what is none is told as argparse tells it."""

from __future__ import annotations

from argparse import ArgumentTypeError


def positive(text: str) -> int:
    return int(at_least(text, 1))


def minutes(text: str) -> float:
    return _span(text, "minutes")


def seconds(text: str) -> float:
    return _span(text, "seconds")


def _span(text: str, unit: str) -> float:
    number = at_least(text, 0)
    if not 0 < number < 1e6:
        raise ArgumentTypeError(f"'{text}' is no number of {unit}")
    return number


def at_least(text: str, least: int) -> float:
    """A number that is not smaller; a whole one, unless it may be 0."""
    try:
        number = float(text) if least == 0 else int(text)
    except ValueError:
        raise ArgumentTypeError(f"'{text}' is no number") from None
    if number < least:
        raise ArgumentTypeError(f"'{text}' is too small: at least {least}")
    return number


def counted(number: int, noun: str) -> str:
    """A number of things, in words."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
