"""Following a store: every revision in order, whichever process saves it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from todowright.plan.model import Plan
from todowright.stores.protocol import Store


def follow(
    store: Store,
    *,
    session: str | None = None,
    after: int | None = None,
    pause: float = 1.0,
    until: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[int, Plan]]:
    """The revisions behind a number (by default, from now on), each with its number, as they come.

    None is skipped; who stops may go on later from the last number it got. A number that is not
    larger than the one before tells that the store began anew. `until` is asked at least
    every `pause` seconds; what was saved before it said yes is still delivered.
    """
    number = store.newest() if after is None else after
    while True:
        stopping, newest = until(), store.newest()
        if newest < number:
            number = 0  # the store was deleted or replaced, and counts from the beginning
        entries = store.since(number, session=session)
        yield from entries
        if entries:
            number = entries[-1][0]
        elif stopping:
            return
        else:
            number = max(number, newest)  # up to here there is nothing of this session
            store.wait(number, pause)
