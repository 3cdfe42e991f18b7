"""What imported sessions are called: by project and task, with a mark of the agent's own id, which they are found by."""

from __future__ import annotations

import re
from collections.abc import Callable

from todowright.digests import sha256
from todowright.importers.found import Found
from todowright.names import session_name, slug
from todowright.stores.protocol import Store

_SIGNS = re.compile(r"[\W_]+")
_RANDOM, _MARK = 12, 12
"""Letters and digits in a row that nobody writes twice; and how many of them are the mark."""
_COUNTED = 10
"""Digits of an id that only counts, or is a time."""
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_LONGEST_PLACE, _LONGEST_WORDS = 24, 40


def has_random(text: str) -> bool:
    """Whether a part of an id is made by a program, so that no other is like it."""
    words = _SIGNS.split(text)
    return any(len(w) >= _RANDOM and not w.isalpha() and not w.isdecimal() for w in words)


def is_id(session: str) -> bool:
    """Whether a session's name is an id that tells a person nothing."""
    counts = session.isdecimal() and len(session) >= _COUNTED
    return counts or has_random(session) or _UUID.search(session) is not None


class Titles:
    """The names of sessions in one store, by the ids that their agents gave them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._marks: dict[str, str] | None = None

    def known(self, session: str) -> str:
        """What a session is called in the store; what its agent calls it, where it is not there."""
        return self._names().get(_mark(session), session) if is_id(session) else session

    def name(self, found: Found, session: str, host: str, words: Callable[[], str]) -> str:
        """The session of a call: the one that is there, else a new one. `words` are the first of its plan."""
        if not is_id(session):
            return session
        names, mark = self._names(), _mark(session)
        if mark not in names:
            place = slug(re.split(r"[/\\]", found.folder.rstrip("/\\"))[-1], _LONGEST_PLACE)
            task = slug(found.title or found.prompt or words(), _LONGEST_WORDS)
            parts = [place or slug(host, _LONGEST_PLACE), task, mark]
            names[mark] = session_name("-".join(part for part in parts if part))
        return names[mark]

    def _names(self) -> dict[str, str]:
        """The sessions that are there, by their marks."""
        if self._marks is None:
            there = self._store.sessions()
            self._marks = {name.rpartition("-")[2]: name for name in there}
            self._marks |= {_mark(name): name for name in there if is_id(name)}
        return self._marks


def _mark(session: str) -> str:
    """The end of an id, which no other has; a digest where it ends otherwise."""
    end = session[-_MARK:]
    if is_id(session) and len(end) == _MARK and end.isalnum() and end.isascii():
        return end.lower()
    return sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK]
