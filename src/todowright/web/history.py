"""Revisions page by page: a long history is never read whole, and long plans not many at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from todowright.plan.data import Plain
from todowright.plan.model import Plan
from todowright.stores import Store
from todowright.web.data import numbered, revision_data

PAGE, MOST = 200, 1_000
"""How many revisions a page has, and may have."""
LARGEST = 1_500_000
"""How many bytes a page may have: one of long plans has fewer revisions, but always one."""
_AT_ONCE, _MOST_AT_ONCE = 2, 50
"""How many revisions are read from the store at first; each time twice as many, up to this."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which page of which history."""

    session: str
    agent: str
    before: int | None = None
    after: int = 0
    limit: int = PAGE

    def earlier(self, first: int) -> str:
        """The address of the page in front of this one."""
        path = f"/api/sessions/{quote(self.session, safe='')}/history/{quote(self.agent)}"
        query = {"before": first, "limit": self.limit}
        if self.after:
            query["after"] = self.after
        return f"{path}?{urlencode(query)}"


class _Page:
    """What a page holds already, and whether more fits."""

    def __init__(self) -> None:
        self.shown: list[Plain] = []
        self._size = 0

    def take(self, data: Plain) -> bool:
        """Take it in if there is room, and for the first there is always."""
        self._size += len(json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"))
        if self.shown and (len(self.shown) == MOST or self._size > LARGEST):
            return False
        self.shown.append(data)
        return True


def page(store: Store, wanted: Wanted) -> Plain:
    """The last revisions of those that are wanted, oldest first, and where the earlier ones are."""
    made, first = _Page(), 0
    backward = _backward(store, wanted)
    after = next(backward, None)
    while after is not None and after.revision > wanted.after:
        if len(made.shown) == wanted.limit:
            break
        before = next(backward, None)  # what a revision did is seen from the one before it
        if not made.take(revision_data(store, before, after)):
            break
        first, after = after.revision, before
    more = after is not None and after.revision > wanted.after
    return {"revisions": made.shown[::-1], "earlier": wanted.earlier(first) if more else None}


def _backward(store: Store, wanted: Wanted) -> Iterator[Plan]:
    """The revisions from the last one that is wanted back to the first, a few read at a time."""
    before, size = wanted.before, _AT_ONCE
    while found := store.history(wanted.session, wanted.agent, before=before, limit=size):
        yield from reversed(found)
        before, size = found[0].revision, min(2 * size, _MOST_AT_ONCE)


def changes(store: Store, after: int, session: str | None) -> Plain:
    """The revisions of all plans behind a number, the number to go on from, and where that is."""
    made, number, full = _Page(), after, False
    size = _AT_ONCE
    while not full and (found := store.since(number, session=session, limit=size)):
        for at, plan in found:
            if not made.take(numbered(store, at, plan)):
                full = True
                break
            number = at
        size = min(2 * size, _MOST_AT_ONCE)
    query = {"after": number} | ({} if session is None else {"session": session})
    return {
        "changes": made.shown,
        "number": number,
        "next": f"/api/changes?{urlencode(query)}" if full else None,
    }
