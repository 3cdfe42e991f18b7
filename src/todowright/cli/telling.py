"""Telling notices by a hook: each once, also over restarts; with a few tries; never in the way of looking."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from todowright.cli.deliveries import Failed, Hook
from todowright.cli.notices import URGENT, Notice
from todowright.cli.small_file import SmallFile
from todowright.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

REMEMBERED = 8 * 86_400.0
"""Seconds for which it is remembered that something was told; what still holds, longer."""
MOST_WAITING = 1_000
FIRST_REST, LONGEST_REST = 0.5, 600.0
"""Seconds between two tries: the first time, and at most; each is twice the one before."""


class Ledger:
    """What a hook has told, kept in a file of its own."""

    def __init__(self, place: str, hook: Hook) -> None:
        self._file = SmallFile("notify", place, hook.name)
        self.is_new = not self._file.there
        self._told = self._file.read()
        self.path = self._file.path

    def begin(self, notices: Iterable[Notice], now: float) -> None:
        """The first time: what was finished or dropped before is no news; who is stuck is."""
        if self.is_new:
            before = [each for each in notices if each.kind not in URGENT]
            self._told |= {name: now for each in before for name in _names(each)}
            self.is_new = False
            self._file.write(self._told)

    def has(self, notice: Notice) -> bool:
        if notice.id in self._told:
            return True
        return bool(notice.parts) and all(each in self._told for each in notice.parts)

    def note(self, notice: Notice, now: float) -> None:
        """It was told."""
        self._told |= dict.fromkeys(_names(notice), now)
        self._file.write(self._told)

    def tidy(self, notices: Iterable[Notice], now: float) -> None:
        """Forget what was told long ago and does not hold any more."""
        held = {name for each in notices for name in _names(each)}
        old = [
            name for name, at in self._told.items() if now - at > REMEMBERED and name not in held
        ]
        for name in old:
            del self._told[name]

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Be the only one who tells by this hook; raises `StoreError` where somebody else does."""
        try:
            import fcntl
        except ImportError:  # Windows
            yield
            return
        import os

        from todowright.private_files import FILE_MODE, NO_LINKS, make_folder

        make_folder(os.path.dirname(self.path))
        lock = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT | NO_LINKS, FILE_MODE)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            raise StoreError(
                "another todowright notify tells the same already: end that one"
            ) from None
        try:
            yield
        finally:
            os.close(lock)


def _names(notice: Notice) -> tuple[str, ...]:
    return (notice.id, *notice.parts)


class Teller:
    """Tells by one hook. `seconds` is for one try, and `tries` are made of each notice."""

    def __init__(
        self,
        hook: Hook,
        ledger: Ledger,
        *,
        seconds: float,
        tries: int,
        complain: Callable[[str], None],
    ) -> None:
        self._hook, self._ledger = hook, ledger
        self._seconds, self._tries, self._complain = seconds, tries, complain
        self._waiting: deque[Notice] = deque(maxlen=MOST_WAITING)
        self._held: list[Notice] = []
        self._news = threading.Condition()
        self._stop = threading.Event()
        self._rest = 0.0
        self._hopeless: set[str] = set()
        """What no further try would help."""
        self._current = ""
        """The id of what is being told."""
        self._broken: BaseException | None = None
        """What ended the thread."""
        self._thread = threading.Thread(target=self._run, name="todowright-notify", daemon=True)

    def take(self, notices: Iterable[Notice]) -> None:
        """These hold now; those that were not told yet are told in the background."""
        with self._news:
            self._held = list(notices)
            waiting = {each.id for each in self._waiting}
            holds = {each.id for each in self._held}
            kept = [each for each in self._waiting if each.id in holds]
            fresh = [
                each
                for each in self._held
                if each.id not in waiting
                and each.id not in self._hopeless
                and each.id != self._current
                and not self._ledger.has(each)
            ]
            self._waiting.clear()
            self._waiting.extend([*kept, *fresh])
            self._news.notify()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End it; what is being told has a second for that."""
        self._stop.set()
        with self._news:
            self._news.notify()
        self._thread.join(1.0)

    def check(self) -> None:
        """Raise what ended the telling in the background, if anything did: nobody would be told any more."""
        if self._broken is not None:
            raise self._broken
        self._hook.check()

    def tell_all(self) -> bool:
        """Tell what waits, here and now; whether all of it was told.

        One that fails keeps no other waiting: those behind it have one try each.
        """
        all_told = True
        while self._waiting:
            all_told &= self._told(self._waiting.popleft(), self._tries if all_told else 1)
        return all_told

    def _run(self) -> None:
        try:
            self._go_on()
        except BaseException as error:  # `check` raises it where it ends the program
            self._broken = error

    def _go_on(self) -> None:
        while not self._stop.is_set():
            with self._news:
                while not self._waiting and not self._stop.is_set():
                    self._news.wait()
                notice = self._waiting.popleft() if self._waiting else None
                self._current = notice.id if notice else ""
            if notice is not None and not (self._stop.is_set() or self._ledger.has(notice)):
                self._in_background(notice)
            with self._news:
                self._current = ""

    def _in_background(self, notice: Notice) -> None:
        if self._told(notice, self._tries):
            self._rest = 0.0
        elif notice.id not in self._hopeless:  # it comes again while it holds; the hook rests
            self._rest = min(LONGEST_REST, max(30.0, self._rest * 2))
            self._stop.wait(self._rest)

    def _told(self, notice: Notice, tries: int) -> bool:
        """Tell one notice, with a few tries; whether it was told."""
        rest = FIRST_REST
        for attempt in range(1, tries + 1):
            try:
                self._hook.tell(notice, self._seconds)
            except Failed as failed:
                if not failed.again or attempt == tries or self._stop.is_set():
                    self._complain(
                        f"{self._hook.name.split()[0]}: not told ({failed}): {notice.text}"
                    )
                    if not failed.again:
                        self._hopeless.add(notice.id)
                    if failed.refused:
                        self._note(notice)
                    return False
                self._stop.wait(rest)
                rest = min(LONGEST_REST, rest * 2)
                continue
            self._note(notice)
            return True
        return False

    def _note(self, notice: Notice) -> None:
        """It was told, or never can be."""
        now = time.time()
        with suppress(OSError):  # a full disk: better told twice than never
            self._ledger.tidy(self._held, now)
            self._ledger.note(notice, now)
