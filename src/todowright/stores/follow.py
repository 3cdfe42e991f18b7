"""Following a store: every revision in order, whichever process saves it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import NoReturn, Self

from todowright.awaiting import Lane
from todowright.plan.model import Plan
from todowright.processes import PerProcess, process
from todowright.stores.opening import given_store
from todowright.stores.protocol import Store
from todowright.text import a_kind, shown

Entry = tuple[int, Plan]
"""A revision, and its number among all revisions of the store."""
_MOST_AT_ONCE = 50
"""Revisions that are read at one look: many long plans at once would take much memory."""
_LONGEST_LOOK = 0.5
"""Seconds that a thread waits at most for an event loop: who stops does not wait longer for it."""


def _never() -> bool:
    return False


def follow(
    store: Store | str,
    *,
    session: str | None = None,
    after: int | None = None,
    pause: float = 1.0,
    until: Callable[[], bool] = _never,
) -> Iterator[Entry]:
    """The revisions behind a number (by default, from now on), each with its number, as they come.

    The store may be given by its URL. None is skipped; who stops may go on later from the last number it
    got. A number that is not larger than the one before tells that the store began anew. `until` is asked
    at least every `pause` seconds; what was saved before it said yes is still delivered.
    """
    looks = _Looks(store, session, after, pause, until)
    number = looks.store.newest() if after is None else after
    return _followed(looks, number)


def afollow(
    store: Store | str,
    *,
    session: str | None = None,
    after: int | None = None,
    pause: float = 1.0,
    until: Callable[[], bool] = _never,
) -> AsyncFollow:
    """What `follow` gives, for an event loop that goes on meanwhile: `async for number, plan in …`.

    By default it begins with the first `await`. Who is cancelled while it waits misses nothing, and may go on.
    """
    return AsyncFollow(_Looks(store, session, after, pause, until), after)


class _Looks:
    """Looks for the revisions behind a number, again and again."""

    def __init__(
        self,
        store: Store | str,
        session: str | None,
        after: int | None,
        pause: float,
        until: Callable[[], bool],
    ) -> None:
        self.store = given_store(store)
        if not (session is None or isinstance(session, str)):
            raise TypeError(f"session must be the name of one, not {a_kind(session)}")
        if not (after is None or type(after) is int):
            raise TypeError(f"after must be the number of a revision, not {a_kind(after)}")
        if type(pause) not in (int, float) or not 0 <= pause < float("inf"):
            raise ValueError(f"pause must be a number of seconds, not {shown(pause)}")
        if not callable(until):
            raise TypeError(f"until must be a function, not {a_kind(until)}: use lambda: done")
        self.session = session
        self.pause = pause
        self.until = until

    def at(self, number: int, longest: float) -> tuple[Sequence[Entry], int | None]:
        """The revisions behind a number, and the number to go on from; None at the end."""
        stopping, newest = self.until(), self.store.newest()
        if newest < number:
            number = 0  # the store was deleted or replaced, and counts from the beginning
        entries = self.store.since(number, session=self.session, limit=_MOST_AT_ONCE)
        if entries:
            return entries, entries[-1][0]
        if stopping:
            return (), None
        number = max(number, newest)  # up to here there is nothing of this session
        self.store.wait(number, min(self.pause, longest))
        return (), number


def _followed(looks: _Looks, number: int) -> Iterator[Entry]:
    following: int | None = number
    while following is not None:
        entries, following = looks.at(following, looks.pause)
        yield from entries


class AsyncFollow:
    """The revisions of a store as an event loop awaits them."""

    def __init__(self, looks: _Looks, number: int | None) -> None:
        self._looks = looks
        self._number = number
        self._entries: deque[Entry] = deque()
        self._ended = False
        self._awaited = False
        self._lane = PerProcess(Lane)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Entry:
        if self._awaited:
            raise RuntimeError("this afollow is awaited already: give each task one of its own")
        self._awaited = True
        try:
            while not (self._entries or self._ended):
                await self._look()
        finally:
            self._awaited = False
        if not self._entries:
            raise StopAsyncIteration
        return self._entries.popleft()

    async def _look(self) -> None:
        """Look once, in a thread; what was found counts from when it is here, so who is cancelled loses none."""
        looks, number = self._looks, self._number
        if number is None:
            self._number = await self._lane[process.number].run(looks.store.newest)
            return
        entries, following = await self._lane[process.number].run(
            lambda: looks.at(number, _LONGEST_LOOK)
        )
        if self._ended:  # it was closed meanwhile
            return
        self._entries.extend(entries)
        self._number, self._ended = following, following is None

    async def aclose(self) -> None:
        """End it."""
        self._ended = True
        self._entries.clear()

    def __iter__(self) -> NoReturn:
        raise TypeError("afollow is awaited: use `async for`, or `for` with follow(store)")
