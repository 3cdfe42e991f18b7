"""Following the files of agents while they write: what is new comes into the store, and nothing is touched."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any

from todowright.errors import TodowrightError
from todowright.importers.bringing import Importer
from todowright.importers.found import Damage, Found, Spent, changed_at
from todowright.importers.reading import in_lines, read_lines, reader_for
from todowright.importers.sources import Lines, Unreadable, opened, state_of
from todowright.importers.walk import files
from todowright.logs import log_exception

LOOK = 1.0
"""Seconds between two looks at the files that are written now."""
_RARELY = 10.0
"""Seconds between two searches for others, at least; and never more than a small share of the time."""
_SHARE = 20
RECENT = 24 * 3600.0
"""Seconds: a file that was not written for so long is left alone, until it is."""
_ACTIVE = 3600.0
MOST_OPEN = 512
"""Files of which it is kept how far they are read; the others, when they grow, are read from their beginning again."""
_MOST_STATES = 200_000
_OVERLAP = 60.0
"""Seconds before the last look from which a database is asked again."""


class _Followed:
    """One file, and how far it is read."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.module, self.head = reader_for(path)
        self.changed = self.file = -1
        self.tell = self.number = 0
        self.reader: Any = None
        self.since = 0.0
        """The last look at a database, in seconds since 1970."""
        if self.module is not None and in_lines(self.module, path, self.head) and _can_go_on(path):
            self.reader = self.module.Lines(path)


def _can_go_on(path: str) -> bool:
    """Whether a file can be read on from where it was left: it is neither packed nor wide."""
    try:
        with opened(path) as file:
            return not path.endswith(".gz") and bool(file.seekable())
    except Unreadable:
        return False


class Follower:
    """Brings what agents write now into a store."""

    def __init__(self, importer: Importer, folders: Sequence[str], *, recent: float = RECENT):
        self._importer = importer
        self._folders = folders
        self._recent = recent
        self._known: OrderedDict[str, _Followed] = OrderedDict()
        self._states: dict[str, tuple[int, int, int]] = {}
        """What each file was when it was read."""
        self._next_search = 0.0

    def run(self, stop: threading.Event, look: float = LOOK) -> None:
        """Follow until it is stopped. What goes wrong with one file does not end it."""
        while not stop.is_set():
            try:
                self.look()
            except (TodowrightError, OSError):
                log_exception("the files of agents could not be followed")
            stop.wait(look)

    def look(self) -> None:
        """Read what is new in all files, once."""
        now = time.monotonic()
        if now >= self._next_search:
            self._search()
            took = time.monotonic() - now
            self._next_search = time.monotonic() + max(_RARELY, _SHARE * took)
            return
        moment = time.time()
        for each in list(self._known.values()):
            if each.changed > (moment - _ACTIVE) * 1e9:
                self._read(each.path)

    def _search(self) -> None:
        """Look for files that were written not long ago."""
        oldest = (time.time() - self._recent) * 1e9
        for path in files(self._folders, _unheard):
            try:
                recent = state_of(path)[1] >= oldest
            except OSError:
                continue
            if recent:
                self._read(path)

    def _read(self, path: str) -> None:
        try:
            state = *state_of(path), os.stat(path).st_ino
        except OSError:  # it went
            self._known.pop(path, None)
            self._states.pop(path, None)
            return
        if self._states.get(path) == state:
            return
        if len(self._states) >= _MOST_STATES:
            self._states.clear()
        self._states[path] = state
        each = self._known.get(path)
        if each is None or each.module is None or each.file != state[2] or state[0] < each.tell:
            each = _Followed(path)  # new, or another file by this name, or cut off
        self._known[path] = each
        self._known.move_to_end(path)
        if len(self._known) > MOST_OPEN:
            self._known.popitem(last=False)
        _, each.changed, each.file = state
        try:
            self._read_new(each)
        except Exception:  # one file must not stop the others
            log_exception(f"{path} could not be followed")

    def _read_new(self, each: _Followed) -> None:
        if each.module is None:
            return
        if each.reader is not None:
            self._read_lines(each)
        elif hasattr(each.module, "changed_since"):
            self._ask(each)
        else:
            self._importer.file(each.path)

    def _read_lines(self, each: _Followed) -> None:
        """Read the lines that are complete by now."""
        try:
            with opened(each.path) as file:
                lines = Lines(file, each.number, file.seek(each.tell))
                self._take(each, read_lines(each.reader, lines, whole=False))
                each.tell, each.number = lines.tell, lines.number
        except Unreadable:
            self._known.pop(each.path, None)

    def _ask(self, each: _Followed) -> None:
        """Ask a database for what is new."""
        since, each.since = each.since, time.time() - _OVERLAP
        self._take(each, each.module.changed_since(each.path, int(1000 * since)))

    def _take(self, each: _Followed, calls: Iterable[Found | Spent | Damage]) -> None:
        moment = changed_at(each.changed)
        for found in calls:
            if isinstance(found, Damage):
                self._importer.report.tell(each.path, found.line, found.reason)
            elif isinstance(found, Spent):
                self._importer.spending.add(found, each.path)
            else:
                self._importer.take(found, each.path, moment, each.module.HOST)
        self._importer.spending.count()


def _unheard(path: str, why: str) -> None:
    """What cannot be read while it is followed may be readable at the next look."""
