"""When a user last looked at each session in the terminal: dropped work that was seen needs nobody."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

from todowright.cli.place import absolute, store_url
from todowright.cli.small_file import SmallFile

LOOKED = 2.0
"""Seconds that a session is on the screen until it counts as seen."""
_MOST = 5_000


def place_of(options: Any) -> str:
    """The address of the store that the options name, the same from every folder."""
    if getattr(options, "everywhere", False):
        return "everywhere"
    return absolute(options.store or store_url(os.environ, os.getcwd()))


class Seen:
    """The moments at which sessions of a store were looked at."""

    def __init__(self, place: str) -> None:
        self._file = SmallFile("seen", place)
        self.moments = self._file.read()

    def mark(self, session: str, moment: float) -> None:
        """A session was looked at. A folder that cannot be written is no reason to stop watching."""
        latest = self._file.read() | {session: moment}
        newest = sorted(latest.items(), key=lambda each: each[1])[-_MOST:]
        self.moments = dict(newest)
        with suppress(OSError):
            self._file.write(self.moments)
