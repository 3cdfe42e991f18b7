"""The history of a plan, page by page: a long one is never read whole."""

from __future__ import annotations

import json
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from todowright.plan.data import Plain
from todowright.stores import Store
from todowright.web.data import revision_data

PAGE, MOST = 200, 1_000
"""How many revisions a page has, and may have."""
LARGEST = 1_500_000
"""How many bytes a page may have: one of long plans has fewer revisions, but always one."""


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


def page(store: Store, wanted: Wanted) -> Plain:
    """The last revisions of those that are wanted, oldest first, and where the earlier ones are."""
    # One more than is shown: what the first one did is seen from the one before it.
    plans = store.history(
        wanted.session, wanted.agent, before=wanted.before, limit=wanted.limit + 1
    )
    shown: list[Plain] = []
    size, first = 0, len(plans)
    while first and len(shown) < wanted.limit and plans[first - 1].revision > wanted.after:
        data = revision_data(store, plans[first - 2] if first > 1 else None, plans[first - 1])
        size += len(json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"))
        if shown and size > LARGEST:
            break
        shown.append(data)
        first -= 1
    more = bool(shown) and first > 0 and plans[first - 1].revision > wanted.after
    return {
        "revisions": shown[::-1],
        "earlier": wanted.earlier(plans[first].revision) if more else None,
    }
